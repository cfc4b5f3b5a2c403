# SPDX-License-Identifier: Apache-2.0
"""pagepress-generator: pagepress.conf as people write it, and units that systemd itself reads."""

import itertools
import os
import random
import re
import subprocess
from pathlib import Path

import pytest

HOST = Path(__file__).resolve().parents[1]
MEBIBYTE = 1 << 20
PAGE = 4096
FOLDERS = ("etc", "run", "usr/local/lib", "usr/lib")  # the first of them counts


class Root:
    """A root with configuration files and, in `units`, what the generator made of them."""

    def __init__(self, program, folder):
        self.program, self.folder = program.parent / "pagepress-generator", folder
        self.memory = random.randrange(1 << 18, 1 << 24) * PAGE
        self.calls = itertools.count()
        (folder / "proc").mkdir()
        (folder / "proc/meminfo").write_text(f"MemTotal: {self.memory // 1024} kB\n")
        self.command_line("quiet")

    def command_line(self, words):
        (self.folder / "proc/cmdline").write_text(words + "\n")

    def write(self, text, where="etc", name="pagepress.conf"):
        path = self.folder / where / "systemd" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def generate(self, status=0, **environment):
        """Units by name, the links among them by what they lead to; what it complained of."""
        self.units = self.folder / f"units{next(self.calls)}"
        self.units.mkdir()
        machine = {"PAGEPRESS_ROOT": str(self.folder), "PAGEPRESS_PROC": str(self.folder / "proc"), "SYSTEMD_SCOPE": ""}
        environment = {**os.environ, **machine, **environment}
        if not environment["SYSTEMD_SCOPE"]:
            del environment["SYSTEMD_SCOPE"]
        command = [self.program, self.units, self.units / "early", self.units / "late"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
        assert (done.returncode, done.stdout) == (status, ""), done
        paths = [path for path in self.units.rglob("*") if not path.is_dir() or path.is_symlink()]
        return {
            str(path.relative_to(self.units)): os.readlink(path) if path.is_symlink() else path.read_text() for path in paths
        }, done.stderr.splitlines()

    def verify(self):
        """What systemd says of the units: nothing."""
        units = sorted(path for path in self.units.iterdir() if path.suffix in (".service", ".swap"))
        for unit in units:  # the program is where the package puts it, not here
            unit.write_text(unit.read_text().replace("/usr/bin/pagepressctl", "/bin/true"))
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", "--generators=no", *units], capture_output=True, text=True, timeout=600)
        assert units and done.returncode == 0 and "pagepress" not in done.stderr, done


@pytest.fixture
def root(program, tmp_path):
    return Root(program, tmp_path)


def service(number):
    return f"pagepress-setup@pagepress{number}.service"


def swap(number):
    return f"dev-pagepress{number}.swap"


def wants(number):
    return f"swap.target.wants/{swap(number)}"


def settings(unit):
    return dict(line.split("=", 1) for line in unit.splitlines() if "=" in line and not line.startswith("#"))


def option(unit, name):
    """Of the command that sets the disk up; None without it."""
    found = re.search(rf" {name} (\S+)", settings(unit)["ExecStart"])
    return found and found[1]


def manual_examples():
    page = (HOST / "system/pagepress.conf.5").read_text()
    blocks = re.findall(r"^\.EX\n(.*?)^\.EE", page, re.M | re.S)
    return [block.replace(r"\-", "-") for block in blocks if "[" in block]


@pytest.mark.parametrize("example", range(len(manual_examples())))
def test_generator_manual_examples(root, example):
    text = manual_examples()[example]
    root.write(text)
    units, complaints = root.generate()
    numbers = [int(number) for number in re.findall(r"\[pagepress(\d+)\]", text)]
    assert not complaints and set(units) == {name(number) for number in numbers for name in (service, swap, wants)}
    root.verify()


def test_generator_makes_units(root):
    """Every setting, of several disks: what becomes of it."""
    numbers = sorted(random.sample(range(32), 3))
    wanted = {}
    for number in numbers:
        mebibytes, priority = random.randrange(1, 9000), random.randrange(32768)
        wanted[number] = mebibytes, priority
        device = "/dev/disk/by-label/a\\x20b %s \"$c-d"
        root.write(
            f"; a comment\n [pagepress{number}] \nsize=max({mebibytes}, 1)\r\n\n  priority =  {priority}\n# x = y\nmem-limit = ram / 4\npool-budget = auto\n"
            f"options = discard,nofail=%h\nwriteback-device = {device}\n",
            name=f"pagepress.conf.d/{number:02}.conf",
        )
    units, complaints = root.generate()
    assert not complaints and set(units) == {name(number) for number in numbers for name in (service, swap, wants)}
    before = None
    for number, (mebibytes, priority) in wanted.items():
        setup, turn_on = units[service(number)], settings(units[swap(number)])
        assert units[wants(number)] == f"../{swap(number)}"
        assert option(setup, "--size") == f"{mebibytes * 1024}K" and settings(setup)["ExecStart"].endswith(f" pagepress{number}")
        assert option(setup, "--pool-budget") == "auto"
        # Once set up it stays so until the system stops, and then goes the way it came.
        expected = {"Type": "oneshot", "RemainAfterExit": "yes", "DefaultDependencies": "no", "Conflicts": "shutdown.target", "Before": "shutdown.target",
                    "ExecStop": f"/usr/bin/pagepressctl reset pagepress{number}"}  # fmt: skip
        assert {name: settings(setup).get(name) for name in expected} == expected
        assert int(option(setup, "--mem-limit")[:-1]) * 1024 == root.memory // 4 // PAGE * PAGE
        assert '--writeback-device "/dev/disk/by-label/a\\\\x20b %%s \\"$$c-d"' in setup
        unit = r"dev-disk-by\x2dlabel-a\x5cx20b\x20\x25s\x20\x22\x24c\x2dd.device"
        assert f"Requires={unit}\nAfter={unit}\n" in setup
        assert (turn_on["What"], turn_on["Priority"], turn_on["Options"]) == (f"/dev/pagepress{number}", str(priority), "discard,nofail=%%h")
        assert turn_on["Requires"] == turn_on["After"] == service(number)
        assert (f"After={service(before)}\n" in setup) == (before is not None)
        before = number
    root.verify()


def test_generator_reads_files_in_their_order(root):
    for where in reversed(FOLDERS):
        root.write(f"[pagepress0]\npriority = {FOLDERS.index(where)}\nsize = 1G\n", where)
        assert settings(root.generate()[0][swap(0)])["Priority"] == str(FOLDERS.index(where))
    root.write("[pagepress0]\npriority = 20\n", "usr/lib", "pagepress.conf.d/20.conf")
    root.write("[pagepress0]\npriority = 10\nsize =\n", "run", "pagepress.conf.d/10.conf")
    root.write("[pagepress0]\npriority = 30\n", "etc", "pagepress.conf.d/30.no")
    units, _ = root.generate()
    assert settings(units[swap(0)])["Priority"] == "20" and option(units[service(0)], "--size") is None
    root.write("[pagepress0]\npriority =\n", "etc", "pagepress.conf.d/20.conf")  # in place of the other 20.conf
    assert settings(root.generate()[0][swap(0)])["Priority"] == "100"
    for path in root.folder.glob("*/**/*.conf.d/*.conf"):
        path.unlink()
    root.write("")
    assert root.generate() == ({}, [])


@pytest.mark.parametrize(
    "text, phrase",
    [
        ("size = ram /", "it ends too early (character 6)"),
        ("size = 0", "less than a page"),
        ("mem-limit = many", "unknown name many"),
        ("pool-budget = 1G", "pool-budget is auto or off, not '1G'"),
        ("priority = -1", "priority '-1' is no number from 0 to 32767"),
        ("priority = 32768", "'32768'"),
        ("pool-budget = auto", "pool-budget auto needs a writeback-device"),
        ("writeback-device = sdb1", "'sdb1' is no block device's path, which begins with /dev/"),
        ("writeback-device = /swapfile", "'/swapfile' is no block device's path"),
        ("writeback-device = /dev/..", "'/dev/..' is no block device's path"),
        ("zram-size = 1", "'zram-size' is not known: there are size"),
        ("options = a\x01b", "control character"),
        ("swap", "'swap' is no setting"),
    ],
)
def test_generator_leaves_out_what_is_wrong(root, text, phrase):
    """The disk with a mistake is left out, with one line that says where; the others are made."""
    good, bad = random.sample(range(32), 2)
    path = root.write(f"[pagepress{bad}]\n{text}\n[pagepress{good}]\nsize = 1G\n")
    units, complaints = root.generate(status=2)
    assert set(units) == {service(good), swap(good), wants(good)}
    assert len(complaints) == 1 and phrase in complaints[0] and complaints[0].startswith(f"pagepress-generator: {path}:"), complaints


def test_generator_complains_of_sections(root):
    path = root.write("size = 1\n[zram0]\nsize = 1\n[pagepress32]\n[pagepress0\n[pagepress1]\n")
    units, complaints = root.generate(status=2)
    assert set(units) == {service(1), swap(1), wants(1)}
    assert [line.split(": ")[1] for line in complaints] == [f"{path}:{number}" for number in (1, 2, 4, 5)]


def test_generator_says_what_it_cannot_read(root):
    """What stands in place of a file is told in one line, hides the folders after it as a file would, and costs no other file."""
    root.write("[pagepress0]\n", "usr/lib")
    part = root.write("[pagepress1]\n", name="pagepress.conf.d/1.conf")
    path = root.folder / "etc/systemd/pagepress.conf"
    elsewhere, names = root.folder / "elsewhere", itertools.count()
    elsewhere.mkdir()
    kinds = {
        "a folder, not a file": path.mkdir,
        "a link that leads nowhere": lambda: path.symlink_to("nowhere"),
        "Too many levels of symbolic links": lambda: path.symlink_to(path),
        "no plain file": lambda: os.mkfifo(path),
        "UTF-16: save it as UTF-8": lambda: path.write_text("[pagepress2]\n", "utf-16"),
    }
    for phrase, make in kinds.items():
        make()
        units, complaints = root.generate(status=2)
        assert complaints == [f"pagepress-generator: {path}: not read: {phrase}"] and set(units) == {service(1), swap(1), wants(1)}
        path.rename(elsewhere / str(next(names)))
    path.symlink_to("/dev/null")  # as for systemd: nothing, and nothing to complain of
    assert set(root.generate()[0]) == {service(1), swap(1), wants(1)}
    part.unlink()
    part.parent.rmdir()
    part.parent.write_text("[pagepress1]\n")
    assert root.generate(status=2) == ({}, [f"pagepress-generator: {part.parent}: not read: no folder"])


def test_generator_skips_an_editors_mark(root):
    root.write("\ufeff[pagepress0]\nsize = 1G\n")
    units, complaints = root.generate()
    assert not complaints and set(units) == {service(0), swap(0), wants(0)}


def test_generator_stays_out(root):
    root.write("[pagepress0]\n")
    assert root.generate()[0]
    assert root.generate(SYSTEMD_VIRTUALIZATION="vm:qemu")[0]
    for variables in ({"SYSTEMD_IN_INITRD": "1"}, {"SYSTEMD_VIRTUALIZATION": "container:lxc"}):
        assert root.generate(**variables) == ({}, [])
    root.command_line("quiet systemd.pagepress=0")
    assert root.generate() == ({}, [])
    done = subprocess.run([root.program], capture_output=True, text=True)
    assert done.returncode == 2 and "usage:" in done.stderr


def test_generator_says_what_it_cannot_write(root):
    root.write("[pagepress0]\n")
    root.generate()
    done = subprocess.run([root.program, root.folder / "nowhere"], capture_output=True, text=True, env={**os.environ, "PAGEPRESS_ROOT": str(root.folder)})
    assert done.returncode == 5 and "nowhere/" in done.stderr and "cannot be written: No such file" in done.stderr
