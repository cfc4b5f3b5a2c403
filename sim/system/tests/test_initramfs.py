# SPDX-License-Identifier: Apache-2.0
import random
import stat
import subprocess

import pytest

from system import REPOSITORY
from system.kernels import STOCK
from system.initramfs import Entry, file, folder, link, pack, unpack, with_folders


def random_entries():
    count = random.randrange(1, 20)
    return [
        file("/".join(f"n{i}{'x' * random.randrange(9)}" for _ in range(random.randrange(1, 4))) + str(i),
             random.randbytes(random.randrange(70)), random.random() < 0.5)
        for i in range(count)
    ]  # fmt: skip


@pytest.mark.parametrize("round_number", range(20))
def test_initramfs_round_trip(round_number):
    entries = random_entries() + [link("bin/sh", "busybox")]
    assert unpack(pack(entries)) == list(with_folders(entries))


def test_initramfs_folders_come_first_and_once():
    names = [entry.name for entry in with_folders([file("a/b/c", b""), file("a/b/d", b""), folder("a")])]
    assert names == ["a", "a/b", "a/b/c", "a/b/d"]


@pytest.mark.parametrize("name", ["", "/etc", "a/../b", ".."])
def test_initramfs_refuses_names_outside(name):
    with pytest.raises(ValueError):
        pack([Entry(name, stat.S_IFREG)])


@pytest.mark.parametrize("damage", [lambda a: a[:50], lambda a: b"070702" + a[6:], lambda a: a[:-200]])
def test_initramfs_refuses_damage(damage):
    with pytest.raises(ValueError):
        unpack(damage(pack([file("a", b"12345")])))


def test_initramfs_is_understood_by_another_program(tmp_path):
    """busybox, which we did not write, unpacks our archive."""
    subprocess.run(["make", "kernel-tools"], cwd=REPOSITORY, check=True)
    entries = random_entries() + [link("bin/sh", "busybox")]
    subprocess.run([STOCK.busybox, "cpio", "-id"], cwd=tmp_path, input=pack(entries), check=True)
    for entry in with_folders(entries):
        path = tmp_path / entry.name
        mode = path.lstat().st_mode
        assert mode == entry.mode
        if stat.S_ISREG(mode):
            assert path.read_bytes() == entry.data
        elif stat.S_ISLNK(mode):
            assert str(path.readlink()) == entry.data.decode()
