# SPDX-License-Identifier: Apache-2.0
"""The verilated card behind a modelled link: its programs, one a configuration, and the figures of their runs."""
import json
import subprocess
from dataclasses import asdict, dataclass

from lzo import compress

from . import BUILD, PAGE_BYTES, REPOSITORY, RESULTS, Trouble, codecs
from .engines import NO_STREAM, PROCESSES, as_streams, read_streams, verilog_hash
from .pages import PageSet
from .summary import percentile

HARNESS = REPOSITORY / "sim/verilator/card_bench"
CLOCK_HZ = 250_000_000
FULL = 0.9  # a part of the card that is busy for this share of the time limits the row
QUEUES = 3  # kept full; one more is the lone page's
DEPTH_LOG2 = 5


@dataclass(frozen=True)
class Link:
    """What `card_bench` takes by these names; generation 0 is a link that takes no time."""
    generation: int = 3
    width: int = 16
    max_payload: int = 256
    max_read: int = 512
    round_trip_ns: float = 700
    jitter_ns: float = 100


@dataclass(frozen=True)
class Rates:
    """Plain bytes that one engine moves in a cycle when nothing makes it wait, with these very pages."""
    compress: float
    decompress: float


@dataclass(frozen=True)
class Card:
    """A card with `engines` of either kind, on a clock of their own unless `own_clock` is 0 (kilohertz). Its Verilog and
    program are made when they are not there."""
    engines: int
    own_clock: int = 0

    def __str__(self):
        return f"{self.engines} + {self.engines} engines at {self.engine_hz / 1e6:g} MHz"

    @property
    def folder(self):
        return RESULTS / "verilated" / (f"card-{self.engines}" + f"-{self.own_clock}" * bool(self.own_clock))

    @property
    def engine_hz(self):
        return 1000 * self.own_clock or CLOCK_HZ

    def build(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        verilog = self.folder / "generated"
        with open(self.folder / "build.log", "w") as log:
            if not newer(verilog / "card.v", BUILD / "verilog/.generated"):
                options = (f"--compressors {self.engines} --decompressors {self.engines} --engine-clock {self.own_clock} "
                           f"--only card {verilog}")
                self.call(["mvn", "-q", "-f", "rtl/pom.xml", "compile", "exec:java", f"-Dexec.args={options}"], log)
            self.call(["make", "-s", f"-j{PROCESSES}", "-C", str(HARNESS), f"card={verilog}/card.v",
                       f"build={self.folder}"], log)

    def call(self, words, log):
        done = subprocess.run(words, cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                              check=False)
        if done.returncode:
            raise Trouble(f"cannot build a card of {self}: see {log.name}")

    def hash(self):
        return verilog_hash((self.folder / "card.v").read_bytes())

    def run(self, work, traffic, link, **options):
        """One run over the pages that `work` holds; the figures that `card_bench` prints, and the streams it made."""
        compressed = work / f"compressed-{self.engines}-{traffic}"
        words = {"pages": work / "pages", "streams": work / "streams", "compressed": compressed, "traffic": traffic,
                 "queues": QUEUES, "depth_log2": DEPTH_LOG2, "engine_kilohertz": self.engine_hz // 1000}
        words |= options | asdict(link)
        done = subprocess.run([self.folder / "card_bench", *(f"{name}={value}" for name, value in words.items())],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            message = done.stderr.strip() or f"ended with status {done.returncode}"
            raise Trouble(f"{traffic}, {self}: {message}")
        return json.loads(done.stdout), read_streams(compressed.read_bytes())


def newer(path, than):
    return path.exists() and than.exists() and path.stat().st_mtime >= than.stat().st_mtime


def prepare(work, sets):
    """Write the pages of all sets, one after the other, and lzo1x_1's streams of those it makes smaller."""
    pages = PageSet("card", b"".join(one.data for one in sets), 0)
    work.mkdir(parents=True, exist_ok=True)
    streams = [compress(page, "lzo1x_1") for page in pages]
    (work / "pages").write_bytes(pages.data)
    (work / "streams").write_bytes(b"".join(
        as_streams([stream]) if len(stream) < PAGE_BYTES else NO_STREAM.to_bytes(4, "little") for stream in streams))
    return pages


def judge(pages, streams, where):
    """liblzo2 and the kernel's LZO decode every stream that the card made; Trouble names the first that is wrong."""
    wrong = codecs.judge(pages, streams)
    if wrong:
        raise Trouble(f"{where}: {wrong[0]}")


def busy_parts(found, rates, engine_hz):
    """Share of the time that each part of the card and the link was at work."""
    cycles, pages = found["cycles"], found["pages"]
    engine_cycles = cycles * engine_hz / CLOCK_HZ
    engines, stream_bytes = found["engines"] & 0xFF, found["engines"] >> 16 & 0xFF
    link = found["link_bytes_per_ns"] * cycles * 1e9 / CLOCK_HZ
    opened = pages - found["compressed"]
    return {
        "link to the card": found["down_bytes"] / link,
        "link from the card": found["up_bytes"] / link,
        "PCIe block, completions": found["completion_beats"] / cycles,
        "PCIe block, requests": found["request_beats"] / cycles,
        "data path in": found["read_bytes"] / stream_bytes / cycles,
        "data path out": found["written_bytes"] / stream_bytes / cycles,
        "compressors": found["compressed"] * PAGE_BYTES / rates.compress / engines / engine_cycles,
        "decompressors": opened * PAGE_BYTES / rates.decompress / engines / engine_cycles,
    }


def limited_by(parts):
    """The busiest part if it is full; else what keeps all of them waiting."""
    name = max(parts, key=parts.get)
    return name if parts[name] >= FULL else f"waiting for reads ({name} {parts[name]:.0%} busy)"


def microseconds(latencies):
    return {name: round(percentile(latencies, share) / 1000, 3) if latencies else None
            for name, share in (("p50", 50), ("p99", 99), ("p999", 99.9))}


def row(traffic, engines, found, rates, engine_hz=CLOCK_HZ):
    """One entry of card.json's `rows`."""
    seconds = found["cycles"] / CLOCK_HZ
    pages_per_s = found["pages"] / seconds
    ceiling = found["pages"] / (found["link_ns"] / 1e9)
    parts = busy_parts(found, rates, engine_hz)
    kinds = {kind: values for kind, values in found["latencies_ns"].items() if values}
    return {
        "traffic": traffic, "engines": engines, "engine_clock_mhz": engine_hz / 1e6, "queues": QUEUES,
        "pages_per_s": round(pages_per_s), "gb_per_s": round(pages_per_s * PAGE_BYTES / 1e9, 3),
        "link_ceiling_gb_per_s": round(ceiling * PAGE_BYTES / 1e9, 3), "utilisation": round(pages_per_s / ceiling, 4),
        "latency_us": microseconds(sum(kinds.values(), [])),
        "latency_us_by_kind": {kind: microseconds(values) for kind, values in kinds.items()},
        "busy": {name: round(share, 3) for name, share in parts.items()},
        "reads_outstanding": round(found["reads_outstanding"], 1), "limited_by": limited_by(parts),
    }
