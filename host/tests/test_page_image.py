# SPDX-License-Identifier: Apache-2.0
"""pagepressctl image: what it packs is read here by another reader, and whatever is wrong with an image is said in one line."""
import ctypes
import hashlib
import json
import os
import random
import signal
import struct
import subprocess
import time
from pathlib import Path

import pytest

HEADER = struct.Struct("<8sIIQQII32s")  # magic, version, page bytes, bytes, index offset, pages, entries, root
ENTRY = struct.Struct("<32sII")  # hash, sector, length
BLOCK = 4096


@pytest.fixture
def image(program, tmp_path):
    """A function: image(words…) runs pagepressctl image in an empty folder."""

    def run(*words):
        return subprocess.run([program, "image", *map(str, words)], capture_output=True, text=True, cwd=tmp_path, timeout=600)

    return run


def pages_drawn(count, page_bytes=4096):
    """Pages of all kinds: zeros, noise, text that compresses, some of them twice."""
    pages = []
    for _ in range(count):
        kind = random.randrange(5)
        if kind == 0:
            pages.append(bytes(page_bytes))
        elif kind == 1:
            pages.append(random.randbytes(page_bytes))
        elif kind == 2 and pages:
            pages.append(random.choice(pages))
        else:
            words = [random.randbytes(random.randrange(2, 30)) for _ in range(40)]
            pages.append(b"".join(random.choices(words, k=page_bytes // 2))[:page_bytes])
    return pages


def unpacked(data):
    """An image's pages, by a reader that shares nothing with the program; asserts all that the layout promises."""
    lzo = ctypes.CDLL("liblzo2.so.2")
    magic, version, page_bytes, size, index_offset, pages, entries, root = HEADER.unpack_from(data)
    assert (magic, version, size) == (b"PagePres", 1, len(data))
    index_end = index_offset + entries * ENTRY.size
    map_end = index_end + pages * 4
    assert root == hashlib.sha256(data[: HEADER.size - 32] + data[index_offset:map_end]).digest()
    used = bytearray(data)
    used[: HEADER.size] = bytes(HEADER.size)
    used[index_offset:map_end] = bytes(map_end - index_offset)
    contents, hashes = [], []
    for at in range(index_offset, index_end, ENTRY.size):
        digest, sector, length = ENTRY.unpack_from(data, at)
        stream = data[sector * 512 : sector * 512 + length]
        used[sector * 512 : sector * 512 + length] = bytes(length)
        page = bytes(page_bytes)
        if length == page_bytes:
            page = stream
        elif length:
            made, produced = ctypes.create_string_buffer(page_bytes), ctypes.c_ulong(page_bytes)
            assert lzo.lzo1x_decompress_safe(stream, ctypes.c_ulong(length), made, ctypes.byref(produced), None) == 0
            page = made.raw[: produced.value]
        assert hashlib.sha256(page).digest() == digest
        contents.append(page)
        hashes.append(digest)
    assert hashes == sorted(set(hashes))
    assert not any(used)
    return [contents[number] for (number,) in struct.iter_unpack("<I", data[index_end:map_end])]


def failed(done, status, *phrases):
    assert (done.returncode, done.stdout) == (status, ""), done
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("pagepressctl: ")
    for phrase in phrases:
        assert phrase in done.stderr


@pytest.fixture
def packed(image, tmp_path):
    """The pages of an image, and its path."""
    pages = pages_drawn(random.randrange(20, 60)) + [random.randbytes(4096), bytes(4096)]
    (tmp_path / "disk").write_bytes(b"".join(pages))
    assert image("pack", "disk", "--output", "image").returncode == 0
    return pages, tmp_path / "image"


@pytest.mark.parametrize("page_bytes", [4096, 16384, 65536])
def test_image_holds_what_was_packed(image, tmp_path, page_bytes):
    """Several sources, the last page of each filled up, and an older image among them."""
    first, second = pages_drawn(random.randrange(1, 12), page_bytes), pages_drawn(random.randrange(1, 12), page_bytes)
    tail = random.randbytes(random.randrange(1, page_bytes))
    (tmp_path / "first").write_bytes(b"".join(first) + tail)
    (tmp_path / "second").write_bytes(b"".join(second))
    options = ("--page-bytes", page_bytes) if page_bytes != 4096 else ()
    assert image("pack", "second", "-o", "older", *options).returncode == 0
    done = image("pack", "first", "older", "second", "-o", "image", "--json", *options)
    assert (done.returncode, done.stderr) == (0, "")
    wanted = [*first, tail.ljust(page_bytes, b"\0"), *second, *second]
    data = (tmp_path / "image").read_bytes()
    assert unpacked(data) == wanted
    said = json.loads(done.stdout)
    assert (said["pages"], said["contents"], said["bytes"]) == (len(wanted), len(set(wanted)), len(data))
    assert said["root"] == HEADER.unpack_from(data)[-1].hex()
    done = image("verify", "image", "--root", said["root"])
    assert (done.returncode, done.stderr) == (0, "") and said["root"] in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "image", "older", "second"]


def test_image_has_no_stream_that_saves_no_sector(image, tmp_path):
    """A page whose stream would take as many sectors as the page is kept as it is."""
    pages = [random.randbytes(noise).ljust(4096, b"\0") for noise in (3000, 3500, 3600, 4000)]
    (tmp_path / "disk").write_bytes(b"".join(pages))
    assert image("pack", "disk", "-o", "image").returncode == 0
    data = (tmp_path / "image").read_bytes()
    assert unpacked(data) == pages
    index_offset = HEADER.unpack_from(data)[4]
    lengths = {digest: length for digest, _, length in ENTRY.iter_unpack(data[index_offset : index_offset + 4 * ENTRY.size])}
    small, below, above, whole = (lengths[hashlib.sha256(page).digest()] for page in pages)
    assert 3000 < small < below <= 3584 and above == whole == 4096


def test_image_says_what_another_one_holds(image, tmp_path):
    ours, theirs = pages_drawn(40), pages_drawn(20)
    theirs += random.sample(ours, 10)
    for name, pages in (("ours", ours), ("theirs", theirs)):
        (tmp_path / name).write_bytes(b"".join(pages))
        assert image("pack", name, "-o", f"{name}.image").returncode == 0
    said = json.loads(image("info", "ours.image", "--with", "theirs.image", "--json").stdout)
    assert said["common_pages"] == sum(page in theirs for page in ours)
    assert said["common_contents"] == len(set(ours) & set(theirs))
    assert 0 < said["common_stream_bytes"] < said["stream_bytes"] or set(ours) <= set(theirs)


def test_image_notices_each_flipped_bit(image, packed):
    """Wherever it is, in what is hashed or in a gap."""
    _, path = packed
    data = path.read_bytes()
    index_offset, entries = HEADER.unpack_from(data)[4], HEADER.unpack_from(data)[6]
    _, sector, length = next(entry for entry in ENTRY.iter_unpack(data[index_offset : index_offset + entries * ENTRY.size]) if 0 < entry[2] < 4096)
    places = [0, 8, 12, 16, 24, 32, 36, 40, HEADER.size + 1, index_offset, index_offset + 33, index_offset + entries * ENTRY.size + 2,
              sector * 512, sector * 512 + length - 1, len(data) - 1]  # fmt: skip
    for place in places + random.choices(range(len(data)), k=10):
        flipped = bytearray(data)
        flipped[place] ^= 1 << random.randrange(8)
        path.write_bytes(flipped)
        failed(image("verify", "image"), 3, "image")
    path.write_bytes(data)
    assert image("verify", "image").returncode == 0


def test_image_notices_what_was_cut_off(image, packed):
    _, path = packed
    data = path.read_bytes()
    for length in (0, 7, 8, 71, BLOCK - 1, BLOCK, len(data) - 1, random.randrange(len(data))):
        path.write_bytes(data[:length])
        failed(image("verify", "image"), 3, "image", "not a page image" if length < 8 else "cut off")
        failed(image("info", "image"), 3)
    path.write_bytes(data + bytes(random.randrange(1, 9000)))  # a partition is longer than what lies on it
    assert image("verify", "image").returncode == 0


def test_image_refuses_foreign_files_versions_and_roots(image, packed, tmp_path):
    _, path = packed
    data = bytearray(path.read_bytes())
    failed(image("verify", "disk"), 3, "not a page image")
    failed(image("info", "image", "--with", "disk"), 3, "disk: not a page image")
    root = hashlib.sha256(data).hexdigest()
    failed(image("verify", "image", "--root", root), 3, "another image")
    data[8] = 2
    path.write_bytes(data)
    failed(image("verify", "image"), 3, "version 2", "pack it again")
    failed(image("pack", "image", "-o", "other"), 3, "version 2")
    assert not (tmp_path / "other").exists() and not list(tmp_path.glob("*.new"))


def rooted(data):
    """With the root that belongs to it: what a packer that errs could have written."""
    index_offset, pages, entries = HEADER.unpack_from(data)[4:7]
    covered = bytes(data[: HEADER.size - 32]) + bytes(data[index_offset : index_offset + entries * ENTRY.size + pages * 4])
    data[HEADER.size - 32 : HEADER.size] = hashlib.sha256(covered).digest()
    return data


def test_image_refuses_an_index_that_makes_no_sense(image, packed):
    _, path = packed
    data = path.read_bytes()
    index_offset, pages, entries = HEADER.unpack_from(data)[4:7]
    map_offset = index_offset + entries * ENTRY.size
    number = struct.Struct("<I")
    streams = [at for at in range(index_offset, map_offset, ENTRY.size) if number.unpack_from(data, at + 36)[0]]

    def changed(place, value):
        made = bytearray(data)
        number.pack_into(made, place, value)
        return rooted(made)

    swapped = bytearray(data)
    swapped[index_offset : index_offset + 80] = data[index_offset + 40 : index_offset + 80] + data[index_offset : index_offset + 40]
    cases = [
        (changed(map_offset + 4 * random.randrange(pages), entries), "map names entries"),
        (changed(random.choice(streams) + 36, 4097), "beyond its streams"),
        (changed(random.choice(streams) + 32, 7), "beyond its streams"),
        (changed(random.choice(streams) + 32, index_offset // 512), "beyond its streams"),
        (rooted(swapped), "not in order"),
        (changed(random.choice(streams) + 36, 0), "damaged"),  # a page of zeros, it says
    ]
    for made, phrase in cases:
        path.write_bytes(made)
        failed(image("verify", "image"), 3, phrase)


@pytest.mark.parametrize("size", [{"page_bytes": 4097}, {"bytes": 1 << 62}, {"index_offset": 1 << 63}, {"index_offset": 512}, {"pages": 0},
                                  {"pages": 0xFFFFFFFF}, {"entries": 0}, {"entries": 0xFFFFFFFF}], ids=str)  # fmt: skip
def test_image_refuses_a_header_that_lies(image, packed, size):
    """With a root that fits as far as it can: no size of a header is believed, or memory taken for it, before it is held against the file's."""
    _, path = packed
    data = bytearray(path.read_bytes())
    names = ["magic", "version", "page_bytes", "bytes", "index_offset", "pages", "entries", "root"]
    fields = dict(zip(names, HEADER.unpack_from(data))) | size
    HEADER.pack_into(data, 0, *fields.values())
    path.write_bytes(data)
    failed(image("info", "image"), 3, "damaged" if "bytes" not in size else "cut off")


def test_image_packs_nothing_over_what_is_there(image, packed, tmp_path):
    _, path = packed
    before = path.read_bytes()
    failed(image("pack", "disk", "-o", "image"), 5, "--force")
    failed(image("pack", "image", "-o", "image", "--force"), 2, "itself")
    failed(image("pack", "disk", "absent", "-o", "image", "--force"), 1, "absent")
    (tmp_path / "torn").write_bytes(before[:-BLOCK])
    failed(image("pack", "torn", "-o", "image", "--force"), 3, "cut off")
    assert path.read_bytes() == before and not list(tmp_path.glob("*.new"))
    (tmp_path / "page").write_bytes(random.randbytes(5000))
    assert image("pack", "page", "-o", "image", "--force").returncode == 0
    assert len(unpacked(path.read_bytes())) == 2
    # Nor over what lies beside it, or over a link, wherever that leads.
    (tmp_path / "other.new").write_text("of somebody")
    (tmp_path / "link").symlink_to("nowhere")
    failed(image("pack", "page", "-o", "link"), 5, "--force")
    (tmp_path / "third.new").symlink_to("other.new")
    assert image("pack", "page", "-o", "third", "--force").returncode == 0
    assert (tmp_path / "other.new").read_text() == "of somebody" and not (tmp_path / "nowhere").exists()


def mode(path):
    return path.stat().st_mode & 0o777


def test_image_is_for_those_who_may_read_what_it_holds(image, tmp_path):
    """Whatever the umask; of several files and of the one that it replaces those who may read all."""
    disk, other, made = (tmp_path / name for name in ("disk", "other", "image"))
    for path in (disk, other):
        path.write_bytes(random.randbytes(5000))
    before = os.umask(0)
    try:
        for umask in (0, 0o22, 0o77):
            os.umask(umask)
            for bits in (0o600, 0o640, 0o644, 0o440, 0o777):
                disk.chmod(bits)
                assert image("pack", "disk", "-o", "image").returncode == 0 and mode(made) == bits & 0o666
                made.unlink()
        disk.chmod(0o646), other.chmod(0o664)
        assert image("pack", "disk", "other", "-o", "image").returncode == 0 and mode(made) == 0o644
        made.chmod(0o620)
        assert image("pack", "disk", "-o", "image", "--force").returncode == 0 and mode(made) == 0o600
    finally:
        os.umask(before)


ASKS = """
#include <cstdio>
#include "files.hpp"
int main(int, char** words) {
    struct stat status;
    return stat(words[1], &status) ? 1 : !printf("%o", pagepressctl::mode_of_copies(status));
}
"""


def test_image_of_a_device_is_for_its_owner(program, tmp_path):
    (tmp_path / "asks.cpp").write_text(ASKS)
    control = Path(__file__).resolve().parents[1] / "control"
    subprocess.run(["g++", "-std=c++17", "-I", control, "-o", tmp_path / "asks", tmp_path / "asks.cpp", program.parent / "control/control.a"], check=True, timeout=600)
    assert subprocess.run([tmp_path / "asks", "/dev/zero"], capture_output=True, check=True).stdout == b"600"  # which all may read


@pytest.mark.parametrize(
    "words, status, phrase",
    [
        ([], 2, "pack, verify or info"),
        (["pack"], 2, "which file"),
        (["unpack", "disk"], 2, "unpack"),
        (["pack", "disk"], 2, "--output"),
        (["verify", "disk", "--output", "x"], 2, "--output is for image pack"),
        (["info", "disk", "--root", "00"], 2, "--root is for image verify"),
        (["verify", "disk", "--with", "x"], 2, "--with is for image info"),
        (["pack", "disk", "-o", "x", "--page-bytes", "512"], 2, "--page-bytes"),
        (["info", "absent"], 1, "absent"),
        (["info", "."], 3, "neither a file nor a block device"),
        (["pack", "empty", "-o", "x"], 3, "empty"),
        (["pack", "disk", "-o", "no/folder"], 4, "no/folder"),
        (["pack", "disk", "-o", "/dev/full", "--force"], 5, "neither a file nor a block device"),
        (["pack", "/dev/zero", "-o", "x"], 3, "neither a file nor a block device"),
        (["pack", "pipe", "-o", "x"], 3, "neither a file nor a block device"),
        (["verify", "pipe"], 3, "neither a file nor a block device"),
    ],
)
def test_image_refuses_bad_words(image, tmp_path, words, status, phrase):
    (tmp_path / "disk").write_bytes(random.randbytes(4096))
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    failed(image(*words), status, phrase)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disk", "empty", "pipe"]


def test_image_on_a_full_file_system(program, tmp_path):
    """What could not be written whole leaves nothing behind."""
    (tmp_path / "disk").write_bytes(random.randbytes(1 << 20))
    limited = ["bash", "-c", 'trap "" XFSZ; ulimit -f 512; exec "$@"', "-", program, "image", "pack", "disk", "-o", "image"]
    done = subprocess.run(limited, capture_output=True, text=True, cwd=tmp_path)
    failed(done, 4, "image: cannot be written")
    assert [path.name for path in tmp_path.iterdir()] == ["disk"]


def test_image_packs_what_lies_beside_it(image, tmp_path):
    """A source may have whatever name: none is taken for the program's own file."""
    pages = [random.randbytes(4096) for _ in range(3)]
    for name in ("image", "image.new"):
        (tmp_path / name).write_bytes(b"".join(pages))
    assert image("pack", "--force", "-o", "image", "image.new").returncode == 0
    assert unpacked((tmp_path / "image").read_bytes()) == pages and (tmp_path / "image.new").read_bytes() == b"".join(pages)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["image", "image.new"]


@pytest.fixture
def packing(program, tmp_path):
    """A function: starts pagepressctl image pack with these words, of a file that takes a while."""
    if not (tmp_path / "disk").exists():
        (tmp_path / "disk").write_bytes(random.randbytes(16 << 20))
    started = []

    def start(*words):
        command = [program, "image", "pack", "disk", "-o", "image", *words]
        started.append(subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("words", [["--force"], []], ids=str)
def test_image_packed_twice_at_once(image, packing, tmp_path, words):
    """Each has a file of its own: the last one's image lies there whole, or, unless told to replace it, the first one's."""
    both = [packing(*words) for _ in range(2)]
    ends = [(process.communicate(timeout=600)[1], process.returncode) for process in both]
    assert sorted(status for _, status in ends) == ([0, 0] if words else [0, 5]), ends
    assert image("verify", "image").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disk", "image"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_image_pack_interrupted(packing, tmp_path, number):
    """The old image stays, and nothing lies beside it."""
    (tmp_path / "image").write_text("old")
    process = packing("--force")
    while not list(tmp_path.glob("*.new")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    output, errors = process.communicate(timeout=600)
    assert (process.returncode, output, errors) == (5, "", "pagepressctl: interrupted: no image was written\n")
    assert (tmp_path / "image").read_text() == "old" and sorted(path.name for path in tmp_path.iterdir()) == ["disk", "image"]
