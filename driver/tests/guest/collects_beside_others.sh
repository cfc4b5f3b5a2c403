# SPDX-License-Identifier: GPL-2.0-only
# Two disks, each with a slow backing device that is as full as is promised: while their collectors work, each page is taken and every byte is right;
# writers are killed and the disk is reset in the middle, and all of it comes free. Arguments: seed, rounds.
. ./common.sh
. ./backing.sh
read -r seed rounds <arguments
megabytes=12
capacity=$(((megabytes * 4 - 2) * 262144)) # bytes: two segments are the collector's

# 16 pages, of which every other one takes two thirds.
page=0
while [ $page -lt 64 ]; do
	./noise $((seed + page)) $((page % 2 ? 4096 : 2690))
	[ $((page % 2)) = 1 ] || head -c 1406 /dev/zero
	page=$((page + 1))
done >chunk
use() {
	block=/sys/block/pagepress$1
	disk=/dev/pagepress$1
}
# put_chunk PLACE TURN: 64 KiB of the disk
put_chunk() { dd if=chunk of=$disk bs=64K seek="$1" skip="$2" count=1 oflag=direct 2>/dev/null; }

# fill NUMBER: as far as it goes, then a sixteenth leaves, the promised thirty-second twice: one for what is on its way; how many chunks
# stay is in count_NUMBER
fill() {
	local count
	attach 64M && put 1M $block/mem_limit
	count=0
	while put_chunk $count $((count % 4)); do
		echo $((count % 4)) >turn_$1_$count
		count=$((count + 1))
	done
	count=$((count - 1 - count / 16))
	echo $count >count_$1
	blkdiscard -o $((count * 65536)) $disk || fail "discard"
}
# overwrite NUMBER WRITER ROUNDS: every other chunk, in any order
overwrite() {
	local round=0 count
	count=$(cat count_$1)
	use "$1"
	random=$((seed + $1 * 2 + $2))
	while [ $round -lt "$3" ]; do
		draw $((count / 2))
		put_chunk $((drawn * 2 + $2)) $((round % 4)) || return 1
		echo $((round % 4)) >turn_$1_$((drawn * 2 + $2))
		round=$((round + 1))
	done
}
# chunks_are_right NUMBER
chunks_are_right() {
	local place=0 count
	count=$(cat count_$1)
	while [ $place -lt $count ]; do
		dd if=chunk bs=64K skip="$(cat turn_$1_$place)" count=1 2>/dev/null >want
		dd if=$disk of=back bs=64K skip=$place count=1 iflag=direct 2>/dev/null && cmp want back || fail "$disk: chunk $place has changed"
		place=$((place + 1))
	done
}

# ---- several disks ----
use 0
make_backing first $megabytes 4096 1000000 && fill 0
first=$backing
use 1
# What one disk has is no other's.
refused "busy" put "$first" $block/backing_dev
make_backing second $megabytes 512 1000000 && fill 1
failed_0=$(cat /sys/block/pagepress0/pagepress/FailedWrites)
failed_1=$(value FailedWrites)
running=
for number in 0 1; do
	for writer in 0 1; do
		overwrite $number $writer "$rounds" &
		running="$running $!"
	done
done
for writer in $running; do wait "$writer" || fail "a page found no space"; done
for number in 0 1; do
	use $number
	announce "beside: $disk $(value collected_segments) segments, $(value collected_pages) pages, $(value backing_searches) searches," \
		"$(($(room) * 409600 / capacity)) % of the device"
	eval "expect FailedWrites -eq \$failed_$number"
	expect collected_segments -gt 10
	chunks_are_right $number
	expect FailedReads -eq 0
	expect backing_errors -eq 0
done

# ---- reset beside collecting ----
use 0
for try in 1 2 3; do
	before=$(value collected_segments)
	overwrite 0 0 100000 &
	one=$!
	overwrite 0 1 100000 &
	other=$!
	await_growth collected_segments "$before"
	exec 3<$disk # open for certain, as between two of the writers' dd it is not
	refused "busy" put 1 $block/reset
	exec 3<&-
	kill -9 $one $other
	wait $one $other 2>/dev/null
	within $long_wait put 1 $block/reset 2>/dev/null
	expect backed_pages -eq 0
	expect PagesStored -eq 0
	[ "$(room)" = 0 ] || fail "the device keeps $(room) blocks"
	backing=$first
	fill 0
done
chunks_are_right 0

# ---- all is given up ----
for number in 0 1; do
	use $number
	blkdiscard $disk || fail "discard"
	[ "$(room)" = 0 ] || fail "$disk keeps $(room) blocks of its device"
	expect ComprDataSize -eq 0
	expect PagesStored -eq 0
	put 1 $block/compact
	[ "$(value MemUsedTotal)" -le 262144 ] || fail "$disk keeps $(value MemUsedTotal) bytes"
done

! kernel_complains || fail "the kernel complains"
