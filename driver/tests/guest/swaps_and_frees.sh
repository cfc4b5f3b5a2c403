# SPDX-License-Identifier: GPL-2.0-only
# Swap in use: pages go out and come back, and slots that swap frees are freed here. Needs PROGRAMS=cmp.
. ./common.sh
head -c 1048576 recorded >base

# rings_for_many PERCENT: at most so many doorbells, and interrupts, in a hundred commands until now
rings_for_many() {
	local what commands
	commands=$(cat $block/card/commands)
	for what in doorbells interrupts; do
		[ $(($(cat $block/card/$what) * 100)) -le $((commands * $1)) ] ||
			fail "$(cat $block/card/$what) $what for $commands commands"
	done
}

# Written in large plugs: one doorbell for what a plug gathers, one interrupt for many completions; how many is also up to
# when the host lets the card work (10 in a hundred where it is idle).
count=0
while [ $count -lt 24 ]; do
	cat base
	count=$((count + 1))
done | dd of=$disk bs=1M 2>/dev/null && sync || fail "dd"
expect NumWrites -ge 6144
rings_for_many 25

swap_out_files
# More than fits, whatever the kernel has left.
files=$(($(available) + 20))
count=0
while [ $count -lt $files ]; do
	cp base /t/$count
	count=$((count + 1))
done
expect NumWrites -gt 8000
# How much a plug of reclaim gathers is up to the kernel, and to the moment.
rings_for_many 50
copies_are_right
expect NumReads -gt 1000
before=$(value PagesStored)
rm -f /t/*
expect NotifyFree -gt 1000
[ "$(value PagesStored)" -lt "$before" ] || fail "PagesStored stays $before after the files are gone"
swapoff $disk || fail "swapoff"
expect FailedReads -eq 0
sums_are_right
