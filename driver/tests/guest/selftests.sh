# SPDX-License-Identifier: GPL-2.0-only
# The kernel's own selftests of zram, renamed, on disks that they add and remove themselves.
. ./common.sh
# They ask for bash, which busybox's shell is enough for, and for mkfs.ext2, which makes blocks of the disk's size where
# busybox's does not.
program() { printf '#!/bin/sh\nexec %s "$@"\n' "$2" >"/bin/$1" && chmod +x "/bin/$1"; }
program bash sh
program mkfs.ext2 "mke2fs -b 4096"
./pagepress.sh >output 2>&1 || fail "pagepress.sh ended with $?: $(cat output)"
cat output
! grep -qE 'FAIL|not found|skip all' output || fail "a selftest failed"
[ "$(grep -c '\[PASS\]' output)" = 2 ] || fail "not both selftests passed"
[ ! -e /sys/block/pagepress1 ] || fail "a disk is left"
! kernel_complains || fail "the kernel complains"
