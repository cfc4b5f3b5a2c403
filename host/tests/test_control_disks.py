# SPDX-License-Identifier: Apache-2.0
"""pagepressctl's commands that show and change disks, on made-up machines."""

import contextlib
import fcntl
import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

PAGE = 4096  # of this machine, which runs pagepressctl
HOST = Path(__file__).resolve().parents[1]
COMMANDS = "status list setup reset adopt top doctor regs selftest log telemetry lanes firmware trace metrics bench image completion".split()


@pytest.mark.parametrize("command", COMMANDS)
def test_control_help_of_every_command(machine, command):
    done = machine.run(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Usage: pagepressctl {command}" in done.stdout and "Exit status:" in done.stdout and "--sysfs" in done.stdout
    assert f"  {command} " in machine.run("--help").stdout
    machine.refused(2, f"pagepressctl {command} --help", command, "--bogus")


def test_control_lists_disks(machine):
    figures = {number: machine.disk(number) for number in sorted(random.sample(range(32), 4))}
    swap, mounted, *_ = figures
    priority = random.randrange(32768)
    machine.swap(f"/dev/pagepress{swap}", priority)
    machine.mount(f"/dev/pagepress{mounted}", "/t")
    machine.put(f"block/pagepress{mounted}/backing_dev", "/dev/vdb")
    lines = machine.json("list", "--json")
    assert [line["device"] for line in lines] == [f"pagepress{number}" for number in figures]
    for line, (number, figure) in zip(lines, figures.items()):
        assert line["disksize"] == figure["disksize"] and line["stored_bytes"] == figure["OrigDataSize"]
        assert line["memory_bytes"] == figure["MemUsedTotal"] and line["compressed_bytes"] == figure["ComprDataSize"]
        assert line["ratio"] == pytest.approx(figure["OrigDataSize"] / figure["MemUsedTotal"] if figure["MemUsedTotal"] else 0)
        assert line["priority"] == (priority if number == swap else None)
        assert line["backing_dev"] == ("/dev/vdb" if number == mounted else "")
    text = machine.run("list").stdout.splitlines()
    assert text[0].split()[0] == "DEVICE" and len(text) == 5
    assert text[1].startswith(f"pagepress{swap} ") and text[1].endswith(f"swap, priority {priority}")
    assert text[2].endswith("mounted on /t")


def test_control_lists_each_figure_below_its_heading(machine):
    machine.disk(0, disksize=(1 << 30) - 1, OrigDataSize=3 << 20, MemUsedTotal=2048, card_state="starting")
    heading, row = (re.split("  +", line) for line in machine.run("list").stdout.splitlines())
    assert dict(zip(heading, row, strict=True)) == {
        "DEVICE": "pagepress0", "SIZE": "1.0 GiB", "STORED": "3 MiB", "MEMORY": "2 KiB", "RATIO": "1536.00", "CARD": "starting", "BACKING": "-", "USE": "-",
    }  # fmt: skip


def test_control_lists_nothing_without_the_module(machine):
    assert machine.json("list", "--json") == []
    (machine.sysfs / "module/pagepress").rename(machine.folder / "elsewhere")
    (machine.sysfs / "class/pagepress-control").rename(machine.folder / "elsewhere too")
    for words in (["list"], ["bench"], ["status"]):
        machine.refused(1, "the module pagepress is not loaded", *words)


@pytest.mark.parametrize("words", [["list", "--json"], ["top", "--once", "--json"], ["metrics"], ["doctor", "--json"]])
def test_control_leaves_out_a_disk_that_is_removed_meanwhile(machine, words):
    for number in range(3):
        machine.disk(number)
    # A pipe among the disk's files: whoever opens it waits until the disk is on its way.
    file = machine.sysfs / "block/pagepress1/pagepress/NumReads"
    file.unlink()
    os.mkfifo(file)
    process = subprocess.Popen([machine.program, *words], env=machine.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with open(file, "w") as pipe:
        (machine.sysfs / "block/pagepress1").rename(machine.folder / "removed")
        pipe.write("1\n")
    output, errors = process.communicate(timeout=600)
    assert errors == "" and process.returncode in (0, 6, 7) and "missing" not in output
    assert "pagepress0" in output and "pagepress2" in output and "pagepress1" not in output


def expression(ram, depth):
    """A random size: its text, and MiB as a float."""
    kind = random.choice(("number", "suffix", "ram", "sum", "product", "quotient", "min", "max", "inside")[: 9 if depth else 3])
    if kind == "number":
        number = random.choice((random.randrange(1, 9000), random.randrange(1, 900) / 4))
        return f"{number}", float(number)
    if kind == "suffix":
        number, suffix = random.randrange(1, 5), random.choice("KMGT")
        return f"{number}{suffix}", number * {"K": 1 / 1024, "M": 1, "G": 1024, "T": 1024 * 1024}[suffix]
    if kind == "ram":
        return "ram", ram
    (left, one), (right, other) = expression(ram, depth - 1), expression(ram, depth - 1)
    blank = random.choice(("", " "))
    if kind in ("min", "max"):
        return f"{kind}({left},{blank}{right})", min(one, other) if kind == "min" else max(one, other)
    if kind == "inside":
        return f"({blank}{left})", one
    operator, value = {"sum": ("+", one + other), "product": ("*", one * other), "quotient": ("/", one / other)}[kind]
    return f"({left}){blank}{operator}{blank}({right})", value


def test_control_sizes_are_expressions(machine):
    machine.disk(disksize=0, PagesStored=0)
    seen = 0
    for _ in range(300):
        text, mebibytes = expression(machine.memory_bytes / 2**20, random.randrange(4))
        if not PAGE <= mebibytes * 2**20 < 2**62:
            continue
        seen += 1
        line = machine.json("setup", "--dry-run", "--json", "--size", text)
        assert abs(line["disksize"] - mebibytes * 2**20) <= max(PAGE, mebibytes * 2**20 * 1e-12), text
        assert line["disksize"] % PAGE == 0
    assert seen > 100


@pytest.mark.parametrize(
    "text, phrase",
    [
        ("ram /", "ends too early"),
        ("", None),
        ("2 3", "no operator"),
        ("min(2", "expected , or )"),
        ("min 2", "expected ("),
        ("cpus", "unknown name cpus"),
        ("1/0", "division by zero"),
        ("1 / (ram - ram)", "division by zero"),
        ("0", "less than a page"),
        ("1-2", "less than a page"),
        ("1.2.3", "not a number"),
        (")", "expected a number"),
        ("64m", "no operator"),
        ("99999999999T", "more than any disk"),
        ("(" * 60 + "1" + ")" * 60, "nested too deep"),
        ("0 * (99999999999T * 99999999999T) / 3", "less than a page"),
        ("é", "expected a number"),
        ("ram; reboot", "no operator"),
    ],
)
def test_control_refuses_what_is_no_size(machine, text, phrase):
    machine.disk(disksize=0, PagesStored=0)
    for option in ("--size", "--mem-limit") if phrase else ():
        machine.refused(2, phrase, "setup", "--dry-run", option, text)
    assert machine.get("block/pagepress0/disksize") == "0"


def test_control_setup_says_what_it_would_do(machine):
    # Used, full, and free disks; the free one is taken.
    machine.disk(0, PagesStored=0)
    machine.swap("/dev/pagepress0", 5)
    machine.disk(1, PagesStored=3)
    machine.disk(2, PagesStored=0, disksize=0)
    block, node = f"{machine.sysfs}/block/pagepress2", f"{machine.dev}/pagepress2"
    steps = machine.json("setup", "-n", "--json", "--size", "64M", "-p", 17, "-w", "/dev/vdb", "-l", "ram/4")["steps"]
    assert steps == [
        f"echo /dev/vdb >{block}/backing_dev",
        f"echo {64 << 20} >{block}/disksize",
        f"echo {machine.memory_bytes // 4 // PAGE * PAGE} >{block}/mem_limit",
        f"mkswap {node}",
        f"swapon --priority 17 {node}",
    ]
    assert machine.run("setup", "-n", "--size", "64M").stdout.splitlines() == [
        f"echo {64 << 20} >{block}/disksize",
        f"mkswap {node}",
        f"swapon --priority 100 {node}",
    ]
    assert machine.get("block/pagepress2/disksize") == "0"
    # The driver decides about memory only with a device to send pages to.
    machine.put("block/pagepress2/pool_budget", "off\n")
    steps = machine.json("setup", "-n", "--json", "-w", "/dev/vdb", "--pool-budget", "auto")["steps"]
    assert f"echo auto >{block}/pool_budget" in steps
    assert not any("pool_budget" in step for step in machine.json("setup", "-n", "--json", "-w", "/dev/vdb", "-b", "off")["steps"])
    machine.refused(2, "--writeback-device", "setup", "-n", "--pool-budget", "auto")
    machine.refused(2, "auto or off, not 'more'", "setup", "-n", "--pool-budget", "more", "-w", "/dev/vdb")
    # A disk that has a size keeps it; another size is a reset first.
    machine.put("block/pagepress2/disksize", 1 << 30)
    assert machine.json("setup", "-n", "--json")["steps"][0] == f"mkswap {node}"
    assert machine.json("setup", "-n", "--json", "-s", "1")["steps"][:2] == [
        f"echo 1 >{block}/reset",
        f"echo {1 << 20} >{block}/disksize",
    ]
    # No free disk: a new one, as large as the driver makes them.
    machine.put("block/pagepress2/pagepress/PagesStored", 1)
    line = machine.json("setup", "-n", "--json")
    assert line["steps"][0] == f"cat {machine.sysfs}/class/pagepress-control/hot_add"
    assert line["disksize"] == machine.memory_bytes * 2
    # udev may be loading the module.
    for state, loads in {"coming": True, "live": False}.items():
        machine.put("module/pagepress/initstate", state)
        assert ("modprobe pagepress" in machine.json("setup", "-n", "--json")["steps"]) == loads
    # From nothing at all.
    (machine.sysfs / "module/pagepress").rename(machine.folder / "module")
    (machine.sysfs / "block").rename(machine.folder / "block")
    assert machine.json("setup", "-n", "--json")["steps"][0] == "modprobe pagepress"


def test_control_setup_makes_the_disk_named(machine):
    """A disk that is not there is made; the driver decides its number, and none but the one named is taken."""
    new = int(machine.get("class/pagepress-control/hot_add"))  # from 10 on
    steps = machine.json("setup", "-n", "--json", "--no-swapon", "-s", "1G", f"/dev/pagepress{new}")["steps"]
    assert steps[0] == f"cat {machine.sysfs}/class/pagepress-control/hot_add" and steps[-1] == f"mkswap {machine.dev}/pagepress{new}"
    (machine.sysfs / "class/pagepress-control/hot_add").unlink()
    machine.refused(1, "hot_add: missing", "setup", "-n", f"pagepress{new}")
    machine.put("class/pagepress-control/hot_add", new)
    machine.refused(1, "no such disk", "setup", "pagepress32")
    machine.disk(new, PagesStored=0, disksize=0)
    machine.refused(5, f"the driver offers pagepress{new}", "setup", "pagepress7")
    assert machine.get("class/pagepress-control/hot_remove") == str(new)  # what it made in vain
    line = machine.json("setup", "-n", "--json", "--no-swapon", f"pagepress{new}")
    assert line["priority"] is None and not any("swapon" in step for step in line["steps"])


def test_control_setup_sets_up(machine):
    machine.disk(0, PagesStored=0, disksize=0)
    size = random.randrange(1, 1 << 20)
    done = machine.run("setup", "--no-swap", "-s", size, "-l", "1G")
    assert done.returncode == 0 and ", a disk, card ready" in done.stdout
    assert machine.get("block/pagepress0/disksize") == str(size << 20)
    assert machine.get("block/pagepress0/mem_limit") == str(1 << 30)


def test_control_setup_tells_what_the_disk_has(machine):
    """Which is not what was asked for where a disk keeps its backing device and limit; of a reset they go."""
    machine.disk(0, PagesStored=0, disksize=77 << 20)
    has = {"device": "pagepress0", "disksize": 77 << 20, "backing_dev": "/dev/vdb", "mem_limit": 5 << 20}
    for name in ("backing_dev", "mem_limit"):
        machine.put(f"block/pagepress0/{name}", has[name])
    for words, dry in ((["-n"], True), ([], False)):
        line = machine.json("setup", "--no-swap", "--json", *words)
        assert {name: line[name] for name in (*has, "dry_run")} == has | {"dry_run": dry}
    assert ", backed by /dev/vdb, " in machine.run("setup", "--no-swap").stdout
    line = machine.json("setup", "--no-swap", "--json", "-n", "--size", "1M")
    assert (line["disksize"], line["backing_dev"], line["mem_limit"]) == (1 << 20, "", 0)


def test_control_setup_takes_back_what_it_did(machine):
    machine.disk(0, PagesStored=0, disksize=0)
    (machine.sysfs / "block/pagepress0/mem_limit").unlink()
    machine.refused(1, "mem_limit", "setup", "-s", "1G", "-l", "1G", "-w", "/dev/vdb")
    assert machine.get("block/pagepress0/reset") == "1"
    # A disk that had another size has it again.
    for name, value in {"disksize": 77 << 20, "backing_dev": "/dev/vdc", "reset": ""}.items():
        machine.put(f"block/pagepress0/{name}", value)
    machine.refused(1, "mem_limit", "setup", "-s", "1G", "-l", "1G", "-w", "/dev/vdb")
    found = [machine.get(f"block/pagepress0/{name}").splitlines()[0] for name in ("disksize", "backing_dev", "reset")]
    assert found == [str(77 << 20), "/dev/vdc", "1"]
    # A new disk goes again: its folder is not there.
    machine.put("block/pagepress0/pagepress/PagesStored", 1)
    machine.refused(1, "no such disk", "setup", "-s", "1G")
    assert machine.get("class/pagepress-control/hot_remove") == machine.get("class/pagepress-control/hot_add")
    # What no swap area fits on.
    machine.put("block/pagepress0/pagepress/PagesStored", 0)
    for name, value in {"disksize": 0, "mem_limit": 0, "reset": ""}.items():
        machine.put(f"block/pagepress0/{name}", value)
    machine.refused(5, "pagepress0", "setup", "-s", "1G")
    assert machine.get("block/pagepress0/reset") == "1"


@pytest.mark.parametrize("size", [(), ("--size", "1G")], ids=["as it is", "reset"])
def test_control_setup_takes_back_limit_and_budget(machine, size):
    """What a disk had: here a reset writes over its limit, as the driver's does away with it."""
    limit = random.randrange(1 << 30, 1 << 33)
    machine.disk(0, PagesStored=0, disksize=77 << 20)
    for name, value in {"mem_limit": limit, "pool_budget": "auto"}.items():
        machine.put(f"block/pagepress0/{name}", value)
    reset = machine.sysfs / "block/pagepress0/reset"
    reset.unlink()
    reset.symlink_to("mem_limit")
    machine.refused(5, "no swap area can be made", "setup", "--mem-limit", "2G", "--pool-budget", "off", *size)
    found = {name: machine.get(f"block/pagepress0/{name}").splitlines()[0] for name in ("disksize", "mem_limit", "pool_budget")}
    assert found == {"disksize": str(77 << 20), "mem_limit": str(limit), "pool_budget": "auto"}


def test_control_steps_are_lines_of_shell(machine):
    """Whatever is said of a device: a shell that is given the line does what the program would."""
    machine.disk(0, PagesStored=0, disksize=0)
    for device in ("/dev/a b", "/dev/$HOME;touch 'x", "/dev/disk/by-id/wwn-0x5%2F:1", '/dev/"`x`\\'):
        line = machine.json("setup", "-n", "--json", "-w", device)["steps"][0]
        assert subprocess.run(["sh", "-c", line], cwd=machine.folder).returncode == 0
        assert machine.get("block/pagepress0/backing_dev") == device
    assert not (machine.folder / "x").exists()


def test_control_setup_takes_back_the_last_step_first(machine):
    new = int(machine.get("class/pagepress-control/hot_add"))
    for one_file in (False, True):
        machine.disk(new, PagesStored=1, disksize=0)
        reset, remove = machine.sysfs / f"block/pagepress{new}/reset", machine.sysfs / "class/pagepress-control/hot_remove"
        remove.write_text("")
        if one_file:  # what is written last stays
            reset.unlink()
            reset.symlink_to(remove)
        (machine.sysfs / f"block/pagepress{new}/mem_limit").unlink()
        machine.refused(1, "mem_limit", "setup", "-s", "1G", "-l", "1G")
        assert remove.read_text() == f"{new}\n"
        assert one_file or reset.read_text().split() == ["1"]


def test_control_setup_refuses_disks_in_use(machine):
    for number in range(4):
        machine.disk(number, PagesStored=0)
    machine.swap("/dev/pagepress0", 5)
    machine.mount("/dev/pagepress1", "/t")
    (machine.sysfs / "block/pagepress2/holders/dm-0").mkdir(parents=True)
    machine.put("block/pagepress3/pagepress/PagesStored", 1)
    for number, phrase in enumerate(("swap, priority 5", "mounted on /t", "held by dm-0", "holds 1 pages: --force")):
        machine.refused(5, phrase, "setup", f"pagepress{number}")
    assert machine.json("setup", "-n", "--json", "--force", "pagepress3")["steps"][0].endswith("/reset")
    machine.refused(1, "no such disk", "setup", "pagepress9")
    machine.refused(2, "in range", "setup", "-p", "32768")
    machine.refused(2, "--priority", "setup", "-p", "high")
    for text in ("010", "0x10", "+5", " 5", "5 ", "-1", "1.5", "", "9" * 40):  # digits, and no other base than ten
        machine.refused(2, "--priority", "setup", "-n", "-p", text)


def test_control_believes_no_names_of_mounts(machine):
    """What is mounted is told by the device's number: the name is whatever a user gave FUSE. btrfs alone has a number of its own."""
    machine.disk(1, PagesStored=0)
    machine.mount("/dev/pagepress1", "/media/x", kind="fuse.sshfs", number="0:57")
    machine.mount("/dev/pagepress1", "/t", kind="ext4", number="252:11")
    assert machine.json("setup", "-n", "--json", "pagepress1")["device"] == "pagepress1"
    assert machine.run("reset", "pagepress1").returncode == 0
    machine.mount("/dev/root", "/t\\040\x1b]0;x\x07\u009b1m\u00e4", number="252:1")
    machine.refused(5, r"mounted on /t\040\033]0;x\007", "setup", "pagepress1")
    said = machine.run("list").stdout
    assert "\x1b" not in said and "\u009b" not in said and "1m\u00e4" in said
    machine.disk(2, PagesStored=0)
    machine.mount("/dev/pagepress2", "/btrfs", kind="btrfs", number="0:58")
    machine.refused(5, "mounted on /btrfs", "reset", "pagepress2")


def test_control_refuses_empty_names(machine):
    """A variable of a shell that is not set is not the first card or disk."""
    for words in (["status", ""], ["setup", "-n", "-w", ""], ["firmware", "list", "-c", ""], ["selftest", ""], ["regs", ""], ["adopt", ""], ["bench", ""]):
        machine.refused(2, "an empty text is no value", *words)


def heeds(process, number):
    """It has a handler for this signal."""
    caught = re.search(r"^SigCgt:\s*(\w+)", Path(f"/proc/{process.pid}/status").read_text(), re.M)[1]
    return int(caught, 16) >> (number - 1) & 1


def test_control_commands_that_change_disks_take_turns(machine):
    """While another has its turn nobody who looks is kept waiting, and who changes something gives up after a while, or on an interrupt."""
    machine.disk(PagesStored=0, disksize=0)
    with open(machine.sysfs / "class/pagepress-control/hot_add") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        start = lambda *words: subprocess.Popen([machine.program, *words], env=machine.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # noqa: E731
        waiting = [start(*words) for words in (["setup", "--no-swap"], ["reset", "--all"], ["bench"])]
        for words in (["setup", "-n"], ["reset", "--all", "-n"], ["list"], ["status"]):
            assert machine.run(*words).returncode == 0, words
        interrupted = start("setup", "--no-swap")
        while not heeds(interrupted, signal.SIGINT):
            time.sleep(0.01)
        interrupted.send_signal(signal.SIGINT)
        assert interrupted.communicate(timeout=600) == ("", "pagepressctl: interrupted: all is as it was\n") and interrupted.returncode == 5
        for process in waiting:
            assert process.communicate(timeout=600) == ("", "pagepressctl: another pagepressctl changes disks: try again when it has ended\n")
            assert process.returncode == 5
        assert machine.get("block/pagepress0/disksize") == "0" and machine.get("block/pagepress0/reset") == ""
        last = start("setup", "--no-swap", "--size", "1G")
        time.sleep(0.2)
    assert last.communicate(timeout=600)[1] == "" and last.returncode == 0
    assert machine.get("block/pagepress0/disksize") == str(1 << 30)


def test_control_resets(machine):
    machine.disk(3), machine.disk(11)
    machine.swap("/dev/pagepress11", 5)
    block = f"{machine.sysfs}/block/pagepress"
    remove = f"{machine.sysfs}/class/pagepress-control/hot_remove"
    line = machine.json("reset", "-n", "--all", "--remove", "--json")
    assert (line["removed"], line["dry_run"]) == (False, True)
    assert line["steps"] == [
        f"echo 1 >{block}3/reset",
        f"echo 3 >{remove}",
        f"swapoff {machine.dev}/pagepress11",
        f"echo 1 >{block}11/reset",
        f"echo 11 >{remove}",
    ]
    assert machine.get("block/pagepress3/reset") == ""
    line = machine.json("reset", "--remove", "--json", "pagepress3")
    assert (line["removed"], line["dry_run"]) == (True, False)
    machine.put("block/pagepress3/reset", "")
    assert machine.run("reset", "/dev/pagepress3").stdout == "pagepress3: reset\n"
    assert machine.get("block/pagepress3/reset") == "1"
    machine.mount("/dev/pagepress3", "/t")
    machine.refused(5, "mounted on /t", "reset", "--all")
    machine.refused(1, "no such disk", "reset", "pagepress3", "pagepress4")
    machine.refused(2, "say which disk", "reset")
    machine.refused(2, "say which disk", "reset", "--all", "pagepress3")


@pytest.mark.parametrize("inherited", ["default", "ignore"])
def test_control_learns_how_swapoff_ended(machine, inherited):
    """Also of a caller that does not wait for its own children."""
    machine.disk(3)
    machine.swap("/dev/pagepress3", 5)  # which the kernel does not know as swap
    done = subprocess.run(["env", f"--{inherited}-signal=CHLD", machine.program, "reset", "pagepress3"], env=machine.environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (5, "") and "pagepress3: swapoff: " in done.stderr and "not known" not in done.stderr, done


@pytest.mark.parametrize("words", [(), ("-n",), ("--json",)])
def test_control_reset_of_an_adopted_disk_tells_what_the_partition_was(machine, words):
    """With it goes the only place that knows UUID and label."""
    machine.disk(2)
    machine.put("block/pagepress2/backing_dev", "/dev/sda2")
    uuid = random.randbytes(16)
    page = bytearray(swap_area())
    page[2048:2064] = b"PAGEPRESS KEPT1\0"
    page[2072 + 1036 : 2072 + 1057] = uuid + b"spare"
    (machine.dev / "pagepress2").write_bytes(page)
    done = machine.run("reset", "pagepress2", *words)
    text = uuid.hex()
    line = f"mkswap --uuid {text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]} --label spare /dev/sda2"
    assert (done.returncode, done.stderr) == (0, f"pagepressctl: pagepress2: adopt took /dev/sda2, which is no swap area after this: {line} makes it one again\n")
    (machine.dev / "pagepress2").write_bytes(swap_area())
    assert machine.run("reset", "pagepress2", *words).stderr == ""


def test_control_adopt_takes_nothing_but_partitions(machine):
    """What it does to one is tried in a guest."""
    machine.disk(0, PagesStored=0, disksize=0)
    (machine.dev / "file").write_bytes(bytes(1 << 20))
    machine.refused(2, "say which partition", "adopt")
    machine.refused(1, "No such file", "adopt", machine.dev / "nothing")
    for options in ((), ("--force",), ("--undo",), ("--dry-run",)):
        machine.refused(5, "not a block device", "adopt", *options, machine.dev / "file")
    for options in (("--size", "1G"), ("--priority", 3), ("--disk", "pagepress0"), ("--mem-limit", "1G"), ("--force",)):
        machine.refused(2, "--undo takes the partition alone", "adopt", "--undo", machine.dev / "file", *options)
    machine.refused(2, "no operator", "adopt", "--size", "2 2", machine.dev / "file")
    machine.refused(2, "in range", "adopt", "--priority", 32768, machine.dev / "file")
    assert (machine.dev / "file").read_bytes() == bytes(1 << 20) and machine.get("block/pagepress0/reset") == ""


# What adopt and setup leave alone: its word, where it lies in 64 MiB and 20 KiB, the bytes, and what wipefs calls it, where these bytes are enough for it.
END = (64 << 20) + (20 << 10)
CONTENTS = [
    ("LUKS", 0, b"LUKS\xba\xbe", "crypto_LUKS"), *(("LUKS", 1 << bit, b"SKUL\xba\xbe", "crypto_LUKS") for bit in range(14, 23)), ("BitLocker", 3, b"-FVE-FS-", None),
    ("XFS", 0, b"XFSB", None), ("XFS log", 0, b"\xfe\xed\xba\xbe", None), ("squashfs", 0, b"hsqs", "squashfs3"), ("squashfs", 0, b"sqsh", "squashfs3"), ("exFAT", 3, b"EXFAT   ", "exfat"),
    ("NTFS", 3, b"NTFS    ", None), ("ReFS", 0, b"\0\0\0ReFS\0", "ReFS"), ("a FAT", 54, b"FAT16   ", None), ("a FAT", 82, b"FAT32   ", None), ("a FAT", 54, b"MSDOS", None),
    *(("a FAT", place, b"MSWIN", None) for place in (54, 82)), ("partition table", 510, b"\x55\xaa", "dos"), *(("GPT", place, b"EFI PART", None) for place in (512, 4096, END - 512, END - 4096)),
    ("Mac", 512, b"PM\0\0", None), *(("BSD", place, b"\x57\x45\x56\x82", None) for place in (64, 512)), ("SGI", 0, b"\x0b\xe5\xa9\x41", None), ("AIX", 0, b"\xc9\xc2\xd4\xc1", "aix"),
    *(("LVM", 512 * sector, b"LABELONE", None) for sector in range(4)), ("snapshot", 0, b"SnAp", "DM_snapshot_cow"), ("VDO", 0, b"dmvdo001", "vdo"),
    ("Stratis", 512, b"!Stra0tis\x86\xff\x02^\x41rh", None), ("integrity", 0, b"integrt\0", None), ("verity", 0, b"verity\0\0", None), ("BlueStore", 0, b"bluestore block device", "ceph_bluestore"),
    ("F2FS", 1024, b"\x10\x20\xf5\xf2", "f2fs"), ("EROFS", 1024, b"\xe2\xe1\xf5\xe0", "erofs"), ("HFS+", 1024, b"H+\0\4", None), ("HFS+", 1024, b"HX\0\5", None),
    ("NILFS2", 1024, b"\2\0\0\0\0\0\x34\x34", None), ("ext4", 1080, b"\x53\xef", "ext2"), ("APFS", 32, b"NXSB", None), ("Oracle ASM", 32, b"ORCLDISK", "oracleasm"),
    *(("RAID", place, b"\xfc\x4e\x2b\xa9", None) for place in (0, 4096, END - (8 << 10))), ("RAID", 1023 << 16, b"\xfc\x4e\x2b\xa9", "linux_raid_member"),
    ("RAID", END - 1024, b"Intel Raid ISM Cfg Sig. ", "isw_raid_member"), ("RAID", END - 512, b"\xde\x11\xde\x11", "ddf_raid_member"), ("RAID", END - 1024, b"NVIDIA  ", "nvidia_raid_member"),
    ("DRBD", END - 4096 + 60, b"\x83\x74\x02\x6b", "drbd"), ("bcache", 4120, bytes.fromhex("c68573f64e1a45ca"), None), ("bcachefs", 4120, bytes.fromhex("c68573f666ce90a9"), None),
    ("ZFS", (16 << 10) + 20, b"\0\0\0\7version", None), ("ZFS", 131072, b"\x0c\xb1\xba\x00", None), ("VMFS volume", 1 << 20, b"\x0d\xd0\x01\xc0", "VMFS_volume_member"), ("VMFS file", 2 << 20, b"\x5e\xf1\xab\x2f", "VMFS"),
    ("JFS", 32768, b"JFS1", None), ("ISO 9660", 32769, b"CD001", None), ("UDF", 32769, b"BEA01", None), ("UBI", 0, b"UBI#", "ubi"), ("UBIFS", 0, b"\x31\x18\x10\x06", "ubifs"),
    ("reiserfs", 65588, b"ReIsEr2Fs", None), ("reiserfs", 8244, b"ReIsErFs", None), ("Reiser4", 65536, b"ReIsEr4", "reiser4"), ("btrfs", 65600, b"_BHRfS_M", "btrfs"),
    ("GFS", 65536, b"\x01\x16\x19\x70", None), *(("OCFS2", 1024 << bit, b"OCFSV2", "ocfs2") for bit in range(4)), ("OCFS", 8, b"OracleCFS", None), ("VxFS", 1024, b"\xf5\xfc\x01\xa5", "vxfs"),
    *(("UFS", 1372 + place, mark, "ufs") for place in (0, 8 << 10, 64 << 10, 256 << 10) for mark in (b"\x54\x19\x01\0", b"\x19\x01\x54\x19")), ("HPFS", 8192, b"\x49\xe8\x95\xf9", None),
    ("BeFS", 32, b"1SFB", None), ("BFS", 0, b"\xce\xfa\xad\x1b", "bfs"), ("ROMFS", 0, b"-rom1fs-", "romfs"), ("cramfs", 0, b"\x45\x3d\xcd\x28", "cramfs"), ("zonefs", 0, b"SFOZ", "zonefs"),
    *(("hibernated", (4096 << power) - 10, mark, "swsuspend") for power in range(5) for mark in (b"S1SUSPEND", b"S2SUSPEND", b"ULSUSPEND", b"LINHIB0001")),
    ("page image", 0, b"PagePres", None),
]  # fmt: skip
ASKS = """
#include <cstdio>
#include "content.hpp"
int main(int count, char** words) {
    for (int at = 2; at < count; at++) printf("%s\\n", pagepressctl::content_of(words[at], words[1][0] == 's').c_str());
}
"""


def test_control_adopt_knows_file_systems(program, tmp_path):
    """By their marks; of a swap area only what lies in its first page is looked at, where mkswap has been."""
    (tmp_path / "asks.cpp").write_text(ASKS)
    library = program.parent / "control/control.a"
    subprocess.run(["g++", "-std=c++17", "-I", HOST / "control", "-o", tmp_path / "asks", tmp_path / "asks.cpp", library], check=True, timeout=600)
    for number, (_, place, mark, known) in enumerate(CONTENTS):
        with open(tmp_path / str(number), "wb") as file:
            file.truncate(END)
            file.seek(place)
            file.write(mark)
        if known:
            done = subprocess.run(["wipefs", "--no-act", "--noheadings", "--output", "TYPE,OFFSET", tmp_path / str(number)], capture_output=True, text=True)
            assert [re.split("[, ]", line)[0] for line in done.stdout.splitlines()] == [known]
    files = [str(number) for number in range(len(CONTENTS))]
    for kind in ("other", "swap"):
        done = subprocess.run([tmp_path / "asks", kind, *files], cwd=tmp_path, capture_output=True, text=True, check=True)
        for line, (word, place, *_) in zip(done.stdout.splitlines(), CONTENTS, strict=True):
            assert word in line if kind == "other" or place < PAGE else line == "", (kind, word, place)


def test_control_leaves_an_origin_alone(machine):
    """Its pages are what the disk holds, though nobody has written one."""
    machine.disk(0, PagesStored=0, disksize=77 << 20)
    machine.put("block/pagepress0/origin_dev", "/dev/vde")
    for words in (["setup"], ["setup", "--size", "1G"], ["bench"]):
        machine.refused(5, "pagepress0 holds an origin, /dev/vde: ", *words, "pagepress0")
    assert machine.json("setup", "-n", "--json")["steps"][0].endswith("hot_add")  # another disk
    block = f"{machine.sysfs}/block/pagepress0"
    for size in (77 << 20, 0):
        machine.put("block/pagepress0/disksize", size)
        assert machine.json("setup", "-n", "--json", "--force", "pagepress0")["steps"][0] == f"echo 1 >{block}/reset"
    machine.put("block/pagepress0/origin_dev", "none")
    assert machine.json("setup", "-n", "--json", "pagepress0")["steps"][0].endswith("/disksize")


@pytest.mark.parametrize("size", [77 << 20, 0])
def test_control_bench_leaves_the_disk_as_it_was(machine, size):
    has = {"backing_dev": "/dev/vdb", "mem_limit": str(random.randrange(1, 1 << 40))}
    machine.disk(0, PagesStored=0, disksize=size)
    reset = machine.sysfs / "block/pagepress0/reset"
    reset.unlink()
    reset.symlink_to("mem_limit")  # which a reset does away with
    for name, value in has.items():
        machine.put(f"block/pagepress0/{name}", value)
    assert machine.run("bench", "pagepress0", "--size", "1M").returncode == 0
    assert {name: machine.get(f"block/pagepress0/{name}").splitlines()[0] for name in has} == has


def swap_area():
    page = bytearray(PAGE)
    page[1024:1028], page[-10:] = (1).to_bytes(4, "little"), b"SWAPSPACE2"
    return bytes(page)


def test_control_setup_takes_no_device_that_holds_something(machine):
    """Not without --force, which drops it for good; a failure gives it back. Swap that is off, nothing, and packed pages are taken as they are."""
    device, disk = machine.dev / "vdb", "block/pagepress0"
    machine.disk(0, PagesStored=0, disksize=0)

    def put(content, place=0):
        with open(device, "wb") as file:
            file.truncate(1 << 20)
            file.seek(place)
            file.write(content)
        return device.read_bytes()

    def setup(*words):
        return machine.run("setup", "--no-swap", "-s", "1G", "-w", "/dev/vdb", *words)

    for word, place, mark, _ in random.sample([row for row in CONTENTS if row[1] < 1 << 19], 8):
        held = put(mark, place)
        for words in ((), ("-n",), ("pagepress0",)):
            machine.refused(5, f"{device} holds ", "setup", "--no-swap", "-s", "1G", "-w", "/dev/vdb", *words)
            machine.refused(5, word, "setup", "--no-swap", "-w", "/dev/vdb", *words)
            machine.refused(5, f"name another device; wipefs -a {device}, or setup --force, drops it", "setup", "-w", "/dev/vdb", *words)
        assert device.read_bytes() == held and machine.get(f"{disk}/backing_dev") == "none"
        assert machine.json("setup", "-n", "--json", "--force", "-w", "/dev/vdb")["steps"][0] == f"wipefs --all {device}"
        (machine.sysfs / disk / "mem_limit").unlink()
        machine.refused(1, "mem_limit", "setup", "--force", "-s", "1G", "-l", "1G", "-w", "/dev/vdb")
        assert device.read_bytes() == held
        for name, value in {"mem_limit": 0, "backing_dev": "none", "disksize": 0}.items():
            machine.put(f"{disk}/{name}", value)
        assert setup("--force").returncode == 0 and machine.get(f"{disk}/backing_dev") == "/dev/vdb"
        machine.put(f"{disk}/backing_dev", "none")
        assert setup().returncode == 0 and mark not in device.read_bytes()  # as the next boot does
        machine.put(f"{disk}/backing_dev", "none")
    packed = bytearray(random.randbytes(1 << 20))
    for place, mark in {510: b"\x55\xaa", 446: b"\xff", 1030: b"\x34\x34", 1080: b"\x53\xef", 1049: b"\1"}.items():  # by chance
        packed[place : place + len(mark)] = mark
    for content in (b"", swap_area(), bytes(packed)):
        held = put(content)
        done = setup()
        assert (done.returncode, done.stderr, machine.get(f"{disk}/backing_dev")) == (0, "", "/dev/vdb") and device.read_bytes() == held
        machine.put(f"{disk}/backing_dev", "none")
    # What a disk has already is its own, whatever lies there.
    put(b"LUKS\xba\xbe")
    machine.put(f"{disk}/backing_dev", "/dev/vdb")
    assert setup().returncode == 0


def test_control_bench_leaves_disks_alone_that_hold_something(machine):
    for number in range(3):
        machine.disk(number, PagesStored=0, disksize=1 << 20)
    machine.swap("/dev/pagepress0", 5)
    machine.put("block/pagepress1/pagepress/PagesStored", 8)
    machine.refused(5, "in use: swap", "bench", "pagepress0")
    machine.refused(5, "holds 8 pages", "bench", "pagepress1")
    machine.refused(5, "has only 1 MiB", "bench", "pagepress2", "--size", "2M")
    machine.refused(2, "no operator", "bench", "--size", "2 2")
    for number in range(3):
        assert machine.get(f"block/pagepress{number}/reset") == ""


def interrupt_at_the_limit(machine, sent, *words):
    """setup with a limit, which a pipe takes: the signal comes while it waits there, or just before. Returns what it printed."""
    slow = machine.sysfs / "block/pagepress0/mem_limit"
    slow.unlink(missing_ok=True)
    os.mkfifo(slow)
    process = subprocess.Popen([machine.program, "setup", "--size", "64M", "--mem-limit", "16M", *words, "pagepress0"], env=machine.environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
    while process.poll() is None and machine.get("block/pagepress0/disksize") != str(64 << 20):
        with contextlib.suppress(OSError):  # it reads which limit there is, and writes once somebody reads
            with open(slow, "w", opener=lambda path, flags: os.open(path, os.O_WRONLY | os.O_NONBLOCK)) as pipe:
                pipe.write("0\n")
        time.sleep(0.01)
    process.send_signal(sent)
    reader = os.open(slow, os.O_RDONLY | os.O_NONBLOCK)  # for one that had not begun to wait
    output, errors = process.communicate(timeout=600)
    os.close(reader)
    assert (process.returncode, output) == (5, "")
    return errors


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_control_interrupted_setup_takes_back_what_it_did(machine, sent):
    """No other step is begun, and the disk is reset."""
    machine.disk(disksize=0, PagesStored=0)
    machine.put("block/pagepress0/reset", "0")
    assert interrupt_at_the_limit(machine, sent) == "pagepressctl: interrupted: all is as it was\n"
    assert machine.get("block/pagepress0/reset") == "1"


def test_control_setup_tells_what_it_cannot_take_back(machine):
    """Pages that --force dropped, and what the kernel refuses; the rest is tried all the same."""
    pages = random.randrange(1, 1 << 30)
    machine.disk(disksize=77 << 20, PagesStored=pages)
    for name, value in {"origin_dev": "/dev/vde", "lookaside_dev": "none"}.items():
        machine.put(f"block/pagepress0/{name}", value)
    assert interrupt_at_the_limit(machine, signal.SIGINT, "--force") == f"pagepressctl: interrupted; not all is as it was: pagepress0 has lost its {pages} pages\n"
    assert machine.get("block/pagepress0/disksize").splitlines()[0] == str(77 << 20) and machine.get("block/pagepress0/origin_dev") == "/dev/vde"
    (machine.sysfs / "block/pagepress0/mem_limit").unlink()
    for name, value in {"pagepress/PagesStored": 0, "origin_dev": "none"}.items():
        machine.put(f"block/pagepress0/{name}", value)
    backing = machine.sysfs / "block/pagepress0/backing_dev"
    backing.unlink()
    backing.symlink_to("/proc/sys/kernel/ostype")  # which can only be read
    machine.put("block/pagepress0/disksize", 78 << 20)
    machine.refused(1, f"; not all is as it was: {backing}: 'Linux' is refused", "setup", "-s", "1G", "-l", "1G")
    assert machine.get("block/pagepress0/disksize").splitlines()[0] == str(78 << 20)


def test_control_setup_is_not_interrupted_while_it_takes_back(machine):
    machine.disk(disksize=0, PagesStored=0)
    (machine.sysfs / "block/pagepress0/mem_limit").unlink()
    slow = machine.sysfs / "block/pagepress0/reset"
    slow.unlink()
    os.mkfifo(slow)
    process = subprocess.Popen([machine.program, "setup", "--size", "64M", "--mem-limit", "16M", "pagepress0"], env=machine.environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
    while machine.get("block/pagepress0/disksize") != str(64 << 20):
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.3)  # it takes back, and waits
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0.1)
    with open(slow, opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK)) as reader:
        errors = process.communicate(timeout=600)[1]
        assert reader.read() == "1\n"
    assert process.returncode == 1 and "mem_limit: missing" in errors and "as it was" not in errors


def test_control_tells_what_is_no_disk(machine):
    """Each in one line; a disk's number has one spelling; a disk that is named twice is reset once."""
    for name in ("sda", "/dev/sda", "pagepress007", "pagepress", "zram0"):
        machine.refused(1, "is not a Pagepress disk", "setup", name)
    machine.refused(1, "list tells which there are", "reset", "pagepress3")
    (machine.sysfs / "module/pagepress").rename(machine.folder / "elsewhere")
    machine.refused(1, "the module pagepress is not loaded", "status", "pagepress3")
    machine.disk(0)
    assert len(machine.json("reset", "--dry-run", "--json", "pagepress0", "/dev/pagepress0")["steps"]) == 1
