# SPDX-License-Identifier: Apache-2.0
import random

import pytest

from system import Trouble
from system.modules import dependencies, load_order, name_of, needs


def module(path, *depends):
    path.write_bytes(b"\x7fELF..\0license=GPL\0depends=" + ",".join(depends).encode() + b"\0name=x\0")
    return path


def test_modules_needs(tmp_path):
    assert needs(module(tmp_path / "a.ko", "b", "c").read_bytes()) == ["b", "c"]
    assert needs(module(tmp_path / "a.ko").read_bytes()) == []
    assert needs(b"no such section") == []


def test_modules_name():
    assert name_of("/x/virtio-rng.ko") == "virtio_rng"


def test_modules_order_puts_needs_first(tmp_path):
    count = 12
    available = {}
    for i in range(count):
        depends = random.sample([f"m{j}" for j in range(i)], min(i, random.randrange(4)))
        available[f"m{i}"] = module(tmp_path / f"m{i}.ko", *depends)
    wanted = random.sample(sorted(available), 5)
    order = load_order(wanted, available)
    assert len(set(order)) == len(order)
    assert {available[name] for name in wanted} <= set(order)
    for path in order:
        for need in needs(path.read_bytes()):
            assert order.index(available[need]) < order.index(path)


def test_modules_dependencies_name_all_that_each_needs(tmp_path):
    order = [module(tmp_path / "a.ko"), module(tmp_path / "b-c.ko", "a"), module(tmp_path / "d.ko", "b-c", "a")]
    assert dependencies(order) == "kernel/a.ko:\nkernel/b_c.ko: kernel/a.ko\nkernel/d.ko: kernel/b_c.ko kernel/a.ko\n"


def test_modules_own_file_after_its_needs(tmp_path):
    own = module(tmp_path / "own.ko", "zsmalloc")
    available = {"zsmalloc": module(tmp_path / "zsmalloc.ko")}
    assert load_order([own], available) == [available["zsmalloc"], own]


def test_modules_unknown(tmp_path):
    with pytest.raises(Trouble, match="no module absent"):
        load_order([module(tmp_path / "own.ko", "absent")], {})
