# SPDX-License-Identifier: Apache-2.0
"""Versions of Linux's headers, what they have in common, and page images of them, for the lookaside experiment. In `folder`:
tree.ext4                  headers of the newest version, on a file system
sums, root                 SHA-256 of each file there; root hash of origin.image
origin.image               tree.ext4 packed: what lies at the slow origin, and what a fresh image at hand holds
matched-1, matched-2.image of its streams as much as the original found in a device one version old, and in an old one
6.12.image, 6.1.image      the same files of these versions, packed
commonality                lines `version bytes_by_file bytes_by_page least_hits`: shares of all of the newest headers, and of the pages of tree.ext4 those that whoever
                           reads its files finds at least in that version's image"""
import hashlib
import json
import os
import shutil
import struct
import subprocess
from pathlib import Path

from system import Trouble, require
from system.kernels import Kernel

from . import BUILD

PAGE, SECTOR = 4096, 512
NEWEST, OLDER = "7.x", ("6.12", "6.1")
TREE_BYTES = 1_000_000  # of headers: at 100 kb/s a minute and a half as they are
# Of the time that a fresh device saved at 100 kb/s, what a device one version old saved, and an old one: so much of the data it had.
MATCHED = {"matched-1": (9348.8 - 3011.2) / (9348.8 - 884.9), "matched-2": (9348.8 - 8356.7) / (9348.8 - 884.9)}
# Layout of a page image: driver/uapi/page_image.h.
HEADER, ENTRY = struct.Struct("<8sIIQQII"), struct.Struct("<32sII")
CONTROL = BUILD / "host/pagepressctl"


def headers(version):
    """The folder of that kernel's headers."""
    found = sorted((Kernel(version).folder / "usr/src").glob("linux-headers-*-common"))
    if not found:
        raise Trouble(f"there are no headers of Linux {version}: run `make kernel-tools KERNEL={version}`")
    return found[0]


def releases():
    return [headers(version).name for version in (NEWEST, *OLDER)]


def installed():
    """The same; none where one of them is missing."""
    try:
        return releases()
    except Trouble:
        return []


def digest(data):
    return hashlib.sha256(data).digest()


def files_of(root):
    return [path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink()]


def pages_of(data):
    return [data[at : at + PAGE].ljust(PAGE, b"\0") for at in range(0, len(data), PAGE)]


def chosen(root):
    """Paths below `root` of TREE_BYTES of headers, drawn by the hash of their names."""
    drawn, bytes_drawn = [], 0
    paths = [path.relative_to(root) for path in files_of(root / "include/linux")]
    for path in sorted(paths, key=lambda path: digest(str(path).encode())):
        if bytes_drawn >= TREE_BYTES:
            break
        drawn.append(path)
        bytes_drawn += (root / path).stat().st_size
    return sorted(drawn)


def commonality(new, old):
    """Of the bytes below `new`: the share in files that `old` has as well, and the share in pages that it has."""
    files, pages = set(), set()
    for path in files_of(old):
        data = path.read_bytes()
        files.add(digest(data))
        pages.update(map(digest, pages_of(data)))
    all_bytes, by_file, by_page = 0, 0, 0
    for path in files_of(new):
        data = path.read_bytes()
        all_bytes += len(data)
        by_file += len(data) * (digest(data) in files)
        by_page += sum(min(PAGE, len(data) - number * PAGE) for number, page in enumerate(pages_of(data)) if digest(page) in pages)
    return by_file / all_bytes, by_page / all_bytes


def least_hits(contents, tree, sectors, held):
    """Of the pages of a file system that have a stream, the share that are of its files (`contents`) and among those that are `held`. Reading its files reads each of
    them; whatever else is read of the file system is among the others."""
    hits = sum(digest(page) in held for data in contents for page in pages_of(data))
    return hits / sum(sectors[digest(page)] > 0 for page in pages_of(tree))


def file_system(paths, root, path):
    """An ext4 file system of those of the files that `root` has, the same bytes every time."""
    tree = path.with_suffix(".tree")
    for one in paths:
        if (root / one).is_file():
            (tree / one).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / one, tree / one)
    for one in [tree, *tree.rglob("*")]:
        os.utime(one, (0, 0))
    same = "e6f8d2c0-5a3b-4c1d-9e7f-000000000001"
    command = ["mke2fs", "-q", "-t", "ext4", "-b", PAGE, "-O", "^has_journal", "-m", "0", "-N", 2 * len(paths) + 100, "-U", same,
               "-E", f"hash_seed={same}", "-d", tree, path, "4M"]  # fmt: skip
    environment = os.environ | {"PATH": "/usr/sbin:/sbin:" + os.environ["PATH"], "E2FSPROGS_FAKE_TIME": "1"}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise Trouble(f"mke2fs failed: {done.stderr.strip()}")
    shutil.rmtree(tree)


def pack(source, image):
    """Returns its root hash."""
    done = subprocess.run([CONTROL, "image", "pack", source, "-o", image, "--json"], capture_output=True, text=True)
    if done.returncode:
        raise Trouble(f"pagepressctl image pack failed: {done.stderr.strip()}")
    return json.loads(done.stdout)["root"]


def sectors_of(image):
    """{hash: sectors of its stream} of an image's contents."""
    data = image.read_bytes()
    *_, index, _, entries = HEADER.unpack_from(data)
    return {hash: -(-length // SECTOR) for hash, _, length in (ENTRY.unpack_from(data, index + number * ENTRY.size) for number in range(entries))}


def part(plain, sectors, share, path):
    """Pages of `plain` in an order of their hashes, until their streams are that share of all."""
    pages = {digest(page): page for page in pages_of(plain.read_bytes())}
    left = share * sum(sectors.values())
    with open(path, "wb") as out:
        for hash in sorted(pages):
            if sectors[hash] and left >= sectors[hash] / 2:
                out.write(pages[hash])
                left -= sectors[hash]


def make(folder):
    require(CONTROL, "run `make host`")
    folder.mkdir()
    new = headers(NEWEST)
    paths = chosen(new)
    tree = folder / "tree.ext4"
    file_system(paths, new, tree)
    (folder / "sums").write_text("".join(f"{hashlib.sha256((new / path).read_bytes()).hexdigest()}  {path}\n" for path in paths))
    (folder / "root").write_text(pack(tree, folder / "origin.image") + "\n")
    sectors = sectors_of(folder / "origin.image")
    work = folder / "work"
    for name, share in MATCHED.items():
        part(tree, sectors, share, work)
        pack(work, folder / f"{name}.image")
    work.unlink()
    contents, plain = [(new / path).read_bytes() for path in paths], tree.read_bytes()
    with open(folder / "commonality", "w") as out:
        for version in (NEWEST, *OLDER):
            file_system(paths, headers(version), work)
            hits = least_hits(contents, plain, sectors, set(map(digest, pages_of(work.read_bytes()))))
            if version != NEWEST:  # whose image is the origin's
                pack(work, folder / f"{version}.image")
            work.unlink()
            by_file, by_page = commonality(new, headers(version))
            out.write(f"{version} {by_file:.4f} {by_page:.4f} {hits:.4f}\n")
