# SPDX-License-Identifier: Apache-2.0
"""pagepressctl doctor: each thing that can be wrong, on a machine on which nothing else is."""

import random

import pytest


@pytest.fixture
def healthy(machine):
    """A machine whose card does its work and whose disk is swap."""
    machine.disk(0, OrigDataSize=3 << 20, MemUsedTotal=1 << 20)
    machine.card()
    machine.firmware()
    machine.swap("/dev/pagepress0", 100)
    return machine


def figure(name, value):
    return lambda machine: machine.put(f"block/pagepress0/{name}", value)


def state(word):
    return figure("pagepress/card_state", word)


def parameter(name, value):
    return lambda machine: machine.put(f"module/pagepress/parameters/{name}", value)


def without(path, elsewhere="elsewhere"):
    return lambda machine: (machine.sysfs / path).rename(machine.folder / elsewhere)


def firmware(**values):
    return lambda machine: machine.firmware(**values)


def identity(**values):
    return lambda machine: machine.identity(**values)


def mute(machine):
    """What cannot be read stands for an answer that does not come."""
    (machine.sysfs / "bus/pci/devices/0000:01:00.0/management/identity").unlink()
    (machine.sysfs / "bus/pci/devices/0000:01:00.0/management/identity").mkdir()


def many(*steps):
    return lambda machine: [step(machine) for step in steps]


# fmt: off
# name: what is wrong; exit status; severity; words of its line.
FAULTS = {
    "no module": (many(without("module/pagepress"), without("block/pagepress0", "disk")),
                  7, "error", "module pagepress is not loaded -> modprobe pagepress"),
    "no disk": (without("block/pagepress0"), 6, "warning", "there is no disk -> pagepressctl setup"),
    "no card": (without("bus/pci/devices/0000:01:00.0"), 6, "warning", "no card on the bus"),
    "another card": (many(lambda machine: machine.put("bus/pci/devices/0000:01:00.0/device", "0x5053"),
                          without("bus/pci/drivers/pagepress/0000:01:00.0")), 6, "warning", "no card on the bus"),
    "no driver": (without("bus/pci/devices/0000:01:00.0/driver"), 7, "error", "no driver has this card -> dmesg"),
    "lanes": (many(lambda machine: machine.put("bus/pci/devices/0000:01:00.0/current_link_width", 4),
                   lambda machine: machine.put("bus/pci/devices/0000:01:00.0/max_link_width", 16)), 0, "note", "4 of 16 lanes"),
    "forbidden": (many(state("forbidden"), parameter("card", "N")), 6, "warning", "card=N"),
    "dead": (state("dead"), 7, "error", "dead: stopped after a failure"),
    "stopped": (state("stopped"), 6, "warning", "stopped: suspended"),
    "starting": (state("starting"), 0, "note", "it starts"),
    "late seldom": (figure("pagepress/card_late", 1), 0, "note", "card_late: 1 "),
    "late often": (figure("pagepress/card_late", 2**50), 6, "warning", "came too late"),
    "mismatches": (figure("pagepress/card_mismatches", 1), 7, "error", "do not trust the card"),
    "mismatches of the crypto API": (figure("pagepress/acomp_card_mismatches", 1), 7, "error", "acomp_card_mismatches: 1 "),
    "errors of the crypto API": (figure("pagepress/acomp_card_errors", 7), 6, "warning", "acomp_card_errors: 7 "),
    "errors": (figure("pagepress/card_errors", 12), 6, "warning", "card_errors: 12 "),
    "timeouts": (figure("pagepress/card_timeouts", 3), 6, "warning", "raise timeout_ms"),
    "resets": (figure("pagepress/card_resets", 3), 6, "warning", "card_resets: 3 "),
    "verify failures": (figure("card/verify_failures", 1), 6, "warning", "the card's own check"),
    "memory short": (figure("pagepress/memory_short_pages", 1), 0, "note", "watermark_scale_factor"),
    "little by the card": (many(figure("pagepress/card_pages_out", 10), figure("pagepress/software_pages_out", 5000)),
                           6, "warning", "rings were full"),
    "short of memory": (many(figure("pagepress/card_pages_out", 10), figure("pagepress/software_pages_out", 5000),
                             figure("pagepress/memory_short_pages", 4995)), 0, "note", "4995 pages a CPU did because memory was short"),
    "nothing written": (figure("pagepress/NumWrites", 0), 0, "note", "no page has been written yet"),
    "reads by the CPU": (parameter("read_path", "cpu"), 0, "note", "no page read goes through the card"),
    "proven by the card": (parameter("verify_streams", "card"), 0, "note", "verifier and decompressor are wrong alike can lose pages"),
    "sampled": (parameter("verify_streams", "sampled"), 0, "note", "compressor and verifier are wrong together can lose pages until"),
    "unproven": (parameter("verify_streams", "none"), 0, "note", "can lose every page"),
    "other version": (figure("card/interface", "1.0 0000000000000000"), 0, "note", "1.0 0000000000000000"),
    "file missing": (without("block/pagepress0/pagepress/card_late"), 7, "error", "card_late: missing"),
    "zswap": (lambda machine: machine.put("module/zswap/parameters/enabled", "Y"), 6, "warning", "zswap is on"),
    "pool full": (many(figure("mem_limit", 1 << 20), figure("pagepress/MemUsedTotal", (1 << 20) - 4096)),
        6, "warning", "1020 KiB of mem_limit 1 MiB"),
    "failed writes": (figure("pagepress/FailedWrites", 5), 6, "warning", "5 writes failed; swap kept those pages"),
    "failed reads": (figure("pagepress/FailedReads", 1), 7, "error", "pages are lost"),
    "incompressible": (many(figure("pagepress/OrigDataSize", 100 << 20), figure("pagepress/MemUsedTotal", 100 << 20)),
        0, "note", "hardly compress"),
    "write-back limit": (many(figure("backing_dev", "/dev/vdb"), figure("writeback_limit_enable", 1)),
        6, "warning", "writeback_limit is used up"),
    "backing errors": (many(figure("backing_dev", "/dev/vdb"), figure("pagepress/backing_errors", 2)),
        7, "error", "2 requests failed on /dev/vdb"),
    "backing full": (many(figure("backing_dev", "/dev/vdb"), figure("bd_stat", "1000 0 0"),
                          lambda machine: machine.put("class/block/vdb/size", 8000)), 6, "warning", "/dev/vdb is full"),
    "no size": (figure("disksize", 0), 0, "note", "no size yet -> pagepressctl setup pagepress0"),
    "firmware boots": (firmware(state="starting"), 0, "note", "its firmware boots"),
    "firmware silent": (firmware(state="silent"), 6, "warning", "its firmware is silent, and the driver restarts it"),
    "firmware dead": (firmware(state="dead"), 6, "warning", "its firmware is dead"),
    "firmware unreachable": (firmware(state="unreachable"), 6, "warning", "its firmware is unreachable"),
    "firmware not looked at": (firmware(state="away"), 0, "note", "is not looked at: the card is suspended"),
    "firmware mute": (mute, 6, "warning", "management/identity: Is a directory -> echo restart >"),
    "firmware on trial": (identity(trial=1, slot="B"), 0, "note", "of slot B is on trial: it has not confirmed itself yet, and any restart until then boots slot A"),
    "firmware fell back": (many(firmware(boot_kind="FALLBACK"), identity(other_status="IMAGE_TRIAL_FAILED")), 6, "warning", "(slot B: IMAGE_TRIAL_FAILED)"),
    "firmware waits": (identity(next_slot="B"), 0, "note", "the image of slot B waits for the firmware's next restart"),
    "firmware restarted": (firmware(firmware_resets=3, watchdog_resets=2), 0, "note", "restarted 3 times by the driver and 2 times by its watchdog"),
    "firmware refused": (firmware(update_status="IMAGE_BAD_SIGNATURE"), 0, "note", "ended with IMAGE_BAD_SIGNATURE"),
    "hot": (firmware(throttle=2), 6, "warning", "it is hot, and slows down: step 2 of 3"),
    "other swap first": (lambda machine: machine.swap("/dev/sda2", 200), 6, "warning", "swap goes to /dev/sda2 first"),
}
# fmt: on


# What is not wrong yet: as far as it may go.
NEARLY = {
    "pool": many(figure("mem_limit", 1 << 20), figure("pagepress/MemUsedTotal", (1 << 20) * 94 // 100)),
    "backing device": many(figure("backing_dev", "/dev/vdb"), figure("bd_stat", "949 0 0"), lambda machine: machine.put("class/block/vdb/size", 8000)),
    "another swap": lambda machine: machine.swap("/dev/sda2", 100),
    "half by software": many(figure("pagepress/card_pages_out", 5000), figure("pagepress/software_pages_out", 5000)),
    "few pages": many(figure("pagepress/card_pages_out", 0), figure("pagepress/software_pages_out", 999)),
    "late": many(figure("pagepress/card_late", 10), figure("pagepress/card_pages_out", 900), figure("pagepress/card_pages_in", 90)),
    "write-back limit": many(figure("backing_dev", "/dev/vdb"), figure("writeback_limit_enable", 1), figure("writeback_limit", 1)),
    "write-back limit off": figure("backing_dev", "/dev/vdb"),
}
BEYOND = {
    "pool": figure("pagepress/MemUsedTotal", (1 << 20) * 96 // 100),
    "backing device": figure("bd_stat", "950 0 0"),
    "half by software": figure("pagepress/software_pages_out", 5001),
    "few pages": figure("pagepress/software_pages_out", 1000),
    "late": figure("pagepress/card_late", 11),
}


@pytest.mark.parametrize("name", NEARLY)
def test_control_doctor_warns_no_earlier(healthy, name):
    NEARLY[name](healthy)
    done = healthy.run("doctor", "--quiet")
    assert (done.returncode, done.stdout) == (0, ""), done
    if name in BEYOND:
        BEYOND[name](healthy)
        assert healthy.run("doctor", "--quiet").returncode == 6


def test_control_doctor_of_a_healthy_machine(healthy):
    done = healthy.run("doctor")
    assert done.returncode == 0 and all(line.startswith("good ") for line in done.stdout.splitlines()), done
    for words in ("ready", "compressed 90 % of 1k pages that it could have had", "swap, priority 100"):
        assert words in done.stdout
    assert healthy.run("doctor", "--quiet").stdout == ""
    assert healthy.json("doctor", "--json")["verdict"] == "good"


@pytest.mark.parametrize("name", FAULTS)
def test_control_doctor_finds(healthy, name):
    break_it, status, severity, words = FAULTS[name]
    break_it(healthy)
    done = healthy.run("doctor")
    assert done.returncode == status and done.stderr == "", done
    (line,) = [line for line in done.stdout.splitlines() if words in line]
    assert line.startswith(f"{severity} ")
    # Nothing else is wrong.
    worse = [line for line in done.stdout.splitlines() if line.split()[0] in ("error", "warning")]
    assert len(worse) == (severity in ("error", "warning")), done.stdout
    assert healthy.run("doctor", "--quiet").stdout.splitlines() == worse
    found = healthy.json("doctor", "--json", status=status)
    assert [one["severity"] for one in found["findings"] if words.split(" -> ")[0] in one["what"] + one["next"]] == [severity]
    assert all(one["next"] for one in found["findings"] if one["severity"] in ("error", "warning"))


def test_control_doctor_counts_the_pages_of_all_disks(healthy):
    """Each disk counts what a card did for it; what cards have in common counts once."""
    for number in (1, 4):
        healthy.disk(number, OrigDataSize=3 << 20, MemUsedTotal=1 << 20)
        healthy.swap(f"/dev/pagepress{number}", 100)
    assert "compressed 90 % of 3k pages" in healthy.run("doctor").stdout
    wrong = {0: 0, 1: random.randrange(1, 100), 4: random.randrange(1, 100)}
    for number, count in wrong.items():
        healthy.put(f"block/pagepress{number}/pagepress/card_mismatches", count)
        healthy.put(f"block/pagepress{number}/pagepress/card_errors", 2 * count)
        healthy.put(f"block/pagepress{number}/pagepress/card_resets", 3)
    said = healthy.run("doctor", "--quiet").stdout.splitlines()
    for line, words in zip(said, (f"card_mismatches: {sum(wrong.values())} answers", f"card_errors: {2 * sum(wrong.values())} pages", "card_resets: 3 times"), strict=True):
        assert words in line
    for name, value in {"card_pages_out": 10, "software_pages_out": 99990}.items():
        healthy.put(f"block/pagepress4/pagepress/{name}", value)
    assert "rings were full" in healthy.run("doctor").stdout


@pytest.mark.parametrize("ours, others, which, priority", [
    (50, [200], "other", 49), (1, [2], "other", 0), (0, [5], "disk", 100), (-3, [-2], "disk", 100), (-4, [-2, 300], "disk", 301), (-2, [32767], "disk", 32767),
])  # fmt: skip
def test_control_doctor_advises_priorities_that_there_are(healthy, ours, others, which, priority):
    """swapon takes none below 0, and so puts nothing below a disk to which the kernel gave its own; what is advised is enough."""
    healthy.swaps.clear()
    healthy.swap("/dev/pagepress0", ours)
    for number, other in enumerate(others):
        healthy.swap(f"/dev/sda{number}", other)
    findings = [finding for finding in healthy.json("doctor", "--json", status=6)["findings"] if finding["severity"] == "warning"]
    assert len(findings) == len(others)
    for number, finding in enumerate(findings):
        node = {"disk": f"{healthy.dev}/pagepress0", "other": f"/dev/sda{number}"}[which]
        assert finding["next"] == f"swapoff {node}; swapon --priority {priority} {node}"
    healthy.swaps.clear()
    healthy.swap("/dev/pagepress0", priority if which == "disk" else ours)
    for number, other in enumerate(others):
        healthy.swap(f"/dev/sda{number}", priority if which == "other" else other)
    assert healthy.run("doctor", "--quiet").stdout == ""


def test_control_doctor_tells_the_worst_first(healthy):
    chosen = random.sample(("dead", "late often", "zswap", "sampled", "failed reads"), 4)
    for name in chosen:
        FAULTS[name][0](healthy)
    order = ["error", "warning", "note", "good"]
    said = [line.split()[0] for line in healthy.run("doctor").stdout.splitlines()]
    assert said == sorted(said, key=order.index)
    assert healthy.run("doctor").returncode == max(FAULTS[name][1] for name in chosen)
