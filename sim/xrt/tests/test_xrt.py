# SPDX-License-Identifier: Apache-2.0
"""XRT's own library and pagepress-xrt against the Verilated kernel: right, and wrong in every way a user meets."""
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
RUN = REPOSITORY / "sim/xrt/run"
XCLBIN = REPOSITORY / "build/xrt/pagepress.xclbin"
PAGE = 4096
LIMIT = 1500  # seconds: a hang, not a slow machine


@pytest.fixture(scope="module")
def program(built):
    return built("xrt-programs")


@pytest.fixture
def pages(tmp_path, seed):
    """A file of real pages, edges among them."""
    subprocess.run([sys.executable, REPOSITORY / "sim/xrt/pages.py", "48", str(seed), tmp_path / "pages"], check=True)
    return tmp_path / "pages"


def start(program, *words, fault="", **variables):
    environment = {**os.environ, "PAGEPRESS_XRT_FAULT": fault, **variables}
    return subprocess.Popen([RUN, program, *map(str, words)], env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    output, errors = process.communicate(timeout=LIMIT)
    return process.returncode, output, errors


def run(program, *words, **how):
    return finish(start(program, *words, **how))


def refused(outcome, code, *phrases):
    """One clear line, nothing else."""
    status, output, errors = outcome
    lines = [line for line in errors.splitlines() if line.startswith("pagepress-xrt: ")]
    assert status == code and "PASS" not in output, outcome
    assert len(lines) == 1 and all(phrase in lines[0] for phrase in phrases), outcome


@pytest.mark.night("test-whole")
def test_library_costs_few_cycles(program):
    """With batches of 64, libpagepress takes at most 5 % more of a page's cycles than bare rings (`make bench-xrt`)."""
    done = subprocess.run([sys.executable, REPOSITORY / "sim/xrt/bench", "64"], capture_output=True, text=True, timeout=2 * LIMIT)
    assert done.returncode == 0 and done.stdout.endswith("goal 5%: met\n"), done


def test_two_processes_at_once(program, pages, tmp_path):
    """Each drives a device process of its own; every page of both is right, and the card did all of them."""
    some = tmp_path / "some"
    some.write_bytes(pages.read_bytes()[:16 * PAGE])
    both = [start(program, "validate", "--quiet", "--json", "--only-device", "--trust-answers", some) for _ in range(2)]
    for status, output, errors in map(finish, both):
        assert status == 0, errors
        report = json.loads(output)
        assert report["pages"] == 16 and report["wrong_pages"] == report["software_pages"] == 0
        assert report["card_pages"] == 32 and report["compress_cycles"] > 16 * 200


@pytest.mark.usefixtures("program")
def test_devices_of_two_runs_differ_in_name():
    """The library leaves a log under the device's name in the working folder: two of one name ended each other now and then."""
    two = [run("sh", "-c", 'cat "$EMCONFIG_PATH/emconfig.json"') for _ in range(2)]
    assert all(status == 0 for status, _, _ in two), two
    names = {json.loads(output)["Platform"]["Boards"][0]["Devices"][0]["Name"] for _, output, _ in two}
    assert len(names) == 2 and all(name.startswith("pagepress-") for name in names), names


def test_flipped_bit_is_noticed(program, pages):
    """By the comparison where the library is told to trust the card; else the library notices, and software does the page."""
    few = ("--quiet", pages)
    both = [start(program, "validate", *words, *few, fault="flip:30") for words in (("--only-device", "--trust-answers"), ("--json",))]
    compared, (status, output, errors) = map(finish, both)
    refused(compared, 1, "did not come back")
    assert status == 0, errors
    report = json.loads(output)
    assert report["card_mismatches"] == 1 and report["software_pages"] == 1 and report["wrong_pages"] == 0


def test_card_that_fails_at_a_page_is_said_to_have(program, pages, tmp_path):
    """Where software may not help: nothing is written, no file is called damaged, and no benchmark is fine."""
    few, packed = tmp_path / "few", tmp_path / "packed"
    for file in few, packed:
        file.write_bytes(pages.read_bytes()[:6 * PAGE])
    assert run(program, "compress", "--software", packed)[0] == 0
    commands = ("compress", few), ("benchmark", "--rounds", "1", few), ("decompress", "--force", f"{packed}.lzo")
    started = [start(program, command, "--quiet", "--only-device", *words, fault="flip:2") for command, *words in commands]
    compressed, measured, decompressed = map(finish, started)
    refused(compressed, 1, "few: the card failed to do page", "VERIFY_FAILED")
    assert not Path(f"{few}.lzo").exists()
    refused(measured, 1, "did not come back")
    refused(decompressed, 1, "packed.lzo: the card failed to do block", "CRC_MISMATCH")
    assert packed.read_bytes() == few.read_bytes()
    for fault in ("flip:abc", "flip:0", "flip", "leak:3"):
        status, _, errors = run(program, "validate", "--quiet", few, fault=fault)
        assert (status, errors.count("\n")) == (2, 1) and f"a number from 1, not '{fault}'" in errors, errors
    done = subprocess.run([REPOSITORY / "sim/xrt/bench", "x"], capture_output=True, text=True, timeout=LIMIT)
    assert (done.returncode, done.stderr) == (2, "bench: a run of libpagepress has 1 to 256 pages\n")


def test_silent_device(program, pages):
    """One line and a status in time, where software may not help."""
    refused(run(program, "validate", "--quiet", "--only-device", "--timeout", "20", pages, fault="silent:60"), 4, "not answer")


def test_dead_device_loses_no_page(program, pages, tmp_path):
    """Where software may help, the file is right all the same, and the loss is told."""
    refused(run(program, "compress", "--quiet", "--timeout", "20", pages, fault="die:60"), 4, "software did its pages")
    subprocess.run(["lzop", "-d", "-o", tmp_path / "again", f"{pages}.lzo"], check=True)
    assert (tmp_path / "again").read_bytes() == pages.read_bytes()


def test_files_and_lzop(program, pages, tmp_path):
    """What the kernel compresses lzop decompresses, and the other way round; the end of a file need not be a page."""
    data = pages.read_bytes()[:20 * PAGE] + b"the end"
    plain = tmp_path / "plain"
    plain.write_bytes(data)
    (tmp_path / "list").write_text(f"{plain}\n")
    status, output, errors = run(program, "compress", "--quiet", "--only-device", "--file-list", tmp_path / "list")
    assert status == 0 and "20 pages" in output, errors
    plain.unlink()
    subprocess.run(["lzop", "-d", f"{plain}.lzo"], check=True)
    assert plain.read_bytes() == data
    status, _, errors = run(program, "decompress", "--quiet", "--only-device", "--force", f"{plain}.lzo")
    assert status == 0 and plain.read_bytes() == data, errors
    refused(run(program, "decompress", "--quiet", f"{plain}.lzo", "--software"), 1, "exists already")


def test_unfinished_file_of_another(program, tmp_path):
    """What lies where the output is being written is not written over, and a link there leads nowhere."""
    plain, other, beside, ours = (tmp_path / name for name in ("plain", "other", "plain.lzo.unfinished", "ours"))
    plain.write_bytes(b"words " * 1000)
    other.write_text("mine")
    beside.write_text("an input")
    status, _, errors = run(program, "compress", "--software", "--force", plain, beside)
    assert status == 0 and beside.read_text() == "an input", errors
    ours.write_text('ln -s other "plain.lzo.$$.unfinished"; exec "$@"')
    done = subprocess.run(["sh", ours, program, "compress", "--software", "--force", plain], cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT, check=False)
    refused((done.returncode, done.stdout, done.stderr), 1, ".unfinished: cannot be written: File exists")
    assert other.read_text() == "mine"
    refused(run(program, "compress", "--software", tmp_path), 1, "cannot be read")


def test_output_is_for_those_who_may_read_the_input(program, tmp_path):
    """And for no more than may read the file that it replaces, whatever the umask."""
    plain, packed = tmp_path / "plain", tmp_path / "plain.lzo"
    mode = lambda path: path.stat().st_mode & 0o777  # noqa: E731
    plain.write_bytes(b"words " * 1000)
    before = os.umask(0)
    try:
        for bits in (0o600, 0o640, 0o755):
            plain.chmod(bits)
            assert run(program, "compress", "--software", plain)[0] == 0 and mode(packed) == bits & 0o666
            plain.unlink()
            assert run(program, "decompress", "--software", packed)[0] == 0 and mode(plain) == bits & 0o666
            packed.unlink()
        packed.touch(0o620)
        assert run(program, "compress", "--software", "--force", plain)[0] == 0 and mode(packed) == 0o600
    finally:
        os.umask(before)


def test_members_behind_each_other(program, tmp_path):
    """All of them come back, one after the other, as lzop -dc gives them; nothing else may follow."""
    parts = [random.randbytes(200) * 60, b"second " * 3000]
    for name, part in zip("ab", parts):
        (tmp_path / name).write_bytes(part)
    subprocess.run(["lzop", "-1", tmp_path / "b"], check=True)
    assert run(program, "compress", "--software", tmp_path / "a")[0] == 0
    both = tmp_path / "both.lzo"
    both.write_bytes((tmp_path / "a.lzo").read_bytes() + (tmp_path / "b.lzo").read_bytes())
    assert subprocess.run(["lzop", "-dc", both], capture_output=True, check=False).stdout == b"".join(parts)  # it warns
    status, _, errors = run(program, "decompress", "--software", both)
    assert status == 0 and (tmp_path / "both").read_bytes() == b"".join(parts), errors
    whole = both.read_bytes()
    for tail, phrase in ((b"garbage", "behind its end"), (bytes(512), "behind its end"), (whole[:9], "ends in the middle")):
        both.write_bytes(whole + tail)
        refused(run(program, "decompress", "--software", "--force", both), 1, "both.lzo: ", phrase)
        assert (tmp_path / "both").read_bytes() == b"".join(parts)


def test_outputs_that_would_replace_each_other(program, tmp_path):
    """Or an input: nothing is written, with --force or not."""
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x").write_bytes(folder.encode() * 5000)
    (tmp_path / "out").mkdir()
    into = ("--software", "--force", "--output-folder", tmp_path / "out")
    refused(run(program, "compress", *into, tmp_path / "a/x", tmp_path / "b/x"), 1, "out/x.lzo: would be written of both ", "a/x and ", "b/x")
    refused(run(program, "compress", *into, tmp_path / "a/x", tmp_path / "b/../a/x"), 1, "of both")
    assert not list((tmp_path / "out").iterdir())
    for folder in "ab":
        assert run(program, "compress", "--software", tmp_path / folder / "x")[0] == 0
    refused(run(program, "decompress", *into, tmp_path / "a/x.lzo", tmp_path / "b/x.lzo"), 1, "out/x: would be written of both ")
    before = (tmp_path / "a/x.lzo").read_bytes()
    refused(run(program, "compress", "--software", "--force", tmp_path / "a/x", tmp_path / "a/x.lzo"), 1, "x.lzo: cannot be written of ", "it is read as well")
    assert not list((tmp_path / "out").iterdir()) and (tmp_path / "a/x.lzo").read_bytes() == before


def test_benchmark(program, pages):
    """Cycles of all rounds on the device, and no seconds, which mean nothing there; in software seconds and no cycles."""
    status, output, errors = run(program, "benchmark", "--quiet", "--json", "--only-device", "--rounds", "2", pages)
    assert status == 0, errors
    report = json.loads(output)
    assert report["pages"] == 48 and report["wrong_pages"] == 0 and report["rounds"] == 2 and 0 < report["stream_pages"] < 48
    assert report["card_pages"] == 2 * (48 + report["stream_pages"]) and "compress_seconds" not in report
    assert report["compress_cycles"] > 2 * 48 * 200 and report["decompress_cycles"] > 2 * report["stream_pages"] * 150
    done = subprocess.run([program, "benchmark", "--software", "--json", pages], capture_output=True, text=True, timeout=LIMIT, check=True)
    report = json.loads(done.stdout)
    assert report["cycles"] == 0 and report["software_pages"] == 3 * (48 + report["stream_pages"]) and report["compress_seconds"] > 0
    refused(run(program, "benchmark", "--rounds", "0", pages), 2, "--rounds")


def test_manual_page(program, pages, tmp_path):
    """Its examples do what it says, on the kernel too; it tells every option, and no other."""
    page = (REPOSITORY / "host/xrt/pagepress-xrt.1").read_text().replace(r"\-", "-")
    examples = re.search(r"^\.EX\n(.*?)^\.EE", page, re.M | re.S)[1].splitlines()
    assert len(examples) > 4 and all(line.startswith("$ ") for line in examples)
    (tmp_path / "pagepress.xclbin").symlink_to(XCLBIN)
    script = "set -e\nunset PAGEPRESS_XCLBIN\n" + "".join(f"{line[2:]}\n" for line in examples)
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    done = subprocess.run([RUN, "bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=2 * LIMIT, check=False)
    assert done.returncode == 0 and "PASS" in done.stdout, done
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["rounds"] == 2 and report["card_pages"] > 96 and report["software_pages"] == 0
    helps = [subprocess.run([program, command, "--help"], capture_output=True, text=True, check=True).stdout
             for command in ("compress", "decompress", "validate", "benchmark")]
    offered = set().union(*(re.findall(r"^  (?:-\w,)?(--[\w-]+)", text, re.M) for text in helps)) - {"--help"}
    assert set(re.findall(r"^\.BI? (--[\w-]+)", page, re.M)) == offered


@pytest.mark.parametrize("command", ["validate", "benchmark"])
def test_no_page_passes_for_none(program, tmp_path, command):
    """Files without a whole page prove nothing of the device."""
    (tmp_path / "short").write_bytes(b"short")
    refused(run(program, command, "--software", tmp_path / "short", tmp_path / "short"), 1, "no whole page of 4096 bytes, nor in the other files")
    refused(run(program, command, "--software"), 2, "no files")
    (tmp_path / "list").touch()
    refused(run(program, command, "--software", "--file-list", tmp_path / "list"), 2, "names no files")


def test_threads_that_cannot_be_had(program, pages):
    """200 stacks in 600 MB of addresses."""
    limited = f"ulimit -v 600000; {program} validate --software --kernels 200 {pages}"
    done = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, timeout=LIMIT, check=False)
    refused((done.returncode, done.stdout, done.stderr), 1, "no thread can be had")


@pytest.mark.parametrize("content, phrase", [(None, "cannot be read"), (b"no xclbin", "is no xclbin"), (b"xclbin2\0" + bytes(600), "xclbin")])
def test_wrong_xclbin(program, pages, tmp_path, content, phrase):
    file = tmp_path / "wrong.xclbin"
    if content is not None:
        file.write_bytes(content)
    refused(run(program, "validate", "--quiet", pages, PAGEPRESS_XCLBIN=str(file)), 3, phrase)


def test_xclbin_of_another_kernel(program, pages, tmp_path):
    description = (REPOSITORY / "rtl/interface/generated/pagepress_kernel.xml").read_text().replace("pagepress_kernel", "other_kernel")
    (tmp_path / "other.xml").write_text(description)
    device = REPOSITORY / "build/xrt/pagepress-xrt-device"
    subprocess.run([sys.executable, REPOSITORY / "sim/xrt/xclbin.py", "--kernel", tmp_path / "other.xml", "--device", device, tmp_path / "other.xclbin"], check=True)
    refused(run(program, "validate", "--quiet", pages, PAGEPRESS_XCLBIN=str(tmp_path / "other.xclbin")), 3, "holds no kernel pagepress_kernel")


def test_missing_device(program, pages):
    """Without emulation this machine has no card."""
    environment = {name: value for name, value in os.environ.items() if name != "XCL_EMULATION_MODE"}
    done = subprocess.run([program, "validate", "--quiet", "--xclbin", XCLBIN, pages], capture_output=True, text=True, timeout=LIMIT, check=False,
                          env={**environment, "XILINX_XRT": str(REPOSITORY / "build/tools/xrt/home")})
    refused((done.returncode, done.stdout, done.stderr), 3, "XRT has no device 0")


def test_two_kernels(program, pages, tmp_path):
    """An xclbin with two kernels: both work, and every page is right."""
    kernel = REPOSITORY / "rtl/interface/generated/pagepress_kernel.xml"
    device = REPOSITORY / "build/xrt/pagepress-xrt-device"
    subprocess.run([sys.executable, REPOSITORY / "sim/xrt/xclbin.py", "--kernels", "2", "--kernel", kernel, "--device", device, tmp_path / "two.xclbin"], check=True)
    big = tmp_path / "big"
    big.write_bytes(pages.read_bytes() * 6)  # more than one run
    status, output, errors = run(program, "validate", "--quiet", "--json", "--only-device", big, PAGEPRESS_XCLBIN=str(tmp_path / "two.xclbin"))
    assert status == 0, errors
    assert json.loads(output)["kernels"] == 2 and json.loads(output)["card_pages"] == 2 * 288


def test_xclbin_is_the_same_each_time(program, tmp_path):
    kernel = REPOSITORY / "rtl/interface/generated/pagepress_kernel.xml"
    subprocess.run([sys.executable, REPOSITORY / "sim/xrt/xclbin.py", "--kernel", kernel, "--device", REPOSITORY / "build/xrt/pagepress-xrt-device",
                    tmp_path / "again.xclbin"], check=True)
    assert (tmp_path / "again.xclbin").read_bytes() == XCLBIN.read_bytes()
