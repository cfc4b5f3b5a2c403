# SPDX-License-Identifier: Apache-2.0
"""Drives build/management/management-sim: the firmware's image on the Verilated management part.

    with Management(folder, {SLOT_A: image}) as card:
        card.boots()
        status, payload = card.message(MESSAGE_PING, payload=b"hello")
"""
import subprocess
from pathlib import Path

from images import *  # noqa: F403
from window import *  # noqa: F403

PROGRAM = REPOSITORY / "build/management/management-sim"
FIRMWARE = REPOSITORY / "build/firmware"


class PowerCut(Exception):
    """Power failed during the command, and came back."""


class Management(Window):
    def __init__(self, folder, images, records=b""):
        self.path = Path(folder) / "flash.bin"
        self.path.write_bytes(flash_contents(images, records))

    def __enter__(self):
        self.process = subprocess.Popen([PROGRAM, self.path], cwd=FIRMWARE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for channel, code in CALM.items():
            self.command(f"sensor {channel} {code}")
        return self

    def __exit__(self, *_):
        self.process.communicate("quit\n", timeout=60)

    def command(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().rstrip("\n")
        if answer == "cut":
            raise PowerCut
        assert answer and not answer.startswith("error"), f"{line}: {answer or 'management-sim ended'}"
        return answer

    def read(self, address):
        return int(self.command(f"read {address:x}"), 16)

    def write(self, address, value):
        self.command(f"write {address:x} {value:x}")

    def wait(self, address, mask, value, cycles):
        answer = self.command(f"wait {address:x} {mask:x} {value:x} {cycles}")
        assert answer != "timeout", f"{address:#x} is {self.read(address):#x}, not {value:#x} in {mask:#x} within {cycles} cycles"
