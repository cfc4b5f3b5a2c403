# SPDX-License-Identifier: Apache-2.0
"""The cocotb tests that a run names must be there, and are the only ones that run."""
import os
import re

import pytest
from runner import OUTPUT, BlockFailure, exactly, run


@pytest.mark.parametrize("names", ["any_lenght", "length", ["full_rate", "nonsense"], []])
def test_cocotb_test_that_does_not_exist_fails(names):
    with pytest.raises(BlockFailure, match="test_crc32c has no cocotb test"):
        run("crc32c", module="test_crc32c", testcase=names)


def test_cocotb_test_is_taken_by_its_whole_name():
    chosen = [name for name in ("m.rate", "m.full_rate", "m.any_length") if re.search(exactly(["full_rate"], "test_crc32c"), name)]
    assert chosen == ["m.full_rate"]


def test_each_choice_of_tests_leaves_its_results():
    names, worker = ("any_length", "full_rate"), os.environ.get("PYTEST_XDIST_WORKER", "")
    for name in names:
        run("crc32c", module="test_crc32c", testcase=name)
    for name in names:
        assert f'name="{name}"' in (OUTPUT / f"crc32c/test_crc32c-{name}{worker}/results.xml").read_text()
