# SPDX-License-Identifier: GPL-2.0-only
# Of a backing device with an arm an access brings what lies around a page as well, and whatever is wanted of it afterwards costs none: each page as it
# was written, none as it was once it was overwritten, discarded, or its place became others'; and what the device fails to bring of one harms no other.
. ./common.sh
. ./backing.sh
read -r seed <arguments
noise=$((seed + 4294967296)) # NOISE of some_pages.c
# arm NAME MEGABYTES BLOCK_BYTES: such a device, and the disk anew with it; pages that do not compress stay in memory until they are written back
arm() {
	make_backing "$1" "$2" "$3"
	put 1 /sys/block/"${backing#/dev/}"/queue/rotational
	attach 32M
	put 8M $block/mem_limit
}
# segment FIRST SEED: 64 pages, which a segment has room for, in whatever order; four windows of 16 each
segment() {
	pages write "$1" 64 "$2"
	write_back page_indexes="$1"-$(($1 + 63))
}
# costs ACCESSES WINDOWS PAGES_OF_WINDOWS COMMAND...: so many more
costs() {
	local accesses=$(($(value backing_reads) + $1)) windows=$(($(value backing_windows) + $2)) from=$(($(value backing_window_pages) + $3))
	shift 3
	"$@"
	expect backing_reads -eq $accesses
	expect backing_windows -eq $windows
	expect backing_window_pages -eq $from
}

# ---- what lies around costs nothing ----
for bytes in 512 4096; do
	arm around$bytes 16 $bytes
	segment 0 $noise
	expect backed_pages -eq 64
	costs 1 1 0 pages read 5 1 $noise
	expect backing_sectors_in -eq 128
	costs 3 3 61 pages read 0 64 $noise
	costs 0 0 64 pages read 0 64 $noise
	expect backing_sectors_in -eq 512
	expect backing_pages_in -eq 129
	# Overwritten and discarded, it is not what a window has.
	pages write 3 1 $((seed + 1))
	discard 5 1
	pages read 3 1 $((seed + 1))
	dd if=$disk of=five bs=4096 skip=5 count=1 iflag=direct 2>/dev/null && cmp -n 4096 five /dev/zero || fail "a discarded page is not empty"
	costs 0 0 10 pages read 6 10 $noise
	# Streams that end in a window's last block, or beyond.
	pages write 100 256 "$seed"
	pages read 100 256 "$seed"
	dd if=$disk of=written bs=4096 skip=100 count=256 iflag=direct 2>/dev/null
	write_back page_indexes=100-355
	dd if=$disk of=back bs=4096 skip=100 count=256 iflag=direct 2>/dev/null && cmp written back || fail "streams at a window's end have changed"
	announce "around, blocks of $bytes: $(value backing_pages_in) pages by $(value backing_reads) accesses"
	expect FailedReads -eq 0
	expect backing_errors -eq 0
	sums_are_right
	renew
done

# ---- others want of a window that is being read ----
arm joined 16 512
segment 0 $noise
accesses=$(value backing_reads)
hold submit_bio
./some_pages read $disk 0 1 $noise &
first=$!
held
./some_pages read $disk 0 64 $noise &
second=$!
release
wait $first && wait $second || fail "pages of a window are not read"
expect backing_reads -eq $((accesses + 4))
renew

# ---- the place becomes others' while a window has what lay there ----
arm small 1 512 # four segments, each of them four times; windows have what lay there before
for turn in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
	segment 0 $((noise + turn))
	costs 1 1 0 pages read 7 1 $((noise + turn))
	discard 0 64
done
expect FailedReads -eq 0
expect backing_errors -eq 0
renew

# ---- little of it lives: nobody wants the rest ----
arm few 16 512
segment 0 $noise
discard 0 40
costs 1 0 0 pages read 50 1 $noise
expect backing_sectors_in -eq 8
renew

# ---- a bad block, and a wrong one, in a window ----
# one_is_lost PHRASE: of the segment, each page read alone
one_is_lost() {
	local slot=0 lost=0
	while [ $slot -lt 64 ]; do
		./some_pages read $disk $slot 1 $noise 2>said || lost=$((lost + 1))
		slot=$((slot + 1))
	done
	[ $lost = 1 ] || fail "$lost pages are lost"
	expect FailedReads -eq 1
	expect backing_errors -eq 1
	logged "slot .*: I/O error: $1 backing device $backing"
}
arm bad 16 512
segment 0 $noise
bad 20 20
one_is_lost "cannot be read from"
good 20 20
pages read 0 64 $noise
renew
arm wrong 16 512
segment 0 $noise
dd if=/dev/zero of="$backing" bs=512 seek=20 count=1 conv=fsync 2>/dev/null || fail "cannot write to the device"
one_is_lost "not the page that was written came from"
renew

# ---- a disk without an arm ----
make_backing plain 16 512 && attach 32M
put 8M $block/mem_limit
segment 0 $noise
costs 1 0 0 pages read 5 1 $noise
renew
! kernel_complains || fail "the kernel complains"
