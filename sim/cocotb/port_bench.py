# SPDX-License-Identifier: Apache-2.0
"""The bus as a reader or writer of rtl/dma sees it, for stream_bench's Bench.

    reads = ReadSide(dut, "io_port", 16, memory)      # memory: {address: byte}, absent bytes are random
    writes = WriteSide(dut, "io_port", 16, memory)

`stall` as in stream_bench; `faults` holds addresses whose beat, or whole burst of writes, fails.
"""
import random

BURST_BYTES = 512


class Side:
    def __init__(self, dut, name, width, memory):
        self.width, self.memory, self.faults, self.stall = width, memory, set(), 0.0
        self.request = {field: getattr(dut, f"{name}_request_{field}") for field in ("valid", "ready")}
        self.address = getattr(dut, f"{name}_request_payload_address")
        self.beats = getattr(dut, f"{name}_request_payload_beats")
        self.bursts, self.offer = [], None
        self.request["ready"].value = 0

    def stalls(self):
        return random.random() < self.stall

    def ready_for_request(self):
        self.open = not self.stalls()
        self.request["ready"].value = int(self.open)

    def take_request(self):
        """The burst that was just granted, if any; every law of a burst is checked here."""
        if self.request["valid"].value != 1:
            assert self.offer is None, "request fell before it was granted"
            return None
        burst = int(self.address.value), int(self.beats.value)
        assert self.offer in (None, burst), "request changed before it was granted"
        self.offer = None if self.open else burst
        if not self.open:
            return None
        address, beats = burst
        assert address % self.width == 0 and beats >= 1
        assert address // BURST_BYTES == (address + beats * self.width - 1) // BURST_BYTES, f"burst {burst} crosses a border"
        self.bursts.append(burst)
        return burst


class ReadSide(Side):
    def __init__(self, dut, name, width, memory):
        super().__init__(dut, name, width, memory)
        self.valid = getattr(dut, f"{name}_data_valid")
        self.data = getattr(dut, f"{name}_data_payload_data")
        self.fault = getattr(dut, f"{name}_data_payload_fault")
        self.valid.value = 0
        self.waiting, self.most_waiting = [], 0

    def before_edge(self):
        self.ready_for_request()
        self.driven = bool(self.waiting) and not self.stalls()
        self.valid.value = int(self.driven)
        if self.driven:
            address = self.waiting.pop(0)
            word = bytes(self.memory.get(address + at, random.getrandbits(8)) for at in range(self.width))
            self.data.value = int.from_bytes(word, "little")
            self.fault.value = int(address in self.faults)

    def at_edge(self, _cycle):
        burst = self.take_request()
        if burst:
            self.waiting += [burst[0] + beat * self.width for beat in range(burst[1])]
            self.most_waiting = max(self.most_waiting, len(self.waiting))
        return bool(burst)

    def after_edge(self, _fired):
        pass


class WriteSide(Side):
    """`memory` gets exactly the bytes whose strobe is set; a byte written twice is an error."""

    def __init__(self, dut, name, width, memory):
        super().__init__(dut, name, width, memory)
        self.valid, self.ready = getattr(dut, f"{name}_data_valid"), getattr(dut, f"{name}_data_ready")
        self.data = getattr(dut, f"{name}_data_payload_data")
        self.strobe = getattr(dut, f"{name}_data_payload_strobe")
        self.last = getattr(dut, f"{name}_data_payload_last")
        self.response = getattr(dut, f"{name}_response_valid")
        self.failed = getattr(dut, f"{name}_response_payload")
        self.ready.value = self.response.value = 0
        self.unwritten, self.answers = [], []

    def before_edge(self):
        self.ready_for_request()
        # A burst's data may be taken only after its request was.
        self.taking = bool(self.unwritten) and not self.stalls()
        self.ready.value = int(self.taking)
        answered = bool(self.answers) and not self.stalls()
        self.response.value = int(answered)
        if answered:
            self.failed.value = int(self.answers.pop(0))

    def at_edge(self, _cycle):
        if self.taking and self.valid.value == 1:
            address, left, failed = self.unwritten[0]
            data, strobe = int(self.data.value), int(self.strobe.value)
            for byte in range(self.width):
                if strobe >> byte & 1:
                    assert address + byte not in self.memory, f"byte {address + byte:#x} written twice"
                    self.memory[address + byte] = data >> 8 * byte & 0xFF
            failed = failed or address in self.faults
            assert int(self.last.value) == (left == 1), "last beat not marked"
            if left == 1:
                self.unwritten.pop(0)
                self.answers.append(failed)
            else:
                self.unwritten[0] = (address + self.width, left - 1, failed)
        burst = self.take_request()
        if burst:
            self.unwritten.append((*burst, False))
        return bool(burst)

    def after_edge(self, _fired):
        pass
