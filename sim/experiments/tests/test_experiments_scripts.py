# SPDX-License-Identifier: Apache-2.0
"""What guests' scripts make of what kernel and programs tell them."""
import hashlib
import subprocess

import pytest
from experiments import ROOM, TOOLS, data, scenario
from guest_on_host import run_script

MEMINFO = "AnonPages: 10 kB\nCached: 20 kB\nMemFree: 30 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n"
PLAIN_DISK = {"swap_seek_ms": 0, "swap_mb": 1}
DISK_WITH_ARM = {"swap_seek_ms": 1, "swap_mb": 1}
BUSY = "/sys/module/disk_with_arm/parameters/busy_us"


def kernel(stat="1 0 8 0 10 0 800 0", vmstat="", **more):
    """Files of a guest whose disk was asked for so much."""
    return {
        "/proc/meminfo": MEMINFO, "/proc/uptime": "5.0 1.0\n", "/proc/pressure/memory": "full avg10=0.00 total=0\n",
        "/proc/vmstat": "pswpin 5\npswpout 60\npgmajfault 7\noom_kill 0\n" + vmstat, "/sys/block/vdc/stat": stat + "\n", "/sys/block/vdb/stat": "3 0 0\n",
        BUSY: "4000\n", "/sys/module/disk_with_arm/parameters/read_accesses": "2\n", "/sys/module/disk_with_arm/parameters/write_accesses": "4\n",
        **more,
    }  # fmt: skip


def swap_cache(tmp_path, kind, vmstat="", written_back="0", program="sort", files=None, **programs):
    settings = PLAIN_DISK | {"swap_kind": kind, "program": program, "instances": 2, "fft_mb": 1, "text_mb": 1, "circuit": "ladder", "film_s": 1, "cache_mb": 1}
    files = kernel(vmstat=vmstat) | {"/debian/data/lines.txt": "b\na\n"} | (files or {})
    for name in ("stored_pages", "pool_total_size", "written_back_pages"):
        files[f"/sys/kernel/debug/zswap/{name}"] = written_back + "\n" if name == "written_back_pages" else "1\n"
    return run_script("swap-cache.sh", tmp_path, settings, {"sort": "cat", **programs}, files)


@pytest.mark.parametrize("kind, swaps", [("none", []), ("disk", ["/dev/mapper/swap"]), ("pagepress", ["/dev/mapper/swap", "/dev/pagepress0"])])
def test_without_swap_there_is_none(kind, swaps, tmp_path):
    """What the programs make then is right; and whatever a point says of areas."""
    files = kernel() | {f"/sys/block/pagepress0/{name}": "1\n" for name in ("pagepress/card_state", "pagepress/FailedReads", "pagepress/FailedWrites")}
    run_script("djpeg.sh", tmp_path / "djpeg", PLAIN_DISK | {"swap_kind": kind, "picture": "scan", "instances": 1, "compressed_mb": 1, "kill_at_pages": ""}, {"djpeg": "echo picture"}, files)
    areas = {"none": "both", "disk": "disk", "pagepress": "both"}[kind]
    fill = 'echo filled 1; [ "$3" != --hold ] || exec sleep 60'
    run_script("fillmem.sh", tmp_path / "fillmem", PLAIN_DISK | {"swap_kind": kind, "areas": areas, "compressed_mb": 1, "fill_mb": 1, "others_mb": 1}, {"fill": fill}, files)
    for name in ("djpeg", "fillmem"):
        made = tmp_path / name / "root/swaps"
        assert sorted(made.read_text().split() if made.exists() else []) == swaps, name


@pytest.mark.parametrize("kill_at_pages, state, gone", [("100", "dead", 1), ("", "ready", 0)])
def test_a_killed_card_is_gone_when_its_driver_has_noticed(kill_at_pages, state, gone, tmp_path):
    """Which may be after the last picture; a card that nobody kills is not waited for."""
    files = kernel() | {f"/sys/block/pagepress0/pagepress/{name}": text for name, text in (("card_state", "ready\n"), ("FailedReads", "0\n"), ("FailedWrites", "0\n"))}
    dies = f"(sleep 1.5; echo {state} >/sys/block/pagepress0/pagepress/card_state) >/dev/null 2>&1 & echo picture"
    settings = PLAIN_DISK | {"swap_kind": "pagepress", "picture": "scan", "instances": 1, "compressed_mb": 1, "kill_at_pages": kill_at_pages}
    metrics = run_script("djpeg.sh", tmp_path, settings, {"djpeg": dies}, files).metrics
    assert metrics["card_gone"] == gone and metrics["survivors"] == 1


def test_only_one_function_makes_swap():
    """Which makes none for the engine without."""
    callers = [path.name for path in (ROOM / "guest").glob("*.sh") if "mkswap" in path.read_text() or "/sbin/swapon" in path.read_text()]
    assert callers == ["common.sh"]


def test_pages_that_zswap_keeps_are_swapped_out_too(tmp_path):
    """60 pages went to the disk, 40 of them by way of its pool, which took 180: 200 in all were swapped out, and 800 sectors are 100 pages of ten writes."""
    metrics = swap_cache(tmp_path, "zswap", "zswpin 30\nzswpout 180\n", "40").metrics
    assert metrics["io_share"] == 0.5 and metrics["pages_a_write"] == 10 and metrics["swap_out_pages"] == 200 and metrics["swap_in_pages"] == 35


def test_of_the_disk_alone_every_page_is_written(tmp_path):
    metrics = swap_cache(tmp_path, "disk").metrics
    assert metrics["pages_a_write"] == 10 and metrics["swap_out_pages"] == 60 and metrics["swap_in_pages"] == 5 and metrics["alive"] == 2


def test_what_a_programs_pages_take_of_the_disk_is_told_by_what_was_written(tmp_path):
    """150 pages went there, which had 800 sectors; of pages that nothing was written for there is no figure."""
    files = CARD | {f"/sys/block/pagepress0/pagepress/{name}": f"{number}\n" for name, number in OF_THE_CACHE.items()}
    metrics = swap_cache(tmp_path, "pagepress", files=files).metrics
    assert metrics["program_capacity"] == 1.5 and metrics["pages_a_write"] == 15 and metrics["io_share"] == 1.6667
    assert "program_capacity" not in swap_cache(tmp_path / "idle", "pagepress", files=files | kernel(stat="1 0 8 0 0 0 0 0")).metrics
    assert "program_capacity" not in swap_cache(tmp_path / "disk", "disk").metrics


def test_programs_beside_one_that_was_killed_have_no_figures(tmp_path):
    """The mean of those that live is that of less work; how many do not is said."""
    one = "mkdir /tmp/first 2>/dev/null && exit 137; exec cat"
    metrics = swap_cache(tmp_path, "disk", sort=one).metrics
    assert (metrics["alive"], metrics["killed"]) == (1, 1) and metrics["swap_out_pages"] == 60
    assert not {"real_ms", "io_share", "pages_a_write", "disk_reads", "disk_writes", "disk_write_sectors"} & set(metrics)
    metrics = swap_cache(tmp_path / "well", "disk").metrics
    assert (metrics["alive"], metrics["killed"], metrics["real_ms"]) == (2, 0, 1000) and "disk_reads" in metrics


def test_what_programs_make_is_summed(tmp_path):
    """Each that ended well, by what it made; not what a program says of the time that it took, nor what one has made that was killed."""
    reports = swap_cache(tmp_path, "disk")
    assert [what for what, _ in reports.outputs] == ["sort 1", "sort 1"] and len({made for _, made in reports.outputs}) == 1
    times = iter("12")

    def simulator(value):
        reports = swap_cache(tmp_path / next(times), "disk", program="simulator", ngspice=f'echo "took $RANDOM"; echo "average1 = {value}"')
        return set(map(tuple, reports.outputs))

    first, second = simulator(1), simulator(2)
    assert len(first) == len(second) == 1 and first != second
    pictures = run_script("djpeg.sh", tmp_path / "djpeg", PLAIN_DISK | {"swap_kind": "disk", "picture": "scan", "instances": 3, "compressed_mb": 1, "kill_at_pages": ""},
                          {"djpeg": "echo picture; [ $(ls /tmp/ | grep -c killed) = 1 ] || { touch /tmp/killed; exit 137; }"}, kernel())  # fmt: skip
    assert [what for what, _ in pictures.outputs] == ["scan"] * pictures.metrics["survivors"] and pictures.metrics["survivors"] < 3


@pytest.mark.parametrize("kind, files, streams", [
    ("pagepress", {"/sys/block/pagepress0/mm_stat": "40960 8192 10240 0 0 0 0 0 0\n"}, 8),
    ("zram", {"/sys/block/zram0/mm_stat": "    40960     8192    10240        0    10240        0        0        0        0\n"}, 8),
    ("zswap", {f"/sys/kernel/debug/zswap/{name}": value for name, value in (("stored_pages", "10\n"), ("pool_total_size", "10240\n"), ("written_back_pages", "0\n"))}, None),
])  # fmt: skip
def test_what_is_stored_is_measured_alike_of_every_engine(kind, files, streams, tmp_path):
    """By the memory that is allocated for it, which each tells; the bytes of the streams are another metric, which zswap has none of."""
    settings = PLAIN_DISK | {"swap_kind": kind, "what": "documents", "limit": 1, "pages": 2, "size_mb": 1, "desktop_mb": 0, "dots": 1, "patience_s": 10}
    files = kernel(vmstat="zswpin 0\nzswpout 0\n") | {f"/sys/block/pagepress0/pagepress/{name}": "0\n" for name in ("FailedReads", "FailedWrites")} | files
    reports = run_script("capacity.sh", tmp_path, settings, {"mutool": VIEWER}, files)
    metrics = reports.metrics
    assert metrics["open"] == 1 and metrics["stored_share"] == 0.25 and metrics["pool_kib"] == 10 and metrics["plain_kib"] == 40
    assert metrics.get("compressed_kib") == streams and metrics.get("stream_share") == (streams and 0.2)
    assert all((sample["plain"], sample["pool"], sample.get("compressed")) == (40, 10, streams) for sample in reports.samples)


@pytest.mark.parametrize("disk", ["pagepress0", "zram0"])
def test_what_documents_alone_take_is_measured_when_the_desktop_has_ended(disk, tmp_path):
    """Of 40 KiB in 20, streams of 16, there are 16 in 4 and 3 left; what the desktop's pages leave between them is closed."""
    stat, compact = f"/sys/block/{disk}/mm_stat", f"/sys/block/{disk}/compact"
    desktop = f"trap 'echo 16384 3072 4096 0 >{stat}; exit' TERM; echo $$ >/tmp/pid; echo filled 1; while :; do sleep 0.05; done"
    files = kernel() | CARD | {stat: "40960 16384 20480 0\n", compact: ""}
    settings = READERS | {"swap_kind": disk[:-1], "desktop_mb": 1}
    metrics = run_script("capacity.sh", tmp_path, settings, {"mutool": VIEWER, "fill": desktop, "pidof": "cat /tmp/pid"}, files).metrics
    assert (metrics["plain_kib"], metrics["stored_share"], metrics["stream_share"]) == (40, 0.5, 0.4)
    assert (metrics["viewers_plain_kib"], metrics["viewers_stored_share"], metrics["viewers_stream_share"]) == (16, 0.25, 0.1875)
    assert (tmp_path / f"root{compact}").read_text() == "1\n" and metrics["viewers_compared"] == 3


def test_curves_are_judged_where_memory_is_short(tmp_path):
    """Not by the sample before any document, nor by those while there was room: by the last five."""
    steps = [(5, 99), (50, 90), (50, 80), (40, 9), (38, 8), (36, 7), (34, 6), (30, 9)]  # cached and free, from sample to sample
    meminfo = [MEMINFO.replace("30 kB", f"{free} kB").replace("20 kB", f"{cached} kB") for cached, free in steps]
    files = {f"/tmp/meminfo.{number}": text for number, text in enumerate(meminfo)}
    settings = PLAIN_DISK | {"swap_kind": "none", "what": "documents", "items": 1, "pages": 6, "at_once": 1, "size_mb": 1, "desktop_mb": 0, "dots": 1, "patience_s": 5}
    # A viewer that answers at once; memory is what the next file says from one answer to the next.
    reader = """
said=$5; turn=0
while read -r word _; do
    turn=$((turn + 1)); cp /tmp/meminfo.$turn /proc/meminfo
    [ $word = browse ] && word=brows
    echo "${word%e}ed $turn 0" | sed 's/^load.*/loaded '$turn' 0/' >>"$said"
done"""
    metrics = run_script("curves.sh", tmp_path, settings, {"mutool": reader}, kernel(**{"/proc/meminfo": meminfo[0]}, **files)).metrics
    assert metrics["loaded"] == 1
    assert (metrics["cached_kib"], metrics["cached_lost"], metrics["free_kib"], metrics["free_swing_kib"], metrics["wrong_pictures"]) == (30, 0.25, 6, 3, 0)


def fill(*passes, end="wrong 0"):
    """A stand-in: goes on with a pass when all that it has said was taken down; its work done it waits for a line before it looks at all memory. passes: (milliseconds
    that the disk is busy meanwhile, wrong pages); end: a command instead of a line when it is killed meanwhile."""
    text, busy = f"echo $$ >/tmp/pid; echo 1000 >{BUSY}; echo filled 1\n", 1
    for number, (taken, wrong) in enumerate(passes, 1):
        busy += taken
        text += f'until [ "$(wc -l </tmp/fill.said)" = {number} ]; do sleep 0.01; done\necho {busy * 1000} >{BUSY}; echo checked 5 {wrong}\n'
    return text + (f"echo worked 7; read -r _; echo 900000 >{BUSY}; echo 900 >/sys/module/disk_with_arm/parameters/read_accesses; echo {end}" if end.startswith("wrong") else end)


HYBRID = DISK_WITH_ARM | {"swap_kind": "disk", "arrangement": "disk", "fill_mb": 1, "passes": 1, "hot_percent": 40, "compressed_mb": 1, "limit_mb": 1, "cold_s": 0}
ADAPTIVE = DISK_WITH_ARM | {"swap_kind": "disk", "percent": 0, "fill_mb": 1, "memory_mb": 1, "passes": 4}
LOOK = "echo '1 4 4 0 0'"


def test_the_look_at_where_pages_rest_is_no_work_of_the_disk(tmp_path):
    """What it reads, and how long that keeps the disk busy; nor is the last look at all memory."""
    work = fill((3, 0)).replace("echo worked", "until [ -e /tmp/looked ]; do sleep 0.05; done; echo worked")
    look = f"echo 6500 >{BUSY}; echo 5 >/sys/module/disk_with_arm/parameters/read_accesses; {LOOK}; touch /tmp/looked"
    metrics = run_script("hybrid.sh", tmp_path, HYBRID, {"fill": work, "pages_rest": look, "pidof": "cat /tmp/pid"}, kernel()).metrics
    assert metrics["disk_busy_ms"] == 4 and metrics["disk_reads"] == 2 and metrics["faults"] == 7 and metrics["wrong_pages"] == 0 and metrics["disk_tenth"] == 1


def test_phases_are_steady_in_their_last_quarter(tmp_path):
    """Of two phases of four passes: the disk was busy 1 ms while memory was filled, and so long in each pass, as the program noted: it goes on at once, and whoever looks
    later sees what the next pass takes. What the last look takes is no phase."""
    lines, busy = ["echo filled 1 1000"], 1
    for taken in (10, 2, 1, 5, 20, 3, 4, 6):
        busy += taken
        lines.append(f"echo checked 5 0 {busy * 1000}")
    work = f'[ "$3 $4" = "--note {BUSY}" ] || exit 2; echo {busy * 1000} >{BUSY}; {"; ".join(lines)}; echo worked 7; read -r _; echo 900000 >{BUSY}; echo wrong 0'
    reports = run_script("adaptive.sh", tmp_path, ADAPTIVE, {"fill": work}, kernel())
    assert reports.metrics["steady_busy_ms"] == 5 + 6 and reports.metrics["steady_ms"] == 10 and reports.metrics["disk_busy_ms"] == 52 and reports.metrics["phases_ms"] == 40
    assert reports.metrics["wrong_pages"] == 0 and reports.metrics["faults"] == 7 and all(sample["budget"] == 0 for sample in reports.samples)


@pytest.mark.parametrize("percent, limit", [(10, "2560K"), (25, "6400K"), (100, "25600K")])
def test_the_pool_has_the_share_that_its_point_says(percent, limit, tmp_path):
    """Of 25 MB, not of whole ones."""
    settings = ADAPTIVE | {"swap_kind": "pagepress", "percent": percent, "memory_mb": 25}
    stat = {"/sys/block/pagepress0/pool_budget_stat": "0 0\n"}
    run_script("adaptive.sh", tmp_path, settings, {"fill": "exit 137"}, kernel() | CARD | stat)
    assert (tmp_path / "root/sys/block/pagepress0/mem_limit").read_text() == limit + "\n"


@pytest.mark.parametrize("script, settings", [("adaptive.sh", ADAPTIVE), ("hybrid.sh", HYBRID)])
@pytest.mark.parametrize("end", ["exit 137", "echo worked 7; read -r _; exit 137"])
def test_a_program_that_was_killed_has_no_figures(script, settings, end, tmp_path):
    """Whenever that was: nor is it said that none of its pages is wrong, as it did not look at all of them."""
    programs = {"fill": fill((3, 0), end=end), "pages_rest": LOOK, "pidof": "cat /tmp/pid"}
    metrics = run_script(script, tmp_path, settings, programs, kernel()).metrics
    assert metrics["succeeded"] == 0
    assert not {"wrong_pages", "steady_busy_ms", "steady_ms", "phases_ms", "disk_busy_ms", "disk_reads", "disk_read_sectors", "disk_writes", "faults", "checked_ms", "disk_tenth"} & set(metrics)


def test_pages_are_not_wrong_or_right_that_were_not_compared(tmp_path):
    """Of 90 MB that were filled, by a program that was killed then or that ended."""
    settings = PLAIN_DISK | {"swap_kind": "disk", "areas": "disk", "fill_mb": 1, "others_mb": 1}
    ends = {"killed": "exit 137", "ended": "echo checked 5 3; echo wrong 3; exit 1"}
    metrics = {}
    for name, end in ends.items():
        program = f'echo filled 1; [ "$3" != --hold ] || exec sleep 60; {end}'
        metrics[name] = run_script("fillmem.sh", tmp_path / name, settings, {"fill": program}, kernel()).metrics
    assert "wrong_pages" not in metrics["killed"] and metrics["killed"]["succeeded"] == metrics["ended"]["succeeded"] == 0
    assert metrics["ended"]["wrong_pages"] == 3 and metrics["ended"]["checked_ms"] == 5 and "wrong_ms" not in metrics["ended"]


def test_programs_that_are_killed_as_they_fill_are_not_waited_for(tmp_path):
    """Those that hold memory beside the fill, and what fills the fresh disk: the guest says so at once, not after an hour."""
    settings = PLAIN_DISK | {"swap_kind": "pagepress", "areas": "disk", "fill_mb": 1, "others_mb": 1, "compressed_mb": 1, "fresh_mb": 1, "what": "web", "patience_s": 1}
    killed = {"fill": '[ "$3" != --hold ] || exit 137; echo filled 1; echo checked 5 0; echo wrong 0'}
    metrics = run_script("fillmem.sh", tmp_path / "fillmem", settings, killed, kernel() | CARD).metrics
    assert metrics["succeeded"] == 0 and metrics["killed"] == 1 and metrics["wrong_pages"] == 0
    with pytest.raises(AssertionError):  # of its status
        run_script("applications.sh", tmp_path / "applications", settings, killed, kernel() | CARD)
    assert (tmp_path / "applications/reports").read_text() == "trouble the program that fills the fresh disk ended before it had\n"


CARD = {"/sys/block/pagepress0/mm_stat": "4096 1024 2048 0\n", "/sys/block/pagepress0/pagepress/FailedReads": "0\n", "/sys/block/pagepress0/pagepress/FailedWrites": "0\n"}
OF_THE_CACHE = dict.fromkeys(("inverted_pages", "cleaning_waits", "memory_short_pages", "memory_waits", "backing_windows", "backing_window_pages"), 0) | {
    "forwarded_pages": 30, "backing_pages_out": 120,
}  # fmt: skip
VIEWER = """
said=$5; kept=0
while read -r word count; do
    case $word in
        load) kept=$((kept + count)); echo "loaded $kept 0" ;;
        browse) echo "browsed $kept 1" ;;
        close) exit ;;
    esac >>"$said"
done"""
READERS = PLAIN_DISK | {"swap_kind": "pagepress", "what": "documents", "items": 3, "limit": 3, "pages": 2, "at_once": 2, "glance": 1, "size_mb": 1, "desktop_mb": 0, "dots": 1, "patience_s": 2}


@pytest.mark.parametrize("writes, gap, photograph, wrong", [(100, 0, "picture", 0), (90, 10, "another", 1), (110, 10, "picture", 0)])
def test_applications_miss_the_law_in_either_direction(writes, gap, photograph, wrong, tmp_path):
    """And what was freed is told apart; and what viewers keep is looked at again at the end: a page of each of nine was wrong; and the
    photograph is what was made of it without a guest, or is not."""
    table = f"NumWrites: {writes}\\nNotifyFree: 10\\nZeroPages: 20\\nPagesStored: 70"
    player = 'while [ $# -gt 0 ]; do [ "$1" = -progress ] && { echo out_time_ms=1000; echo frame=25; } >"$2"; shift; done; exec sleep 20'
    programs = {"mutool": VIEWER, "pagepressctl": f"printf '{table}\\n'", "fill": "echo $$ >/tmp/pid; echo filled 1; exec sleep 60", "pidof": "cat /tmp/pid",
                "ffmpeg": player, "djpeg": f"echo {photograph}"}  # fmt: skip
    sums = {"/debian/data/baseline.sum": hashlib.md5(b"picture\n").hexdigest() + "\n"}
    settings = PLAIN_DISK | {"swap_kind": "pagepress", "areas": "compressed", "compressed_mb": 1, "fresh_mb": 1, "pages": 2, "dots": 1, "what": "web", "patience_s": 10}
    reports = run_script("applications.sh", tmp_path, settings, programs, kernel() | CARD | sums)
    assert reports.metrics["law_gap"] == gap and reports.metrics["law_writes"] == writes and reports.metrics["law_freed"] == 10
    assert reports.metrics["all_started"] == 1 and reports.metrics["viewers_compared"] == 9 and reports.metrics["wrong_pictures"] == 9
    assert reports.metrics["wrong_photographs"] == wrong


def looked_at_again(script, tmp_path, viewer):
    """(viewers compared, not compared, wrong pictures)."""
    metrics = run_script(script, tmp_path / script, READERS, {"mutool": viewer}, kernel() | CARD).metrics
    return metrics["viewers_compared"], metrics["viewers_not_compared"], metrics["wrong_pictures"]


def test_what_was_swapped_is_looked_at_again_in_the_end(tmp_path):
    """In each experiment with viewers, as what they keep was not wrong when it was looked at first; and with more patience than there was for the viewer."""
    late = VIEWER.replace("browse) echo", "browse) looks=$((looks + 1)); again=$((looks == 2)); [ $again = 0 ] || sleep 3; echo").replace("$kept 1", "$kept $again")
    assert looked_at_again("capacity.sh", tmp_path, late) == (3, 0, 3)
    assert looked_at_again("curves.sh", tmp_path, late) == (3, 0, 3)
    once = late.replace("looks == 2", "looks == 1").replace("case $word", 'case $word in read) seq -f "page %g 0" $count; echo "read $count 0" ;; esac >>"$said"; case $word')
    assert looked_at_again("responsiveness.sh", tmp_path, once) == (3, 0, 3)


def test_a_viewer_that_was_killed_for_want_of_memory_is_not_looked_at(tmp_path):
    """As happens where memory ends; one that ends otherwise, of a page that cannot be read for example, is missing."""
    for signal, missing in ((9, 0), (7, 1)):
        ending = VIEWER.replace("browse) echo", f'browse) case $said$((looks++)) in *.2.said1) kill -{signal} $$ ;; esac; echo')
        assert looked_at_again("capacity.sh", tmp_path / str(signal), ending) == (2, missing, 3)


def test_the_document_that_does_not_come_is_not_looked_at(tmp_path):
    """Of three the last is not loaded in time; it is killed, as it would not hear of its end before it has loaded all."""
    slow = VIEWER.replace("load) kept", "load) case $said in *.3.said) sleep 30 ;; esac; kept")
    assert looked_at_again("capacity.sh", tmp_path, slow) == (2, 0, 2)
    assert (tmp_path / "capacity.sh" / "root/work/reader.3").read_text().startswith("137 ")


def test_documents_are_loaded_that_were_counted(tmp_path):
    """Not the number of the last that came: the first does not, the others do."""
    first = VIEWER.replace("load) kept", "load) case $said in *.1.said) continue ;; esac; kept")
    metrics = run_script("responsiveness.sh", tmp_path, READERS, {"mutool": first}, kernel() | CARD).metrics
    assert metrics["loaded"] == 2


@pytest.mark.parametrize("items, switches, pages", [(2, 6, 2 * 2 + 6), (6, 18, 6 * 2 + 18)])
def test_it_is_gone_three_times_round_all_that_is_open(items, switches, pages, tmp_path):
    """Two pages of each are gone through, then one at each of so many changes; a page of the web that does not come ends it."""
    read = VIEWER.replace("case $word", 'case $word in read) seq -f "page %g 0" $count; echo "read $count 0" ;; esac >>"$said"; case $word')
    settings = READERS | {"items": items, "what": "web"}
    metrics = run_script("responsiveness.sh", tmp_path / "well", settings, {"mutool": read}, kernel() | CARD).metrics
    assert (metrics["loaded"], metrics["switches"], metrics["pages_read"], metrics["viewers_compared"]) == (items, switches, pages, items)
    assert metrics["pages_a_second"] > 0
    last = read.replace("in read)", f"in read) case $said in *.{items}.said) continue ;; esac;")
    metrics = run_script("responsiveness.sh", tmp_path / "last", settings, {"mutool": last}, kernel() | CARD).metrics
    assert metrics["pages_read"] == (items - 1) * 2 and "switches" not in metrics


def test_curves_judge_the_memory_that_is_allocated(tmp_path):
    """Not the streams alone, which have a quarter: of 4 MiB, 2.5 and in the end 2 are allocated."""
    stat = "/sys/block/pagepress0/mm_stat"
    reader = VIEWER.replace("browse) echo", f'browse) echo "4194304 1048576 2097152 0" >{stat}; echo')
    metrics = run_script("curves.sh", tmp_path, READERS | {"items": 1}, {"mutool": reader}, kernel() | CARD | {stat: "4194304 1048576 2621440 0\n"}).metrics
    assert (metrics["pool_share_most"], metrics["pool_share_last"]) == (0.625, 0.5)


def test_the_device_at_hand_is_read_and_written_by_sizes_of_the_originals_table(tmp_path):
    """What is read cannot be written to; each transfer goes past the page cache and stays within the 4 MiB that there are."""
    files = {"/debian/data/versions/tree.ext4": "x", "/proc/sys/vm/drop_caches": ""} | {f"/sys/block/nbd{one}/{name}": "8192\n" for one in (0, 1) for name in ("pid", "size")}
    programs = {"slow_device": 'echo "$*" >>/tmp/served; echo there; exec sleep 60', "dd": 'echo "$*" >>/tmp/moved; sleep 0.01'}
    settings = PLAIN_DISK | {"swap_kind": "disk", "image": "rates", "near_rate": 29, "near_write_rate": 26, "near_delay": 4}
    metrics = run_script("lookaside.sh", tmp_path, settings, programs, kernel() | files).metrics
    wanted = {name for name in scenario.load("lookaside").metrics if "rate_" in name}
    assert set(metrics) == wanted and len(wanted) == 10 and all(metrics.values())
    assert sorted((tmp_path / "root/tmp/served").read_text().splitlines()) == ["-w /dev/nbd0 served0 mode 26 4", "/dev/nbd1 served1 mode 29 4"]
    moves = [dict(word.split("=") for word in line.split()) for line in (tmp_path / "root/tmp/moved").read_text().splitlines()]
    assert all(int(move["bs"]) * int(move["count"]) <= 4 << 20 for move in moves)
    assert {(move["if"], move["of"], move.get("iflag"), move.get("oflag")) for move in moves} == {("/dev/nbd1", "/dev/null", "direct", None), ("/dev/zero", "/dev/nbd0", None, "direct")}


def test_writes_that_a_full_device_refuses_have_not_failed(tmp_path):
    """Of the last chunk, which finds no room; one of those before it has failed, and a read."""
    ours = "/sys/block/pagepress0/pagepress"
    files = kernel() | CARD | {f"{ours}/backed_pages": "512\n", "/sys/block/pagepress0/bd_stat": "256 0 0\n", "/debian/data/memory.pages": "x" * 4096}
    copy = f'case $1$5 in write256) echo 1 >{ours}/FailedWrites ;; write512) echo 201 >{ours}/FailedWrites; exit 1 ;; check256) echo 1 >{ours}/FailedReads ;; esac'
    settings = PLAIN_DISK | {"swap_kind": "pagepress", "program": "none", "data": "memory", "cache_mb": 1, "disk_mb": 4, "swap_mb": 2}
    metrics = run_script("swap-cache.sh", tmp_path, settings, {"copy_pages": copy, "swapoff": ":"}, files).metrics
    assert (metrics["failed_io"], metrics["wrong_chunks"], metrics["device_capacity"]) == (2, 0, 1)


@pytest.mark.parametrize("programs, trouble", [
    ({"dd": "exit 1"}, "the device at hand fails"), ({"slow_device": "exit 1"}, "nobody serves nbd1: see the guest's console"),
])  # fmt: skip
def test_a_device_at_hand_that_fails_is_named(programs, trouble, tmp_path):
    """At once, and before what it leaves unsaid is taken for a figure."""
    files = {"/debian/data/versions/tree.ext4": "x", "/proc/sys/vm/drop_caches": ""} | {f"/sys/block/nbd{one}/{name}": "8192\n" for one in (0, 1) for name in ("pid", "size")}
    settings = PLAIN_DISK | {"swap_kind": "disk", "image": "rates", "near_rate": 29, "near_write_rate": 26, "near_delay": 4}
    with pytest.raises(AssertionError):  # of its status
        run_script("lookaside.sh", tmp_path, settings, {"slow_device": "echo there; exec sleep 60"} | programs, kernel() | files)
    assert (tmp_path / "reports").read_text() == f"trouble {trouble}\n"


@pytest.mark.parametrize("script, name, settings", [
    ("swap-cache.sh", "mem_limit", {"program": "sort", "instances": 1, "text_mb": 1, "cache_kb": 256}),
    ("swap-cache.sh", "clean_percent", {"program": "sort", "instances": 1, "text_mb": 1, "cache_mb": 1, "clean_percent": 95}),
    ("hybrid.sh", "writeback_age", {"arrangement": "backing", "compressed_mb": 1, "limit_mb": 1, "cold_s": 0}),
    ("adaptive.sh", "pool_budget", {"percent": "auto", "memory_mb": 1}),
])  # fmt: skip
def test_a_setting_that_the_disk_refuses_is_not_measured(script, name, settings, tmp_path):
    """At the value that it has instead."""
    refusing = {f"/sys/block/pagepress0/{name}/none": ""}
    with pytest.raises(AssertionError):  # of its status
        run_script(script, tmp_path, PLAIN_DISK | {"swap_kind": "pagepress"} | settings, {}, kernel() | CARD | refusing)
    assert (tmp_path / "reports").read_text().startswith(f"trouble {name} takes no ")


def test_a_program_that_is_killed_as_it_fills_is_not_waited_for_before_recompression(tmp_path):
    settings = PLAIN_DISK | {"swap_kind": "zram", "fill_mb": 1, "size_mb": 1, "parts": 1}
    with pytest.raises(AssertionError):  # of its status
        run_script("recompress.sh", tmp_path, settings, {"fill": "exit 137", "mount": ":"}, kernel())
    assert (tmp_path / "reports").read_text() == "trouble the program ended before it had filled its memory\n"


def test_viewers_that_were_never_started_do_not_live(tmp_path):
    """The viewer of the second page of the web ends, so no further one is opened: the first, the document's and two players live."""
    ending = VIEWER.replace("load) kept", "load) case $said in *.2.said) exit 1 ;; esac; kept")
    player = 'while [ $# -gt 0 ]; do [ "$1" = -progress ] && { echo out_time_ms=1000; echo frame=25; } >"$2"; shift; done; exec sleep 20'
    settings = PLAIN_DISK | {"swap_kind": "none", "areas": "none", "compressed_mb": 1, "fresh_mb": 1, "pages": 2, "dots": 1, "what": "web", "patience_s": 60}
    reports = run_script("applications.sh", tmp_path, settings, {"mutool": ending, "ffmpeg": player, "djpeg": "echo picture"}, kernel())
    assert reports.metrics["web_pages"] == 1 and reports.metrics["alive"] == 4 and reports.metrics["all_started"] == 0


def test_reads_a_page_are_none_where_no_page_was_gone_through(tmp_path):
    """So many reads for nothing are not so many for one page."""
    settings = PLAIN_DISK | {"swap_kind": "none", "what": "documents", "items": 2, "pages": 2, "at_once": 1, "glance": 1, "size_mb": 1, "desktop_mb": 0, "dots": 1, "patience_s": 1}
    reports = run_script("responsiveness.sh", tmp_path, settings, {"mutool": VIEWER}, kernel())  # it answers nothing to `read`
    assert reports.metrics["pages_read"] == 0 and "reads_a_page" not in reports.metrics and reports.metrics["program_reads"] == 0
    assert reports.metrics["pages_a_second"] == 0


@pytest.mark.skipif(not (TOOLS / "system").exists(), reason="make test-experiments runs it")
def test_a_viewer_counts_pages_that_are_not_as_they_had_been(tmp_path):
    """The same viewer, with a document whose third page changes when it is looked at again."""
    changing = """
var looks = 0
Document = { openDocument: function () { return { countPages: function () { return 3 }, loadPage: function (page) { return { toPixmap: function () { return {
    getHeight: function () { return 2 }, getWidth: function () { return 2 }, getSample: function (column, row) { return page < 2 ? page : looks++ } } } } } } } }
"""
    (tmp_path / "reader.js").write_text(changing + (ROOM / "guest/reader.js").read_text())
    words = [TOOLS / "system" / data.LINKER, "--library-path", ":".join(str(TOOLS / "system" / one) for one in data.LIBRARIES), TOOLS / "system/usr/bin/mutool", "run"]
    subprocess.run([*words, tmp_path / "reader.js", "none", "30", tmp_path / "said"], input="load 3\nbrowse\nread 2\nclose\nbrowse\n", text=True, capture_output=True)
    assert (tmp_path / "said").read_text().splitlines() == ["loaded 3 0", "browsed 3 2", "page 0 2", "page 1 2", "read 2 2"]
