# SPDX-License-Identifier: GPL-2.0-only
# Memory runs out, and what is swapped out gives little back: no write fails, and the kernel frees each page it wrote before it
# writes out more. Such a page waits at the old end of its list ("rotated"), which it only gets to if the write ends late enough.
# Arguments: seed, per cent of the pages by card that must get there, per cent of the writes that may fail.
. ./common.sh
read -r seed percent failed <arguments
swap_out_files
# Three quarters programs' code, a quarter noise.
cat code code code | head -c 786432 >base
files=$(($(available) + 4))
count=0
while [ $count -lt $files ]; do
	{ cat base && ./noise $((seed * 1000 + count)) 262144; } >/t/$count || fail "writing file $count"
	count=$((count + 1))
done
sums=$(md5sum /t/*) || fail "reading the files"
pages=$(value card_pages_out)
rotated=$(sed -n 's/^pgrotated //p' /proc/vmstat)
echo "$(value NumWrites) pages out, $pages by card, $rotated rotated, $(value software_pages_out) by software"
[ "$(md5sum /t/*)" = "$sums" ] || fail "files have changed"
rm -f /t/*
swapoff $disk || fail "swapoff"
[ "$pages" -gt 1000 ] || fail "only $pages pages went out by card"
[ $((rotated * 100)) -ge $((pages * percent)) ] || fail "only $rotated of $pages pages by card were there to be freed next"
expect FailedWrites -le $(($(value NumWrites) * failed / 100))
expect FailedReads -eq 0
sums_are_right
