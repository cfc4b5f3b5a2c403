# SPDX-License-Identifier: GPL-2.0-only
# A backing device whose holes are all too small for a page is searched once, not for each page that would go there; the pages stay in
# memory, and go there again when there is room.
. ./common.sh
. ./backing.sh
read -r seed <arguments
noise=$((seed + 4294967296)) # NOISE of some_pages.c
holes=64
pages() { ./some_pages "$1" $disk "$2" "$3" "$4" || fail "some_pages $*"; }
make_backing holes 1 512 # room for 256 pages that do not compress
attach 32M
pages write 0 256 $noise
expect backed_pages -eq 256

# Holes of a page each, and in each a stream of more than half a page.
slot=0
while [ $slot -lt $((2 * holes)) ]; do
	blkdiscard -o $((slot * 4096)) -l 4096 $disk || fail "discard of slot $slot"
	{ ./noise $((seed + slot)) 2200 && head -c 1896 /dev/zero; } >>halves
	slot=$((slot + 2))
done
put 4096 $block/mem_limit
dd if=halves of=$disk bs=4096 seek=512 oflag=direct 2>/dev/null || fail "pages that half compress"
put 0 $block/mem_limit
[ "$(room)" -lt 240 ] || fail "no holes: $(room) of 256 are taken"

searches=$(value backing_searches)
pages write 1024 64 $noise
expect NoCompress -ge 60
[ "$(value backing_searches)" -le $((searches + 2)) ] || fail "$(($(value backing_searches) - searches)) searches for 64 pages"
pages read 1024 64 $noise

forwarded=$(value forwarded_pages)
blkdiscard -o 0 -l $((256 * 4096)) $disk
pages write 0 64 $noise
[ "$(value forwarded_pages)" -ge $((forwarded + 60)) ] || fail "room that was given back is not used: $(($(value forwarded_pages) - forwarded))"
pages read 0 64 $noise
pages read 1024 64 $noise
dd if=$disk of=back bs=4096 skip=512 count=$holes iflag=direct 2>/dev/null && cmp halves back || fail "streams have changed"
expect FailedReads -eq 0
expect FailedWrites -eq 0
sums_are_right
