# SPDX-License-Identifier: GPL-2.0-only
# Swap in use: pages go out and come back, and slots that swap frees are freed here.
. ./common.sh
swap_out_files
# Text, so that it compresses; more of it than fits, whatever the kernel has left.
files=$(($(available) + 20))
od -v -A x -t x1 /bin/busybox | head -c 1048576 >base
count=0
while [ $count -lt $files ]; do
	cp base /t/$count
	count=$((count + 1))
done
expect NumWrites -gt 2000
# One doorbell a plug, not a page; one interrupt for many completions.
commands=$(cat $block/card/commands)
for what in doorbells interrupts; do
	[ $(($(cat $block/card/$what) * 100)) -le $((commands * 15)) ] ||
		fail "$(cat $block/card/$what) $what for $commands commands"
done
for file in /t/*; do
	cmp base "$file" || fail "$file has changed"
done
expect NumReads -gt 1000
before=$(value PagesStored)
rm -f /t/*
expect NotifyFree -gt 1000
[ "$(value PagesStored)" -lt "$before" ] || fail "PagesStored stays $before after the files are gone"
swapoff $disk || fail "swapoff"
expect FailedReads -eq 0
sums_are_right
