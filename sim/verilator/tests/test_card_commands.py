# SPDX-License-Identifier: Apache-2.0
"""Commands through rings, on every engine, judged by liblzo2 and the kernel's decompressor."""

import itertools
import os
import random
import select

import pagepress_interface as interface
import pytest
from card_process import CardProcess
from cold import cold_compress
from completion_fields import check_fields
from lzo import COMPRESSORS, compress as software_compress, crc32c, edge_pages, kernel_decompress, liblzo2_decompress, \
    sample_pages
from model import page_compress
from pagepress_cold import COLD_TABLES_VERSION
from pagepress_interface import STATUS_NAMES, SubmissionEntry
from rings import PAGE, Memory, Queue, compress, decompress, enable
from vfio_user import READABLE, WRITABLE, Client

GUARD = b"\xc3" * 64


@pytest.fixture
def memory():
    held = Memory(pages=2048)
    yield held
    held.close()


@pytest.fixture
def client(card, memory):
    with Client(card.socket) as connected:
        connected.dma_map(memory.base, memory.size, memory.file)
        enable(connected)
        yield connected


@pytest.fixture
def refused_write(engine):
    """Status of a command whose output the host refuses: on PCIe nobody tells the card."""
    return interface.STATUS_SUCCESS if engine == "pcie" else interface.STATUS_WRITE_FAULT


def counter(client, name):
    offset = interface.COUNTER_BASE + 8 * interface.COUNTER_NAMES.index(name)
    return client.read(offset + 4) << 32 | client.read(offset)


def compressed(memory, queue, pages, capacity=PAGE, flags=0):
    """Compress pages; [(completion, stream)]. Bytes after the stream must be as they were."""
    sources, destinations = [], []
    for page in pages:
        sources.append(memory.allocate(PAGE))
        destinations.append(memory.allocate(2 * PAGE))
        memory.write(sources[-1], page)
        memory.write(destinations[-1], GUARD * (2 * PAGE // len(GUARD)))
    completions = queue.run([compress(index, *ends, capacity, flags) for index, ends in enumerate(zip(sources, destinations))])
    results = []
    for completion, destination in zip(completions, destinations):
        written = memory.read(destination, 2 * PAGE)
        length = completion.produced_length
        assert length <= capacity and written[length:] == (GUARD * (2 * PAGE // len(GUARD)))[length:], \
            f"bytes written after the {length} of the stream"
        results.append((completion, written[:length]))
    return results


def test_compress(client, memory, seed):
    queue = Queue(client, memory, depth_log2=5)
    pages = sample_pages(60, seed) + list(edge_pages(seed).values())
    for index, (page, (completion, stream)) in enumerate(zip(pages, compressed(memory, queue, pages))):
        about = f"page {index}, {STATUS_NAMES[completion.status]}"
        assert completion.crc32c == crc32c(page), about
        if page == page[:8] * (PAGE // 8):
            assert completion.status == interface.STATUS_SAME_FILLED and stream == b"", about
            assert completion.detail == int.from_bytes(page[:8], "little"), about
        elif completion.status == interface.STATUS_INCOMPRESSIBLE:
            assert stream == b"" and len(software_compress(page, "lzo1x_1")) > PAGE // 2, about
        else:
            assert completion.status == interface.STATUS_SUCCESS and completion.detail == crc32c(stream), about
            assert liblzo2_decompress(stream, PAGE) == page and kernel_decompress(stream, PAGE) == page, about
    assert counter(client, "pages_compressed") > 60


def test_pushed_commands(client, memory, seed):
    """Both engines take the same copies: the whole ones of the queue's next entry, before or after its doorbell's others."""
    choice = random.Random(seed)
    queues = [Queue(client, memory, index, depth_log2=choice.randint(2, 4)) for index in (0, 3)]
    expected = 0
    for tag in range(120):
        queue = choice.choice(queues)
        entries = [SubmissionEntry(interface.OPCODE_NOP, tag=3 * tag + at) for at in range(choice.choice((1, 1, 3)))]
        right, cut = queue.push(entries[0]), choice.randrange(1, interface.REGISTER_PUSH_END // 4)
        stale = queue.push(SubmissionEntry(interface.OPCODE_NOP, tag=~tag & 0xFFFFFFFF), queue.submitted - queue.depth)
        other = next(each for each in queues if each is not queue)
        pushes, used = choice.choice((
            (right, True), (right + right, True), (right[:cut] + right, True), (stale + right, True),
            (right + [(right[0][0] + interface.PUSH_STRIDE - 4, 0)], True), (right + other.push(entries[0])[cut:], True),
            ((), False), (stale, False), (right[:cut], False), (right[cut:], False), (right[:cut] + right[cut + 1:], False),
            (right[:cut] + stale[cut:], False), (right + right[cut:cut + 1], False), (right + other.push(entries[0])[:cut], False)))
        queue.submit(entries, pushes)
        done = queue.wait(len(entries))
        assert [completion.tag for completion in done] == [entry.tag for entry in entries], f"{tag}: {pushes}"
        expected += used
        assert counter(client, "commands_pushed") == expected, f"{tag}: {used}, {pushes}"


def test_decompress(client, memory, seed):
    queue = Queue(client, memory, index=1, depth_log2=4)
    choice = random.Random(seed)
    pages = sample_pages(20, seed) + choice.sample(list(edge_pages(seed).values()), 10)
    entries, expected = [], []
    for page in pages:
        for codec in COMPRESSORS:
            stream = software_compress(page, codec)
            source, destination = memory.allocate(2 * PAGE), memory.allocate(2 * PAGE)
            memory.write(source, stream)
            memory.write(destination, GUARD * (2 * PAGE // len(GUARD)))
            entries.append(decompress(len(entries), source, len(stream), destination, crc32c(page)))
            expected.append((page, destination, codec))
    for completion, (page, destination, codec) in zip(queue.run(entries), expected):
        assert completion.status == interface.STATUS_SUCCESS, f"{codec}: {STATUS_NAMES[completion.status]}"
        assert memory.read(destination, PAGE) == page, codec
        assert memory.read(destination + PAGE, len(GUARD)) == GUARD, codec
        assert (completion.produced_length, completion.crc32c) == (PAGE, crc32c(page)), codec
    assert counter(client, "pages_decompressed") == len(entries)


def test_round_trip_through_the_card(client, memory, seed):
    queue = Queue(client, memory, depth_log2=6)
    pages = [page for page in sample_pages(40, seed) if page != page[:8] * (PAGE // 8)]
    streams = compressed(memory, queue, pages)
    entries, places = [], []
    for page, (completion, stream) in zip(pages, streams):
        if completion.status != interface.STATUS_SUCCESS:
            continue
        source, destination = memory.allocate(PAGE), memory.allocate(PAGE)
        memory.write(source, stream)
        entries.append(decompress(len(entries), source, len(stream), destination, completion.crc32c))
        places.append((page, destination))
    assert len(entries) > 10
    for completion, (page, destination) in zip(queue.run(entries), places):
        assert completion.status == interface.STATUS_SUCCESS and memory.read(destination, PAGE) == page


def test_capacity(client, memory, seed):
    queue = Queue(client, memory)
    for page in sample_pages(4, seed):
        [(first, stream)] = compressed(memory, queue, [page])
        if first.status != interface.STATUS_SUCCESS:
            continue
        [(exact, again)] = compressed(memory, queue, [page], capacity=len(stream))
        assert exact.status == interface.STATUS_SUCCESS and again == stream
        for capacity in (len(stream) - 1, 1):
            [(short, nothing)] = compressed(memory, queue, [page], capacity=capacity)
            assert short.status == interface.STATUS_INCOMPRESSIBLE and nothing == b"", capacity


def script(memory, seed, refused_write):
    """(page, {source: plain page of a COMPRESS from there}, [(name, entry, status)]): one defect each, besides good commands; each command has a guarded
    destination of its own. Statuses of a card that fails or is stopped are not among them: test_card_faults, test_core_stop and test_compress_lane."""
    choice = random.Random(seed)
    page = (sample_pages(1, seed)[0][:64] * 64)[:PAGE - 5] + b"12345"
    stream = software_compress(page, "lzo1x_1")
    source, packed, target = memory.allocate(PAGE), memory.allocate(2 * PAGE), memory.allocate(2 * PAGE)
    memory.write(source, page)
    memory.write(packed, stream)
    nowhere = memory.base + memory.size
    filled, noise = memory.allocate(PAGE), memory.allocate(PAGE)
    plains = {source: page, filled: choice.randbytes(8) * (PAGE // 8), noise: choice.randbytes(PAGE), nowhere: page}
    for place in (filled, noise):
        memory.write(place, plains[place])

    def streams(data):
        place = memory.allocate(2 * PAGE)
        memory.write(place, data)
        return place, len(data)

    malformed = interface.STATUS_MALFORMED_STREAM
    good = compress(0, source, target)
    expand = decompress(0, packed, len(stream), target, crc32c(page))
    steps = [
        ("no operation", SubmissionEntry(interface.OPCODE_NOP), interface.STATUS_SUCCESS),
        ("compress", good, interface.STATUS_SUCCESS),
        ("compress unverified", compress(0, source, target, flags=interface.FLAG_SKIP_VERIFY), interface.STATUS_SUCCESS),
        ("compress one word over and over", compress(0, filled, target), interface.STATUS_SAME_FILLED),
        ("compress noise", compress(0, noise, target), interface.STATUS_INCOMPRESSIBLE),
        ("compress into too little", compress(0, source, target, capacity=len(stream) // 2), interface.STATUS_INCOMPRESSIBLE),
        ("decompress", expand, interface.STATUS_SUCCESS),
        ("decompress unchecked", decompress(0, packed, len(stream), target), interface.STATUS_SUCCESS),
        ("wrong crc", decompress(0, packed, len(stream), target, crc32c(page) ^ 1), interface.STATUS_CRC_MISMATCH),
        ("unknown opcode", SubmissionEntry(77, interface.FORMAT_LZO1X, 0, 0, source, target, PAGE, PAGE),
         interface.STATUS_INVALID_OPCODE),
        ("cut stream", decompress(0, packed, len(stream) - 1, target), malformed),
        ("more after the end", decompress(0, *streams(stream + b"\0"), target), malformed),
        ("more than a page", decompress(0, *streams(software_compress(page + b"x", "lzo1x_1")), target),
         interface.STATUS_OUTPUT_OVERRUN),
        ("less than a page", decompress(0, *streams(software_compress(page[:-1], "lzo1x_1")), target),
         interface.STATUS_OUTPUT_UNDERRUN),
        ("look back before the page", decompress(0, *streams(b"\x15abcd\x5c\x00\x11\0\0"), target), malformed),
        ("nothing but noise", decompress(0, *streams(b"\xff" * 50), target), malformed),
        ("source not mapped", compress(0, nowhere, target), interface.STATUS_READ_FAULT),
        ("source half mapped", decompress(0, nowhere - PAGE, 2 * PAGE, target), interface.STATUS_READ_FAULT),
        ("target not mapped", compress(0, source, nowhere), refused_write),
        ("plain target not mapped", decompress(0, packed, len(stream), nowhere), refused_write),
    ]
    for field, value, status in (
            ("format", 9, interface.STATUS_INVALID_FORMAT), ("format", interface.FORMAT_COLD, interface.STATUS_INVALID_FORMAT), ("flags", 0x8000, interface.STATUS_INVALID_FLAGS),
            ("reserved", b"\0" * 27 + b"\1", interface.STATUS_INVALID_FLAGS),
            ("source_length", 0, interface.STATUS_INVALID_LENGTH), ("source_length", PAGE * 3, interface.STATUS_INVALID_LENGTH),
            ("destination_capacity", 0, interface.STATUS_INVALID_LENGTH),
            ("destination_capacity", PAGE + 1, interface.STATUS_INVALID_LENGTH),
            ("source_address", 0, interface.STATUS_INVALID_ADDRESS),
            ("destination_address", 0, interface.STATUS_INVALID_ADDRESS)):
        for name, whole in (("compress", good), ("decompress", expand)):
            broken = SubmissionEntry.unpack(whole.pack())
            setattr(broken, field, value)
            steps.append((f"{name} with {field} {value!r}", broken, status))
    short = SubmissionEntry.unpack(good.pack())
    short.source_length = PAGE - 1
    steps.append(("compress less than a page", short, interface.STATUS_INVALID_LENGTH))
    steps = steps * 2
    choice.shuffle(steps)
    # Each step owns its entry: the same object twice would carry one tag.
    tagged = []
    for tag, (name, entry, status) in enumerate(steps):
        copy = SubmissionEntry.unpack(entry.pack())
        copy.tag = tag
        if copy.destination_address == target:
            copy.destination_address = memory.allocate(2 * PAGE)
            memory.write(copy.destination_address, GUARD * (2 * PAGE // len(GUARD)))
        tagged.append((name, copy, status))
    return page, plains, tagged


def test_script_of_statuses(client, memory, seed, refused_write):
    """Every engine gives every command the same completion, whole, and a bad one disturbs none of its neighbours."""
    queue = Queue(client, memory, depth_log2=4)
    page, plains, steps = script(memory, seed, refused_write)
    for (name, entry, status), completion in zip(steps, queue.run([entry for _, entry, _ in steps])):
        assert completion.status == status, f"{name}: {STATUS_NAMES[completion.status]}, not {STATUS_NAMES[status]}"
        can_look = memory.base <= entry.destination_address < memory.base + memory.size
        written = memory.read(entry.destination_address, 2 * PAGE) if can_look else None
        check_fields(entry, completion, plains.get(entry.source_address), written)
        length = completion.produced_length
        assert not can_look or written[length:] == (GUARD * (2 * PAGE // len(GUARD)))[length:], f"{name}: bytes past the {length} of the output"
        # How far a broken stream's page came depends on the engine; what came is its beginning, and of a short stream all.
        if name in ("cut stream", "more after the end", "more than a page", "less than a page"):
            assert page.startswith(written[:length]), name
        assert name != "less than a page" or length == PAGE - 1
        assert status != interface.STATUS_CRC_MISMATCH or (length, completion.crc32c) == (PAGE, crc32c(page)), name
    kinds = [interface.STATUS_KINDS[status] for _, _, status in steps]
    assert counter(client, "commands") == counter(client, "completions") == len(steps)
    assert counter(client, "commands_refused") == kinds.count("refused")
    assert counter(client, "commands_failed") == kinds.count("failed")


def test_all_queues_at_once(client, memory, seed):
    pairs = client.read(interface.REGISTER_CAPABILITIES) >> interface.CAPABILITIES_QUEUE_PAIRS_SHIFT & 0xFF
    queues = [Queue(client, memory, index, depth_log2=3) for index in range(pairs)]
    page = edge_pages(seed)["sparse"]
    source = memory.allocate(PAGE)
    memory.write(source, page)
    for _ in range(5):
        targets = []
        for queue in queues:
            targets.append([memory.allocate(PAGE) for _ in range(queue.depth - 1)])
            queue.submit([compress(target & 0xFFFFFFFF, source, target) for target in targets[-1]])
        for queue, places in zip(queues, targets):
            lengths = {entry.tag: entry.produced_length for entry in queue.wait(queue.depth - 1)}
            for place in places:
                assert kernel_decompress(memory.read(place, lengths[place & 0xFFFFFFFF]), PAGE) == page


def test_moderation(client, memory):
    """With a count of 4 and a long time, 8 no-ops raise 2 interrupts."""
    count, cycles = 4, 0x1000
    queue = Queue(client, memory, depth_log2=4,
                  moderation=count << interface.MODERATION_COUNT_SHIFT | cycles << interface.MODERATION_CYCLES_SHIFT)
    raised = counter(client, "interrupts")
    for turn in range(2):
        queue.submit([SubmissionEntry(interface.OPCODE_NOP, tag=turn * count + index) for index in range(count)])
        assert len(queue.wait(count)) == count
    assert counter(client, "interrupts") - raised == 2
    # Fewer than the count still come, after the time.
    queue.submit([SubmissionEntry(interface.OPCODE_NOP, tag=99)])
    assert [entry.tag for entry in queue.wait(1)] == [99]


def test_without_bus_master_nothing_moves(client, memory):
    queue = Queue(client, memory, interrupt=False)
    client.bus_master(False)
    before = memory.read(memory.base, memory.size)
    queue.submit([SubmissionEntry(interface.OPCODE_NOP, tag=1)])
    for _ in range(1000):
        if queue.status() & interface.QUEUE_STATUS_ERROR_MASK:
            break
    assert queue.status() >> interface.QUEUE_STATUS_CAUSE_SHIFT & 0xFF == interface.FATAL_RING_FETCH
    assert memory.read(queue.completions, PAGE) == before[queue.completions - memory.base:][:PAGE]


@pytest.mark.parametrize("what, cause", [
    ("ring not mapped", "RING_FETCH"), ("completions not mapped", "RING_COMPLETE"), ("completions read-only", "RING_COMPLETE"),
    ("doorbell past the ring", "DOORBELL_RANGE"), ("base not aligned", "RING_SETUP"), ("depth too big", "RING_SETUP")])
def test_queue_errors(client, memory, engine, what, cause):
    """The queue stops with its cause and the event vector, and can be set up again."""
    event = os.eventfd(0)
    client.set_irqs(interface.EVENT_VECTOR, 1, [event])
    nowhere = memory.base + memory.size
    if what == "completions read-only":
        client.dma_map(nowhere, PAGE, memory.file, flags=READABLE)
    setup = {"ring not mapped": (interface.REGISTER_SUBMISSION_BASE_LOW, nowhere & 0xFFFFFFFF),
             "completions not mapped": (interface.REGISTER_COMPLETION_BASE_LOW, nowhere & 0xFFFFFFFF),
             "completions read-only": (interface.REGISTER_COMPLETION_BASE_LOW, nowhere & 0xFFFFFFFF),
             "base not aligned": (interface.REGISTER_COMPLETION_BASE_LOW, (memory.base & 0xFFFFFFFF) + 64),
             "depth too big": (interface.REGISTER_DEPTH_LOG2, 31)}.get(what)
    queue = Queue(client, memory, interrupt=False)
    if setup:
        client.write(queue.register(interface.REGISTER_QUEUE_CONTROL), 0)
        assert queue.status() == 0
        client.write(queue.register(setup[0]), setup[1])
        client.write(queue.register(interface.REGISTER_QUEUE_CONTROL), interface.QUEUE_CONTROL_ENABLE_MASK)
    if cause == "DOORBELL_RANGE":
        queue.doorbell(interface.REGISTER_SUBMISSION_TAIL, queue.depth)
    elif cause != "RING_SETUP":
        queue.submit([SubmissionEntry(interface.OPCODE_NOP, tag=1)])
    if cause == "RING_COMPLETE" and engine == "pcie":
        # Nobody tells the card that its entry is lost: driver and time-out notice.
        while not counter(client, "completions"):
            pass
        assert queue.status() == interface.QUEUE_STATUS_ACTIVE_MASK and not queue.take()
    else:
        assert select.select([event], [], [], 600)[0], "no event interrupt"
        status = queue.status()
        assert status & interface.QUEUE_STATUS_ERROR_MASK
        assert status >> interface.QUEUE_STATUS_CAUSE_SHIFT & 0xFF == getattr(interface, f"FATAL_{cause}")
    client.write(queue.register(interface.REGISTER_QUEUE_CONTROL), 0)
    for _ in range(1000):
        if queue.status() == 0:
            break
    assert queue.status() == 0
    Queue(client, memory).run([SubmissionEntry(interface.OPCODE_NOP, tag=2)])


def test_set_up_stands_while_enabled(client, memory):
    """What a queue was set up with is not changed under it, and read back as it was; a disabled one takes it."""
    queue = Queue(client, memory, interrupt=False)
    values = {interface.REGISTER_SUBMISSION_BASE_LOW: queue.submissions & 0xFFFFFFFF, interface.REGISTER_SUBMISSION_BASE_HIGH: queue.submissions >> 32,
              interface.REGISTER_COMPLETION_BASE_LOW: queue.completions & 0xFFFFFFFF, interface.REGISTER_COMPLETION_BASE_HIGH: queue.completions >> 32,
              interface.REGISTER_DEPTH_LOG2: 4, interface.REGISTER_MODERATION: 0}
    other = {**{register: 0x40000 for register in values}, interface.REGISTER_DEPTH_LOG2: 5, interface.REGISTER_SUBMISSION_BASE_HIGH: 2,
             interface.REGISTER_COMPLETION_BASE_HIGH: 3, interface.REGISTER_MODERATION: 7}

    def read_back():
        return {register: client.read(queue.register(register)) for register in values}

    for register, value in other.items():
        client.write(queue.register(register), value)
    assert read_back() == values
    queue.submit([SubmissionEntry(interface.OPCODE_NOP, tag=9)])
    while not (done := queue.take()):
        client.read(interface.REGISTER_STATUS)
    assert [completion.tag for completion in done] == [9]
    client.write(queue.register(interface.REGISTER_QUEUE_CONTROL), 0)
    while queue.status():
        pass
    for register, value in other.items():
        client.write(queue.register(register), value)
    assert read_back() == other


def test_doorbells_that_count(client, memory):
    """Those that bring commands and were accepted: none of a queue's completions, none that stopped a queue, none of a queue that is stopped."""
    queue = Queue(client, memory)
    queue.run([SubmissionEntry(interface.OPCODE_NOP, tag=tag) for tag in range(40)])
    bells = -(-40 // (queue.depth - 1))
    assert counter(client, "doorbells") == bells
    queue.doorbell(interface.REGISTER_SUBMISSION_TAIL, queue.depth)
    while not queue.status() & interface.QUEUE_STATUS_ERROR_MASK:
        pass
    queue.doorbell(interface.REGISTER_SUBMISSION_TAIL, 1)
    assert counter(client, "doorbells") == bells and counter(client, "commands") == 40


def test_event_of_several_errors(client, memory):
    """Its level is the sum of the queues' errors: it rises with the first, and again once all are gone; each of the others says it by its status."""
    event = os.eventfd(0)
    client.set_irqs(interface.EVENT_VECTOR, 1, [event])
    queues = [Queue(client, memory, index, interrupt=False) for index in range(3)]

    def fails(queue, rises):
        before = counter(client, "interrupts")
        queue.doorbell(interface.REGISTER_SUBMISSION_TAIL, queue.depth)
        while not queue.status() & interface.QUEUE_STATUS_ERROR_MASK:
            pass
        if rises:
            assert select.select([event], [], [], 600)[0], "no event interrupt"
            os.eventfd_read(event)
        for _ in range(20):
            assert counter(client, "interrupts") == before + rises

    def stops(queue):
        client.write(queue.register(interface.REGISTER_QUEUE_CONTROL), 0)
        while queue.status():
            pass

    def starts(queue):
        client.write(queue.register(interface.REGISTER_QUEUE_CONTROL), interface.QUEUE_CONTROL_ENABLE_MASK)

    fails(queues[0], True)
    fails(queues[1], False)
    stops(queues[0])
    fails(queues[2], False)
    starts(queues[0])
    fails(queues[0], False)
    for queue in queues:
        stops(queue)
    starts(queues[1])
    fails(queues[1], True)
    assert not select.select([event], [], [], 0)[0]
    os.close(event)


def test_memory_without_a_file(card, memory, seed):
    """DMA by messages: the same commands where the client sends no descriptor."""
    with Client(card.socket) as client:
        client.memory = memory
        client.dma_map(memory.base, memory.size)
        enable(client)
        queue = Queue(client, memory, interrupt=False)
        page = edge_pages(seed)["sparse"]
        source, target = memory.allocate(PAGE), memory.allocate(PAGE)
        memory.write(source, page)
        queue.submit([compress(5, source, target)])
        found = []
        while not found:
            client.read(interface.REGISTER_STATUS)
            found = queue.take()
        assert found[0].status == interface.STATUS_SUCCESS and client.server_requests > 2
        assert liblzo2_decompress(memory.read(target, found[0].produced_length), PAGE) == page


def test_client_that_refuses_dma(card, memory, seed, refused_write):
    """An access that the client answers with an error is a bus error of that command alone."""
    with Client(card.socket) as client:
        client.memory = memory
        client.dma_map(memory.base, memory.size)
        enable(client)
        queue = Queue(client, memory, interrupt=False)
        page = edge_pages(seed)["sparse"]
        source, target, bad = (memory.allocate(PAGE) for _ in range(3))
        memory.write(source, page)
        client.refuses = lambda address, count: address < bad + PAGE and address + count > bad
        expected = {1: interface.STATUS_READ_FAULT, 2: refused_write, 3: interface.STATUS_SUCCESS}
        queue.submit([compress(1, bad, memory.allocate(PAGE)), compress(2, source, bad), compress(3, source, target)])
        found = {}
        while len(found) < len(expected):
            client.read(interface.REGISTER_STATUS)
            found |= {completion.tag: completion for completion in queue.take()}
        assert {tag: completion.status for tag, completion in found.items()} == expected
        assert liblzo2_decompress(memory.read(target, found[3].produced_length), PAGE) == page
        assert memory.read(bad, PAGE) == bytes(PAGE)


def test_mappings_for_one_direction(client, memory, seed, refused_write):
    """What the card may only read it does not write, what it may only write it does not read; each fails its command alone."""
    queue, page = Queue(client, memory), edge_pages(seed)["sparse"]
    only = {flags: Memory(pages=4, base=flags << 40) for flags in (READABLE, WRITABLE)}
    for flags, place in only.items():
        client.dma_map(place.base, place.size, place.file, flags=flags)
        place.write(place.base, page)
    source, target = memory.allocate(PAGE), memory.allocate(PAGE)
    memory.write(source, page)
    readable, writable = only[READABLE], only[WRITABLE]
    done = queue.run([compress(1, readable.base, target), compress(2, source, readable.base + PAGE), compress(3, source, writable.base + PAGE),
                      compress(4, writable.base, memory.allocate(PAGE)), compress(5, writable.base, readable.base)])
    faults = interface.STATUS_READ_FAULT
    assert [completion.status for completion in done] == [interface.STATUS_SUCCESS, refused_write, interface.STATUS_SUCCESS, faults, faults]
    for place, where, completion in ((memory, target, done[0]), (writable, writable.base + PAGE, done[2])):
        assert liblzo2_decompress(place.read(where, completion.produced_length), PAGE) == page
    assert readable.read(readable.base, readable.size) == page + bytes(readable.size - PAGE)
    for place in only.values():
        place.close()


@pytest.mark.parametrize("engine", ["model"], indirect=True)
def test_access_that_runs_off_its_mapping(client, memory, seed, engine):
    """Of one access that ends where nothing is mapped not a byte is moved."""
    queue, page = Queue(client, memory), edge_pages(seed)["sparse"]
    half = Memory(pages=1, base=0x2_0000_0000)
    client.dma_map(half.base, PAGE // 2, half.file)
    stream = software_compress(page, "lzo1x_1")
    source = memory.allocate(PAGE)
    memory.write(source, stream)
    half.write(half.base, GUARD * (PAGE // len(GUARD)))
    [done] = queue.run([decompress(1, source, len(stream), half.base)])
    assert done.status == interface.STATUS_WRITE_FAULT and half.read(half.base, PAGE) == GUARD * (PAGE // len(GUARD))
    half.close()


def test_unmap_in_flight(client, memory, seed):
    """Memory taken away under running commands: each ends, none touches the memory after the unmap's answer."""
    queue = Queue(client, memory, depth_log2=5, interrupt=False)
    page = edge_pages(seed)["sparse"]
    elsewhere = Memory(pages=64, base=0x2_0000_0000)
    client.dma_map(elsewhere.base, elsewhere.size, elsewhere.file)
    source = memory.allocate(PAGE)
    memory.write(source, page)
    targets = [elsewhere.allocate(PAGE) for _ in range(queue.depth - 1)]
    queue.submit([compress(tag, source, target) for tag, target in enumerate(targets)])
    assert client.dma_unmap(elsewhere.base, elsewhere.size) == elsewhere.size
    kept = elsewhere.read(elsewhere.base, elsewhere.size)
    found = []
    while len(found) < queue.depth - 1:
        client.read(interface.REGISTER_STATUS)
        found += queue.take()
    assert {entry.status for entry in found} <= {interface.STATUS_SUCCESS, interface.STATUS_WRITE_FAULT}
    assert elsewhere.read(elsewhere.base, elsewhere.size) == kept
    elsewhere.close()


def test_client_that_shrinks_its_memory(client, memory, seed, refused_write):
    """A file cut short under a mapping is a bus error, not the end of the card."""
    queue = Queue(client, memory)
    elsewhere = Memory(pages=4, base=0x2_0000_0000)
    client.dma_map(elsewhere.base, elsewhere.size, elsewhere.file)
    source, target = memory.allocate(PAGE), memory.allocate(PAGE)
    memory.write(source, edge_pages(seed)["sparse"])
    elsewhere.map.close()
    os.ftruncate(elsewhere.file, 0)
    read, written, fine = queue.run([compress(1, elsewhere.base, target), compress(2, source, elsewhere.base),
                                     compress(3, source, target)])
    assert (read.status, written.status, fine.status) == \
        (interface.STATUS_READ_FAULT, refused_write, interface.STATUS_SUCCESS)
    os.close(elsewhere.file)


def test_disable_in_flight(client, memory, seed):
    """READY and ACTIVE fall, whatever is under way; then no byte of memory changes any more."""
    queue = Queue(client, memory, depth_log2=6, interrupt=False)
    source = memory.allocate(PAGE)
    memory.write(source, edge_pages(seed)["noise then zeros"])
    queue.submit([compress(tag, source, memory.allocate(PAGE)) for tag in range(queue.depth - 1)])
    client.write(interface.REGISTER_CONTROL, 0)
    while client.read(interface.REGISTER_STATUS) & interface.STATUS_READY_MASK:
        pass
    before = memory.read(memory.base, memory.size)
    assert queue.status() == 0
    enable(client)
    for _ in range(200):
        client.read(interface.REGISTER_STATUS)
    assert memory.read(memory.base, memory.size) == before
    Queue(client, memory).run([SubmissionEntry(interface.OPCODE_NOP, tag=2)])


def test_reset_in_flight(client, memory, seed):
    """After a function-level reset under load no byte of memory changes any more, and the card works again."""
    queue = Queue(client, memory, depth_log2=6, interrupt=False)
    source = memory.allocate(PAGE)
    memory.write(source, edge_pages(seed)["noise then zeros"])
    queue.submit([compress(tag, source, memory.allocate(PAGE)) for tag in range(queue.depth - 1)])
    while not counter(client, "commands"):
        pass
    client.reset()
    before = memory.read(memory.base, memory.size)
    enable(client)
    for _ in range(200):
        client.read(interface.REGISTER_STATUS)
    assert memory.read(memory.base, memory.size) == before
    Queue(client, memory).run([SubmissionEntry(interface.OPCODE_NOP, tag=2)])


@pytest.mark.parametrize("engine", ["pcie"], indirect=True)
def test_interrupt_waits_for_a_listener(client, memory, engine):
    """A vector without an eventfd is masked in the card: its message comes once there is one."""
    queue = Queue(client, memory, interrupt=False)
    queue.submit([SubmissionEntry(interface.OPCODE_NOP, tag=1)])
    while not counter(client, "interrupts"):
        pass
    event = os.eventfd(0)
    client.set_irqs(interface.FIRST_QUEUE_VECTOR, 1, [event])
    assert select.select([event], [], [], 600)[0], "no interrupt"
    os.close(event)


def test_counters_file(card, client, memory, seed):
    """Counts of three lives: a reset keeps those of all before it."""
    for life in range(3):
        compressed(memory, Queue(client, memory), [edge_pages(seed)["sparse"], bytes(PAGE)])
        assert counter(client, "commands") == 2
        if life < 2:
            client.reset()
            enable(client)
    client.close()
    assert card.wait() == 0
    counters = card.counters()
    assert [counters["engine"], counters["level"]] == {"model": ["model", "none"], "axi": ["rtl", "axi"],
                                                       "pcie": ["rtl", "pcie"]}[card.engine]
    assert set(interface.COUNTER_NAMES) <= set(counters)
    assert counters["pages_compressed"] == 3 and counters["pages_same_filled"] == 3 and counters["pages"] == 6
    assert counters["commands"] == 6 and counters["bridge_interrupts"] >= 3
    # Of each life two entries and two pages in, a stream and two completions out.
    assert counters["bridge_read_bytes"] >= 6 * (PAGE + interface.SUBMISSION_ENTRY_BYTES)
    assert counters["bridge_write_bytes"] >= counters["compress_bytes_out"] + 6 * interface.COMPLETION_ENTRY_BYTES


def test_cold_format(checked_program, tmp_path, seed):
    """With --cold-format CAPABILITIES says so, and pages go both ways in either format; without it the format is refused."""
    formats = (interface.FORMAT_LZO1X, interface.FORMAT_COLD)
    for option in ("yes", "no"):
        (tmp_path / option).mkdir()
        with CardProcess(checked_program, "model", tmp_path / option, options=["--cold-format", option]) as card, Client(card.socket) as client:
            memory = Memory()
            client.dma_map(memory.base, memory.size, memory.file)
            tables = (client.read(interface.REGISTER_CAPABILITIES) & interface.CAPABILITIES_COLD_TABLES_MASK) >> interface.CAPABILITIES_COLD_TABLES_SHIFT
            assert tables == (COLD_TABLES_VERSION if option == "yes" else 0)
            enable(client)
            queue = Queue(client, memory, depth_log2=5)
            source, middle, target = (memory.allocate(2 * PAGE) for _ in range(3))
            for page, kind in itertools.product(sample_pages(3, seed), formats):
                memory.write(source, page)
                entry = compress(1, source, middle)
                entry.format = kind
                [done] = queue.run([entry])
                if option == "no" and kind == interface.FORMAT_COLD:
                    assert done.status == interface.STATUS_INVALID_FORMAT
                    continue
                wanted = (cold_compress if kind == interface.FORMAT_COLD else page_compress)(page, PAGE)
                assert (done.status, memory.read(middle, done.produced_length)) == wanted
                entry = decompress(2, middle, done.produced_length, target, crc32c(page))
                entry.format = kind
                if done.status == interface.STATUS_SUCCESS:
                    assert queue.run([entry])[0].status == interface.STATUS_SUCCESS and memory.read(target, PAGE) == page
            assert card.stop() == 0
            memory.close()
