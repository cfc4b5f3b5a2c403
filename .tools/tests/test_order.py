# SPDX-License-Identifier: Apache-2.0
"""Which tests are taken when: none is lost or doubled by several workers, what is long starts at once, and what is sampled is whole at night."""
import ast
import random
import re

import pytest
from chosen_tests import EVERY_BLOCK, blocks_of, choose, test_files as files_of_tests
from pagepress_pytest import FIRST, LONG, REPOSITORY, spread


def test_every_long_file_is_there():
    known = {path.stem for path in REPOSITORY.glob("**/test_*.py") if "build" not in path.relative_to(REPOSITORY).parts}
    assert len(set(LONG)) == len(LONG) and set(LONG) <= known, set(LONG) - known


def test_every_test_that_starts_first_is_there():
    known = {test for path in files_of_tests() if path.stem in LONG for test in re.findall(r"^def (test_\w+)", path.read_text(), re.M)}
    assert len(set(FIRST)) == len(FIRST) and set(FIRST) <= known, set(FIRST) - known


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_long_tests_start_first(workers, seed):
    choice = random.Random(seed)
    items = [(file, number) for file in (*LONG, *(f"test_{letter}" for letter in "abcdefgh")) for number in range(choice.randint(1, 9))]
    items += [("test_many", number) for number in range(200)]
    items += [("test_in_guest", test) for test in FIRST]
    choice.shuffle(items)
    ordered = spread(items, workers, lambda item: item)
    of_guests = [test for file, test in ordered if file == "test_in_guest"]
    assert of_guests[:len(FIRST)] == list(FIRST)
    assert sorted(ordered, key=str) == sorted(items, key=str)
    begins = 0
    for worker in range(workers):  # as xdist deals them out
        part = ordered[begins:begins + (len(items) - begins) // (workers - worker)]
        begins += len(part)
        is_long = [file in LONG for file, _ in part]
        assert is_long == sorted(is_long, reverse=True) and part[0][0] == LONG[worker]


def chosen_by_test_whole():
    return re.search(r"^test-whole:.*\n(?:\t.*\n)*?\t@NIGHTLY=1 .* '(.*)'$", (REPOSITORY / "Makefile").read_text(), re.M)[1].split(" or ")


def test_what_is_sampled_is_whole_at_night():
    """`make test-whole` chooses every file that samples, and no name that means nothing."""
    chosen = chosen_by_test_whole()
    sampled = {path.stem for path in REPOSITORY.glob("sim/cocotb/test_*.py") if re.search(r"\bsampled\(", path.read_text())}
    assert sampled and not [stem for stem in sampled if not any(word in stem for word in chosen)], sampled
    assert choose(" or ".join(chosen)) is not None  # each of them means something


def test_what_test_whole_runs_it_chooses():
    """Every test that says of itself that `make test-whole` runs it."""
    marked = re.compile(r"""^@[^\n]*mark\.night\("test-whole"\)[^\n]*\ndef (test_\w+)""", re.M)
    left_to_it = {test for path in files_of_tests() for test in marked.findall(path.read_text())}
    assert "test_stream_encoder_w4" in left_to_it
    assert not [test for test in left_to_it if not any(word in test for word in chosen_by_test_whole())], left_to_it


def test_what_only_tests_at_night_simulate_is_left_out_by_day():
    left_out = set(re.search(r"^at_night=(.*)$", (REPOSITORY / ".tools/generate-verilog").read_text(), re.M)[1].split(","))
    simulated = {True: set(), False: set()}
    for path in REPOSITORY.glob("sim/cocotb/test_*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                blocks = blocks_of(path, node.name)
                simulated[any("mark.night(" in ast.unparse(mark) for mark in node.decorator_list)] |= set() if blocks is EVERY_BLOCK else blocks
    assert not left_out & simulated[False]
    read_by_others = {"card_narrow", "core_cold", "cold_decompressor_p1", "page_copier_d1x16", "stream_encoder_w4"}
    assert simulated[True] - simulated[False] - left_out == read_by_others
