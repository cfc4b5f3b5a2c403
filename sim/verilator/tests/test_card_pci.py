# SPDX-License-Identifier: Apache-2.0
"""What a client finds before any command: identity, regions, capabilities, interrupts, reset."""

import os
import select
import struct
import time

import pagepress_interface as interface
import pytest
from card_process import CardProcess
from lzo import compressible_pages, kernel_decompress
from rings import PAGE, Memory, Queue, compress, enable
from vfio_user import BAR0, CONFIG, DATA_BOOL, DATA_NONE, MSIX, READABLE, TRIGGER, WRITABLE, Client, Refused

COMMAND, CAPABILITIES_POINTER = 0x04, 0x34
CAPABILITY_MSIX, CAPABILITY_EXPRESS = 0x11, 0x10


@pytest.fixture
def client(card):
    with Client(card.socket) as connected:
        yield connected


def config(client, layout, offset):
    return struct.unpack("<" + layout, client.region_read(CONFIG, offset, struct.calcsize("<" + layout)))


def capabilities(client):
    """{id: offset} along the capability list."""
    found, offset = {}, config(client, "B", CAPABILITIES_POINTER)[0]
    while offset:
        number, following = config(client, "BB", offset)
        assert number not in found and offset >= 0x40 and offset % 4 == 0
        found[number] = offset
        offset = following
    return found


def test_identity(client):
    assert config(client, "HH", 0) == (interface.PCI_VENDOR_ID, interface.PCI_DEVICE_ID)
    assert config(client, "I", 8)[0] >> 8 == interface.PCI_CLASS_CODE
    assert config(client, "B", 0x0E) == (0,) and config(client, "B", 0x3D) == (0,)
    assert client.read(interface.REGISTER_MAGIC) == interface.MAGIC_VALUE
    assert client.read(interface.REGISTER_VERSION) == interface.VERSION_VALUE
    assert client.read(interface.REGISTER_HASH_LOW) == interface.HASH_LOW_VALUE
    assert client.read(interface.REGISTER_HASH_HIGH) == interface.HASH_HIGH_VALUE


def test_regions(client):
    flags, regions, types = client.device_info()
    assert flags == 3 and regions > CONFIG and types > MSIX
    for index in range(regions):
        expected = {BAR0: (READABLE | WRITABLE, interface.BAR0_BYTES), CONFIG: (READABLE | WRITABLE, 4096)}.get(index, (0, 0))
        assert client.region_info(index) == expected
    with pytest.raises(Refused):
        client.region_info(regions)
    assert client.irq_info(0) == (0, 0)


def test_bar_shows_its_size_and_keeps_its_address(client):
    client.region_write(CONFIG, 0x10, b"\xff" * 8)
    low, high = config(client, "II", 0x10)
    assert low & 0xF == 4 and (high << 32 | low & ~0xF) == (1 << 64) - interface.BAR0_BYTES
    client.region_write(CONFIG, 0x10, struct.pack("<Q", 0x12_3456_0000))
    assert config(client, "Q", 0x10)[0] == 0x12_3456_0004
    client.region_write(CONFIG, 0x14 + 4, b"\xff" * 16)     # BARs the card does not have
    assert config(client, "IIII", 0x18) == (0, 0, 0, 0)
    client.region_write(CONFIG, 0, b"\xff" * 4)             # identity cannot be written
    assert config(client, "H", 0) == (interface.PCI_VENDOR_ID,)


def test_msix(client):
    offset = capabilities(client)[CAPABILITY_MSIX]
    control, table, pending = config(client, "HII", offset + 2)
    queues = (client.read(interface.REGISTER_CAPABILITIES) & interface.CAPABILITIES_QUEUE_PAIRS_MASK) \
        >> interface.CAPABILITIES_QUEUE_PAIRS_SHIFT
    vectors = interface.FIRST_QUEUE_VECTOR + queues
    assert (control & 0x7FF) + 1 == vectors == client.irq_info(MSIX)[1]
    assert table == interface.MSIX_TABLE_OFFSET and pending == interface.MSIX_PENDING_OFFSET
    assert pending >= table + 16 * vectors and pending + vectors // 8 < interface.BAR0_BYTES
    client.region_write(CONFIG, offset + 2, struct.pack("<H", 0xFFFF))
    assert config(client, "H", offset + 2)[0] == 0xC000 | vectors - 1


def test_client_can_fire_vectors(client):
    events = [os.eventfd(0, os.EFD_NONBLOCK) for _ in range(2)]
    client.bus_master()
    client.set_irqs(0, 2, events)
    client.set_irqs(0, 2, flags=DATA_BOOL | TRIGGER, data=b"\0\1")
    assert os.eventfd_read(events[1]) == 1
    with pytest.raises(BlockingIOError):
        os.eventfd_read(events[0])
    client.set_irqs(0, 1, flags=DATA_NONE | TRIGGER)
    assert os.eventfd_read(events[0]) == 1
    client.set_irqs(0, 0, flags=DATA_NONE | TRIGGER)        # all away
    client.set_irqs(0, 2, flags=DATA_NONE | TRIGGER)
    for event in events:
        with pytest.raises(BlockingIOError):
            os.eventfd_read(event)


def test_interrupt_waits_for_bus_mastering(card_program, tmp_path):
    """A pending one goes out as soon as the card may send, though nobody looks at the card meanwhile: no file of counters is written, either."""
    memory = Memory()
    with CardProcess(card_program, "pcie", tmp_path, counters=False) as card, Client(card.socket) as client:
        client.dma_map(memory.base, memory.size, memory.file)
        enable(client)
        queue = Queue(client, memory)
        vector = interface.FIRST_QUEUE_VECTOR + queue.index
        client.set_irqs(vector, 1)                              # masked
        queue.submit([interface.SubmissionEntry(interface.OPCODE_NOP, tag=1)])
        while client.read(queue.register(interface.REGISTER_COMPLETION_TAIL)) == 0:
            time.sleep(0.01)
        client.bus_master(False)
        client.set_irqs(vector, 1, [queue.event])
        assert not select.select([queue.event], [], [], 0.2)[0], "an interrupt of a card that may not send"
        client.bus_master()
        assert select.select([queue.event], [], [], 60)[0], "no interrupt"
        assert [entry.tag for entry in queue.take()] == [1]
        assert card.stop() == 0
    memory.close()


@pytest.mark.parametrize("how", ["message", "function level reset"])
def test_reset(client, how):
    memory = Memory()
    client.dma_map(memory.base, memory.size, memory.file)
    enable(client)
    queue = Queue(client, memory)
    queue.run([interface.SubmissionEntry(interface.OPCODE_NOP, tag=1)])
    assert queue.status() == interface.QUEUE_STATUS_ACTIVE_MASK
    if how == "message":
        client.reset()
    else:
        express = capabilities(client)[CAPABILITY_EXPRESS]
        assert config(client, "I", express + 4)[0] & 1 << 28
        client.region_write(CONFIG, express + 8, struct.pack("<H", 0x8000))
    assert config(client, "H", COMMAND) == (0,)
    assert client.read(interface.REGISTER_CONTROL) == 0 and queue.status() == 0
    assert client.read(interface.COUNTER_BASE + 8 * interface.COUNTER_COMMANDS) == 0
    # And it works again.
    enable(client)
    Queue(client, memory).run([interface.SubmissionEntry(interface.OPCODE_NOP, tag=2)])
    memory.close()


@pytest.mark.parametrize("engine", ["pcie"], indirect=True)
@pytest.mark.parametrize("payload, read_request", [(0, 0), (1, 0), (0, 2), (1, 2)])
def test_sizes_that_the_host_allows(client, seed, payload, read_request, engine):
    """The card keeps to them (payloads of 128 and 256 bytes, reads of 128 and 512): where a packet is longer the fixture `card` fails."""
    express = capabilities(client)[CAPABILITY_EXPRESS]
    client.region_write(CONFIG, express + 8, struct.pack("<H", payload << 5 | read_request << 12))
    memory = Memory()
    client.dma_map(memory.base, memory.size, memory.file)
    enable(client)
    queue, pages = Queue(client, memory), compressible_pages(6, seed)
    places = [(memory.allocate(PAGE), memory.allocate(PAGE)) for _ in pages]
    for page, (source, _) in zip(pages, places):
        memory.write(source, page)
    for page, (_, target), completion in zip(pages, places, queue.run([compress(tag, *ends) for tag, ends in enumerate(places)])):
        assert kernel_decompress(memory.read(target, completion.produced_length), PAGE) == page
    memory.close()


def test_odd_register_accesses(client):
    magic = struct.pack("<I", interface.MAGIC_VALUE)
    assert client.region_read(BAR0, 0, 1) == magic[:1] and client.region_read(BAR0, 1, 2) == magic[1:3]
    assert client.region_read(BAR0, 0, 8) == magic + struct.pack("<I", interface.VERSION_VALUE)
    assert client.region_read(BAR0, interface.BAR0_BYTES - 4, 4) == bytes(4)
    client.region_write(BAR0, interface.REGISTER_CONTROL, b"\1")   # part of a word: ignored
    assert client.read(interface.REGISTER_CONTROL) == 0
    assert client.region_read(BAR0, 0, 0) == b""


def test_idle_card_uses_no_processor(card, client):
    enable(client)
    client.read(interface.REGISTER_STATUS)
    client.socket.settimeout(1)
    used = []
    # It may still have work to end, which takes as long as the machine is busy. One that never rests has no quiet second.
    while not used or used[-1] > 1 and len(used) < 30:
        before = card.processor_ticks()
        with pytest.raises(TimeoutError):
            client.receive()        # a second without a message
        used.append(card.processor_ticks() - before)
    assert used[-1] <= 1, f"clock ticks used in each second: {used}"
