# SPDX-License-Identifier: GPL-2.0-only
# The backing device as a log: it holds nearly as many bytes of streams as it has, in few writes, whatever its blocks are; overwritten
# again and again while nearly full it takes every page, and a device that fails while segments are emptied loses none.
. ./common.sh
. ./backing.sh
read -r seed megabytes <arguments # size of the device; so many chunks are overwritten, with blocks of 512 bytes three times as many
writes() { awk '{ print $5 }' /sys/block/"${backing#/dev/}"/stat; }

# A chunk of 256 pages, each of which takes seven tenths. A program of its own puts it and checks it: a guest starts a process in the
# time in which it compresses a hundred pages.
./noise "$seed" 2690 4096 256 >chunk
# put_chunk PLACE TURN: the chunk from page TURN on, then what is before it
put_chunk() { ./copy_pages write $disk chunk 256 $(($1 * 256)) "$2" 2>/dev/null; }
# chunks_are_right: each that was put whole is as it was put last
chunks_are_right() {
	local place put=
	for place in $there; do
		eval "put=\"\$put $((place * 256)) \$turn_$place\""
	done
	# shellcheck disable=SC2086  # words of their own
	./copy_pages check $disk chunk 256 $put || fail "a chunk has changed"
}

# fill BLOCK: until nothing goes any more
fill() {
	make_backing "log$1" $megabytes "$1" && attach 192M && put 4M $block/mem_limit
	there=
	place=0
	while put_chunk $place $((place % 200 + 1)); do
		eval "turn_$place=$((place % 200 + 1))"
		there="$there $place"
		place=$((place + 1))
		[ $place -lt 192 ] || fail "192 MiB fit"
	done
	backed=$(value backed_pages)
	bytes=$(($(room) * 4096))
	announce "log blocks of $1: $backed pages as $bytes bytes in $((megabytes * 1048576)), $(writes) writes of the device," \
		"$(value cleaned_pages) cleaned in $(value cleaning_writes), $(value inverted_pages) inverted"
	[ $((bytes / backed)) -ge 2780 ] && [ $((bytes / backed)) -le 2900 ] || fail "pages take $((bytes / backed)) bytes"
	[ $((backed * 4096 / 1024)) -ge $((megabytes * 1024 * 140 / 100)) ] || fail "the device holds less than 1.4 of itself"
	[ $((bytes / 1024)) -ge $((megabytes * 1024 * 95 / 100)) ] || fail "more than a twentieth of the device is lost"
	[ $(($(value cleaned_pages) / $(value cleaning_writes))) -ge 32 ] || fail "few pages a write"
	chunks_are_right
	expect FailedReads -eq 0
	expect backing_errors -eq 0
}

# churn ROUNDS: a tenth leaves, then chunks are overwritten in any order
churn() {
	local count=$place rounds=$1 round=0 failed
	blkdiscard -o $(((count - count / 10) * 1048576)) -l $((192 * 1048576 - (count - count / 10) * 1048576)) $disk || fail "discard"
	count=$((count - count / 10))
	there=$(seq 0 $((count - 1)))
	failed=$(value FailedWrites)
	random=$seed
	while [ $round -lt "$rounds" ]; do
		draw $count
		at=$drawn
		draw 250
		put_chunk $at $((drawn + 1)) || fail "chunk $at does not fit in round $round"
		eval "turn_$at=$((drawn + 1))"
		round=$((round + 1))
	done
	announce "log churn: $(value collected_pages) pages of $(value collected_segments) segments moved, $(value backing_searches) searches," \
		"$(value backing_sectors_out) sectors out"
	expect collected_segments -gt 0
	expect collected_pages -gt 0
	expect FailedWrites -eq "$failed"
	chunks_are_right
	expect FailedReads -eq 0
	expect backing_errors -eq 0
	sums_are_right
}

fill 4096
churn $megabytes
put 1 $block/reset && put 0 "$control/power" || fail "reset"
fill 512
churn $((megabytes * $(if [ -e thorough ]; then echo 3; else echo 1; fi)))

# Half of the pages leave, and a part of the device fails while others want their space.
for place in $there; do
	[ $((place % 2)) = 0 ] || continue
	page=0
	while [ $page -lt 256 ]; do
		blkdiscard -o $(((place * 256 + page) * 4096)) -l $((32 * 4096)) $disk || fail "discard"
		page=$((page + 64))
	done
done
bad 20000 60000
place=120
while [ $place -lt 180 ]; do
	put_chunk $place 1
	place=$((place + 1))
done
expect backing_errors -gt 0
# Space that cannot be written comes free again, so whether the collector meets the fault is chance:
# tests/collector_model.c has it do so.
good 20000 60000
# shellcheck disable=SC2086  # words of their own
dd if=$disk of=/dev/null bs=1M count="$(echo $there | wc -w)" iflag=direct 2>/dev/null || fail "a chunk cannot be read"
whole=
for place in $there; do
	eval "turn=\$turn_$place"
	if [ $((place % 2)) = 1 ]; then
		whole="$whole $((place * 256)) $turn"
		continue
	fi
	stays=
	page=32
	while [ $page -lt 256 ]; do
		stays="$stays $((place * 256 + page)) $((turn + page))"
		page=$((page + 64))
	done
	# shellcheck disable=SC2086  # words of their own
	./copy_pages check $disk chunk 32 $stays || fail "chunk $place has changed"
done
# shellcheck disable=SC2086
./copy_pages check $disk chunk 256 $whole || fail "a chunk has changed"
expect FailedReads -eq 0
blkdiscard $disk
[ "$(room)" = 0 ] || fail "discarded pages take $(room)"
put 1 $block/reset || fail "reset"
