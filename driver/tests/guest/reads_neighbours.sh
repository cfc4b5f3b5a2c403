# SPDX-License-Identifier: GPL-2.0-only
# Pages that rest side by side on the backing device are read by one access, each as it was written; none as it was, once it was overwritten,
# discarded or moved meanwhile; and what the device fails to bring of one harms no other.
. ./common.sh
. ./backing.sh
read -r seed <arguments
noise=$((seed + 4294967296)) # NOISE of some_pages.c
accesses() { awk '{ print $1 }' /sys/block/"${backing#/dev/}"/stat; }
# read_by COUNT FIRST PAGES SEED: so many accesses bring them
read_by() {
	local reads before
	reads=$(value backing_reads)
	before=$(accesses)
	pages read "$2" "$3" "$4"
	expect backing_reads -eq $((reads + $1))
	[ $(($(accesses) - before)) = "$1" ] || fail "$(($(accesses) - before)) accesses for $3 pages from $2"
}
# write_sixteen FIRST SEED: side by side, on the device
write_sixteen() {
	pages write "$1" 16 "$2"
	[ "$2" -ge $noise ] || write_back page_indexes="$1"-$(($1 + 15))
}

# ---- one access ----
for bytes in 512 4096; do
	make_backing near$bytes 16 $bytes && attach 32M
	out=$(value backing_sectors_out)
	write_sixteen 0 "$seed"
	out=$(($(value backing_sectors_out) - out))
	write_sixteen 100 "$seed"
	write_sixteen 200 $noise
	expect backed_pages -eq 48
	# Blocks that two share are asked for once.
	read_by 1 0 16 "$seed"
	expect backing_sectors_in -eq $out
	expect backing_pages_in -eq 16
	read_by 1 200 16 $noise
	read_by 1 105 1 "$seed"
	# Any of them, whatever lies between.
	random=$seed
	for turn in 1 2 3 4 5 6 7 8; do
		draw 12
		pages read $((100 * (turn % 2) + drawn)) 4 "$seed"
		pages read $((200 + drawn)) 3 $noise
	done
	# Read by nobody: every other one.
	for slot in 1 3 5 7 9 11 13 15; do discard $slot 1; done
	reads=$(value backing_reads)
	dd if=$disk of=back bs=64K count=1 iflag=direct 2>/dev/null || fail "dd"
	[ $(($(value backing_reads) - reads)) -le 8 ] || fail "$(($(value backing_reads) - reads)) accesses for 8 pages"
	for slot in 0 2 4 6 8 10 12 14; do pages read $slot 1 "$seed"; done
	announce "neighbours, blocks of $bytes: $(value backing_pages_in) pages by $(value backing_reads) accesses"
	expect FailedReads -eq 0
	expect backing_errors -eq 0
	sums_are_right
	renew
done

# ---- pages that do not compress among others: with mem_limit they lie there too, without it they have gone before ----
# mixed FIRST: eight of each kind, by turns, then on the device
mixed() {
	local slot=$1
	while [ "$slot" -lt $(($1 + 16)) ]; do
		pages write "$slot" 1 "$seed"
		pages write $((slot + 1)) 1 $noise
		slot=$((slot + 2))
	done
	write_back page_indexes="$1"-$(($1 + 15))
}
make_backing mixed 16 512 && attach 32M
put 8M $block/mem_limit
mixed 0
expect backed_pages -eq 16
expect forwarded_pages -eq 0
reads=$(value backing_reads)
dd if=$disk of=back bs=64K count=1 iflag=direct 2>/dev/null || fail "dd"
[ $(($(value backing_reads) - reads)) = 1 ] || fail "$(($(value backing_reads) - reads)) accesses for 16 pages written together"
put 0 $block/mem_limit
mixed 100
expect forwarded_pages -eq 8
for slot in 0 2 4 6 8 10 12 14; do
	pages read $slot 1 "$seed" && pages read $((slot + 1)) 1 $noise
	pages read $((100 + slot)) 1 "$seed" && pages read $((101 + slot)) 1 $noise
done
expect FailedReads -eq 0
sums_are_right
renew

# ---- overwritten and discarded meanwhile; on a disk with an arm ----
make_backing meanwhile 16 512
put 1 /sys/block/"${backing#/dev/}"/queue/rotational
attach 32M
[ "$(cat $block/queue/rotational)" = 1 ] || fail "a disk with an arm is read ahead as one without"
write_sixteen 0 "$seed"
hold submit_bio
dd if=$disk of=back bs=64K count=1 iflag=direct 2>/dev/null &
held
pages write 3 1 $((seed + 1))
discard 5 1
release
wait $! || fail "the read ended with status $?"
dd if=$disk of=now bs=64K count=1 iflag=direct 2>/dev/null && cmp back now || fail "a read gives what was there before"
pages read 0 3 "$seed"
pages read 3 1 $((seed + 1))
pages read 4 1 "$seed"
dd if=back of=five bs=4096 skip=5 count=1 2>/dev/null && cmp -n 4096 five /dev/zero || fail "a discarded page is not empty"
pages read 6 10 "$seed"
expect FailedReads -eq 0
expect backing_errors -eq 0
renew

# ---- moved meanwhile ----
[ "$(cat $block/queue/rotational)" = 0 ] || fail "a reset disk has an arm"
make_backing small 1 512 && attach 32M # four segments, two of them the collector's
pages write 0 64 $noise
pages write 64 64 $noise
expect backed_pages -eq 128
discard 16 48
hold submit_bio
./some_pages read $disk 0 16 $noise &
held
# Its segment is emptied, and other pages' then.
for turn in 1 2 3; do
	[ $turn = 1 ] || discard 300 64
	pages write 300 64 "$seed"
	write_back page_indexes=300-363
done
expect collected_pages -ge 16
release
wait $! || fail "pages that were moved are not read"
pages read 64 64 $noise
pages read 300 64 "$seed"
expect FailedReads -eq 0
expect backing_errors -eq 0
renew

# ---- a bad block, and a wrong one, under one of them ----
make_backing broken 16 512 && attach 32M
write_sixteen 0 $noise
# one_is_lost PHRASE: in a read of all; the others are read
one_is_lost() {
	local slot=0 lost=0
	failed=$(value FailedReads)
	errors=$(value backing_errors)
	./some_pages read $disk 0 16 $noise 2>said && fail "sixteen pages were read, one of them lost"
	expect FailedReads -eq $((failed + 1))
	expect backing_errors -eq $((errors + 1))
	logged "slot .*: I/O error: $1 backing device $backing"
	while [ $slot -lt 16 ]; do
		./some_pages read $disk $slot 1 $noise 2>said || lost=$((lost + 1))
		slot=$((slot + 1))
	done
	[ $lost = 1 ] || fail "$lost pages are lost"
}
bad 20 20
one_is_lost "cannot be read from"
good 20 20
read_by 1 0 16 $noise
dd if=/dev/zero of="$backing" bs=512 seek=20 count=1 conv=fsync 2>/dev/null || fail "cannot write to the device"
one_is_lost "not the page that was written came from"
renew
! kernel_complains || fail "the kernel complains"
