# SPDX-License-Identifier: Apache-2.0
"""Functional points: what the tests must have met at least once, whatever lines that took.

The benches call the functions below with what they see; each counts into points of cocotb-coverage. Without PAGEPRESS_COVERAGE
(`make coverage` sets it to a folder) they do nothing, and the package is not needed. Each simulation writes its counts there.

    completion   opcode and status of each completion that software took (core_bench)
    stopped      cause with which the card or a queue stopped by itself (core_bench)
    queue        each step of a queue's status as software reads it: off, active, error (core_bench)
    stream       kinds of token and classes of length in the streams that an engine wrote or took (engine_bench)
    stalls       that sources, and that sinks held a block's streams up, where it has any (stream_bench)
"""
import atexit
import os
import tempfile

import lzo_tokens
import pagepress_interface as interface

FOLDER = os.environ.get("PAGEPRESS_COVERAGE")
COMPRESS, DECOMPRESS = interface.OPCODE_COMPRESS, interface.OPCODE_DECOMPRESS
OPCODES = {COMPRESS: "compress", DECOMPRESS: "decompress", interface.OPCODE_NOP: "nop"}
# Statuses that only one opcode can end with; the others belong to both.
ONLY = {"SAME_FILLED": COMPRESS, "INCOMPRESSIBLE": COMPRESS, "VERIFY_FAILED": COMPRESS, "MALFORMED_STREAM": DECOMPRESS,
        "OUTPUT_OVERRUN": DECOMPRESS, "OUTPUT_UNDERRUN": DECOMPRESS, "CRC_MISMATCH": DECOMPRESS}
QUEUE_STEPS = [("off", "active"), ("off", "error"), ("active", "off"), ("active", "error"), ("error", "off")]


def completion_bins():
    """(opcode, status) pairs that the interface allows."""
    found = [("nop", "SUCCESS"), ("nop", "INVALID_FLAGS"), ("nop", "ABORTED"), ("other", "INVALID_OPCODE")]
    for status in interface.STATUS_NAMES.values():
        if status != "INVALID_OPCODE":
            found += [(OPCODES[opcode], status) for opcode in (COMPRESS, DECOMPRESS) if ONLY.get(status, opcode) == opcode]
    return found


def stopped_bins():
    """(whose, cause): each cause of interface.FATAL_*; a doorbell or a set-up that is wrong stops its queue, the others too or the card."""
    return [("queue", name) for name in ("DOORBELL_RANGE", "RING_FETCH", "RING_COMPLETE", "RING_SETUP")] + [("card", "ENGINE_STUCK")]


class Nothing:
    """Counts nothing."""

    def completion(self, entry, completion): pass
    def stopped(self, whose, cause): pass
    def queue(self, before, after): pass
    def stream(self, block, stream): pass
    def stalls(self, block, **probabilities): pass


class Counting:
    """Counts into cocotb-coverage's points, which are made when they are first met where their name is a block's."""

    def __init__(self):
        from cocotb_coverage import coverage
        self.coverage, self.points = coverage, {}
        self.point("core.completion", completion_bins())
        self.point("core.stopped", stopped_bins())
        self.point("core.queue", QUEUE_STEPS)
        atexit.register(self.write)

    def point(self, name, bins):
        if name not in self.points:
            self.points[name] = self.coverage.CoverPoint(name, bins=bins)(lambda met: None)
        return self.points[name]

    def completion(self, entry, completion):
        self.points["core.completion"]((OPCODES.get(entry.opcode, "other"), interface.STATUS_NAMES.get(completion.status, "?")))

    def stopped(self, whose, cause):
        names = {value: name.removeprefix("FATAL_") for name, value in vars(interface).items() if name.startswith("FATAL_")}
        self.points["core.stopped"]((whose, names.get(cause, "?")))

    def queue(self, before, after):
        self.points["core.queue"]((before, after))

    def stream(self, block, stream):
        kind, bins = ("decompress", lzo_tokens.CLASSES) if "decompress" in block else ("compress", lzo_tokens.WRITTEN)
        point = self.point(f"{kind}.tokens", bins)
        for token in lzo_tokens.classes(stream):
            point(token)

    def stalls(self, block, **probabilities):
        point = self.point(f"stalls.{block}", list(probabilities))
        for whose, probability in probabilities.items():
            if probability:
                point(whose)

    def write(self):
        file, path = tempfile.mkstemp(suffix=".yml", prefix="functional-", dir=FOLDER)
        os.close(file)
        self.coverage.coverage_db.export_to_yaml(path)


points = Counting() if FOLDER else Nothing()
