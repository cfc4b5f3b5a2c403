# SPDX-License-Identifier: Apache-2.0
# What pagepressctl top costs at one screen a second, on a terminal, while pages are swapped: with ICOUNT=1 nanoseconds are instructions.
. ./says.sh
mount -t debugfs none /sys/kernel/debug 2>/dev/null
mkdir -p /dev/pts && mount -t devpts none /dev/pts || fail "no terminals"
pagepressctl setup --size 128M pagepress0 || fail "setup"
mkdir -p /t && mount -t tmpfs none /t || fail "no tmpfs"
head -c 1048576 /bin/busybox >base
for count in $(seq 24); do in_group cp base /t/$count || fail "cp"; done
[ "$(pages card_pages_out)" -ge 300 ] || fail "only $(pages card_pages_out) pages by the card"
cost=$(./top_cost 20 pagepressctl top --interval 1) || fail "top_cost"
echo on >/proc/sys/kernel/printk_devkmsg # for a line that stays whole on the console
echo "<4>top $cost" >/dev/kmsg
