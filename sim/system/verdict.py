# SPDX-License-Identifier: Apache-2.0
"""Whether a demo was a success: every reason why not, as sentences."""
from system.boot import PAGE_BYTES
from system.figures import pages_out

# More than an engine's data path ever moves; a page cannot take fewer cycles than this allows.
WIDEST_BYTES_A_CYCLE = 64
CARD_COUNTERS = (
    "cycles commands completions pages_compressed pages_same_filled pages_incompressible pages_decompressed"
    " compress_bytes_in compress_bytes_out decompress_bytes_in decompress_bytes_out"
    " verify_failures commands_refused commands_failed"
).split()
BRIDGE_COUNTERS = ["bridge_read_bytes", "bridge_write_bytes"]  # of what goes through to the guest, counted outside the card


def failures(figures):
    """Sentences, none for a success."""
    missing = [name for name in CARD_COUNTERS + BRIDGE_COUNTERS if name not in figures.card]
    if missing:
        return [f"the card's counters lack {', '.join(missing)}"]
    missing = [name for name in CARD_COUNTERS if name not in figures.driver_card]
    if missing:
        return [f"the driver shows no {', '.join(missing)} of the card"]
    checks = [*data_checks(figures), *driver_checks(figures), *card_checks(figures)]
    checks += fault_checks(figures) if figures.fault_wanted else healthy_checks(figures)
    checks += firmware_checks(figures) if figures.firmware_wanted else []
    checks += lane_checks(figures) if figures.lane_wanted else []
    return [sentence for good, sentence in checks if not good]


def data_checks(figures):
    hungry = figures.hungry
    yield figures.status == 0, f"the guest's script ended with status {figures.status}"
    yield hungry["wrong"] == 0, f"{hungry['wrong']} pages came back wrong"
    yield 0 < hungry["pages"] <= hungry["checked"], "not every page was compared"
    yield not figures.splats, f"the guest's kernel complained: {(figures.splats or [''])[0]}"
    for way in ("out", "in"):
        yield hungry[way] >= figures.needed, (
            f"only {hungry[way]} pages were swapped {way}, {figures.needed} are needed"
        )


def driver_checks(figures):
    table, ways = figures.table, figures.ways
    for name in ("FailedReads", "FailedWrites", "InvalidIO"):
        yield table[name] == 0, f"the driver counted {name} {table[name]}"
    # The kernel counts a page before the driver sees it and the header's pages not at all, so the
    # driver has seen at least what the program waited for.
    for way, count in (("out", table["NumWrites"]), ("in", table["NumReads"])):
        yield count >= figures.hungry[way], (
            f"the kernel swapped {figures.hungry[way]} pages {way} and the driver saw only {count}"
        )
    yield ways["card_mismatches"] == 0, f"{ways['card_mismatches']} answers of the card were wrong"


def card_checks(figures):
    """What the card says of itself must be possible."""
    card = figures.card
    for name in ("verify_failures", "commands_refused", "commands_failed"):
        yield card[name] == 0, f"the card counted {name} {card[name]}"
    for direction, pages, length, moved in (
        ("compress", card["pages_compressed"], card["compress_bytes_in"], card["bridge_read_bytes"]),
        ("decompress", card["pages_decompressed"], card["decompress_bytes_out"], card["bridge_write_bytes"]),
    ):
        # A card that is killed works on while its counters are read: these before its bytes, and those before the bridge's.
        most = moved if figures.fault else pages * PAGE_BYTES
        yield pages * PAGE_BYTES <= length <= most, f"the card's {direction} bytes ({length}) do not match its pages ({pages})"
    yield card["compress_bytes_out"] < card["compress_bytes_in"], "the card did not compress"
    if figures.engine == "rtl":
        least = (card["compress_bytes_in"] + card["decompress_bytes_out"]) // WIDEST_BYTES_A_CYCLE
        yield card["cycles"] >= least > 0, f"no hardware moves that much in {card['cycles']} cycles"


def healthy_checks(figures):
    ways = figures.ways
    for way, of_card, of_driver in (
        ("out", figures.card_out, ways["card_pages_out"]),
        ("in", figures.card_in, ways["card_pages_in"]),
    ):
        yield of_card >= figures.needed, f"only {of_card} pages went {way} through the card, {figures.needed} are needed"
        # Both count finished pages of the same disk; only what ends between the two looks differs.
        yield 0 < of_driver <= of_card, f"the driver claims {of_driver} pages {way} through a card that counted {of_card}"
    # A page in an engine that breaks is answered with an error.
    for name in ("card_timeouts", "card_resets") if figures.lane else ("card_timeouts", "card_errors", "card_resets"):
        yield ways[name] == 0, f"the driver counted {name} {ways[name]}"


    yield figures.driver_card["present"] == 1, "the driver no longer sees the card"
    for name in CARD_COUNTERS:
        # The driver looked first, and a card's counters only grow.
        read, counted = figures.driver_card[name], figures.card[name]
        yield read <= counted, f"the driver read {name} {read} from a card that counted {counted}"
    for way, read, of_driver in (
        ("out", pages_out(figures.driver_card), ways["card_pages_out"]),
        ("in", figures.driver_card["pages_decompressed"], ways["card_pages_in"]),
    ):
        yield read >= of_driver, f"the driver read {read} pages {way} from the card and claims {of_driver}"


def fault_checks(figures):
    ways, fault = figures.ways, figures.fault
    if fault is None:
        yield False, "the card was not killed: the workload ended too early"
        return
    yield fault.phase == "filling", "the card was killed after the last page was written"
    yield fault.commands > 0, "the card had seen no page when it was killed"
    yield ways["redone_pages"] > 0, "no page was in flight when the card was killed"
    # What the bridge counted is of the moment the card stopped; the kernel's report is older, and the card had gone on.
    read = figures.card["bridge_read_bytes"] // PAGE_BYTES
    later = figures.hungry["out"] - read
    yield later > 0, "no page was written after the card was killed"
    claimed = ways["card_pages_out"]
    yield claimed <= read, f"the driver claims {claimed} pages out through a card that had read {read} when it was killed"
    without_card = ways["software_pages_out"] + ways["direct_pages_out"]
    yield without_card >= later, f"{later} pages were left to write when the card was killed, only {without_card} were written without it"
    yield ways["card_state"] != "ready", "the driver believes that the killed card is ready"
    for way in ("out", "in"):
        yield ways[f"software_pages_{way}"] > 0, f"no page went {way} through software after the card was killed"


def firmware_checks(figures):
    """Of a card whose firmware was killed: everything that a healthy card must do, and these."""
    firmware = figures.firmware
    if firmware is None:
        yield False, "the firmware was not killed: it did not run, or the workload ended too early"
        return
    yield firmware.phase == "filling", "the firmware was killed after the last page was written"
    yield firmware.beats > 0, "the firmware's heart had never beaten when it was killed"
    alive = firmware.beats_at_end != firmware.beats
    yield firmware.revived or not alive, "the firmware's heart went on beating after it was killed"
    yield figures.card_out > firmware.out, "no page went through the card after its firmware died"


def lane_checks(figures):
    """Of a card one of whose engines was broken: everything that a healthy card must do, and these."""
    fault = figures.lane
    if fault is None:
        yield False, "no engine was broken: the firmware did not run, or the workload ended too early"
        return
    yield fault.phase == "filling", "the engine was broken after the last page was written"
    lost = figures.ways["card_errors"]
    yield lost == 1, f"{lost} pages were in the engine when it broke, not 1"
    for event, what in ((f"LANE_ISOLATED {fault.lane} FAULT", "isolated"), (f"LANE_RETURNED {fault.lane} ", "taken back")):
        yield any(f"{entry['event']} ".startswith(event) for entry in figures.events), f"the card's log does not say that lane {fault.lane} was {what}"
    lanes = {lane["number"]: lane for lane in figures.lanes}
    yield fault.lane in lanes and lanes[fault.lane]["resets"] > 0, f"lane {fault.lane} was not reset"
    for lane in figures.lanes:
        yield lane["state"] == "IN_SERVICE", f"lane {lane['number']} is {lane['state']}"
        yield lane["number"] == fault.lane or not lane["resets"], f"lane {lane['number']} was reset, too"
    yield figures.card_out > fault.out, "no page went through the card after the engine broke"
