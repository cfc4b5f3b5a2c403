# SPDX-License-Identifier: GPL-2.0-only
"""The driver on an unmodified kernel, or on the one KERNEL names: each test is a script in guest/, which says what it shows."""
import json
import os
import random
import re
import shutil
import struct
import subprocess
from pathlib import Path

import firmware_images
import pytest
from guest_programs import BACKING, HEADERS, KERNEL, NIGHTLY, SECONDS, compiled, kernel_module, recorded_pages

REPOSITORY = Path(__file__).resolve().parents[2]
WATCHED = KERNEL == "debug"
# What plant_bugs.c can do wrong, and how a kernel complains of it: Debian's of the first, the debug kernel of all. Locks are
# watched until the first complaint that taints the kernel.
BUGS = {
    "warning": "WARNING: .*plant_bugs.*warning",
    "lock-order": "WARNING: possible circular locking dependency",
    "leak": "BUG: memory that nobody holds",
    "use-after-free": "BUG: KASAN: .*use-after-free in use_after_free",
    "write-after-free": "pagealloc: memory corruption",
    "sleep": "BUG: sleeping function called from invalid context",
    "dma": "DMA-API: .*frees DMA memory with different size",
}
RECORDED_PAGES = REPOSITORY / "driver/tests/guest/recorded_pages.sh"
IMAGES = ("plain", "image", "old", "foreign", "flipped")
ORIGIN_MEMORY = 256  # MiB of a guest with an origin


def images(control, folder):
    """Pages as they are, their image, an older one, one of other pages, one with a flipped bit. Returns root, pages, pages not all zeros."""
    kinds = [lambda: bytes(4096), lambda: random.randbytes(4096), lambda: random.randbytes(16) * 256, lambda: random.randbytes(1500).ljust(4096, b"x")]
    draw = lambda count: [random.choice(kinds)() for _ in range(count)]  # noqa: E731
    pages = [*draw(20), *(random.randbytes(4096) for _ in range(30)), *draw(974)]
    old = random.sample(pages, 600) + draw(300)
    for name, held in (("plain", pages), ("older", old), ("others", draw(900))):
        (folder / name).write_bytes(b"".join(held))
    for name, source in (("image", "plain"), ("old", "older"), ("foreign", "others")):
        said = subprocess.run([control, "image", "pack", folder / source, "-o", folder / name, "--json"], check=True, capture_output=True).stdout
        root = json.loads(said)["root"] if name == "image" else root
    flipped = bytearray((folder / "image").read_bytes())
    flipped[int.from_bytes(flipped[24:32], "little") + 1] ^= 1
    (folder / "flipped").write_bytes(flipped)
    return root, len(pages), sum(any(page) for page in pages)


def claim(path, megabytes):
    """An image's header that claims an index of so many megabytes. Returns the device's, which are more."""
    pages = (megabytes << 20) // 44
    path.write_bytes(struct.pack("<8sIIQQII32x", b"PagePres", 1, 4096, megabytes + 1 << 20, 4096, pages, pages).ljust(4096, b"\0"))
    return megabytes + 2


only_on_stock = pytest.mark.skipif(WATCHED, reason="says nothing more under the debug kernel")
# Its KASAN keeps what was freed until somebody allocates who may wait: 80 of 128 MB were seen. Who fills memory to its end is killed then.
only_with_all_memory = pytest.mark.skipif(WATCHED, reason="fills memory to its end, of which the debug kernel keeps some by itself")


def test_kernel_that_complains_fails_the_run(run_in_guest, tmp_path):
    bugs = BUGS if WATCHED else {"warning": BUGS["warning"]}
    run_in_guest("plants_bugs", list(bugs), [kernel_module("plant_bugs", tmp_path)], bugs.values(), CARD="none")


@pytest.mark.parametrize("engine", ["model", "none"])
def test_driver_keeps_every_byte(run_in_guest, check_blocks, some_pages, seed, engine):
    run_in_guest("keeps_every_byte", [seed, engine, 1500 if NIGHTLY else 700], [check_blocks, some_pages], CARD=engine, SMP=2)


def test_driver_keeps_every_byte_behind_an_iommu(run_in_guest, check_blocks, some_pages, seed):
    run_in_guest("keeps_every_byte", [seed, "model", 400], [check_blocks, some_pages], CARD="model", IOMMU=1)


def test_driver_keeps_every_byte_on_the_rtl(run_in_guest, check_blocks, some_pages, seed):
    run_in_guest("keeps_every_byte", [seed, "rtl", 30], [check_blocks, some_pages], CARD="rtl")


def test_driver_survives_races(run_in_guest, race_blocks, seed):
    run_in_guest("survives_races", [seed, 2000], [race_blocks], CARD="model", SMP=2)


def test_what_came_later_wins(run_in_guest, some_pages, seed, fail_calls):
    beside = [some_pages, BACKING, fail_calls]
    run_in_guest("later_wins", [seed], beside, CARD="model", SMP=2, CONTROL=1, MODULES="null_blk")


def test_crypto_requests_are_served(run_in_guest, seed, tmp_path):
    run_in_guest("acomp_serves_requests", [seed], [kernel_module("acomp_requests", tmp_path)], CARD="model", SMP=2, CONTROL=1, MODULES="lzo",
                 PARAMETERS="acomp=1", ARGUMENTS="cryptomgr.notests=0")


@only_on_stock  # it names kernels itself
@pytest.mark.night("test-zswap")
@pytest.mark.parametrize("kernel", ["6.1-generic", "6.12-generic", "7.x"])
def test_zswap_gets_the_card_by_name(kernel, seed):
    done = subprocess.run(["make", "test-zswap", f"KERNEL={kernel}", f"SEED={seed}"], cwd=REPOSITORY, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert f"kernel {kernel}: acomp_card_mismatches 0\n" in done.stdout, done.stdout


def test_slots_come_and_go(run_in_guest, race_blocks, some_pages, recorded, seed, fail_calls):
    beside = [race_blocks, some_pages, recorded, BACKING, fail_calls]
    run_in_guest("slots_come_and_go", [seed, 600], beside, CARD="model", SMP=2, MODULES="null_blk", PROGRAMS="cmp blkdiscard")


def test_driver_refuses_bad_input(run_in_guest, unaligned_io):
    run_in_guest("refuses_bad_input", (), [unaligned_io], CARD="model")


def test_driver_refuses_numbers(run_in_guest):
    run_in_guest("refuses_numbers", (), [BACKING], CARD="none", MODULES="null_blk", MEM="900M")


def test_driver_writes_back(run_in_guest, check_blocks, some_pages, noise, recorded, seed):
    run_in_guest("writes_back", [seed, 500], [check_blocks, some_pages, noise, recorded, BACKING], CARD="model", SMP=2, MEM="384M",
                 MODULES="null_blk", PROGRAMS="cmp")


def test_idle_pages_become_cold(run_in_guest, check_blocks, some_pages, noise, recorded, seed, fail_calls):
    beside = [check_blocks, some_pages, noise, recorded, RECORDED_PAGES, BACKING, fail_calls]
    # Behind small objects the kernel keeps what is no pointer, so that who reads beyond a small table does not find nothing there.
    run_in_guest("recompresses", [seed, 1500 if NIGHTLY else 200], beside, CARD="model", COLD=1, CONTROL=1, SMP=2, MEM="384M", MODULES="null_blk",
                 ARGUMENTS="slub_debug=Z,kmalloc-*", PROGRAMS="cmp")


def test_old_pages_become_cold(run_in_guest, noise, recorded):
    run_in_guest("recompresses_old", (), [noise, recorded, RECORDED_PAGES], CARD="model", COLD=1, CONTROL=1, SMP=2)


# A card that a busy host starves ends pages in another order than they came: beside the model by night alone.
@pytest.mark.parametrize("engine", ["model", "none"] if NIGHTLY else ["none"])
def test_oldest_pages_leave_first(run_in_guest, check_blocks, some_pages, seed, engine, fail_calls):
    beside = [check_blocks, some_pages, BACKING, fail_calls]
    run_in_guest("cleans_oldest", [seed], beside, CARD=engine, SMP=4, MEM="384M", MODULES="null_blk")


def test_copies_to_the_backing_device_do_not_meet(run_in_guest, some_pages, seed, fail_calls):
    run_in_guest("copies_meet", [seed], [some_pages, BACKING, fail_calls], CARD="none", SMP=2, MODULES="null_blk")


def test_pool_budget_follows_the_load(run_in_guest, some_pages, noise, seed):
    run_in_guest("decides_pool_budget", [seed], [some_pages, noise, BACKING], CARD="none", SMP=2, MEM="128M", MODULES="null_blk")


def test_reads_in_flight_tell_no_depth(run_in_guest, some_pages, seed, fail_calls):
    run_in_guest("depths_of_reads", [seed], [some_pages, BACKING, fail_calls], CARD="none", SMP=2, MODULES="null_blk")


def test_swap_at_mem_limit_hangs_nothing(run_in_guest, soak_memory, seed, tmp_path):
    with open(tmp_path / "behind", "wb") as device:
        device.truncate(512 << 20)
    megabytes, cleaned = (160, 10000) if NIGHTLY or WATCHED else (128, 5000)
    run_in_guest("swaps_at_limit", [seed, 60 if NIGHTLY else 8, cleaned], [soak_memory, BACKING], CARD="model", SMP=4, MEM=f"{megabytes}M",
                 MODULES="null_blk", WRITABLE=tmp_path / "behind")


@only_with_all_memory
def test_disk_beside_or_behind_compressed_swap(run_in_guest, seed, tmp_path):
    with open(tmp_path / "disk", "wb") as device:
        device.truncate(256 << 20)
    run_in_guest("second_swap_area", [seed], [compiled("pages_rest", tmp_path)], CARD="none", SMP=2, MEM="104M", WRITABLE=tmp_path / "disk")


def test_full_backing_device_is_searched_once(run_in_guest, some_pages, seed):
    run_in_guest("full_device_is_searched_once", [seed], [some_pages, BACKING], CARD="none", MODULES="null_blk")


def test_streams_are_packed_on_the_backing_device(run_in_guest, noise, copy_pages, seed):
    run_in_guest("packs_streams", [seed, 64 if NIGHTLY else 32], [noise, copy_pages, BACKING], CARD="none", SMP=2, MEM="384M", MODULES="null_blk")


def test_neighbours_are_read_by_one_access(run_in_guest, some_pages, seed, fail_calls):
    run_in_guest("reads_neighbours", [seed], [some_pages, BACKING, fail_calls], CARD="none", SMP=2, MODULES="null_blk")


def test_disk_with_an_arm_is_read_around(run_in_guest, some_pages, seed, fail_calls):
    run_in_guest("reads_around", [seed], [some_pages, BACKING, fail_calls], CARD="none", SMP=2, MODULES="null_blk")


def test_nearly_full_backing_device_takes_writes(run_in_guest, noise, copy_pages, seed):
    run_in_guest("nearly_full_takes_writes", [seed, 3, 150], [noise, copy_pages, BACKING], CARD="none", SMP=4, MODULES="null_blk")


@pytest.mark.night("test-whole")
def test_collectors_work_beside_others(run_in_guest, noise, seed):
    run_in_guest("collects_beside_others", [seed, 40], [noise, BACKING], CARD="none", SMP=4, MEM="192M", MODULES="null_blk",
                 PARAMETERS="devices=2 disksize_mb=64")


def test_backing_device_fails(run_in_guest, some_pages, noise, seed, fail_calls):
    run_in_guest("backing_device_fails", [seed], [some_pages, noise, BACKING, fail_calls], CARD="none", SMP=2, MODULES="null_blk")


def test_page_ios_are_given_back(run_in_guest, some_pages, seed, fail_calls, tmp_path):
    beside = [some_pages, BACKING, fail_calls, compiled("slow_device", tmp_path)]
    run_in_guest("gives_page_ios_back", [seed], beside, CARD="model", SMP=2, CONTROL=1, MODULES="null_blk nbd")


def test_device_that_stands_still_holds_up_no_other_disk(run_in_guest, some_pages, noise, seed, fail_calls, tmp_path):
    beside = [some_pages, noise, BACKING, fail_calls, compiled("slow_device", tmp_path)]
    # Rings so deep that a card is asked for hundreds of pages at once.
    run_in_guest("stands_still", [seed], beside, CARD="model", SMP=2, MODULES="null_blk nbd", PARAMETERS="devices=2 depth=1024 disksize_mb=64")


def test_pages_come_from_an_origin(run_in_guest, built, check_blocks, seed, fail_calls, tmp_path):
    root, pages, filled = images(built("host"), tmp_path)
    # Less than all memory, which the kernel would not try to find, and more than is free. Not where filling it kills somebody: see above.
    claimed = "" if WATCHED else claim(tmp_path / "claims", ORIGIN_MEMORY * 13 // 16)
    files = IMAGES if WATCHED else (*IMAGES, "claims")
    beside = [compiled("slow_device", tmp_path), check_blocks, fail_calls, *(tmp_path / name for name in files)]
    run_in_guest("reads_from_origin", [seed, root, pages, filled, claimed], beside, CARD="model", SMP=2, CONTROL=1, MODULES="nbd",
                 MEM=f"{ORIGIN_MEMORY}M", PARAMETERS="disksize_mb=8", PROGRAMS="cmp")


@pytest.mark.skipif(not WATCHED, reason="make test-debug runs it: only its kernel makes every allocation fail in turn")
def test_commands_survive_failed_allocations(run_in_guest, built, some_pages, seed, tmp_path):
    root, *_ = images(built("host"), tmp_path)
    beside = [some_pages, BACKING, *(tmp_path / name for name in ("plain", "image", "old"))]
    run_in_guest("allocations_fail", [seed, 24, root], beside, CARD="model", COLD=1, MODULES="null_blk", PARAMETERS="depth=16 disksize_mb=64")


@pytest.mark.parametrize("engine", ["model", "none"])
def test_full_pool_loses_nothing(run_in_guest, noise, seed, engine, tmp_path):
    run_in_guest("full_pool_loses_nothing", [seed], [noise, kernel_module("chained_bios", tmp_path)], CARD=engine)


def test_reclaim_gets_its_pages(run_in_guest, noise, seed, tmp_path):
    (tmp_path / "code").write_bytes(recorded_pages("library"))
    # Short of memory the debug kernel waits for bios while it writes pages out, which ends the plug early: how many, the machine's speed
    # decides (half, beside other work). And what watches objects takes the last of memory for itself, so that pages stay where they are,
    # one in fifty or one in five: there only the stock kernel, of which no write fails, says anything of failed writes.
    run_in_guest("reclaim_gets_its_pages", [seed, *((25, 100) if WATCHED else (70, 0))], [noise, tmp_path / "code"], CARD="model", MEM="128M",
                 PARAMETERS="disksize_mb=256")


@only_with_all_memory
def test_full_memory_hangs_nothing(run_in_guest, soak_memory, some_pages, seed):
    """The one cell in which a codec held over an allocation hangs the machine at once; `driver/tests/two-disks` runs nine."""
    run_in_guest("two_disks", [seed, 44, 16, 1, "plain", "none"], [soak_memory, some_pages], CARD="none", MEM="128M",
                 PARAMETERS="devices=2 disksize_mb=64")


@only_with_all_memory
def test_swap_behind_other_threads_hangs_nothing(run_in_guest, soak_memory, some_pages, seed):
    """Swap on dm-crypt: a thread that is no reclaim to the kernel writes in its place."""
    run_in_guest("two_disks", [seed, 44, 16, 1, "plain", "none", "crypt"], [soak_memory, some_pages], CARD="none", MEM="128M",
                 PARAMETERS="devices=2 disksize_mb=64", MODULES="dm-crypt", PROGRAMS="dmsetup")


@only_with_all_memory
def test_swap_before_another_disk_hangs_nothing(run_in_guest, soak_memory, some_pages, seed):
    """Swap's backing device is dm-crypt over a disk of ours: that thread writes in the place of our cleaner."""
    run_in_guest("two_disks", [seed, 36, 16, 1, "plain", "none", "before"], [soak_memory, some_pages], CARD="none", MEM="128M",
                 PARAMETERS="devices=3 disksize_mb=64", MODULES="dm-crypt", PROGRAMS="dmsetup")


def test_driver_swaps_and_frees(run_in_guest, recorded):
    run_in_guest("swaps_and_frees", (), [recorded], CARD="model", MEM="104M", PROGRAMS="cmp", PARAMETERS="disksize_mb=256")


def test_card_leaves_and_returns(run_in_guest, check_blocks, seed):
    run_in_guest("card_leaves_and_returns", [seed, 300], [check_blocks],
                 CARD="model", SMP=2, PARAMETERS="devices=2 disksize_mb=64")


@only_with_all_memory
def test_rings_deeper_than_memory_are_refused(run_in_guest, some_pages, seed):
    run_in_guest("deep_rings", [seed], [some_pages], CARD="model", SMP=4, MEM="128M", PARAMETERS="disksize_mb=32")


def test_queues_are_weighed(run_in_guest, check_blocks, seed):
    run_in_guest("weighs_queues", [seed], [check_blocks, REPOSITORY / "driver/docs/sysfs-bus-pci-pagepress"], CARD="model", SMP=2,
                 PARAMETERS="disksize_mb=64")


def test_card_leaves_nothing_behind(run_in_guest, some_pages, seed, fail_calls):
    # What is free is overwritten at once, so that nobody gets far with it.
    run_in_guest("card_leaves_nothing", [seed, WATCHED], [some_pages, fail_calls], CARD="model", SMP=2,
                 CONTROL=1, ARGUMENTS="slub_debug=FP,kmalloc-*")


def test_card_on_a_chip_is_as_one_on_a_bus(run_in_guest, check_blocks, some_pages, fail_calls, seed, tmp_path):
    """As a platform device, whose interrupts are levels; every byte crosses bounce buffers, so what is not made known to the card
    or to the CPU, as a system that is not coherent needs it, is wrong."""
    beside = [check_blocks, some_pages, fail_calls, kernel_module("card_on_chip", tmp_path)]
    run_in_guest("card_on_a_chip", [seed, 300], beside, CARD="model", SMP=2, CONTROL=1, ARGUMENTS="swiotlb=8192,force",
                 PARAMETERS="devices=2 disksize_mb=64")


def test_card_comes_back(run_in_guest, check_blocks, seed):
    run_in_guest("card_comes_back", [seed, 300, 61 if NIGHTLY else 0], [check_blocks],
                 CARD="model", SMP=2, CONTROL=1, PARAMETERS="devices=2 disksize_mb=64")


def test_errors_of_the_bus_lose_nothing(run_in_guest, check_blocks, seed):
    run_in_guest("bus_errors", [seed, 300], [check_blocks],
                 CARD="model", SMP=2, MONITOR=1, CONTROL=1, PARAMETERS="devices=2 disksize_mb=64")


def test_disks_come_and_go(run_in_guest, check_blocks, seed):
    run_in_guest("disks_come_and_go", [seed, 300], [check_blocks], CARD="model", SMP=2)


def test_timeout_resets_the_card(run_in_guest, check_blocks, seed):
    run_in_guest("timeout_resets_the_card", [seed, 15], [check_blocks], CARD="rtl")


def test_answers_of_the_card_are_checked(run_in_guest, tmp_path, seed, fail_calls):
    beside = [fail_calls, *(compiled(name, tmp_path) for name in ("some_pages", "change_while_written"))]
    run_in_guest("answers_are_checked", [seed], beside, CARD="model", CONTROL=1)


def test_interrupts_without_end_stop_nothing(run_in_guest, some_pages, seed):
    run_in_guest("interrupts_without_end", [seed], [some_pages], CARD="model", CONTROL=1)


@only_on_stock  # whose instructions the bound counts: every lock of the debug kernel costs several times as many
def test_nobody_waits_for_the_card(run_in_guest, some_pages, fail_calls, tmp_path):
    run_in_guest("nobody_waits_for_the_card", (), [some_pages, fail_calls, compiled("reads_behind_writes", tmp_path)], CARD="model", SMP=2,
                 CONTROL=1, ICOUNT=1, PARAMETERS="card_wait_ms=8")


def test_driver_shows_what_happens(run_in_guest, fail_calls, tmp_path):
    beside = [compiled("some_pages", tmp_path), fail_calls,
              REPOSITORY / "driver/docs/sysfs-block-pagepress"]
    run_in_guest("shows_what_happens", (), beside, CARD="model", CONTROL=1, MODULES="null_blk")


def test_driver_looks_after_firmware(run_in_guest, some_pages, built, seed, tmp_path):
    built("firmware")
    beside = [some_pages, built("host"), REPOSITORY / "driver/docs/sysfs-bus-pci-pagepress", REPOSITORY / "rtl/interface/generated/management.md",
              *firmware_images.images(tmp_path)]
    run_in_guest("looks_after_firmware", [seed], beside, CARD="model", SMP=2, CONTROL=1)


@pytest.mark.night("test-whole")
def test_driver_waits_for_a_slow_boot(run_in_guest, some_pages, seed):
    run_in_guest("waits_for_boot", [seed], [some_pages], CARD="rtl", CONTROL=1)


def test_driver_distrusts_firmware(run_in_guest, some_pages, built, seed, tmp_path):
    built("firmware")
    newer = tmp_path / "image-newer"
    newer.write_bytes(firmware_images.made(tmp_path / "newer", "1.1.0"))
    run_in_guest("distrusts_firmware", [seed, 6 if NIGHTLY else 2], [some_pages, built("host"), newer], CARD="model", SMP=2, CONTROL=1)


def test_driver_withstands_hostile_firmware(run_in_guest, recorded, built):
    """One harm, all of them at night."""
    harms = ["writes", "mailbox", "lanes", "log", "floor"] if NIGHTLY else ["lanes"]
    run_in_guest("withstands_hostile_firmware", harms, [built("host"), recorded], CARD="model", SMP=2, MEM="104M", CONTROL=1, PROGRAMS="cmp")


@only_on_stock  # `make test-debug` runs the matrix by itself
def test_faults_of_the_card_lose_nothing(products, seed):
    """Some rows of the fault matrix, one for each way in which a fault is noticed; `make test-system` runs all of it."""
    rows = ["lost-completion", "corrupted-data", "verify-failed", "dead-card", "reset-refused", "bus-error", "suspend", "no-memory", "pool-full",
            "backing-error", "around-error", "origin-dead", "image-swapped"]
    command = [REPOSITORY / "driver/tests/fault-matrix", f"SEED={seed}", "LOADS=idle", *rows]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == "fault matrix: 39 of 39 cells ok, guest's status 0"


@only_on_stock
@pytest.mark.night("test-whole")
def test_real_programs_find_every_byte_right(products, seed):
    """fio, stress-ng and programs in memory cgroups, shortly, behind an IOMMU; `make test-integrity` does more and elsewhere."""
    command = [REPOSITORY / "driver/tests/integrity", f"SEED={seed}", "SHORT=1", "MACHINES=iommu"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == "integrity: 3 of 3 ok"


def test_two_disks_refuses_bad_input():
    for words, phrase in ((["nonsense"], "unknown cell or option nonsense"), (["TIMEOUT=long"], "TIMEOUT=long is no whole number")):
        done = subprocess.run([REPOSITORY / "driver/tests/two-disks", *words], capture_output=True, text=True)
        assert done.returncode == 2 and phrase in done.stderr and done.stderr.count("\n") == 1, done


def test_integrity_refuses_bad_input():
    for words, phrase in ((["nonsense"], "unknown scenario or option nonsense"), (["MACHINES=abacus"], "MACHINES are of model")):
        done = subprocess.run([REPOSITORY / "driver/tests/integrity", *words], capture_output=True, text=True)
        assert done.returncode == 2 and phrase in done.stderr and done.stderr.count("\n") == 1, done


@only_on_stock
def test_written_pages_cost_little(products):
    """Of software's instructions at most 58.5 % go into a page that the card compresses, as the driver is by default and decompresses
    every stream again; at most 26.5 % where a card's decompressor does, at most 22.9 % with verify_streams=sampled. In bios of 32 pages: what is done for each page of a bio shows."""
    done = subprocess.run([REPOSITORY / "driver/tests/write-cost", "ROUNDS=1"], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    shares = dict(re.findall(r"^(card, as it is by default|card, verify_streams=\w+|software LZO) +[0-9,]+ +([0-9.]+)%$", done.stdout, re.M))
    assert 2 < float(shares["card, verify_streams=sampled"]) <= 22.9 < float(shares["card, verify_streams=card"]) <= 26.5, done.stdout
    assert 26.5 < float(shares["card, as it is by default"]) <= 58.5, done.stdout
    doorbells, interrupts = re.search(r"doorbells a page ([0-9.]+), interrupts a page ([0-9.]+)", done.stdout).groups()
    # How many completions share an interrupt for their age is up to the host.
    assert 0 < float(doorbells) <= 0.15 and 0 < float(interrupts) <= 0.25, done.stdout


def test_recompress_cost_refuses_bad_input():
    for words, phrase in ((["nonsense"], "unknown argument nonsense"), (["PAGES=nowhere"], "nowhere is no file")):
        done = subprocess.run([REPOSITORY / "driver/tests/recompress-cost", *words], capture_output=True, text=True)
        assert done.returncode == 1 and phrase in done.stderr and done.stderr.count("\n") == 1, done


def test_fault_matrix_refuses_bad_input():
    for words, phrase in ((["nonsense"], "unknown fault or option nonsense"), (["LOADS=much"], "LOADS `idle`, `load`"), (["STOP=now"], "STOP=now is neither"),
                          (["CARD=abacus"], "CARD=abacus is neither of model and rtl"), (["WAYS=sideways"], "WAYS are of out in back"),
                          (["4/3"], "there is no part 4 of 3"),
                          (["CARD=rtl", "lane-broken", "firmware-hung"], "this card cannot show lane-broken ("),
                          (["CARD=rtl", "LEVEL=axi", "firmware-hung"], "this card cannot show firmware-hung (")):
        done = subprocess.run([REPOSITORY / "driver/tests/fault-matrix", *words], capture_output=True, text=True)
        assert done.returncode == 2 and phrase in done.stderr and done.stderr.count("\n") == 1, done


def test_fault_matrix_goes_on_where_it_was(tmp_path):
    """Rows whose cells are all ok in KEEP's file are not run again; another machine's cells, or what is no cell, are refused."""
    kept = tmp_path / "cells"
    command = [REPOSITORY / "driver/tests/fault-matrix", f"KEEP={kept}", "LOADS=idle", "fatal"]
    machine = f"card model, level none, kernel {KERNEL}\n"
    kept.write_text(machine + "".join(f"fatal {way} idle 3 {verdict}\n" for way, verdict in
                                      (("out", "FAILED: did not strike"), ("out", "ok"), ("in", "ok"), ("back", "ok"))))
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "fault matrix: 3 of 3 cells ok, guest's status 0", done
    assert re.search(r"^fatal +ok +ok +ok$", done.stdout, re.M), done.stdout
    for text, phrase in (("card rtl, level pcie, kernel 6.1\n", "has cells of another machine"), (machine + "fatal out idle\n", "is no cell")):
        kept.write_text(text)
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        assert done.returncode == 2 and phrase in done.stderr and done.stderr.count("\n") == 1, done


def driver_of_other_interface(module, **changes):
    """Makes the built driver again in the folder `module`, from a header with `changes`: of each name a pattern of its value, and what
    replaces it. Only what mentions these names is compiled; the other objects are the built driver's. The module."""
    origin = REPOSITORY / f"build/driver{'' if KERNEL == '6.1' else f'-{KERNEL}'}"
    shutil.copytree(origin, module, symlinks=True)
    for path in module.rglob("*"):  # kbuild compares its commands, which name folders
        if path.suffix in (".cmd", ".mod", ".order"):
            path.write_text(path.read_text().replace(str(origin), str(module)))
    header = module / "pagepress_interface.h"
    text, written = header.read_text(), header.stat()
    for name, (pattern, replacement) in changes.items():
        text, count = re.subn(rf"({name}\s+){pattern}", rf"\g<1>{replacement}", text)
        assert count == 1, name
    header.unlink()
    header.write_text(text)
    os.utime(header, ns=(written.st_atime_ns, written.st_mtime_ns))
    mentions = [path for path in module.rglob("*.[ch]") if path != header and re.search(rf"PAGEPRESS_({'|'.join(changes)})\b", path.read_text())]
    assert mentions and all(path.suffix == ".c" for path in mentions), mentions
    for path in mentions:
        path.with_suffix(".o").unlink()
    subprocess.run(["make", "-s", "-C", HEADERS, f"M={module}", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["strip", "--strip-debug", module / "pagepress.ko"], check=True)
    return module / "pagepress.ko"


OTHER_HASH = {"HASH_LOW_VALUE": ("0x[0-9a-f]+u", "0xbadbadu")}


def test_other_interface_is_refused(run_in_guest, check_blocks, seed, tmp_path):
    module = driver_of_other_interface(tmp_path / "module", **OTHER_HASH)
    run_in_guest("other_interface_is_refused", [seed], [check_blocks, module], CARD="model")


def test_older_card_is_taken(run_in_guest, check_blocks, some_pages, seed, tmp_path):
    """To a driver of the next minor version, which looks elsewhere for PUSH and WEIGHTS, the card is one of an older version without."""
    module = driver_of_other_interface(tmp_path / "module", **OTHER_HASH, VERSION_MINOR=(r"\d+u", "99u"),
                                       CAPABILITIES_PUSH_MASK=("0x[0-9a-f]+u", "0x80000000u"),
                                       CAPABILITIES_WEIGHTS_MASK=("0x[0-9a-f]+u", "0x40000000u"))
    run_in_guest("older_card_is_taken", [seed], [check_blocks, some_pages, module], CARD="model")
