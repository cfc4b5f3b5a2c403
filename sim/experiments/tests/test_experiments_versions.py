# SPDX-License-Identifier: Apache-2.0
"""Images that are compared by their contents."""

import pytest
from experiments import versions


def test_commonality_by_pages_exceeds_that_by_files(tmp_path):
    """A file that is the same counts in both; of one changed in its second page the first and the third count by pages, the latter by its bytes."""
    page = [bytes([number]) * 4096 for number in range(3)]
    for name, contents in (("old", (page[0], page[0] + page[1] + b"end")), ("new", (page[0], page[0] + page[2] + b"end"))):
        (tmp_path / name).mkdir()
        for number, content in enumerate(contents):
            (tmp_path / name / f"{number}.h").write_bytes(content)
    all_bytes = 4096 + 8195
    assert versions.commonality(tmp_path / "new", tmp_path / "old") == (4096 / all_bytes, (4096 + 4096 + 3) / all_bytes)
    assert versions.commonality(tmp_path / "new", tmp_path / "new") == (1, 1)


def test_hits_are_at_least_what_an_image_has_of_the_files():
    """Of a file system of four pages with a stream, three of them a file's: two are held, one of them the padded last; another that is held is no file's."""
    pages = [bytes([number + 1, 0]) * 2048 for number in range(3)]
    last = b"end".ljust(4096, b"\0")
    tree = pages[0] + bytes(4096) + pages[1] + pages[2] + last
    sectors = {versions.digest(page): 3 for page in (*pages, last)} | {versions.digest(bytes(4096)): 0}
    held = {versions.digest(page) for page in (pages[0], pages[1], last)}
    assert versions.least_hits([pages[1] + pages[2] + b"end"], tree, sectors, held) == 0.5


@pytest.mark.parametrize("share", [0, *versions.MATCHED.values(), 1])
def test_part_of_an_image_has_that_share_of_its_streams(share, tmp_path):
    pages = [number.to_bytes(4, "little") * 1024 for number in range(200)]
    sectors = {versions.digest(page): number % 8 for number, page in enumerate(pages)}  # 0: a page of zeros, which no stream stands for
    (tmp_path / "plain").write_bytes(b"".join(pages))
    versions.part(tmp_path / "plain", sectors, share, tmp_path / "part")
    held = versions.pages_of((tmp_path / "part").read_bytes())
    taken = sum(sectors[versions.digest(page)] for page in held)
    assert abs(taken - share * sum(sectors.values())) <= 4 and len(set(held)) == len(held)
