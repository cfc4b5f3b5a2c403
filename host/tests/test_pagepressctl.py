# SPDX-License-Identifier: Apache-2.0
"""pagepressctl on made-up sysfs trees."""
import json
import os
import re
import random
import subprocess
from pathlib import Path

import pytest

import pagepress_interface

TABLE = """NumReads NumWrites FailedReads FailedWrites InvalidIO NotifyFree ZeroPages GoodCompress NoCompress
PagesStored PagesUsed OrigDataSize ComprDataSize MemUsedTotal""".split()
DOCUMENT = Path(__file__).resolve().parents[2] / "driver/docs/sysfs-block-pagepress"


def documented():
    """Names of the files in a disk's folder pagepress/."""
    return re.findall(r"^What:\s*/sys/block/pagepress<id>/pagepress/(\w+)$", DOCUMENT.read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def control(built):
    return built("host")


@pytest.fixture
def tree(tmp_path):
    """A disk's folder with a random number in every file, and what JSON should say of it."""
    ways = [name for name in documented() if name not in TABLE and name != "card_state"]
    groups = {"disk": ["disksize", "mem_limit"], "table": TABLE, "ways": ways, "card": ["present", *pagepress_interface.COUNTER_NAMES]}
    folders = {"disk": ".", "table": "pagepress", "ways": "pagepress", "card": "card"}
    disk = tmp_path / "block/pagepress0"
    expected = {"device": "pagepress0"}
    for group, names in groups.items():
        (disk / folders[group]).mkdir(parents=True, exist_ok=True)
        expected[group] = {name: random.getrandbits(random.choice((3, 30, 64))) for name in names}
        for name, number in expected[group].items():
            (disk / folders[group] / name).write_text(f"{number}\n")
    expected["ways"]["card_state"] = "ready"
    (disk / "pagepress/card_state").write_text("ready\n")
    return tmp_path, disk, expected


def run(control, *words, **environment):
    return subprocess.run([control, *words], capture_output=True, text=True, env={**os.environ, **environment})


def refused(done, status, *phrases):
    assert done.returncode == status, done
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    for phrase in phrases:
        assert phrase in done.stderr


def test_pagepressctl_json_shows_every_file(control, tree):
    sysfs, _, expected = tree
    done = run(control, "status", "--json", "--sysfs", sysfs)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1
    assert json.loads(done.stdout) == expected


def test_pagepressctl_text_shows_every_file(control, tree):
    sysfs, _, expected = tree
    done = run(control, "status", "/dev/pagepress0", PAGEPRESS_SYSFS=str(sysfs))
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    for group in ("disk", "table", "ways", "card"):
        for name, value in expected[group].items():
            assert [name, str(value)] in lines


def test_pagepressctl_ramzswap_table(control, tree):
    """The original's names, order and units; same-filled pages are not stored ones."""
    sysfs, disk, _ = tree
    numbers = {
        "NumReads": 897, "NumWrites": 10576, "FailedReads": 0, "FailedWrites": 0, "InvalidIO": 0, "NotifyFree": 0, "ZeroPages": 419,
        "GoodCompress": 7800, "NoCompress": 508, "PagesStored": 10157 + 419, "PagesUsed": 3206, "OrigDataSize": (10157 + 419) * 4096,
        "ComprDataSize": 12682 * 1024 + 1023, "MemUsedTotal": 3206 * 4096,
    }  # fmt: skip
    for name, number in numbers.items():
        (disk / "pagepress" / name).write_text(f"{number}\n")
    (disk / "disksize").write_text(f"{262144 << 10}\n")
    done = run(control, "status", "--ramzswap", "--sysfs", sysfs)
    kilobytes = 10157 * os.sysconf("SC_PAGESIZE") // 1024
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"""\
DiskSize:      262144 kB
NumReads:      897
NumWrites:     10576
FailedReads:   0
FailedWrites:  0
InvalidIO:     0
NotifyFree:    0
ZeroPages:     419
GoodCompress:  76 %
NoCompress:    5 %
PagesStored:   10157
PagesUsed:     3206
OrigDataSize:  {kilobytes} kB
ComprDataSize: 12682 kB
MemUsedTotal:  12824 kB
"""
    for name in ("PagesStored", "ZeroPages"):
        (disk / "pagepress" / name).write_text("3\n")  # nothing but same-filled pages
    assert "PagesStored:   0\n" in run(control, "status", "--ramzswap", "--sysfs", sysfs).stdout


def test_pagepressctl_table_is_the_documented_one():
    assert documented()[:len(TABLE)] == TABLE


def test_pagepressctl_missing_disk(control, tmp_path):
    refused(run(control, "status", "--sysfs", tmp_path), 1, "pagepress0", "no such disk")
    refused(run(control, "status", "--sysfs", tmp_path, "pagepress7"), 1, "pagepress7")


@pytest.mark.parametrize("name", [".", "..", "../block", "a/b", "/dev/"])
def test_pagepressctl_not_a_disk_name(control, tree, name):
    refused(run(control, "status", "--sysfs", tree[0], name), 1, "not the name of a disk")


@pytest.mark.parametrize("file", ["disksize", "pagepress/NumReads", "pagepress/card_state", "card/cycles"])
def test_pagepressctl_missing_file(control, tree, file):
    sysfs, disk, _ = tree
    (disk / file).unlink()
    refused(run(control, "status", "--json", "--sysfs", sysfs), 1, file, "missing")


@pytest.mark.parametrize("text", ["", "\n", "-1\n", "+1\n", " 1\n", "1 2\n", "0x10\n", "12a\n", "18446744073709551616\n", "9" * 80])
def test_pagepressctl_malformed_number(control, tree, text):
    sysfs, disk, _ = tree
    (disk / "pagepress/MemUsedTotal").write_text(text)
    refused(run(control, "status", "--sysfs", sysfs), 3, "pagepress/MemUsedTotal")


@pytest.mark.parametrize("text", ["", "\n", 'a"b\n', "Ready\n", "a b\n", "x" * 40])
def test_pagepressctl_malformed_word(control, tree, text):
    sysfs, disk, _ = tree
    (disk / "pagepress/card_state").write_text(text)
    refused(run(control, "status", "--sysfs", sysfs), 3, "pagepress/card_state")


def test_pagepressctl_unreadable_file(control, tree):
    sysfs, disk, _ = tree
    (disk / "card/cycles").unlink()
    (disk / "card/cycles").mkdir()
    refused(run(control, "status", "--sysfs", sysfs), 1, "card/cycles")


@pytest.mark.parametrize("words", [["bogus"], ["status", "--bogus"], ["status", "a", "b"], ["status", "--sysfs"], ["status", "--json", "--ramzswap"]])
def test_pagepressctl_wrong_usage(control, words):
    refused(run(control, *words), 2, "--help")


def test_pagepressctl_help_and_version(control):
    assert run(control, "--help").stdout.startswith("usage: pagepressctl status")
    version = f"{pagepress_interface.VERSION_MAJOR}.{pagepress_interface.VERSION_MINOR}"
    assert run(control, "--version").stdout == f"pagepressctl for interface {version}\n"
    assert run(control).returncode == 2


def test_pagepressctl_full_output(control, tree):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [control, "status", "--sysfs", tree[0]], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 4
    assert "cannot write the output" in done.stderr
