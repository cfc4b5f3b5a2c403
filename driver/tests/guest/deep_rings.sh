# SPDX-License-Identifier: GPL-2.0-only
# Rings as deep as may be asked for: a card that has them takes part; where memory does not hold them it stays idle, with a line in the log,
# and nobody is killed for its sake. Needs 4 processors: each has a ring of 8 MiB.
. ./common.sh
read -r seed <arguments
address=$(cat $block/card/address)
bus=/sys/bus/pci/drivers/pagepress
kills() { dmesg | grep -ciE "out of memory|oom-killer"; }
again() { put 1 $block/reset && rmmod pagepress && load $driver depth=4096 disksize_mb=32 || fail "insmod: status $?"; }
again
await ready
logged "depth=4096: the card has no rings of more than 1024 entries"
logged "card ready: 4 queue pair(s) of 1024 entries"

put 1 $block/reset && rmmod pagepress || fail "rmmod"
mkdir /full && mount -t tmpfs -o size=100% none /full || fail "tmpfs"
while [ "$(available)" -gt 24 ]; do head -c 2097152 /dev/zero >>/full/bytes || fail "cannot fill memory"; done
load $driver depth=4096 disksize_mb=32 || fail "insmod: status $?"
expect card_state = none
logged "no memory for 4 pairs of rings of 1024 entries"
# Memory that a ring did get is free again, and pages go on by this CPU.
[ "$(available)" -gt 16 ] || fail "of 24 MiB $(available) are left"
pages write 0 64 "$seed"
pages read 0 64 "$seed"
expect software_pages_out -ge 64
[ "$(kills)" = 0 ] || fail "somebody was killed"

# With memory it comes.
rm /full/bytes
put "$address" $bus/bind || fail "bind"
await ready
pages write 0 64 "$seed"
pages read 0 64 "$seed"
expect card_pages_out -gt 0
sums_are_right
! kernel_complains || fail "the kernel complains"
