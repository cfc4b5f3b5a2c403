# SPDX-License-Identifier: Apache-2.0
"""The verilated engines: the program built around them, and its runs over sets of pages."""
import hashlib
import json
import struct
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from lzo import compress

from . import BUILD, REPOSITORY, RESULTS, Trouble

HARNESS = REPOSITORY / "sim/verilator/engine_bench"
VERILOG = BUILD / "verilog"
NO_STREAM = 0xFFFFFFFF
PROCESSES = 2


@dataclass(frozen=True)
class Run:
    """One set through the engines: the stream of each page (None: incompressible), and the cycles.

    `cycles` holds, for compress, decompress and decompress_software (lzo1x_1's streams; of the cold format none), `latencies` of the pages alone
    and `bytes` in `cycles` back to back; `verified` and `unverified` (latencies through the lane) when there is a lane; and the widths of the ports.
    """
    streams: list
    cycles: dict


@dataclass(frozen=True)
class Engines:
    """Which configurations of one format to measure, by the names of their Verilog modules in build/verilog."""
    compressor: str = "page_compressor"
    decompressor: str = "page_decompressor"
    kind: str = ""  # before the names of what they write: NAME.cold-streams
    software: str | None = "lzo1x_1"  # whose streams the decompressor is measured with, besides the compressor's

    @property
    def program(self):
        return RESULTS / "verilated" / f"{self.compressor}+{self.decompressor}"

    def build(self):
        """Bring the program up to date; its output is only shown when that fails."""
        for engine in (self.compressor, self.decompressor):
            if not (VERILOG / f"{engine}.v").exists():
                there = ", ".join(sorted(path.stem for path in VERILOG.glob(f"{engine.split('_')[0]}_*compressor*.v"))) or "none"
                raise Trouble(f"build/verilog/{engine}.v is missing (there are: {there}): run make verilog")
        RESULTS.mkdir(parents=True, exist_ok=True)
        log = RESULTS / f"{self.kind}build.log"
        with open(log, "w") as output:
            made = subprocess.run(["make", "-s", "-j2", "-C", str(HARNESS), f"verilog={VERILOG}",
                                   f"build={self.program.parent}", f"compressor={self.compressor}",
                                   f"decompressor={self.decompressor}"], stdin=subprocess.DEVNULL, stdout=output,
                                  stderr=subprocess.STDOUT, check=False)
        if made.returncode:
            errors = [line for line in log.read_text(errors="replace").splitlines() if "rror" in line]
            raise Trouble(f"cannot build the engines: {(errors or ['no message'])[0]} (see build/bench/{log.name})")

    def configuration(self):
        """What was measured: the names, and each Verilog by its hash."""
        hashes = {role: verilog_hash((VERILOG / f"{name}.v").read_bytes())
                  for role, name in (("compressor", self.compressor), ("decompressor", self.decompressor))}
        return {"compressor": self.compressor, "decompressor": self.decompressor, "verilog_sha256": hashes}

    def streams(self, name):
        """The file that a set's streams are written to."""
        return RESULTS / f"{name}.{self.kind}streams"


def cold_engines(compressor="cold_compressor", decompressor="cold_decompressor"):
    """Those of the cold format, which no software but its model writes."""
    return Engines(compressor, decompressor, kind="cold-", software=None)


def verilog_hash(text):
    """SHA-256 of Verilog without its comment lines: the generator writes the commit there, which is not the design."""
    lines = [line for line in text.splitlines(keepends=True) if not line.lstrip().startswith(b"//")]
    return hashlib.sha256(b"".join(lines)).hexdigest()


def run_all(engines, sets, limit, progress):
    """Run every set, PROCESSES at a time; {name: Run}. `progress(done pages)` is called now and then.

    Trouble names the set and the page when an engine does not give a page back.
    """
    done, lock = {}, threading.Lock()

    def advance(name, count):
        with lock:
            done[name] = count
            progress(sum(done.values()))

    # The longest first, so that none is left running alone at the end.
    order = sorted(sets, key=len, reverse=True)
    with ThreadPoolExecutor(PROCESSES) as pool:
        runs = {pages.name: pool.submit(run_set, engines, pages, limit, advance) for pages in order}
        try:
            return {name: run.result() for name, run in runs.items()}
        except BaseException:  # Ctrl-C also: sets that have not begun do not begin
            pool.shutdown(cancel_futures=True)
            raise


def clear():
    """Remove an earlier run's results: what lies in build/bench afterwards belongs together."""
    for pattern in ("*.streams", "*.cold-streams", "cold.dict", "engine.json", "engine.png", "failures/*"):
        for path in RESULTS.glob(pattern):
            path.unlink()


def run_set(engines, pages, limit, advance):
    work, failures = RESULTS / "work", RESULTS / "failures"
    for folder in (work, failures):
        folder.mkdir(parents=True, exist_ok=True)
    source, software, cycles = (work / f"{pages.name}.{engines.kind}{what}" for what in ("pages", "software", "json"))
    streams = engines.streams(pages.name)
    source.write_bytes(pages.data)
    software.write_bytes(as_streams(compress(page, engines.software) if engines.software else None for page in pages))
    process = subprocess.Popen([engines.program, source, software, streams, cycles, f"{failures}/{pages.name}-{engines.kind}", str(limit)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in process.stdout:
        advance(pages.name, int(line))
    message = process.communicate()[1].strip()
    if process.returncode:
        raise Trouble(f"set {pages.name}: {_of(engines)}{message or f'the engines ended with status {process.returncode}'}")
    run = Run(read_streams(streams.read_bytes()), json.loads(cycles.read_text()))
    source.unlink()
    software.unlink()
    if len(run.streams) != len(pages):
        raise Trouble(f"set {pages.name}: {_of(engines)}{len(run.streams)} streams for {len(pages)} pages")
    return run


def _of(engines):
    return "cold format: " if engines.kind else ""


def as_streams(streams):
    """The bytes of a NAME.streams file that holds all these streams (None: incompressible)."""
    return b"".join(struct.pack("<I", NO_STREAM) if stream is None else struct.pack("<I", len(stream)) + stream for stream in streams)


def read_streams(data):
    """The streams in a NAME.streams file; None for an incompressible page."""
    streams, at = [], 0
    while at < len(data):
        length, = struct.unpack_from("<I", data, at)
        at += 4
        if length == NO_STREAM:
            streams.append(None)
        else:
            streams.append(data[at:at + length])
            at += length
            if at > len(data):
                raise ValueError("the last stream is cut short")
    return streams
