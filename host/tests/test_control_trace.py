# SPDX-License-Identifier: Apache-2.0
"""pagepressctl trace on made-up traces: pages of all kinds whose events lie among each other."""

import json
import random
import signal
import subprocess
import time

import pytest

import pagepress_interface

CARDS = ("0000:01:00.0", "0000:02:00.0")
KINDS = ("card", "redone", "silent", "software", "same", "direct")
STATUSES = ("SUCCESS", "INCOMPRESSIBLE", "VERIFY_FAILED")


class MadeUpTrace:
    """`lines`: of the kernel's trace, in the order of their times; `pages`: what JSON should say of each page, by its begin."""

    def __init__(self, count):
        self.events, self.pages, self.tags = [], {}, dict.fromkeys(CARDS, 0)
        self.moments = iter(sorted(random.sample(range(10**6, 10**9), count * 8)))
        # Ten pages at a time go their ways together.
        for first in range(0, count, 10):
            moments = [next(self.moments) for _ in range(80)]
            random.shuffle(moments)
            for number in range(10):
                self.page(sorted(moments[number * 8 : number * 8 + 8]), slot=number)
        self.events.sort()
        self.rung()
        self.lines = [line for _, _, line in self.events]

    def event(self, moment, cpu, name, text, task="dd-77", flags="....."):
        self.events.append((moment, name, f"{task:>22} [{cpu:03d}] {flags} {moment / 1e6:12.6f}: pagepress_{name}: {text}"))

    def page(self, moments, slot):
        kind, disk, cpu, task = (
            random.choice(KINDS),
            f"pagepress{random.randrange(3)}",
            random.randrange(4),
            f"a task-{slot}-{random.randrange(9000)}",
        )
        write = kind == "same" or (kind != "direct" and random.random() < 0.6)
        # A slot is in use once at a time: ten pages, ten slots.
        slot, way, size = slot * 1000 + random.randrange(1000), "write" if write else "read", random.randrange(20, 4097)
        place = f"{disk} slot={slot}"
        begun, submitted, rung, completed, judged, redone, given, ended = moments
        page = {"device": disk, "slot": slot, "way": way, "begun": begun / 1e6, "by": "direct", "task": task}
        self.event(begun, cpu, "page_begin", f"{place} {way}", task)
        if kind in ("card", "redone", "silent"):
            card, queue = random.choice(CARDS), random.randrange(2)
            self.tags[card] += random.randrange(1, 70000)
            command = f"{card} queue={queue} request={self.tags[card]:#x}"
            page |= {
                "card": card,
                "queue": queue,
                "request": self.tags[card],
                "submitted": submitted / 1e6,
                "completed": 0,
                "verdict": "",
                "redone": False,
            }
            self.event(submitted, cpu, "request_submit", f"{command} {place} {way}", task)
            self.event(rung, cpu, "queue_ring", f"{card} queue={queue} commands=1", task)
            if kind != "silent":
                status, cycles = random.choice(STATUSES), random.randrange(10**6)
                verdict = random.choice(("later", "changed", "doubted", "reported") if kind == "redone" else ("done", "failed"))
                number = getattr(pagepress_interface, f"STATUS_{status}")
                self.event(
                    completed,
                    0,
                    "request_complete",
                    f"{command} status={number} bytes={size} cycles={cycles}",
                    "irq/7-pp-12",
                    "d.h1.",
                )
                page |= {"completed": completed / 1e6, "status": status, "cycles": cycles, "bytes": size, "verdict": verdict}
                if kind == "card" and write:
                    self.event(judged - 0.5, 0, "slot_give", f"{place} stream bytes={size}")
                    page["stored"] = f"stream {size}"
                self.event(judged, 0, "request_judge", f"{command} {verdict} nanoseconds={judged - submitted}000")
            if kind != "card":
                if page["verdict"] != "later":
                    self.event(redone, 1, "request_redo", command)
                page["redone"] = True
        if kind in ("redone", "silent", "software"):
            size = random.randrange(20, 4097)
            if write:
                self.event(given, cpu, "slot_give", f"{place} stream bytes={size}", task)
                page["stored"] = f"stream {size}"
            self.event(ended, cpu, "page_software", f"{place} {way} bytes={size} nanoseconds=1000", task)
            page |= {"by": "software", "bytes": size}
        elif kind == "card":
            page["by"], ended = "card", judged
        elif kind == "same":
            self.event(ended, cpu, "slot_give", f"{place} same bytes=0", task)
            page["stored"] = "same 0"
        else:
            self.event(ended - 1.5, cpu, "io_end", f"{disk} error=0", task, "d.h1.")  # of another bio
            self.event(ended, cpu, "io_end", f"{disk} error=0", task)
        page["microseconds"] = pytest.approx(ended - begun, abs=1.1)
        self.pages[begun / 1e6] = page

    def rung(self):
        """A doorbell tells of all commands of its queue that are in the ring."""
        rings = [
            (moment, line.split("queue_ring: ")[1].split(" commands")[0])
            for moment, name, line in self.events
            if name == "queue_ring"
        ]
        for page in self.pages.values():
            if "card" in page:
                queue = f"{page['card']} queue={page['queue']}"
                page["rung"] = min(moment for moment, of in rings if of == queue and moment / 1e6 >= page["submitted"]) / 1e6


def matches(found, expected):
    for name, value in expected.items():
        if isinstance(value, float):
            assert found[name] == pytest.approx(value, abs=2e-6), (name, found, expected)
        else:
            assert found[name] == value, (name, found, expected)
    assert found.keys() == expected.keys()


@pytest.fixture
def trace(tmp_path):
    made_up = MadeUpTrace(200)
    noise = [
        "# tracer: nop",
        "",
        "  sh-1 [000] .....  1.000000: sched_switch: prev=1",
        "rubbish: pagepress_page_begin: x",
    ]
    lines = [random.choice(noise) if index % 7 == 0 else None for index in range(len(made_up.lines))]
    (tmp_path / "trace").write_text(
        "".join(f"{extra}\n{line}\n" if extra is not None else f"{line}\n" for extra, line in zip(lines, made_up.lines))
    )
    return tmp_path / "trace", made_up.pages


def test_control_trace_joins_pages(machine, trace):
    path, pages = trace
    found = machine.json("trace", "--json", "--input", path)
    assert len(found) == len(pages)
    for line in found:
        begun = min(pages, key=lambda begun: abs(begun - line["begun"]))
        matches(line, pages.pop(begun))


def test_control_trace_as_text(machine, trace):
    path, pages = trace
    lines = machine.run("trace", "-i", path).stdout.splitlines()
    assert len(lines) == len(pages)
    for page in pages.values():
        (line,) = [
            line
            for line in lines
            if line.startswith(f"{page['begun']:14.6f} {page['device']} slot {page['slot']} {page['way']}:")
        ]
        assert f" {page['by']} done +" in line
        if "request" in page:
            assert f" card {page['card']} queue {page['queue']} request {page['request']:#x} submitted +" in line
        assert ("status" in page) == (f"({page.get('status')}, " in line)
        assert ("redone" in line) == page.get("redone", False)
    assert len(machine.run("trace", "-i", path, "--count", "7").stdout.splitlines()) == 7


def test_control_trace_for_perfetto(machine, trace, tmp_path):
    path, pages = trace
    done = machine.run("trace", "-i", path, "-f", "chrome", "-o", tmp_path / "chrome.json")
    assert (done.returncode, done.stdout) == (0, "")
    events = json.loads((tmp_path / "chrome.json").read_text())["traceEvents"]
    named = {event["pid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    spans = {}
    for event in events:
        if event["ph"] in "be":
            assert event["cat"] == "page" and event["pid"] in named
            spans.setdefault(event["id"], []).append(event)
    assert len(spans) == len(pages)
    for page_events in spans.values():
        outer, inner = [page_events[0], page_events[-1]], page_events[1:-1]
        page = outer[0]["args"]
        assert [(event["ph"], event["name"]) for event in outer] == [("b", page["way"]), ("e", page["way"])]
        assert named[outer[0]["pid"]] == page["device"]
        assert outer[0]["ts"] == pytest.approx(page["begun"] * 1e6) and outer[1]["ts"] - outer[0]["ts"] == pytest.approx(
            page["microseconds"], abs=0.01
        )
        # Its stages fill it without gaps.
        at = outer[0]["ts"]
        for begin, end in zip(inner[::2], inner[1::2], strict=True):
            assert (begin["ph"], end["ph"], begin["name"]) == ("b", "e", end["name"])
            assert begin["ts"] == at <= end["ts"]
            at = end["ts"]
        assert at == outer[1]["ts"]
        # Each has its name from what ended it.
        ended = {event["name"]: event["ts"] for event in inner if event["ph"] == "e"}
        for stage, by in {"prepare": "submitted", "wait for the doorbell": "rung", "card": "completed"}.items():
            assert bool(page.get(by)) == (stage in ended), (stage, page)
            assert stage not in ended or ended[stage] == pytest.approx(page[by] * 1e6)
        assert inner[-1]["name"] == ("software" if page.get("redone") else "judge" if "request" in page else page["by"])


def test_control_trace_of_a_task_whose_name_is_no_text(machine, tmp_path):
    """JSON is UTF-8, the names of tasks are bytes."""
    (tmp_path / "trace").write_bytes(b"  na\xefve\xff\"-7 [000] .....  1.000000: pagepress_page_begin: pagepress0 slot=5 write\n")
    assert machine.json("trace", "--json", "-i", tmp_path / "trace")["task"] == 'na\ufffdve\ufffd"-7'
    done = machine.run("trace", "-f", "chrome", "-i", tmp_path / "trace")
    assert done.returncode == 0 and json.loads(done.stdout)["traceEvents"][1]["args"]["task"] == 'na\ufffdve\ufffd"-7'


def test_control_trace_cut_at_both_ends(machine, trace):
    path, pages = trace
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[len(lines) // 3 : len(lines) // 2]) + "\nlast line without its e")
    found = machine.json("trace", "--json", "-i", path)
    ended = [line for line in found if line["microseconds"] is not None]
    assert 10 < len(ended) <= len(found) < len(pages)
    for line in ended:
        page = pages[min(pages, key=lambda begun: abs(begun - line["begun"]))]
        assert (line["by"], line["slot"], line.get("request")) == (page["by"], page["slot"], page.get("request"))


def page_begins(seconds, slot):
    return f"  dd-7 [000] .....  {seconds:.6f}: pagepress_page_begin: pagepress0 slot={slot} write\n"


def page_ends(seconds, slot):
    return f"  dd-7 [000] .....  {seconds:.6f}: pagepress_page_software: pagepress0 slot={slot} write bytes=9 nanoseconds=1000\n"


def test_control_trace_tells_of_lost_events(machine, tmp_path):
    """A page under way where events were lost has no end: it takes none of a later one of its slot."""
    trace = tmp_path / "trace"
    trace.write_text(page_begins(1, 5) + "CPU:3 [LOST 17 EVENTS]\n" + page_begins(2, 5) + page_ends(3, 5) + "CPU:0 [LOST EVENTS]\n" + page_begins(4, 6) + page_ends(5, 6))
    complaint = "pagepressctl: the kernel lost 17 events in 2 places: "
    done = machine.run("trace", "--json", "-i", trace)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and done.stderr.startswith(complaint) and len(done.stderr.splitlines()) == 1, done
    assert [(line["begun"], line["microseconds"]) for line in lines if "begun" in line] == [(1, None), (2, 1e6), (4, 1e6)]
    assert [line for line in lines if "begun" not in line] == [{"lost_events": 17, "cpu": 3}, {"lost_events": None, "cpu": 0}]
    done = machine.run("trace", "-f", "chrome", "-i", trace)
    assert json.loads(done.stdout)["otherData"] == {"lost_events": 17, "gaps": 2} and done.stderr.startswith(complaint)
    done = machine.run("trace", "-i", trace)
    assert len(done.stdout.splitlines()) == 3 and done.stderr.startswith(complaint)


def test_control_trace_keeps_the_old_file_until_there_is_a_new_one(machine, tmp_path):
    output, other = tmp_path / "output", tmp_path / "other"
    output.write_text("old")
    other.write_text("no trace\n")
    machine.refused(1, "cannot be read", "trace", "-i", tmp_path / "nothing", "-o", output)
    machine.refused(3, "no event of the driver", "trace", "-i", other, "-o", output)
    machine.refused(1, "no tracefs", "trace", "--seconds", "1", "-o", output)
    assert output.read_text() == "old"
    (tmp_path / "trace").write_text(page_begins(1, 5))
    (tmp_path / "link").symlink_to(output)
    for path in (output, tmp_path / "link"):
        assert machine.run("trace", "-i", tmp_path / "trace", "-o", path).returncode == 0
        assert "slot 5" in output.read_text() and (tmp_path / "link").is_symlink()
        output.write_text("old")
    # What is no plain file is written as it is.
    assert machine.run("trace", "-i", tmp_path / "trace", "-o", "/dev/null").returncode == 0
    machine.refused(4, "cannot be written", "trace", "-i", tmp_path / "trace", "-o", "/dev/full")
    assert not list(tmp_path.glob("*.new"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_control_trace_interrupted(machine, tmp_path, number):
    """What was seen until then is whole JSON."""
    (tmp_path / "output").write_text("old")
    words = [machine.program, "trace", "-i", "-", "-f", "chrome", "-o", tmp_path / "output"]
    process = subprocess.Popen(words, env=machine.environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdin.write(page_begins(1, 5) + page_ends(2, 5))
    process.stdin.flush()
    while (tmp_path / "output").read_text() == "old" and not list(tmp_path.glob("output.*.new")):
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.5)
    assert (tmp_path / "output").read_text() == "old"
    process.send_signal(number)
    process.wait(timeout=600)
    assert (process.returncode, process.stderr.read()) == (0, "")
    assert json.loads((tmp_path / "output").read_text())["traceEvents"] and not list(tmp_path.glob("*.new"))


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_control_trace_with_streams_closed(machine, tmp_path, closed):
    """What is printed goes nowhere then, and into no file that was opened since."""
    (tmp_path / "input").write_text(page_begins(1, 5) + "CPU:0 [LOST 3 EVENTS]\n")  # which is complained of
    words = ["sh", "-c", f'"$@" {closed}', "sh", machine.program, "trace", "--json", "-i", "input", "-o", "output"]
    done = subprocess.run(words, cwd=tmp_path, env=machine.environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and [json.loads(line).get("slot") for line in (tmp_path / "output").read_text().splitlines()] == [5, None]
    assert ("lost 3 events" in done.stderr) == ("2>&-" not in closed)


def test_control_trace_refuses(machine, tmp_path):
    machine.refused(1, "cannot be read", "trace", "-i", tmp_path / "nothing")
    (tmp_path / "other").write_text("sh-1 [000] ..... 1.0: sched_switch: prev=1\n")
    for form in ("text", "json", "chrome"):
        machine.refused(3, "no event of the driver", "trace", "-i", tmp_path / "other", "-f", form)
    machine.refused(4, "cannot be written", "trace", "-i", tmp_path / "other", "-o", tmp_path / "no/folder")
    (tmp_path / "link").hardlink_to(tmp_path / "other")
    before = (tmp_path / "other").read_text()
    machine.refused(2, "cannot be written while it is read", "trace", "-i", tmp_path / "other", "-o", tmp_path / "link")
    assert (tmp_path / "other").read_text() == before
    machine.refused(2, "--format", "trace", "-f", "xml")
    machine.refused(1, "no tracefs", "trace", "--seconds", "1")
    for seconds in ("nan", "inf", "-1", "0"):
        machine.refused(2, f"--seconds: {seconds} is not in 0.1 to 86400", "trace", "--seconds", seconds)
    (machine.sysfs / "module/pagepress").rename(machine.folder / "elsewhere")
    machine.refused(1, "the module pagepress is not loaded", "trace", "--seconds", "1")
