# SPDX-License-Identifier: Apache-2.0
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from system import Trouble, dataset, run
from system.dataset import FILE_PAGES, PAGE, Kind, build


@pytest.fixture
def kinds(tmp_path):
    """Two kinds of files, each page of which occurs once."""
    for kind in ("one", "two"):
        (tmp_path / kind).mkdir()
        for i in range(10):
            (tmp_path / kind / f"{i}.{kind}").write_bytes(random.randbytes(PAGE * 7 + 100))
    (tmp_path / "one/empty.one").touch()
    (tmp_path / "one/link.one").symlink_to(tmp_path / "two/1.two")
    (tmp_path / "two/other").write_bytes(b"x" * PAGE)
    return (Kind("one", (tmp_path / "one",), (".one",), 75), Kind("two", (tmp_path / "two",), (".two",), 25))


def pages_in(path):
    content = path.read_bytes()
    content += bytes(-len(content) % PAGE)
    return [content[i : i + PAGE] for i in range(0, len(content), PAGE)]


def test_dataset_holds_files_page_by_page(tmp_path, kinds):
    contents = build(tmp_path / "image", 80, 5, kinds)
    data = (tmp_path / "image").read_bytes()
    assert len(data) == 80 * PAGE
    assert contents.kinds == {"one": 60, "two": 20}
    assert contents.pages == 80
    real = set()
    for kind in kinds:
        for path in kind.roots[0].glob("*.*"):
            real |= set(pages_in(path))
    pages = [data[i : i + PAGE] for i in range(0, len(data), PAGE)]
    assert set(pages) <= real
    assert len(set(pages)) == 80
    origin = {page: path for path in tmp_path.glob("*/*.*") for page in pages_in(path)}
    assert contents.files == len({origin[page] for page in pages})


def test_dataset_mixes_its_kinds(tmp_path, kinds):
    """No stretch of the image is one kind's alone: neither are all of the second's pages behind those of the first, nor the other way round."""
    build(tmp_path / "image", 80, 5, kinds)
    data = (tmp_path / "image").read_bytes()
    second = {page for path in kinds[1].roots[0].glob("*.*") for page in pages_in(path)}
    places = [number for number in range(80) if data[number * PAGE : (number + 1) * PAGE] in second]
    assert len(places) == 20 and places != list(range(60, 80)) and places != list(range(20))


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
    assert build(tmp_path / "image", FILE_PAGES, 1, (kind,)) .kinds == {"one": FILE_PAGES}


def test_dataset_fills_up_from_the_other_kinds(tmp_path, kinds):
    """The first kind has 80 pages and should give 90."""
    contents = build(tmp_path / "image", 120, 5, kinds)
    assert contents.pages == sum(contents.kinds.values()) == 120
    assert set(contents.kinds) == {"one", "two"}


def test_dataset_is_made_once_however_many_ask(tmp_path, kinds, monkeypatch):
    for module in (dataset, run):
        monkeypatch.setattr(module, "BUILD", tmp_path / "build")
    said = []
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: dataset.cached(60, 5, kinds, said.append), range(8)))
    assert len(said) == 1
    assert all(one == made[0] for one in made)
    assert made[0][0].stat().st_size == 60 * PAGE
    assert made[0][1].pages == 60


def test_dataset_left_unfinished_is_made_again(tmp_path, kinds, monkeypatch):
    for module in (dataset, run):
        monkeypatch.setattr(module, "BUILD", tmp_path / "build")
    (tmp_path / "build/system").mkdir(parents=True)
    (tmp_path / "build/system/pages-60.img").write_bytes(b"half")
    path, contents = dataset.cached(60, 5, kinds, lambda text: None)
    assert path.stat().st_size == 60 * PAGE and contents.pages == 60


def test_recorded_pages_follow_the_seed_and_come_once(tmp_path, monkeypatch):
    for module in (dataset, run):
        monkeypatch.setattr(module, "BUILD", tmp_path / "build")
    path, contents = dataset.cached(900, 5, None, lambda text: None)
    image = path.read_bytes()
    pages = {image[at : at + PAGE] for at in range(0, len(image), PAGE)}
    assert len(pages) == 900 == contents.pages and contents.files == 0
    dataset.recorded(tmp_path / "again", 900, 5)
    assert (tmp_path / "again").read_bytes() == image
