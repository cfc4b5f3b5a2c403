# SPDX-License-Identifier: Apache-2.0
"""Figures of runs that never happened, for the tests of verdict and screen."""
from dataclasses import replace

from system.dataset import Contents
from system.figures import Fault, Figures, FirmwareFault, LaneFault

TABLE = dict(
    NumReads=9700, NumWrites=14200, FailedReads=0, FailedWrites=0, InvalidIO=0, NotifyFree=321, ZeroPages=90,
    GoodCompress=6000, NoCompress=500, PagesStored=9000, PagesUsed=4100, OrigDataSize=9000 * 4096,
    ComprDataSize=9000 * 1800, MemUsedTotal=4100 * 4096,
)  # fmt: skip
WAYS = dict(
    card_pages_out=13000, card_pages_in=9000, software_pages_out=1000, software_pages_in=0, direct_pages_out=200,
    direct_pages_in=700, redone_pages=0, card_timeouts=0, card_errors=0, card_mismatches=0, card_resets=0,
    notify_free_misses=0, card_state="ready",
)  # fmt: skip
CARD = dict(
    cycles=60_000_000, commands=22000, completions=22000, pages_compressed=12000, pages_same_filled=0,
    pages_incompressible=1000, pages_decompressed=9000, compress_bytes_in=12000 * 4096,
    compress_bytes_out=12000 * 1700, decompress_bytes_in=9000 * 1650, decompress_bytes_out=9000 * 4096,
    verify_failures=0, commands_refused=0, commands_failed=0, bridge_read_bytes=13500 * 4096, bridge_write_bytes=14500 * 4096,
)  # fmt: skip
DATA = Contents(39744, 1312, {"text": 7948, "shared libraries": 23846, "C headers": 7950})
HUNGRY = {"pages": 20000, "checked": 26000, "wrong": 0, "out": 14100, "in": 9700}


def healthy():
    return Figures(
        engine="rtl", level="pcie", status=0, hungry=dict(HUNGRY), table=dict(TABLE), ways=dict(WAYS), driver_card={"present": 1, **CARD, "cycles": 59_000_000},
        card=dict(CARD), needed=8000, data=DATA, seconds=123.4,
    )  # fmt: skip


def killed():
    figures = healthy()
    figures.ways.update(card_pages_out=2100, card_pages_in=0, software_pages_out=11900, software_pages_in=9000, redone_pages=17, card_state="none")
    figures.card.update(
        commands=2150, completions=2130, pages_compressed=2000, pages_incompressible=130, pages_decompressed=0,
        compress_bytes_in=2000 * 4096, compress_bytes_out=2000 * 1700, decompress_bytes_in=0, decompress_bytes_out=0,
        bridge_read_bytes=2160 * 4096,
    )  # fmt: skip
    figures.driver_card.update(dict.fromkeys(figures.driver_card, 0))
    return replace(figures, fault=Fault(2150, 2200, "filling"), fault_wanted=True)


def without_firmware(revived=False):
    """A healthy run whose card's firmware was killed, and revived or not."""
    return replace(healthy(), firmware=FirmwareFault(2200, "filling", 40, 70 if revived else 40, revived), firmware_wanted=True)


def with_a_bad_lane():
    """A healthy run in which lane 2 of four broke with a page in it, and came back."""
    figures = healthy()
    figures.ways.update(card_errors=1)
    lanes = [{"number": number, "kind": "COMPRESS" if number > 1 else "DECOMPRESS", "state": "IN_SERVICE", "cause": "FAULT" if number == 2 else "NONE",
              "failures": int(number == 2), "resets": int(number == 2)} for number in range(4)]  # fmt: skip
    events = [{"number": number, "milliseconds": 4000 + number, "severity": "INFO", "event": event} for number, event in
              enumerate(("CORE_RESET HOST", "LANE_ISOLATED 2 FAULT", "LANE_RETURNED 2 vectors 4"))]  # fmt: skip
    return replace(figures, engine="model", level="none", lane=LaneFault(2, 2200, "filling"), lane_wanted=True, lanes=lanes, events=events)
