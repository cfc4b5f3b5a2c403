# SPDX-License-Identifier: Apache-2.0
"""libpagepress's C interface, in software and on a made-up card that fails: statuses, submissions, bad arguments, what is exported."""
import ctypes
import multiprocessing
import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

import pagepress_interface as interface

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = 4096
OK, ERROR_ARGUMENT, ERROR_XCLBIN = 0, 1, 4
KEPT = []  # for as long as there are tests
HEALTHY, STALE, ENDS, SILENT, ANSWERS, HELD, COUNTERS = range(7)  # what is wrong with the made-up card


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("xclbin", ctypes.c_char_p), ("device", ctypes.c_char_p), ("kernels", ctypes.c_uint32),
                ("timeout_ms", ctypes.c_uint32), ("forbid_software", ctypes.c_uint32), ("trust_answers", ctypes.c_uint32)]


class Page(ctypes.Structure):
    _fields_ = [("opcode", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("source", ctypes.c_void_p), ("destination", ctypes.c_void_p),
                ("source_length", ctypes.c_uint32), ("destination_capacity", ctypes.c_uint32), ("expected_crc32c", ctypes.c_uint32),
                ("status", ctypes.c_uint32), ("produced_length", ctypes.c_uint32), ("crc32c", ctypes.c_uint32), ("detail", ctypes.c_uint64),
                ("engine_cycles", ctypes.c_uint32), ("by_software", ctypes.c_uint32)]


class Information(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("page_bytes", ctypes.c_uint32), ("kernels", ctypes.c_uint32), ("clock_kilohertz", ctypes.c_uint32),
                ("lost", ctypes.c_uint32), ("card_pages", ctypes.c_uint64), ("software_pages", ctypes.c_uint64), ("mismatches", ctypes.c_uint64),
                ("failures", ctypes.c_uint64), ("cycles", ctypes.c_uint64), ("name", ctypes.c_char * 64)]


DONE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)


@pytest.fixture(scope="module")
def path(built):
    return built("xrt-programs").parents[1] / "libpagepress/libpagepress.so.1"


def load(path):
    library = ctypes.CDLL(str(path))
    for name in ("pagepress_message", "pagepress_status_name", "pagepress_version"):
        getattr(library, name).restype = ctypes.c_char_p
    library.pagepress_crc32c.restype = ctypes.c_uint32
    return library


@pytest.fixture(scope="module")
def library(path):
    return load(path)


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """The library with made_up_xrt.hpp for XRT."""
    folder = tmp_path_factory.mktemp("made-up")
    for name in ("xrt/xrt_bo.h", "xrt/xrt_device.h", "xrt/xrt_kernel.h", "experimental/xrt_xclbin.h"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text('#include "made_up_xrt.hpp"\n')
    room = REPOSITORY / "host/libpagepress"
    folders = [f"-I{name}" for name in (folder, REPOSITORY / "host/tests", room, room / "include", REPOSITORY / "rtl/interface/generated")]
    command = ["g++", "-std=c++17", "-O1", "-shared", "-fPIC", *folders, "-o", folder / "libmadeup.so", *sorted(room.glob("*.cpp")), "-llzo2", "-pthread"]
    subprocess.run(command, check=True, timeout=600)
    return load(folder / "libmadeup.so")


@pytest.fixture
def card(made_up, tmp_path):
    """A function: a device on the made-up card, healthy at first unless another fault is given."""
    (tmp_path / "card.xclbin").write_bytes(b"xclbin2\0")

    def opened(fault=HEALTHY, **options):
        made_up.made_up_fault(fault, 0)
        handle, options = ctypes.c_void_p(), Options(ctypes.sizeof(Options), xclbin=bytes(tmp_path / "card.xclbin"), **options)
        assert made_up.pagepress_open(ctypes.byref(options), ctypes.byref(handle)) == OK, made_up.pagepress_message()
        return handle

    yield opened
    made_up.made_up_fault(HEALTHY, 0)


@pytest.fixture
def device(library):
    handle = ctypes.c_void_p()
    assert library.pagepress_open(ctypes.byref(Options(ctypes.sizeof(Options), kernels=2)), ctypes.byref(handle)) == OK
    yield handle
    library.pagepress_close(handle)


class Command:
    """A command, and the memory it names."""

    def __init__(self, opcode, source, capacity=PAGE, flags=0, expected=0):
        self.source = ctypes.create_string_buffer(source, max(1, len(source)))
        self.output = ctypes.create_string_buffer(b"\xa5" * (capacity + 8), capacity + 8)
        self.page = Page(opcode, flags, ctypes.addressof(self.source), ctypes.addressof(self.output), len(source), capacity, expected)


def run(library, device, commands):
    pages = (Page * len(commands))(*[command.page for command in commands])
    assert library.pagepress_run(device, pages, ctypes.c_size_t(len(commands))) == OK
    results = []
    for command, page in zip(commands, pages):
        command.page = page
        written = command.output.raw[:page.produced_length]
        assert command.output.raw[page.produced_length:] == b"\xa5" * (len(command.output) - page.produced_length), "written past the output"
        results.append((page.status, written))
    return results


def pages(count):
    """Pages of four to 43 different words of five bytes."""
    words = [[random.randbytes(5) for _ in range(4 + index % 40)] for index in range(count)]
    return [b"".join(random.choices(several, k=PAGE // 5 + 1))[:PAGE] for several in words]


def crc(library, data):
    return library.pagepress_crc32c(data, ctypes.c_size_t(len(data)))


def test_libpagepress_there_and_back(library, device):
    """More than a run's pages; each result belongs to its page."""
    plain = pages(300)
    compressions = [Command(interface.OPCODE_COMPRESS, page) for page in plain]
    streams = run(library, device, compressions)
    for page, command, (status, stream) in zip(plain, compressions, streams):
        assert status == interface.STATUS_SUCCESS and command.page.by_software == 1
        assert command.page.crc32c == crc(library, page) and command.page.detail == crc(library, stream)
    back = run(library, device, [Command(interface.OPCODE_DECOMPRESS, stream, flags=interface.FLAG_CHECK_CRC, expected=crc(library, page))
                                 for page, (_, stream) in zip(plain, streams)])
    assert back == [(interface.STATUS_SUCCESS, page) for page in plain]


def test_libpagepress_statuses(library, device):
    """What the hardware's statuses say, software says."""
    page, word, noise = pages(1)[0], random.randbytes(8), random.randbytes(PAGE)
    (_, stream), = run(library, device, [Command(interface.OPCODE_COMPRESS, page)])
    (_, short), = run(library, device, [Command(interface.OPCODE_COMPRESS, page)])
    commands = [
        (Command(interface.OPCODE_COMPRESS, word * (PAGE // 8)), interface.STATUS_SAME_FILLED),
        (Command(interface.OPCODE_COMPRESS, noise), interface.STATUS_INCOMPRESSIBLE),
        (Command(interface.OPCODE_COMPRESS, page, capacity=len(stream) - 1), interface.STATUS_INCOMPRESSIBLE),
        (Command(interface.OPCODE_COMPRESS, page, capacity=len(stream)), interface.STATUS_SUCCESS),
        (Command(interface.OPCODE_COMPRESS, page[1:]), interface.STATUS_INVALID_LENGTH),
        (Command(interface.OPCODE_COMPRESS, page, flags=0x8000), interface.STATUS_INVALID_FLAGS),
        (Command(77, page), interface.STATUS_INVALID_OPCODE),
        (Command(interface.OPCODE_DECOMPRESS, stream[:-3]), interface.STATUS_MALFORMED_STREAM),
        (Command(interface.OPCODE_DECOMPRESS, b"\x12\x61\x11\0\0"), interface.STATUS_OUTPUT_UNDERRUN),
        (Command(interface.OPCODE_DECOMPRESS, stream, capacity=PAGE - 1), interface.STATUS_INVALID_LENGTH),
        (Command(interface.OPCODE_DECOMPRESS, stream, flags=interface.FLAG_CHECK_CRC, expected=1), interface.STATUS_CRC_MISMATCH)]
    found = run(library, device, [command for command, _ in commands])
    assert [status for status, _ in found] == [status for _, status in commands]
    assert commands[0][0].page.detail.to_bytes(8, "little") == word
    assert short == stream and library.pagepress_status_name(interface.STATUS_SAME_FILLED) == b"SAME_FILLED"


REFUSED = [getattr(interface, f"STATUS_INVALID_{name}") for name in ("OPCODE", "FORMAT", "FLAGS", "LENGTH", "ADDRESS")]


def informed(library, handle):
    information = Information(ctypes.sizeof(Information))
    assert library.pagepress_inform(handle, ctypes.byref(information)) == OK
    return information


def test_libpagepress_notices_answers_to_other_commands(made_up, card):
    """Where nothing reaches the card, it does its last run again, and each answer agrees with itself: not with what the caller expects."""
    handle = card()
    plain = pages(8)
    streams = [stream for _, stream in run(made_up, handle, [Command(interface.OPCODE_COMPRESS, page) for page in plain])]
    checked = [(stream, page) for stream, page in zip(streams, plain)]

    def decompress(pairs):
        commands = [Command(interface.OPCODE_DECOMPRESS, stream, flags=interface.FLAG_CHECK_CRC, expected=crc(made_up, page)) for stream, page in pairs]
        assert run(made_up, handle, commands) == [(interface.STATUS_SUCCESS, page) for _, page in pairs]
        return [command.page.by_software for command in commands]

    assert decompress(checked[:4]) == [0] * 4
    made_up.made_up_fault(STALE, 0)
    assert decompress(checked[4:]) == [1] * 4 and informed(made_up, handle).mismatches == 4
    made_up.pagepress_close(handle)


def test_libpagepress_believes_no_status_that_cannot_be(made_up, card):
    """Of a command that is none of the refused ones: software does the page."""
    handle, strict = card(), card(forbid_software=1)
    page = pages(1)[0]
    (_, stream), = run(made_up, handle, [Command(interface.OPCODE_COMPRESS, page)])
    compress, decompress = (interface.OPCODE_COMPRESS, page, stream), (interface.OPCODE_DECOMPRESS, stream, page)
    impossible = [(decompress, status) for status in (interface.STATUS_SAME_FILLED, interface.STATUS_INCOMPRESSIBLE, *REFUSED)]
    impossible += [(compress, status) for status in (interface.STATUS_SAME_FILLED, *REFUSED)]
    for (opcode, source, wanted), status in impossible:
        made_up.made_up_fault(ANSWERS, status)
        command = Command(opcode, source)
        assert run(made_up, handle, [command]) == [(interface.STATUS_SUCCESS, wanted)] and command.page.by_software == 1, status
        instead = interface.STATUS_VERIFY_FAILED if opcode == interface.OPCODE_COMPRESS else interface.STATUS_CRC_MISMATCH
        assert run(made_up, strict, [Command(opcode, source)]) == [(instead, b"")], status
    # What the library itself refuses no card has seen, and stays refused.
    refused = Command(interface.OPCODE_COMPRESS, page[1:])
    assert run(made_up, handle, [refused]) == [(interface.STATUS_INVALID_LENGTH, b"")] and refused.page.by_software == 0
    for each in handle, strict:
        assert informed(made_up, each).mismatches == len(impossible)
        made_up.pagepress_close(each)


def test_libpagepress_waits_for_no_counter_that_never_agrees(made_up, card):
    """A card whose counters lie does its pages all the same."""
    handle = card(timeout_ms=60_000)
    made_up.made_up_fault(COUNTERS, 0)
    commands = [Command(interface.OPCODE_COMPRESS, page) for page in pages(3)]
    assert [status for status, _ in run(made_up, handle, commands)] == [interface.STATUS_SUCCESS] * 3
    assert not any(command.page.by_software for command in commands)
    made_up.pagepress_close(handle)


def test_libpagepress_limits(library, device):
    """Of lengths, capacities, addresses and threads, to the one."""
    page = pages(1)[0]
    (_, stream), = run(library, device, [Command(interface.OPCODE_COMPRESS, page)])
    compress, decompress = interface.OPCODE_COMPRESS, interface.OPCODE_DECOMPRESS
    good = [Command(compress, page, capacity=1), Command(decompress, b"\x11"), Command(decompress, stream.ljust(2 * PAGE, b"x"))]
    bad = [Command(compress, page + b"x"), Command(compress, page, capacity=0), Command(compress, page, capacity=PAGE + 1), Command(decompress, b""),
           Command(decompress, stream.ljust(2 * PAGE + 1, b"x")), Command(decompress, stream, capacity=PAGE + 1)]  # fmt: skip
    found = [status for status, _ in run(library, device, good + bad)]
    assert interface.STATUS_INVALID_LENGTH not in found[:3] and found[3:] == [interface.STATUS_INVALID_LENGTH] * len(bad)
    nowhere = Command(compress, page), Command(compress, page)
    nowhere[0].page.source = nowhere[1].page.destination = None
    assert [status for status, _ in run(library, device, nowhere)] == [interface.STATUS_INVALID_ADDRESS] * 2
    information = Information(ctypes.sizeof(Information))
    assert library.pagepress_inform(device, ctypes.byref(information)) == OK
    told = {name: getattr(information, name) for name, _ in Information._fields_[1:]}
    assert told == {"page_bytes": PAGE, "kernels": 2, "software_pages": 12, "name": b"software",
                    **dict.fromkeys(("clock_kilohertz", "lost", "card_pages", "mismatches", "failures", "cycles"), 0)}  # fmt: skip
    information.size -= 1
    assert library.pagepress_inform(device, ctypes.byref(information)) == ERROR_ARGUMENT and b"information.size" in library.pagepress_message()
    handle = ctypes.c_void_p()
    assert library.pagepress_open(ctypes.byref(Options(ctypes.sizeof(Options), kernels=257)), ctypes.byref(handle)) == ERROR_ARGUMENT and not handle
    assert library.pagepress_open(ctypes.byref(Options(ctypes.sizeof(Options), kernels=256)), ctypes.byref(handle)) == OK
    library.pagepress_close(handle)
    # However long what it is about: one line.
    options = Options(ctypes.sizeof(Options), xclbin=b"/nowhere/" + b"long\n" * 200)
    assert library.pagepress_open(ctypes.byref(options), ctypes.byref(handle)) == ERROR_XCLBIN
    assert len(library.pagepress_message()) == 511 and b"\n" not in library.pagepress_message()
    assert library.pagepress_status_name(200) == b"unknown status"


def test_libpagepress_asynchronous(library, device):
    """Submissions from several threads at once, none waiting; each is told once."""
    ended, lock, everything = [], threading.Lock(), threading.Event()

    def finish(context, error):
        with lock:
            ended.append((context, error))
            if len(ended) == 20:
                everything.set()

    callback = DONE(finish)
    plain = pages(5)
    lots = []
    for _ in range(20):
        commands = [Command(interface.OPCODE_COMPRESS, page) for page in plain]
        lots.append((commands, (Page * 5)(*[command.page for command in commands])))
    threads = [threading.Thread(target=lambda number=number: library.pagepress_submit(
        device, lots[number][1], ctypes.c_size_t(5), callback, ctypes.c_void_p(number + 1))) for number in range(20)]
    for thread in threads:
        thread.start()
    assert everything.wait(600)
    for thread in threads:
        thread.join()
    assert sorted(ended) == [(number + 1, OK) for number in range(20)]
    assert all(page.status == interface.STATUS_SUCCESS for _, array in lots for page in array)


def submit_slowly(library, handle, plain):
    """Compressions whose end is told to a program that takes its time; what must be kept, and what is told."""
    told = []

    def finish(context, error):
        time.sleep(1)
        told.append(error)

    commands = [Command(interface.OPCODE_COMPRESS, page) for page in plain]
    array, callback = (Page * len(plain))(*[command.page for command in commands]), DONE(finish)
    assert library.pagepress_submit(handle, array, ctypes.c_size_t(len(plain)), callback, None) == OK
    return (commands, array, callback), told


@pytest.mark.parametrize("fault", [ENDS, SILENT])
def test_libpagepress_close_waits_for_a_lost_kernel_s_pages(made_up, card, fault):
    """A kernel that is lost while the library closes, by an error or because it is silent: all is done and told before close returns."""
    handle = card(timeout_ms=500)
    made_up.made_up_fault(fault, 0)
    kept, told = submit_slowly(made_up, handle, pages(40))
    KEPT.append(kept)  # a library that goes on too long must not end the tests
    _, array, _ = kept
    made_up.pagepress_close(handle)
    assert told == [OK] and all(page.by_software == 1 and page.status == interface.STATUS_SUCCESS for page in array)


@pytest.mark.parametrize("fault", [HEALTHY, ENDS])
def test_libpagepress_close_waits_for_what_is_submitted_meanwhile(made_up, card, fault):
    """By a program that is told of a submission's end: its next one is done and told before close returns, by the kernel or, where that was lost, by software."""
    handle = card()
    made_up.made_up_fault(fault, 0)
    commands = [Command(interface.OPCODE_COMPRESS, page) for page in pages(2)]
    arrays, told = [(Page * 1)(command.page) for command in commands], []

    def submit(number, done):
        assert made_up.pagepress_submit(handle, arrays[number], ctypes.c_size_t(1), done, None) == OK

    def finish(context, error):
        time.sleep(1)  # close has begun, and the library has looked
        told.append(error)
        submit(1, last)

    first, last = DONE(finish), DONE(lambda context, error: told.append(error))
    KEPT.append((commands, arrays, first, last))
    submit(0, first)
    made_up.pagepress_close(handle)
    assert told == [OK, OK] and [array[0].status for array in arrays] == [interface.STATUS_SUCCESS] * 2
    assert [array[0].by_software for array in arrays] == [fault == ENDS] * 2


@pytest.mark.parametrize("then", [HEALTHY, SILENT])
def test_libpagepress_ends_no_run_whose_pages_are_read(made_up, card, then):
    """However long that takes, also while it closes: the caller would have its memory back while the library reads it. The card's time begins behind."""
    handle = card(timeout_ms=1000)
    made_up.made_up_fault(HELD, 0)
    kept, told = submit_slowly(made_up, handle, pages(40))
    KEPT.append(kept)
    time.sleep(4)
    assert not told
    threading.Timer(0.5, made_up.made_up_fault, (then, 0)).start()
    made_up.pagepress_close(handle)
    assert told == [OK] and all(page.by_software == (then == SILENT) and page.status == interface.STATUS_SUCCESS for page in kept[1])


@pytest.mark.parametrize("during", ["open", "run"])
def test_libpagepress_does_not_count_the_time_it_was_stopped(made_up, card, during):
    """By SIGSTOP, a debugger or a paused virtual machine, for longer than a card may be silent: it could not have been heard."""

    def stop():
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(0.5)  # whoever counts the time that has passed has done so by then
        made_up.made_up_fault(HEALTHY, 0)

    def program():
        threading.Thread(target=stop).start()
        handle = card(HELD if during == "open" else SILENT, timeout_ms=5000)
        command = Command(interface.OPCODE_COMPRESS, pages(1)[0])
        assert run(made_up, handle, [command])[0][0] == interface.STATUS_SUCCESS
        assert command.page.by_software == 0 and informed(made_up, handle).lost == 0

    process = multiprocessing.get_context("fork").Process(target=program)
    process.start()
    stopped = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    assert stopped.si_code == os.CLD_STOPPED
    time.sleep(6)
    os.kill(process.pid, signal.SIGCONT)
    process.join(600)
    assert process.exitcode == 0


def test_libpagepress_bad_arguments(library, device):
    handle = ctypes.c_void_p()
    assert library.pagepress_open(ctypes.byref(Options(8)), ctypes.byref(handle)) == ERROR_ARGUMENT
    assert b"options.size" in library.pagepress_message() and not handle
    assert library.pagepress_run(device, None, ctypes.c_size_t(1)) == ERROR_ARGUMENT
    assert library.pagepress_run(device, None, ctypes.c_size_t(0)) == OK
    options = Options(ctypes.sizeof(Options), xclbin=b"/nowhere/kernel.xclbin")
    assert library.pagepress_open(ctypes.byref(options), ctypes.byref(handle)) == ERROR_XCLBIN
    assert b"/nowhere/kernel.xclbin" in library.pagepress_message()


@pytest.mark.parametrize("compiler", [["gcc", "-std=c99", "-x", "c"], ["g++", "-std=c++17", "-x", "c++"], ["g++", "-std=c++20", "-x", "c++"]], ids=lambda words: words[1][5:])
def test_libpagepress_headers_for(compiler):
    """Those of C, and with C++ its own too, under every usual warning."""
    headers = ["pagepress/pagepress.h"] + ["pagepress/pagepress.hpp"] * (compiler[0] == "g++")
    folders = [f"-I{REPOSITORY / folder}" for folder in ("host/libpagepress/include", "rtl/interface/generated")]
    warnings = ["-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
    source = "".join(f"#include <{header}>\n" for header in headers)
    subprocess.run([*compiler, *warnings, *folders, "-fsyntax-only", "-"], input=source, text=True, check=True, timeout=600)


def test_libpagepress_exports(path):
    """Its functions, under a version, and nothing of C++."""
    table = subprocess.run(["objdump", "-T", path], capture_output=True, text=True, check=True).stdout
    exported = [line.split()[-2:] for line in table.splitlines() if " *UND* " not in line and " .text" in line]
    assert exported and all(version == "PAGEPRESS_1" and name.startswith("pagepress_") for version, name in exported), exported
