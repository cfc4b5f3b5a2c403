# SPDX-License-Identifier: Apache-2.0
"""Sets of pages: a name and raw pages one after the other, as in a `.pages` file."""
import json
from dataclasses import dataclass
from pathlib import Path

from . import PAGE_BYTES, Trouble


@dataclass(frozen=True)
class PageSet:
    """`data` holds the pages; `same_filled` counts the pages of one repeated word that were met while they were
    gathered (a captured set leaves them out, a given file keeps them)."""
    name: str
    data: bytes
    same_filled: int

    def __len__(self):
        return len(self.data) // PAGE_BYTES

    def __iter__(self):
        for offset in range(0, len(self.data), PAGE_BYTES):
            yield self.data[offset:offset + PAGE_BYTES]


def is_same_filled(page):
    """Whether the page repeats its first eight bytes; swap keeps such a page as those alone."""
    return page[8:] == page[:-8]


def read_file(path):
    """The set in a file of raw pages, named after the file."""
    path = Path(path)
    try:
        if path.is_char_device():
            raise Trouble(f"{path} is a device without an end; PAGES names files of raw {PAGE_BYTES}-byte pages")
        data = path.read_bytes()
    except OSError as error:
        raise Trouble(f"cannot read {path}: {error.strerror}; PAGES names files of raw {PAGE_BYTES}-byte pages") from None
    if not data:
        raise Trouble(f"{path} is empty; it must hold raw {PAGE_BYTES}-byte pages")
    if len(data) % PAGE_BYTES:
        raise Trouble(f"{path} has {len(data)} bytes, no multiple of {PAGE_BYTES}; it must hold raw pages and nothing else")
    pages = PageSet(path.stem, data, 0)
    return PageSet(path.stem, data, sum(map(is_same_filled, pages)))


def read_files(paths):
    """The sets in several files; results are named after them, so no two may share a name."""
    sets = {}
    for path in map(Path, paths):
        if path.stem in sets:
            raise Trouble(f"two files are called {path.stem}; results are named after the files: rename one")
        sets[path.stem] = read_file(path)
    return list(sets.values())


class Cache:
    """Captured sets in a folder: NAME.pages, and NAME.json with the count of same-filled pages and `key`, a
    text that names everything the capture depended on."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def load(self, name, key):
        """The set, or None when there is none made with this key."""
        try:
            about = json.loads((self.folder / f"{name}.json").read_text())
            data = (self.folder / f"{name}.pages").read_bytes()
        except (OSError, ValueError):
            return None
        if about.get("key") != key or not data or len(data) % PAGE_BYTES:
            return None
        return PageSet(name, data, about["same_filled"])

    def store(self, pages, key):
        self.folder.mkdir(parents=True, exist_ok=True)
        about = self.folder / f"{pages.name}.json"
        about.unlink(missing_ok=True)  # never the old description beside new pages
        (self.folder / f"{pages.name}.pages").write_bytes(pages.data)
        about.write_text(json.dumps({"key": key, "same_filled": pages.same_filled}) + "\n")
