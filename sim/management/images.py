# SPDX-License-Identifier: Apache-2.0
"""What stands in a management part's flash: images as the firmware's makefile signs them, boot records as the firmware writes them."""
import shutil
import subprocess
from pathlib import Path

from pagepress_management import *  # noqa: F403

REPOSITORY = Path(__file__).resolve().parents[2]
OFFSETS = {SLOT_A: FLASH_SLOT_A_OFFSET, SLOT_B: FLASH_SLOT_B_OFFSET}
FLASH_BYTES = 1 << 20


HOSTILE = ("writes", "mailbox", "lanes", "log", "floor")  # what they do harm with: firmware/tests/hostile.h


def made(folder, version="1.0.0", floor="0.0.1", inject=False, hostile=None):
    """Builds and signs an image in `folder`, of the tree's objects, which `make firmware` has made; its bytes. `inject`: with the message that hangs it. `hostile`: one
    of those instead."""
    shutil.copytree(REPOSITORY / "build/firmware", folder, ignore=shutil.ignore_patterns("tests", "*.img"), dirs_exist_ok=True)
    variant = [f"HOSTILE={hostile}"] if hostile else ["INJECT=1"] if inject else []
    done = subprocess.run(["make", "-s", "-C", REPOSITORY / "firmware", f"OUTPUT={folder}", f"VERSION={version}", f"FLOOR={floor}", *variant],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    suffix = f"-hostile-{hostile}" if hostile else "-inject" if inject else ""
    return (Path(folder) / f"firmware{suffix}.img").read_bytes()


def boot_record(slot, trial=0, floor=0, number=1):
    """A record as the firmware writes it."""
    plain = BootRecord(number, floor, slot, trial, bytes(2), 0).pack()[:BOOT_RECORD_CRC32C_OFFSET]
    crc = 0xFFFFFFFF
    for byte in plain:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return plain + (crc ^ 0xFFFFFFFF).to_bytes(4, "little")


def flash_contents(images, records=b""):
    """The bytes of a flash that holds images by their slots."""
    flash = bytearray(b"\xff" * FLASH_BYTES)
    flash[FLASH_RECORDS_OFFSET : FLASH_RECORDS_OFFSET + len(records)] = records
    for slot, image in images.items():
        flash[OFFSETS[slot] : OFFSETS[slot] + len(image)] = image
    return bytes(flash)
