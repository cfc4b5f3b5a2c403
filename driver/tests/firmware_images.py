# SPDX-License-Identifier: GPL-2.0-only
"""Images for a card's firmware: good ones as the firmware's makefile signs them, and one for each reason to refuse it."""
import random
import shutil
import struct
import subprocess
from pathlib import Path

import pagepress_management as interface

REPOSITORY = Path(__file__).resolve().parents[2]
SIGNED = interface.IMAGE_HEADER_MAGIC_OFFSET  # the signature is over all from here on


def made(folder, version, floor="0.0.1"):
    """An image of this version, of the tree's objects, which `make firmware` has made."""
    shutil.copytree(REPOSITORY / "build/firmware", folder, ignore=shutil.ignore_patterns("tests", "*.img"))
    subprocess.run(["make", "-s", "-C", REPOSITORY / "firmware", f"OUTPUT={folder}", f"VERSION={version}", f"FLOOR={floor}"],
                   check=True, stdout=subprocess.DEVNULL)
    return (folder / "firmware.img").read_bytes()


def with_word(image, offset, word):
    return image[:offset] + struct.pack("<I", word) + image[offset + 4:]


def images(folder):
    """Writes image-NAME files into the folder; their paths. newest has itself as its floor."""
    newer = made(folder / "newer", "1.1.0")
    at = random.randrange(interface.IMAGE_HEADER_BYTES, len(newer))
    contents = {
        "newer": newer,
        "newest": made(folder / "newest", "1.2.0", "1.2.0"),
        "flipped": newer[:at] + bytes([newer[at] ^ 1 << random.randrange(8)]) + newer[at + 1:],
        "unsigned": bytes(SIGNED) + newer[SIGNED:],
        "truncated": newer[:random.randrange(interface.IMAGE_HEADER_BYTES + 1, len(newer))],
        "large": newer + random.randbytes(interface.IMAGE_MAX_BYTES + 1 - len(newer)),
        "magic": with_word(newer, interface.IMAGE_HEADER_MAGIC_OFFSET, random.getrandbits(31)),
        "target": with_word(newer, interface.IMAGE_HEADER_TARGET_OFFSET, interface.IMAGE_TARGET_VALUE + 1),
        "header": with_word(newer, interface.IMAGE_HEADER_VERSION_OFFSET, 0),
        "erased": b"\xff" * len(newer),
        "tiny": newer[:random.randrange(1, interface.IMAGE_HEADER_BYTES)],
    }
    for name, image in contents.items():
        (folder / f"image-{name}").write_bytes(image)
    return [folder / f"image-{name}" for name in contents]
