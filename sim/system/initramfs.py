# SPDX-License-Identifier: Apache-2.0
"""Writes and reads the archive that Linux unpacks as its first root (cpio, "newc" headers)."""
import stat
from dataclasses import dataclass

MAGIC = b"070701"
HEADER_FIELDS = 13  # eight hexadecimal digits each
TRAILER = "TRAILER!!!"


@dataclass(frozen=True)
class Entry:
    """One file of the archive: `mode` as in stat(2), `data` its bytes or a link's target."""

    name: str
    mode: int
    data: bytes = b""


def folder(name):
    return Entry(name, stat.S_IFDIR | 0o755)


def file(name, data, executable=False):
    return Entry(name, stat.S_IFREG | (0o755 if executable else 0o644), data)


def link(name, target):
    return Entry(name, stat.S_IFLNK | 0o777, target.encode())


def with_folders(entries):
    """The entries, each preceded by the folders it lies in."""
    seen = set()
    for entry in entries:
        parts = entry.name.split("/")
        for depth in range(1, len(parts)):
            parent = "/".join(parts[:depth])
            if parent not in seen:
                seen.add(parent)
                yield folder(parent)
        if not (stat.S_ISDIR(entry.mode) and entry.name in seen):
            seen.add(entry.name)
            yield entry


def pack(entries):
    """The archive's bytes. Raises ValueError for a name that the kernel would not accept."""
    archive = bytearray()
    for number, entry in enumerate(with_folders(entries), 1):
        if not entry.name or entry.name.startswith("/") or ".." in entry.name.split("/"):
            raise ValueError(f"not a name inside the archive: {entry.name!r}")
        append(archive, number, entry)
    append(archive, 0, Entry(TRAILER, 0))
    return bytes(archive)


def append(archive, number, entry):
    name = entry.name.encode() + b"\0"
    links = 2 if stat.S_ISDIR(entry.mode) else 1
    # inode, mode, user, group, links, time, size, device (2), special device (2), name, check
    fields = (number, entry.mode, 0, 0, links, 0, len(entry.data), 0, 0, 0, 0, len(name), 0)
    archive += MAGIC + b"".join(b"%08X" % field for field in fields) + name
    align(archive)
    archive += entry.data
    align(archive)


def align(archive):
    archive += bytes(-len(archive) % 4)


def unpack(archive):
    """The entries of an archive, in order; ValueError where it is malformed."""
    entries, offset = [], 0
    while True:
        header = archive[offset : offset + 6 + 8 * HEADER_FIELDS]
        if len(header) != 6 + 8 * HEADER_FIELDS or header[:6] != MAGIC:
            raise ValueError(f"no cpio header at byte {offset}")
        fields = [int(header[6 + 8 * i : 14 + 8 * i], 16) for i in range(HEADER_FIELDS)]
        mode, size, name_bytes = fields[1], fields[6], fields[11]
        offset += len(header)
        name = archive[offset : offset + name_bytes - 1].decode()
        offset = aligned(offset + name_bytes)
        if name == TRAILER:
            return entries
        entries.append(Entry(name, mode, bytes(archive[offset : offset + size])))
        offset = aligned(offset + size)


def aligned(offset):
    return -(-offset // 4) * 4
