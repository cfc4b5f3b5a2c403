# SPDX-License-Identifier: Apache-2.0
"""The firmware's image on the Verilated management part: boot, services, and what becomes of it when something is broken.

It takes millions of cycles: all but the watchdog's margin is run by `make test-firmware`.
"""
import random
import tomllib
from pathlib import Path

import images
import pytest
from management import *  # noqa: F403

INTERFACE = tomllib.loads((Path(__file__).resolve().parents[3] / "rtl/interface/management.toml").read_text())
FIRST_LIMIT = next(register["reset"] for block in INTERFACE["block"] for register in block["registers"] if register["name"] == "WATCHDOG_LIMIT")  # ms
ERASE_CYCLES = 40_000  # of the model's flash
MESSAGE_HANG = 0x7FFF  # of images built with INJECT=1
nightly = pytest.mark.night("test-firmware")


def flipped(image, at):
    return image[:at] + bytes([image[at] ^ 0x10]) + image[at + 1 :]


def test_management_firmware_leaves_the_watchdog_a_margin(image, seed, tmp_path):
    """The longest turns, a boot and a self-test of the image in its slot, at the slowest clock allowed: no image's signature may decide."""
    version = f"{seed % 256}.{seed // 256 % 256}.1"  # its bytes are signed too
    with Management(tmp_path, {SLOT_A: image(version)}) as card:
        card.boots()
        status, result = card.message(MESSAGE_SELF_TEST, SELF_TEST_IMAGE)
        assert (status, SelfTestResult.unpack(result).failed) == (MANAGEMENT_STATUS_OK, 0)
        assert 400 < int(card.command("hunger")) < 0.6 * FIRST_LIMIT


@nightly
def test_management_firmware_without_an_image_says_so(image, tmp_path):
    good = image()
    with Management(tmp_path, {SLOT_A: flipped(good, 64), SLOT_B: good[:64] + b"\xff" * 400}) as card:
        assert card.boots(STAGE_FAILED) == {"slot": SLOT_NONE, "a": MANAGEMENT_STATUS_IMAGE_BAD_MAGIC, "b": MANAGEMENT_STATUS_IMAGE_BAD_MAGIC,
                                            "kind": BOOT_FALLBACK}
        assert card.read(REGISTER_FIRMWARE_VERSION) == 0 and card.read(REGISTER_HEARTBEAT) == 0
        assert card.events()[-1] == ("NO_IMAGE", 0)
        card.command("run 12000000")
        assert card.read(REGISTER_CORE_STATUS) >> CORE_STATUS_BITES_SHIFT == 0, "it waits, and is not reset again and again"


@nightly
def test_management_firmware_lives_and_is_revived(image, tmp_path):
    """Slot B is broken: slot A boots. Its services answer. Hung, it is reset by the watchdog, and answers again."""
    good = image(inject=True)
    with Management(tmp_path, {SLOT_A: good, SLOT_B: flipped(good, 65)}, boot_record(SLOT_B)) as card:
        assert card.boots() == {"slot": SLOT_A, "a": MANAGEMENT_STATUS_OK, "b": MANAGEMENT_STATUS_IMAGE_BAD_MAGIC, "kind": BOOT_FALLBACK}
        assert card.read(REGISTER_FIRMWARE_VERSION) == 0x01000000
        assert card.events()[:3] == [("CORE_RESET", RESET_CAUSE_POWER), ("SLOT_REFUSED", SLOT_B << 8 | MANAGEMENT_STATUS_IMAGE_BAD_MAGIC),
                                     ("BOOTED", 0x01000000)]
        payload = random.randbytes(MAILBOX_BYTES - MESSAGE_HEADER_BYTES)
        assert card.message(MESSAGE_PING, payload=payload) == (MANAGEMENT_STATUS_OK, payload)
        identity = Identity.unpack(card.message(MESSAGE_IDENTIFY)[1])
        assert (identity.version, identity.slot, identity.trial, identity.next_slot, identity.flash_id) == (0x01000000, SLOT_A, 0, SLOT_B, 0xEF4014)
        status, result = card.message(MESSAGE_SELF_TEST, SELF_TEST_RAM | SELF_TEST_TIMER | SELF_TEST_FLASH | SELF_TEST_SENSORS)
        assert (status, SelfTestResult.unpack(result).failed) == (MANAGEMENT_STATUS_OK, 0)
        telemetry = Telemetry.unpack(card.message(MESSAGE_TELEMETRY)[1])
        assert (telemetry.temperature, telemetry.voltage_core, telemetry.voltage_aux, telemetry.throttle) == (4228, 849, 1799, 0)
        assert 0 < telemetry.stack_used < telemetry.stack_size
        for length in (1, 7, 8, 9):
            card.send(MessageHeader(0x1234, 5, 6).pack(), length)
            expected = MANAGEMENT_STATUS_UNKNOWN_MESSAGE if length >= 8 else MANAGEMENT_STATUS_BAD_LENGTH
            assert MessageHeader.unpack(card.answer()).argument == expected
        card.command(f"sensor {SENSOR_TEMPERATURE} 47700")  # 90.5 degrees
        card.wait(REGISTER_THROTTLE, 3, 2, 1_000_000)
        card.command(f"sensor {SENSOR_TEMPERATURE} {CALM[SENSOR_TEMPERATURE]}")
        card.wait(REGISTER_THROTTLE, 3, 0, 1_000_000)
        beats = card.read(REGISTER_HEARTBEAT)
        card.command("run 1100000")
        assert card.read(REGISTER_HEARTBEAT) - beats >= 1

        card.send(MessageHeader(MESSAGE_HANG, 1, 0).pack())
        assert card.answer() == b"", "the reset answers what the hung firmware did not"
        assert card.read(REGISTER_CORE_STATUS) >> CORE_STATUS_CAUSE_SHIFT == 1 << 8 | RESET_CAUSE_WATCHDOG
        card.boots()
        assert card.message(MESSAGE_PING)[0] == MANAGEMENT_STATUS_OK
        assert ("CORE_RESET", RESET_CAUSE_WATCHDOG) in card.events()


@nightly
def test_management_firmware_held_at_any_moment(image, tmp_path):
    """The host holds and lets go while it boots, at random: an open request is answered, and nothing is left behind."""
    with Management(tmp_path, {SLOT_A: image()}) as card:
        for _ in range(12):
            card.command(f"run {random.randrange(60000)}")
            card.send(MessageHeader(MESSAGE_PING, 1, 0).pack())
            card.write(REGISTER_CORE_CONTROL, CORE_CONTROL_HOLD_MASK)
            assert card.answer(1000) == b""
            card.command("run 300")
            assert card.read(REGISTER_CORE_STATUS) == RESET_CAUSE_HOST << CORE_STATUS_CAUSE_SHIFT
            card.write(REGISTER_CORE_CONTROL, 0)
        assert card.boots()["slot"] == SLOT_A
        assert card.message(MESSAGE_PING, payload=b"x") == (MANAGEMENT_STATUS_OK, b"x")


@nightly
def test_management_firmware_updates(image, tmp_path):
    """A good image comes, is tried, confirms itself; then bad ones are refused by name and the new one runs on."""
    old, new = image(), image("1.0.1", "1.0.1")
    with Management(tmp_path, {SLOT_A: old}) as card:
        card.boots()
        assert card.update(new) == MANAGEMENT_STATUS_OK
        assert card.message(MESSAGE_RESET)[0] == MANAGEMENT_STATUS_OK
        card.wait(REGISTER_CORE_STATUS, CORE_STATUS_STAGE_MASK, STAGE_BOOTING, 100_000)
        assert card.boots() == {"slot": SLOT_B, "a": 0, "b": 0, "kind": BOOT_TRIAL}
        card.command("run 3000000")
        assert ("CONFIRMED", 0x01000001) in card.events()
        identity = Identity.unpack(card.message(MESSAGE_IDENTIFY)[1])
        assert (identity.slot, identity.trial, identity.next_slot, identity.floor) == (SLOT_B, 0, SLOT_B, 0x01000001)
        for bad, status in ((flipped(new, 3000), "BAD_SIGNATURE"), (bytes(64) + new[64:], "BAD_SIGNATURE"), (new[:-400], "TRUNCATED"),
                            (old, "TOO_OLD"), (new + bytes(4), "TOO_LARGE"), (flipped(new, 64), "BAD_MAGIC")):
            assert MANAGEMENT_STATUS_NAMES[card.update(bad)] == f"IMAGE_{status}"
            assert card.read(REGISTER_FIRMWARE_VERSION) == 0x01000001
        card.write(REGISTER_CORE_CONTROL, CORE_CONTROL_HOLD_MASK)
        card.write(REGISTER_CORE_CONTROL, 0)
        card.command("run 1000")
        assert card.boots()["slot"] == SLOT_B and card.read(REGISTER_FIRMWARE_VERSION) == 0x01000001


@nightly
def test_management_firmware_keeps_the_floor_from_signed_images(image, tmp_path):
    """A signed image of the floor's version forges records, and sends the flash whatever changes a sector: an older image is refused as ever."""
    held = images.made(tmp_path / "hostile", "1.0.1", "1.0.1", hostile="floor")
    with Management(tmp_path, {SLOT_A: held, SLOT_B: image()}, boot_record(SLOT_A, floor=0x01000001)) as card:
        card.boots()
        peek = f"peek {FLASH_FLOOR_OFFSET} {2 * FLASH_SECTOR_BYTES}"
        kept, forged = card.command(peek), card.command(f"peek {FLASH_RECORDS_OFFSET} 64")
        assert BootRecord.unpack(bytes.fromhex(kept)[:BOOT_RECORD_BYTES]).floor == 0x01000001
        card.command("run 3000000")
        assert card.command(f"peek {FLASH_RECORDS_OFFSET} 64") != forged, "it has been at work"
        assert card.command(peek) == kept
        card.write(REGISTER_CORE_CONTROL, CORE_CONTROL_HOLD_MASK)
        card.write(REGISTER_CORE_CONTROL, 0)
        card.command("run 1000")
        assert card.boots() == {"slot": SLOT_A, "a": MANAGEMENT_STATUS_OK, "b": MANAGEMENT_STATUS_IMAGE_TOO_OLD, "kind": BOOT_FALLBACK}


@nightly
def test_management_firmware_falls_back_from_a_hung_trial(image, tmp_path):
    """An image that hangs before it has confirmed itself: the watchdog's reset boots the old one."""
    with Management(tmp_path, {SLOT_A: image(), SLOT_B: image("1.0.2", inject=True)}, boot_record(SLOT_B, trial=1)) as card:
        assert card.boots()["kind"] == BOOT_TRIAL
        card.send(MessageHeader(MESSAGE_HANG, 1, 0).pack())
        assert card.answer() == b""
        assert card.boots() == {"slot": SLOT_A, "a": MANAGEMENT_STATUS_OK, "b": MANAGEMENT_STATUS_IMAGE_TRIAL_FAILED, "kind": BOOT_FALLBACK}


@nightly
@pytest.mark.parametrize("cut", [0, 5, 21, -1])
def test_management_firmware_power_cut(image, tmp_path, cut):
    """Power fails in an update; -1: in its last record. An image boots, and takes the update again."""
    new = image("1.0.3")
    with Management(tmp_path, {SLOT_A: image()}) as card:
        card.boots()
        operations = len(new) // 256 + len(new) // 248 + 2  # about
        card.command(f"cut {cut if cut >= 0 else operations}")
        try:
            status = card.update(new)
            assert status == MANAGEMENT_STATUS_OK
        except PowerCut:
            pass
        card.boots()
        assert card.read(REGISTER_FIRMWARE_VERSION) in (0x01000000, 0x01000003)


@nightly
def test_management_firmware_broken_flash(image, tmp_path):
    with Management(tmp_path, {SLOT_A: image()}) as card:
        card.boots()
        for state, status in (("dead", "FLASH_TIMEOUT"), ("stuck", "FLASH_TIMEOUT"), ("worn", "FLASH_FAILED")):
            card.command(f"flash {state}")
            assert MANAGEMENT_STATUS_NAMES[card.update(image("1.0.4"))] == status, state
            card.command("flash well")
            assert card.message(MESSAGE_PING)[0] == MANAGEMENT_STATUS_OK


@nightly
@pytest.mark.parametrize("before_the_end", [35_000, 2_000, 300, 60, 0])
def test_management_firmware_reset_while_the_flash_is_busy(image, tmp_path, before_the_end):
    """The host resets the core so many cycles before an erase ends, which goes on: the same image boots, above the same floor."""
    with Management(tmp_path, {SLOT_A: image(), SLOT_B: image("1.0.1")}, boot_record(SLOT_B, floor=0x01000001)) as card:
        assert card.boots()["slot"] == SLOT_B
        assert card.message(MESSAGE_UPDATE_BEGIN, 4000)[0] == MANAGEMENT_STATUS_OK
        before = card.command("operations")
        card.send(MessageHeader(MESSAGE_UPDATE_DATA, 1, 0).pack() + bytes(64))
        while card.command("operations") == before:
            card.command("run 20")
        card.command(f"run {ERASE_CYCLES - before_the_end}")
        card.write(REGISTER_CORE_CONTROL, CORE_CONTROL_HOLD_MASK)
        card.write(REGISTER_CORE_CONTROL, 0)
        card.command("run 1000")
        assert card.boots() == {"slot": SLOT_B, "a": 0, "b": 0, "kind": BOOT_NORMAL}
        assert Identity.unpack(card.message(MESSAGE_IDENTIFY)[1]).floor == 0x01000001


@nightly
def test_management_firmware_fuzzed_mailbox(image, tmp_path):
    """A thousand requests that nobody meant to write: each is answered, and the firmware lives."""
    with Management(tmp_path, {SLOT_A: image()}) as card:
        card.boots()
        for _ in range(1000):
            data = MessageHeader(random.choice((random.getrandbits(16), random.randrange(12))), 7,
                                 random.choice((0, 8, 5000, random.getrandbits(32)))).pack() + random.randbytes(random.choice((0, 4, 40)))
            card.send(data, random.choice((len(data), random.randint(1, MAILBOX_BYTES))))
            response = card.answer()
            assert response == b"" or MessageHeader.unpack(response[:8]).argument in MANAGEMENT_STATUS_NAMES
            if card.read(REGISTER_CORE_STATUS) & CORE_STATUS_STAGE_MASK != STAGE_RUNNING:
                card.boots()
        assert card.read(REGISTER_CORE_STATUS) >> CORE_STATUS_BITES_SHIFT == 0
