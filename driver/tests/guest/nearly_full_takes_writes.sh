# SPDX-License-Identifier: GPL-2.0-only
# A backing device that is nearly full, overwritten by several writers at once, with pages that go through memory and pages that go past
# it: all find space, though others wait for the same collector, and every byte is right.
. ./common.sh
. ./backing.sh
read -r seed leave rounds <arguments
make_backing nearly 16 4096 && attach 64M && put 2M $block/mem_limit

# 16 pages, of which every other one takes two thirds.
page=0
while [ $page -lt 64 ]; do
	./noise $((seed + page)) $((page % 2 ? 4096 : 2690))
	[ $((page % 2)) = 1 ] || head -c 1406 /dev/zero
	page=$((page + 1))
done >chunk
# put_chunk PLACE TURN: 64 KiB of the disk
put_chunk() { ./copy_pages write $disk chunk 16 $(($1 * 16)) $(($2 * 16)) 2>/dev/null; }

place=0
while put_chunk $place $((place % 4)); do place=$((place + 1)); done
count=$((place - place * leave / 100))
blkdiscard -o $((count * 65536)) $disk || fail "discard"
place=0
while [ $place -lt $count ]; do
	echo $((place % 4)) >turn_$place
	place=$((place + 1))
done
announce "nearly full: $(room) of 4096 blocks, $count chunks"

# overwrite WRITER: chunks of its own, in any order
overwrite() {
	local round=0 own=$((count / 4)) turn
	random=$((seed + $1))
	while [ $round -lt "$rounds" ]; do
		draw $own
		at=$((drawn * 4 + $1))
		turn=$((round % 4))
		put_chunk $at $turn || return 1
		echo $turn >turn_$at
		round=$((round + 1))
	done
}
chunks_are_right() {
	local put= turn
	place=0
	while [ $place -lt $count ]; do
		read -r turn <turn_$place
		put="$put $((place * 16)) $((turn * 16))"
		place=$((place + 1))
	done
	# shellcheck disable=SC2086  # words of their own
	./copy_pages check $disk chunk 16 $put || fail "a chunk has changed"
}
failed=$(value FailedWrites)
running=
for writer in 0 1 2 3; do
	overwrite $writer &
	running="$running $!"
done
wait $running
announce "nearly full: $(value collected_segments) segments, $(value backing_searches) searches, $(value backing_sectors_out) sectors," \
	"$(($(value FailedWrites) - failed)) failed"
expect FailedWrites -eq "$failed"
expect collected_segments -gt 0
chunks_are_right
expect FailedReads -eq 0
expect backing_errors -eq 0
