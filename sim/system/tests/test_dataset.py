# SPDX-License-Identifier: Apache-2.0
import os

import pytest

from system import Trouble
from system.dataset import FILE_PAGES, PAGE, Kind, build


@pytest.fixture
def kinds(tmp_path):
    """Two kinds of files, each page of which occurs once."""
    for kind in ("one", "two"):
        (tmp_path / kind).mkdir()
        for i in range(10):
            (tmp_path / kind / f"{i}.{kind}").write_bytes(os.urandom(PAGE * 7 + 100))
    (tmp_path / "one/empty.one").touch()
    (tmp_path / "one/link.one").symlink_to(tmp_path / "two/1.two")
    (tmp_path / "two/other").write_bytes(b"x" * PAGE)
    return (Kind("one", (tmp_path / "one",), (".one",), 75), Kind("two", (tmp_path / "two",), (".two",), 25))


def test_dataset_holds_files_page_by_page(tmp_path, kinds):
    counts = build(tmp_path / "image", 80, 5, kinds)
    data = (tmp_path / "image").read_bytes()
    assert len(data) == 80 * PAGE
    assert counts == {"one": 60, "two": 20}
    real = set()
    for kind in kinds:
        for path in kind.roots[0].glob("*.*"):
            content = path.read_bytes()
            content += bytes(-len(content) % PAGE)
            real |= {content[i : i + PAGE] for i in range(0, len(content), PAGE)}
    pages = [data[i : i + PAGE] for i in range(0, len(data), PAGE)]
    assert set(pages) <= real
    assert len(set(pages)) == 80


def test_dataset_is_repeatable(tmp_path, kinds):
    build(tmp_path / "a", 50, 5, kinds)
    build(tmp_path / "b", 50, 5, kinds)
    build(tmp_path / "c", 50, 6, kinds)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() != (tmp_path / "c").read_bytes()


def test_dataset_too_few_files(tmp_path, kinds):
    with pytest.raises(Trouble, match="fill only"):
        build(tmp_path / "image", 1000, 5, kinds)


def test_dataset_takes_only_the_beginning_of_a_file(tmp_path):
    (tmp_path / "big.one").write_bytes(b"y" * PAGE * (FILE_PAGES + 10))
    kind = Kind("one", (tmp_path,), (".one",), 100)
    assert build(tmp_path / "image", FILE_PAGES, 1, (kind,)) == {"one": FILE_PAGES}
