# SPDX-License-Identifier: Apache-2.0
"""The card model by itself: page sizes, ring wrap and phase, limits of its options."""

import os
import random

import pagepress_interface as interface
import pytest
from cold import cold_compress, cold_decompress, zstd_decompress
from crc32c import crc32c
from lzo import kernel_decompress, sample_pages
from model import CardModel, page_compress
from pagepress_cold import COLD_TABLES_VERSION
from pagepress_interface import CompletionEntry, SubmissionEntry
from push_window import push_writes
from weighted_turns import WIDEST_SHARE, WeightedTurns, longest_wait_ever, widest_share

SEED = int(os.environ.get("SEED", random.randrange(2**32)))
SUBMISSIONS, COMPLETIONS, SOURCE, TARGET = 0x1000, 0x11000, 0x100000, 0x200000


class Memory:
    """`size` bytes from address 0; accesses past them are bus errors."""

    def __init__(self, size=0x400000):
        self.bytes = bytearray(size)

    def read(self, address, count):
        return self.bytes[address:address + count] if address + count <= len(self.bytes) else None

    def write(self, address, data):
        if address + len(data) > len(self.bytes):
            return False
        self.bytes[address:address + len(data)] = data
        return True


def start(card, depth_log2=2, queue=0, submissions=SUBMISSIONS):
    card.write(interface.REGISTER_CONTROL, 1)
    base = interface.QUEUE_BASE + queue * interface.QUEUE_STRIDE
    card.write(base + interface.REGISTER_SUBMISSION_BASE_LOW, submissions & 0xFFFFFFFF)
    card.write(base + interface.REGISTER_SUBMISSION_BASE_HIGH, submissions >> 32)
    card.write(base + interface.REGISTER_COMPLETION_BASE_LOW, COMPLETIONS)
    card.write(base + interface.REGISTER_DEPTH_LOG2, depth_log2)
    card.write(base + interface.REGISTER_QUEUE_CONTROL, 1)


def run(card, memory, index, entry, depth=4):
    """Carry out the `index`th command since the queue began; its completion."""
    slot = index % depth
    memory.write(SUBMISSIONS + slot * interface.SUBMISSION_ENTRY_BYTES, entry.pack())
    card.write(interface.DOORBELL_BASE + interface.REGISTER_SUBMISSION_TAIL, (slot + 1) % depth)
    completion = CompletionEntry.unpack(bytes(memory.read(COMPLETIONS + slot * interface.COMPLETION_ENTRY_BYTES,
                                                          interface.COMPLETION_ENTRY_BYTES)))
    card.write(interface.DOORBELL_BASE + interface.REGISTER_COMPLETION_HEAD, (slot + 1) % depth)
    return completion


@pytest.mark.parametrize("page_shift", [12, 13, 14, 16])
def test_page_sizes(page_shift):
    page_bytes = 1 << page_shift
    memory = Memory()
    card = CardModel(memory, page_shift=page_shift)
    assert card.read(interface.REGISTER_CAPABILITIES) & interface.CAPABILITIES_PAGE_SHIFT_MASK == page_shift
    start(card)
    choice = random.Random(SEED)
    words = [choice.randbytes(16) for _ in range(40)]
    page = b"".join(choice.choice(words) for _ in range(page_bytes // 16))
    memory.write(SOURCE, page)
    compressed = run(card, memory, 0, SubmissionEntry(interface.OPCODE_COMPRESS, interface.FORMAT_LZO1X, 0, 1, SOURCE, TARGET,
                                                   page_bytes, page_bytes))
    assert compressed.status == interface.STATUS_SUCCESS and compressed.crc32c == crc32c(page), f"SEED={SEED}"
    stream = bytes(memory.read(TARGET, compressed.produced_length))
    assert kernel_decompress(stream, page_bytes) == page, f"SEED={SEED}"
    memory.write(SOURCE, bytes(page_bytes))
    opened = run(card, memory, 1, SubmissionEntry(interface.OPCODE_DECOMPRESS, interface.FORMAT_LZO1X, interface.FLAG_CHECK_CRC,
                                                  2, TARGET, SOURCE, len(stream), page_bytes, compressed.crc32c))
    assert opened.status == interface.STATUS_SUCCESS and memory.read(SOURCE, page_bytes) == page, f"SEED={SEED}"


def test_cold_format():
    """A card that knows the cold format: pages both ways as its coders have them, broken streams too; one that does not refuses it."""
    memory = Memory()
    card, page_bytes, index = CardModel(memory, cold_format=True), 4096, 0
    assert (card.read(interface.REGISTER_CAPABILITIES) & interface.CAPABILITIES_COLD_TABLES_MASK) >> interface.CAPABILITIES_COLD_TABLES_SHIFT == COLD_TABLES_VERSION
    start(card)
    choice = random.Random(SEED)
    pages = [*sample_pages(20, SEED), choice.randbytes(page_bytes)]
    for page in pages:
        memory.write(SOURCE, page)
        capacity = choice.choice((page_bytes, page_bytes, page_bytes // 4))
        made = run(card, memory, index, SubmissionEntry(interface.OPCODE_COMPRESS, interface.FORMAT_COLD, 0, 1, SOURCE, TARGET, page_bytes, capacity))
        stream = bytes(memory.read(TARGET, made.produced_length))
        assert (made.status, stream) == cold_compress(page, capacity) and made.crc32c == crc32c(page), f"SEED={SEED}"
        status, stream = cold_compress(page, page_bytes + 9)
        for taken in (stream, stream[:choice.randrange(1, len(stream))]):
            memory.write(TARGET, taken)
            index += 1
            back = run(card, memory, index, SubmissionEntry(interface.OPCODE_DECOMPRESS, interface.FORMAT_COLD, interface.FLAG_CHECK_CRC, 2, TARGET, SOURCE,
                                                            len(taken), page_bytes, crc32c(page)))
            status, wanted = cold_decompress(taken, page_bytes)
            assert (back.status, back.produced_length, back.crc32c) == (status, len(wanted), crc32c(wanted)), f"SEED={SEED}"
            assert memory.read(SOURCE, len(wanted)) == wanted and (taken != stream or wanted == zstd_decompress(stream, page_bytes) == page)
        index += 1
    plain = CardModel(memory)
    assert not plain.read(interface.REGISTER_CAPABILITIES) & interface.CAPABILITIES_COLD_TABLES_MASK
    start(plain)
    for index, opcode in enumerate((interface.OPCODE_COMPRESS, interface.OPCODE_DECOMPRESS)):
        refused = run(plain, memory, index, SubmissionEntry(opcode, interface.FORMAT_COLD, 0, 1, SOURCE, TARGET, page_bytes, page_bytes))
        assert refused.status == interface.STATUS_INVALID_FORMAT


def test_wrap_and_phase():
    memory = Memory()
    card = CardModel(memory)
    start(card)
    for index in range(23):
        completion = run(card, memory, index, SubmissionEntry(interface.OPCODE_NOP, tag=index))
        assert completion.tag == index and completion.phase == 1 - index // 4 % 2
        assert completion.submission_head == (index + 1) % 4
    assert card.interrupts == [interface.FIRST_QUEUE_VECTOR] * 23
    assert card.counter(interface.COUNTER_COMPLETIONS) == 23
    card.reset()
    assert card.counter(interface.COUNTER_COMPLETIONS) == 0 and card.read(interface.REGISTER_STATUS) == 0


def test_counts_by_result():
    """Each result counts once, at its own counter, and bytes of pages that were done alone."""
    memory, choice = Memory(), random.Random(SEED)
    card, page = CardModel(memory), 4096
    start(card)
    stream = page_compress(sample_pages(1, SEED)[0], page)[1]
    sources = {"pages_compressed": (interface.OPCODE_COMPRESS, b"".join(choice.choices([b"some words", b"come again"], k=410))[:page]),
               "pages_same_filled": (interface.OPCODE_COMPRESS, choice.randbytes(8) * (page // 8)),
               "pages_incompressible": (interface.OPCODE_COMPRESS, choice.randbytes(page)),
               "pages_decompressed": (interface.OPCODE_DECOMPRESS, stream), "commands_failed": (interface.OPCODE_DECOMPRESS, stream[:-1]),
               "commands_refused": (77, bytes(page))}  # fmt: skip
    expected = dict.fromkeys([*sources, "verify_failures"], 0)
    moved = dict.fromkeys(("compress_bytes_in", "compress_bytes_out", "decompress_bytes_in", "decompress_bytes_out"), 0)
    for index, (name, (opcode, source)) in enumerate(sources.items()):
        memory.write(SOURCE, source)
        done = run(card, memory, index, SubmissionEntry(opcode, interface.FORMAT_LZO1X, 0, 1, SOURCE, TARGET, len(source), page))
        expected[name] += 1
        if done.status == interface.STATUS_SUCCESS:
            way = "compress" if opcode == interface.OPCODE_COMPRESS else "decompress"
            moved[f"{way}_bytes_in"] += len(source)
            moved[f"{way}_bytes_out"] += done.produced_length
        found = {counter: card.counter(getattr(interface, f"COUNTER_{counter.upper()}")) for counter in (*expected, *moved)}
        assert found == expected | moved, f"{name}; SEED={SEED}"


@pytest.mark.parametrize("opcode", [interface.OPCODE_COMPRESS, interface.OPCODE_DECOMPRESS], ids=["compress", "decompress"])
def test_lengths_and_capacities(opcode):
    """What a command may say of its buffers, to the byte."""
    memory, page = Memory(), 4096
    card = CardModel(memory)
    start(card)
    compresses = opcode == interface.OPCODE_COMPRESS
    lengths = {length: length == page if compresses else 1 <= length <= 2 * page for length in (0, 1, page - 1, page, page + 1, 2 * page, 2 * page + 1)}
    capacities = {capacity: 1 <= capacity <= page if compresses else capacity == page for capacity in (0, 1, page - 1, page, page + 1, 2 * page)}
    cases = [(length, page, good) for length, good in lengths.items()] + [(page, capacity, good) for capacity, good in capacities.items()]
    for index, (length, capacity, good) in enumerate(cases):
        done = run(card, memory, index, SubmissionEntry(opcode, interface.FORMAT_LZO1X, 0, 1, SOURCE, TARGET, length, capacity))
        assert (done.status != interface.STATUS_INVALID_LENGTH) == good, (length, capacity)
    for index, addresses in enumerate(((0, TARGET), (SOURCE, 0), ((1 << 64) - page + 1, TARGET), (SOURCE, (1 << 64) - page + 1)), len(cases)):
        done = run(card, memory, index, SubmissionEntry(opcode, interface.FORMAT_LZO1X, 0, 1, *addresses, page, page))
        assert done.status == interface.STATUS_INVALID_ADDRESS
    last = run(card, memory, index + 1, SubmissionEntry(opcode, interface.FORMAT_LZO1X, 0, 1, (1 << 64) - page, TARGET, page, page))
    assert last.status == interface.STATUS_READ_FAULT, "a buffer may end with the last byte"


def test_crc_is_checked_where_asked():
    memory, page = Memory(), sample_pages(1, SEED)[0]
    card, stream = CardModel(memory), page_compress(page, len(page))[1]
    start(card)
    memory.write(SOURCE, stream)
    cases = [(interface.FLAG_CHECK_CRC, crc32c(page), interface.STATUS_SUCCESS), (interface.FLAG_CHECK_CRC, crc32c(page) ^ 1, interface.STATUS_CRC_MISMATCH),
             (interface.FLAG_CHECK_CRC, 0, interface.STATUS_CRC_MISMATCH), (0, 1, interface.STATUS_SUCCESS)]  # fmt: skip
    for index, (flags, expected, status) in enumerate(cases):
        done = run(card, memory, index, SubmissionEntry(interface.OPCODE_DECOMPRESS, interface.FORMAT_LZO1X, flags, 1, SOURCE, TARGET, len(stream), len(page), expected))
        assert done.status == status, f"flags {flags}, {expected:#x}; SEED={SEED}"


def queue_error(card, queue=0):
    """Whether the queue is active, and the cause of its error."""
    status = card.read(interface.QUEUE_BASE + queue * interface.QUEUE_STRIDE + interface.REGISTER_QUEUE_STATUS)
    assert bool(status & interface.QUEUE_STATUS_ERROR_MASK) == bool(status & interface.QUEUE_STATUS_CAUSE_MASK)
    return (status & interface.QUEUE_STATUS_CAUSE_MASK) >> interface.QUEUE_STATUS_CAUSE_SHIFT


def test_nothing_counts_that_cannot_be_written():
    """Where the destination refuses the page, no byte of it counts, of a bad stream's neither."""
    memory, page = Memory(), sample_pages(1, SEED)[0]
    card, stream = CardModel(memory), page_compress(page, len(page))[1]
    start(card)
    nowhere = len(memory.bytes)
    for index, (source, status) in enumerate(((stream, interface.STATUS_WRITE_FAULT), (stream + b"tail", interface.STATUS_MALFORMED_STREAM))):
        memory.write(SOURCE, source)
        done = run(card, memory, index, SubmissionEntry(interface.OPCODE_DECOMPRESS, interface.FORMAT_LZO1X, 0, 1, SOURCE, nowhere, len(source), len(page)))
        assert done.status == status, f"SEED={SEED}"
        assert done.produced_length == done.crc32c == done.detail == 0, f"{done}; SEED={SEED}"


def test_doorbells_and_depths_out_of_range():
    """The largest that is in range works, the next one stops the queue; the event vector rises for the first error, and again once all are gone."""
    card = CardModel(Memory(), max_depth_log2=5)
    start(card, depth_log2=5)
    card.write_only(interface.DOORBELL_BASE, 31)
    assert queue_error(card) == interface.FATAL_NONE
    card.write_only(interface.DOORBELL_BASE, 32)
    assert queue_error(card) == interface.FATAL_DOORBELL_RANGE and card.interrupts == [interface.EVENT_VECTOR]
    start(card, depth_log2=6, queue=1)
    assert queue_error(card, 1) == interface.FATAL_RING_SETUP and card.interrupts == [interface.EVENT_VECTOR]
    for queue in (0, 1):
        card.write(interface.QUEUE_BASE + queue * interface.QUEUE_STRIDE + interface.REGISTER_QUEUE_CONTROL, 0)
        assert queue_error(card, queue) == interface.FATAL_NONE
    start(card, depth_log2=interface.MIN_DEPTH_LOG2 - 1)
    assert queue_error(card) == interface.FATAL_RING_SETUP and card.interrupts == [interface.EVENT_VECTOR] * 2


def test_rings_past_the_last_byte():
    """A ring may end with the last byte that has an address, and not past it."""
    card = CardModel(Memory())
    end = 1 << 64
    start(card, depth_log2=7, submissions=end - interface.RING_ALIGNMENT)
    assert queue_error(card) == interface.FATAL_RING_SETUP
    start(card, depth_log2=7, queue=1, submissions=end - (interface.SUBMISSION_ENTRY_BYTES << 7))
    assert queue_error(card, 1) == interface.FATAL_NONE


def test_full_completion_ring_waits():
    """Commands wait until software has taken completions; none is lost or overwritten."""
    memory = Memory()
    card = CardModel(memory)
    start(card)
    for slot in range(3):
        memory.write(SUBMISSIONS + slot * 64, SubmissionEntry(interface.OPCODE_NOP, tag=slot).pack())
    card.write(interface.DOORBELL_BASE, 3)
    memory.write(SUBMISSIONS + 3 * 64, SubmissionEntry(interface.OPCODE_NOP, tag=3).pack())
    card.write(interface.DOORBELL_BASE, 0)
    assert card.counter(interface.COUNTER_COMPLETIONS) == 3
    card.write(interface.DOORBELL_BASE + interface.REGISTER_COMPLETION_HEAD, 1)
    assert card.counter(interface.COUNTER_COMPLETIONS) == 4


@pytest.mark.parametrize("cycles", [0, 1, 2, 1000, 0xFFFF])
def test_moderation_by_age(cycles):
    """Completions too few for the count are announced when the oldest, or the last acknowledgement, is so many units of 16 cycles old."""
    memory = Memory()
    card = CardModel(memory)
    card.write(interface.QUEUE_BASE + interface.REGISTER_MODERATION, 5 << interface.MODERATION_COUNT_SHIFT | cycles << interface.MODERATION_CYCLES_SHIFT)
    start(card, depth_log2=3)

    def now():
        return card.counter(interface.COUNTER_CYCLES)

    def announced(since, times):
        while card.step():
            pass
        assert card.interrupts == [interface.FIRST_QUEUE_VECTOR] * times and (now() == since + 16 * cycles or not cycles)

    def status():
        return card.read(interface.REGISTER_STATUS)

    for slot in range(4):
        memory.write(SUBMISSIONS + slot * interface.SUBMISSION_ENTRY_BYTES, SubmissionEntry(interface.OPCODE_NOP, tag=slot).pack())
    assert status() == interface.STATUS_READY_MASK
    card.write_only(interface.DOORBELL_BASE, 1)
    assert status() == interface.STATUS_READY_MASK | interface.STATUS_BUSY_MASK
    assert card.step()
    assert bool(status() & interface.STATUS_BUSY_MASK) == (cycles > 0), "it waits to announce"
    announced(now(), 1)
    assert status() == interface.STATUS_READY_MASK
    card.write_only(interface.DOORBELL_BASE, 4)
    assert card.step() and card.step() and card.step()
    # One of four is taken: three are left, which age from now.
    card.write_only(interface.DOORBELL_BASE + interface.REGISTER_COMPLETION_HEAD, 1)
    announced(now(), 2)


def test_doorbells_and_the_age():
    """A submission doorbell leaves the age of the oldest completion as it is; a completion doorbell begins it anew, though it takes nothing."""
    memory, units = Memory(), 1000
    card = CardModel(memory)
    card.write(interface.QUEUE_BASE + interface.REGISTER_MODERATION, 5 << interface.MODERATION_COUNT_SHIFT | units << interface.MODERATION_CYCLES_SHIFT)
    start(card, depth_log2=3)
    completed = []
    for slot in range(3):
        memory.write(SUBMISSIONS + slot * interface.SUBMISSION_ENTRY_BYTES, SubmissionEntry(interface.OPCODE_NOP, tag=slot).pack())
        card.write_only(interface.DOORBELL_BASE, slot + 1)
        assert card.step()
        completed.append(card.counter(interface.COUNTER_CYCLES))
    assert completed[0] < completed[1]
    for times, since in enumerate((completed[0], completed[0] + 16 * units), 1):
        while card.step():
            pass
        assert card.interrupts == [interface.FIRST_QUEUE_VECTOR] * times and card.counter(interface.COUNTER_CYCLES) == since + 16 * units
        card.write_only(interface.DOORBELL_BASE + interface.REGISTER_COMPLETION_HEAD, 0)


def test_load_of_a_queue():
    """Depth counts the command that is carried out, waiting does not; a peak is of the time since it was last asked for."""
    card, choice = CardModel(Memory()), random.Random(SEED)
    start(card, depth_log2=3)
    depth_cycles = waiting_cycles = done = 0
    for _ in range(20):
        count = choice.randint(1, 7)
        card.write_only(interface.DOORBELL_BASE, (done + count) % 8)
        for left in range(count, 0, -1):
            before = card.counter(interface.COUNTER_CYCLES)
            assert card.step()
            passed = card.counter(interface.COUNTER_CYCLES) - before
            depth_cycles += left * passed
            waiting_cycles += (left - 1) * passed
        done += count
        card.write_only(interface.DOORBELL_BASE + interface.REGISTER_COMPLETION_HEAD, done % 8)
        card.write_only(interface.DOORBELL_BASE, (done + 2) % 8)
        done += 2
        told = card.load(0)
        assert (told.depth, told.depth_peak, told.commands) == (2, max(count, 2), done - 2), f"SEED={SEED}"
        assert (told.depth_cycles, told.waiting_cycles) == (depth_cycles, waiting_cycles), f"SEED={SEED}"
        for left in (2, 1):
            before = card.counter(interface.COUNTER_CYCLES)
            assert card.step()
            depth_cycles += left * (card.counter(interface.COUNTER_CYCLES) - before)
            waiting_cycles += (left - 1) * (card.counter(interface.COUNTER_CYCLES) - before)
        card.write_only(interface.DOORBELL_BASE + interface.REGISTER_COMPLETION_HEAD, done % 8)
        assert card.load(0).depth_peak == 2 and card.load(0).depth_peak == 0, f"SEED={SEED}"
    card.reset()
    told = card.load(0)
    assert (told.commands, told.depth_cycles, told.waiting_cycles) == (0, 0, 0)


@pytest.mark.parametrize("end", [lambda card: card.reset(), lambda card: card.write(interface.QUEUE_BASE + interface.REGISTER_QUEUE_CONTROL, 0)],
                         ids=["reset", "queue_disabled"])
def test_pushed_copy_of_a_former_life(end):
    """A whole copy, numbered as the first entry of a queue, from before the card was reset or the queue disabled: the entry in the ring is carried out."""
    memory = Memory()
    card = CardModel(memory)
    for life in range(2):
        start(card)
        if life == 0:
            for offset, dword in push_writes(0, SubmissionEntry(interface.OPCODE_NOP, tag=77), 0):
                card.write(offset, dword)
            end(card)
    assert run(card, memory, 0, SubmissionEntry(interface.OPCODE_NOP, tag=5)).tag == 5
    assert card.counter(interface.COUNTER_COMMANDS_PUSHED) == 0


def weight_of(queue):
    return interface.QUEUE_BASE + queue * interface.QUEUE_STRIDE + interface.REGISTER_WEIGHT


def test_weight_as_written():
    """0 is 1 and what is too large the largest, at any time; only a reset brings back the default."""
    card, choice = CardModel(Memory()), random.Random(SEED)
    assert card.read(interface.REGISTER_CAPABILITIES) & interface.CAPABILITIES_WEIGHTS_MASK
    for value in (0, 1, 2, interface.MAX_WEIGHT, interface.MAX_WEIGHT + 1, 1 << 31, 0xFFFFFFFF, *(choice.getrandbits(6) for _ in range(20))):
        queue = choice.randrange(4)
        if choice.random() < 0.5:
            start(card, queue=queue)
        card.write(weight_of(queue), value)
        card.write(interface.REGISTER_CONTROL, 0)
        assert card.read(weight_of(queue)) == min(max(value, 1), interface.MAX_WEIGHT), f"SEED={SEED}"
    card.reset()
    assert {card.read(weight_of(queue)) for queue in range(4)} == {interface.DEFAULT_WEIGHT}
    assert card.read(weight_of(4)) == 0


@pytest.mark.parametrize("queues", [1, 2, 5, 63, 64])
def test_shares_follow_weights(queues):
    """Queues that always have commands share the card by their weights, in the reference's order; whatever weights become, none starves."""
    memory, choice = Memory(), random.Random(f"{SEED} {queues}")
    card = CardModel(memory, queue_pairs=queues)
    weights = [choice.randint(1, interface.MAX_WEIGHT) for _ in range(queues)]
    for queue in range(queues):
        base = interface.QUEUE_BASE + queue * interface.QUEUE_STRIDE
        card.write(interface.REGISTER_CONTROL, 1)
        for register, value in ((interface.REGISTER_SUBMISSION_BASE_LOW, 0x10000 + 0x1000 * queue), (interface.REGISTER_COMPLETION_BASE_LOW, 0x80000 + 0x1000 * queue),
                                (interface.REGISTER_DEPTH_LOG2, 6), (interface.REGISTER_WEIGHT, weights[queue]), (interface.REGISTER_QUEUE_CONTROL, 1)):
            card.write(base + register, value)
        for slot in range(64):
            memory.write(0x10000 + 0x1000 * queue + 64 * slot, SubmissionEntry(interface.OPCODE_NOP, tag=queue).pack())
    done, order = [0] * queues, []

    def refill():
        """All rings are full again, and all completions taken."""
        for queue in range(queues):
            doorbell = interface.DOORBELL_BASE + queue * interface.DOORBELL_STRIDE
            card.write_only(doorbell + interface.REGISTER_COMPLETION_HEAD, done[queue] % 64)
            card.write_only(doorbell + interface.REGISTER_SUBMISSION_TAIL, (done[queue] + 63) % 64)

    def go_on(commands):
        goal = len(order) + commands
        while len(order) < goal:
            if len(order) % 16 == 0:
                refill()
            before = card.counter(interface.COUNTER_COMPLETIONS)
            assert card.step()
            if card.counter(interface.COUNTER_COMPLETIONS) > before:
                head = next(queue for queue in range(queues)
                            if card.read(interface.QUEUE_BASE + queue * interface.QUEUE_STRIDE + interface.REGISTER_COMPLETION_TAIL) != done[queue] % 64)
                done[head] += 1
                order.append(head)

    go_on(4 * sum(weights) + 7)
    reference = WeightedTurns(queues)
    assert order == [reference.take(set(range(queues)), weights) for _ in order], f"SEED={SEED}"
    for first, second in [choice.sample(range(queues), 2) for _ in range(20) if queues > 1]:
        assert widest_share(order, weights, first, second) <= WIDEST_SHARE, f"SEED={SEED}"
    for _ in range(40):
        card.write_only(weight_of(choice.randrange(queues)), choice.choice((0, 1, 3, interface.MAX_WEIGHT)))
        go_on(choice.randint(1, 2 * queues))
    for queue in range(queues):
        others = "".join("." if other == queue else "x" for other in order).strip("x").split(".")
        assert max(map(len, others)) <= longest_wait_ever(queues), f"SEED={SEED}"


@pytest.mark.parametrize("options", [{"page_shift": 11}, {"page_shift": 17}, {"queue_pairs": 0}, {"queue_pairs": 65},
                                     {"max_depth_log2": 0}, {"max_depth_log2": 13}])
def test_impossible_cards(options):
    with pytest.raises(ValueError):
        CardModel(Memory(), **options)
