# SPDX-License-Identifier: Apache-2.0
"""The C++ harness around engines that only pass words on, and break the contract when a page asks for it."""
import argparse
import errno
import random
import time

import pytest
from bench import PAGE_BYTES, Trouble, command, engines
from bench.pages import PageSet

# The page's first byte chooses what the engine does wrong.
GOOD, FLIP, HANG, INCOMPRESSIBLE, SHORT_WORD, WRONG_LENGTH = b"0FHISW"
ENGINE = """
module {name}(
    input io_source_valid, output io_source_ready, input io_source_payload_last,
    input [127:0] io_source_payload_fragment_data, input [4:0] io_source_payload_fragment_count, input [13:0] io_limit,
    output io_sink_valid, input io_sink_ready, output io_sink_payload_last,
    output [127:0] io_sink_payload_fragment_data, output [4:0] io_sink_payload_fragment_count,
    output reg io_result_valid, input io_result_ready, output reg [7:0] io_result_payload_status,
    output reg [13:0] io_result_payload_length, input clk, input reset);
  reg begun;
  reg [7:0] kept;
  wire [7:0] wish = {compressing} ? (begun ? kept : io_source_payload_fragment_data[7:0]) : 8'd{good};
  wire go = io_source_valid && !(wish == {hang} && begun);
  assign io_source_ready = io_sink_ready && !(wish == {hang} && begun);
  assign io_sink_valid = go;
  assign io_sink_payload_last = io_source_payload_last;
  assign io_sink_payload_fragment_data =
      io_source_payload_fragment_data ^ (wish == {flip} && io_source_payload_last ? 256 : 0);
  assign io_sink_payload_fragment_count = wish == {short_word} ? 15 : io_source_payload_fragment_count;
  always @(posedge clk) begin
    io_result_valid <= !reset && go && io_source_payload_last;
    io_result_payload_status <= wish == {incompressible} ? 2 : 0;
    io_result_payload_length <= wish == {wrong_length} ? 9 : {page_bytes};
    if (reset) begun <= 0;
    else if (go) begin begun <= !io_source_payload_last; kept <= wish; end
  end
endmodule
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("harness")


@pytest.fixture(scope="module")
def harness(folder):
    """The programs built around the engines above, of both formats."""
    for name, compressing in (("page_compressor", 1), ("page_decompressor", 0), ("cold_compressor", 1), ("cold_decompressor", 0)):
        (folder / f"{name}.v").write_text(ENGINE.format(
            name=name, compressing=compressing, good=GOOD, flip=FLIP, hang=HANG, incompressible=INCOMPRESSIBLE,
            short_word=SHORT_WORD, wrong_length=WRONG_LENGTH, page_bytes=PAGE_BYTES))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VERILATED_FLAGS", "-O0")  # a few pages go through: the compiler takes longer
        patch.setenv("flags", "-O0")
        patch.setattr(engines, "VERILOG", folder)
        patch.setattr(engines, "RESULTS", folder / "results")
        patch.setattr(engines, "compress", lambda page, codec: page)  # what these engines take for a stream
        chosen, cold = engines.Engines(), engines.cold_engines()
        chosen.build()
        cold.build()
        yield chosen, cold


def page(wish=GOOD):
    return bytes([wish]) + random.randbytes(PAGE_BYTES - 1)


def run(chosen, *pages):
    counts = []
    found = engines.run_all(chosen, [PageSet("shop", b"".join(pages), 0)], PAGE_BYTES, counts.append)
    assert counts[-1] == len(pages)
    return found["shop"]


def test_streams_and_cycles(harness):
    pages = [page() for _ in range(1030)] + [page(INCOMPRESSIBLE)]
    made = run(harness[0], *pages)
    assert made.streams == pages[:-1] + [None]
    words = PAGE_BYTES // 16
    # Rates leave out the first page of each batch of 1024.
    assert made.cycles["compress"] == {"bytes": 1029 * PAGE_BYTES, "cycles": 1029 * words, "latencies": [words] * 1031}
    assert made.cycles["decompress"] == {"bytes": 1028 * PAGE_BYTES, "cycles": 1028 * words, "latencies": [words] * 1030}
    assert made.cycles["decompress_software"]["bytes"] == 1029 * PAGE_BYTES
    assert (made.cycles["source_width"], made.cycles["sink_width"]) == (16, 16)


def test_cold_streams_and_cycles(harness, folder):
    """The engines of the cold format beside the others: the same measures, files of their own, and no software's streams."""
    pages = [page(), page(INCOMPRESSIBLE), page()]
    streams = run(harness[0], page()).streams
    made, words = run(harness[1], *pages), PAGE_BYTES // 16
    assert made.streams == [pages[0], None, pages[2]]
    assert made.cycles["compress"] == {"bytes": 2 * PAGE_BYTES, "cycles": 2 * words, "latencies": [words] * 3}
    assert made.cycles["decompress"] == {"bytes": PAGE_BYTES, "cycles": words, "latencies": [words] * 2}
    assert made.cycles["decompress_software"]["latencies"] == []
    written = {name: (folder / f"results/shop.{name}").read_bytes() for name in ("streams", "cold-streams")}
    assert written == {"streams": engines.as_streams(streams), "cold-streams": engines.as_streams(made.streams)}


@pytest.mark.parametrize("wish, message", [
    (HANG, "page 1: the compressor makes no progress"),
    (SHORT_WORD, "page 1: the compressor gave a word of 15 bytes before the last"),
    (WRONG_LENGTH, f"page 1: result says 9 bytes, the stream has {PAGE_BYTES}"),
])
def test_broken_contract_names_set_and_page(harness, wish, message):
    with pytest.raises(Trouble, match=f"set shop: {message}"):
        run(harness[0], page(), page(wish))
    with pytest.raises(Trouble, match=f"set shop: cold format: {message}"):
        run(harness[1], page(), page(wish))


def test_page_not_given_back_is_kept(harness, folder):
    bad = page(FLIP)
    with pytest.raises(Trouble, match=f"set shop: page 65: decompressed to other bytes, the first at {PAGE_BYTES - 15}"):
        run(harness[0], *[page() for _ in range(65)], bad)
    with pytest.raises(Trouble, match="set shop: cold format: page 0: decompressed to other bytes"):
        run(harness[1], page(FLIP))
    assert (folder / "results/failures/shop-65.page").read_bytes() == bad
    assert (folder / "results/failures/shop-65.stream").stat().st_size == PAGE_BYTES
    assert (folder / "results/failures/shop-cold-0.page").exists()


def test_unknown_configuration(harness):
    with pytest.raises(Trouble, match="page_compressor_w99.v is missing .there are: page_compressor, page_decompressor."):
        engines.Engines(compressor="page_compressor_w99").build()
    with pytest.raises(Trouble, match="cold_decompressor_p9.v is missing .there are: cold_compressor, cold_decompressor."):
        engines.cold_engines(decompressor="cold_decompressor_p9").build()


def test_hash_is_the_designs_not_the_commits():
    design = b"module page_compressor;\n  wire a; // kept\nendmodule\n"
    assert engines.verilog_hash(b"// Git hash  : 1\n" + design) == engines.verilog_hash(b"// Git hash  : 2\n" + design)
    assert engines.verilog_hash(design) != engines.verilog_hash(design.replace(b"a", b"b"))


def test_a_full_disk_is_one_line(monkeypatch, tmp_path, capsys):
    def bench(options, progress):
        raise OSError(errno.ENOSPC, "No space left on device", "engine.json")

    monkeypatch.setattr(command, "RESULTS", tmp_path)
    assert command.run("bench", argparse.Namespace(json=False), bench, str) == 1
    assert capsys.readouterr().err == "bench: No space left on device: engine.json\n"


def test_sets_that_have_not_begun_do_not_begin_after_ctrl_c(monkeypatch):
    begun = []

    def run_set(engines, pages, limit, advance):
        begun.append(pages.name)
        if len(begun) == 1:
            raise KeyboardInterrupt
        time.sleep(0.5)

    monkeypatch.setattr(engines, "run_set", run_set)
    with pytest.raises(KeyboardInterrupt):
        engines.run_all(None, [PageSet(str(number), b"", 0) for number in range(50)], PAGE_BYTES, lambda done: None)
    assert len(begun) <= 2 * engines.PROCESSES
