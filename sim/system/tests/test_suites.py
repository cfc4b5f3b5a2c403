# SPDX-License-Identifier: Apache-2.0
"""LTP=tree and BLKTESTS=tree, with small trees of the same layout that we made up: what is taken, what is refused, how it ends."""
import subprocess
from pathlib import Path

import pytest

from system import Trouble, suites

GUEST = Path(__file__).resolve().parents[1] / "guest"
SECONDS = 1500
NONE = {"RUN": None, "LTP": None, "BLKTESTS": None, "MODULES": (), "MEM": 256, "TIMEOUT": 900, "PARAMETERS": "", "KERNEL": "6.1"}

# What LTP's zram03 does to sysfs and the disk, in short: a disk added, its size set, a page written and read.
COMPILED = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static FILE *at(const char *form, int disk, const char *how)
{
    char path[100];
    snprintf(path, sizeof(path), form, disk);
    FILE *stream = fopen(path, how);
    if (!stream) { perror(path); exit(2); }
    return stream;
}
int main(void)
{
    int disk;
    char page[4096], back[4096];
    FILE *stream = at("/sys/class/zram-control/hot_add", 0, "r");
    if (fscanf(stream, "%d", &disk) != 1) return 2;
    stream = at("/sys/block/zram%d/disksize", disk, "w");
    fprintf(stream, "%d", 1 << 20); fclose(stream);
    memset(page, 'a', sizeof(page));
    stream = at("/dev/zram%d", disk, "w");
    if (fwrite(page, sizeof(page), 1, stream) != 1) return 1;
    fclose(stream);
    stream = at("/dev/zram%d", disk, "r");
    if (fread(back, sizeof(back), 1, stream) != 1 || memcmp(page, back, sizeof(page))) return 1;
    fclose(stream);
    stream = at("/sys/block/zram%d/reset", disk, "w");
    fprintf(stream, "1"); fclose(stream);
    stream = at("/sys/class/zram-control/hot_remove", 0, "w");
    fprintf(stream, "%d", disk);
    return fclose(stream) ? 1 : 0;
}
"""
LTP_FILES = {
    "runtest/kernel_misc": "# comment\nkmsg01 kmsg01\nzram01 zram01.sh\nzram03 zram03\nzram99 zram99.sh\n",
    "runtest/mm": "swapping01 swap.sh -i 5\n",
    "testcases/bin/tst_test.sh": "tst_run() { do_test; exit $?; }\n",
    "testcases/bin/zram_lib.sh": ". tst_test.sh\ndisk=/dev/zram$(cat /sys/class/zram-control/hot_add)\nnumber=${disk#/dev/zram}\n",
    "testcases/bin/zram01.sh": """#!/bin/sh
. zram_lib.sh
grep -q pagepress.ko /lib/modules/$(uname -r)/modules.dep || exit 2
do_test() {
    echo 26214400 >/sys/block/zram$number/disksize && mkfs.ext4 -q $disk && mkdir zram && mount $disk zram &&
        dd if=/dev/zero of=zram/file bs=1024 count=100 status=none && [ $(echo 4 + 5 | bc) = 9 ] && umount zram &&
        echo 1 >/sys/block/zram$number/reset && echo $number >/sys/class/zram-control/hot_remove
}
tst_run
""",
    "testcases/bin/zram99.sh": "#!/bin/sh\necho not for this system\nexit 32\n",
    "testcases/bin/swap.sh": """#!/bin/sh
[ "$*" = "-i 5" ] && [ -b "$LTP_DEV" ] || exit 2
dd if=/dev/zero of=swapfile bs=1M count=8 status=none && mkswap swapfile && swapon swapfile && grep swapfile /proc/swaps && swapoff swapfile
""",
    "testcases/bin/kmsg01": "#!/bin/sh\n",
}  # fmt: skip
BLKTESTS_FILES = {
    "check": """#!/bin/bash
. common/rc
. ./config
[[ $1 = block && ${TEST_DEVS[0]} = /dev/pagepress0 ]] || exit 1
for test in tests/block/[0-9][0-9][0-9]; do
    . "$test"
    if test_device; then echo "${test#tests/}    [passed]"; else echo "${test#tests/}    [failed]"; failed=1; fi
done
exit $((failed))
""",
    "common/rc": "_have_program() { command -v $1 >/dev/null; }\n",
    "tests/block/rc": "",
    "tests/block/001": """test_device() {
    _have_program fio && modprobe null_blk nr_devices=0 &&
        fio --name=one --filename=${TEST_DEVS[0]} --direct=1 --rw=randwrite --size=256k --bs=4k --verify=crc32c >/dev/null
}
""",
    "tests/nvme/001": "",
}


def make_tree(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    return folder


def guest(*words):
    return subprocess.run([GUEST, *words], capture_output=True, text=True, errors="replace", timeout=SECONDS)


def test_suites_take_what_they_need_and_rename_it(tmp_path):
    tree = make_tree(tmp_path / "ltp", LTP_FILES)
    entries = {entry.name: entry for entry in suites.tree_entries(tree, suites.ltp_files(tree))}
    assert sorted(entries) == sorted(f"suite/{name.replace('/zram', '/pagepress')}" for name in LTP_FILES if "kmsg01" not in name)
    assert b"zram" not in entries["suite/testcases/bin/pagepress_lib.sh"].data
    tree = make_tree(tmp_path / "blktests", BLKTESTS_FILES)
    taken = {entry.name for entry in suites.tree_entries(tree, suites.blktests_files(tree))}
    assert taken == {f"suite/{name}" for name in BLKTESTS_FILES if "nvme" not in name}


def test_suites_refuse_what_is_none(tmp_path):
    (tmp_path / "sources/testcases/kernel").mkdir(parents=True)
    for given, phrase in (({"LTP": tmp_path / "sources"}, "has no runtest: name the folder that LTP's `make install` made"),
                          ({"BLKTESTS": tmp_path}, "has no check: name a checkout of blktests"),
                          ({"LTP": tmp_path / "nothing"}, "has no runtest"),
                          ({"LTP": tmp_path, "RUN": "script.sh"}, "choose one"), ({"LTP": tmp_path, "BLKTESTS": tmp_path}, "choose one")):  # fmt: skip
        with pytest.raises(Trouble, match=phrase.replace("(", "\\(")):
            suites.fill_in(NONE | given)


@pytest.mark.night("test-whole")
def test_ltp_runs_on_our_disks(products, tmp_path):
    tree = make_tree(tmp_path / "ltp", LTP_FILES)
    (tmp_path / "zram03.c").write_text(COMPILED)
    subprocess.run(["gcc", "-O1", "-Wall", "-Werror", "-o", tree / "testcases/bin/zram03", tmp_path / "zram03.c"], check=True)
    done = guest(f"LTP={tree}", "CARD=model", "SMP=2")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert [line for line in done.stdout.splitlines() if line.startswith("ltp: ")] == [
        "ltp: zram01 passed", "ltp: zram03 passed", "ltp: zram99 not run", "ltp: swapping01 passed", "ltp: 3 passed, 0 failed, 1 not run",
    ]  # fmt: skip


@pytest.mark.night("test-whole")
def test_blktests_runs_on_our_disk(products, tmp_path):
    """One test that passes and one that fails."""
    tree = make_tree(tmp_path / "blktests", BLKTESTS_FILES | {"tests/block/002": "test_device() { false; }\n"})
    done = guest(f"BLKTESTS={tree}", "CARD=model", "SMP=2")
    assert "blktests: 1 passed, 1 failed, 0 not run" in done.stdout.splitlines(), done.stdout[-4000:] + done.stderr
    assert done.returncode == 1
