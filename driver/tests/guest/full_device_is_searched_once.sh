# SPDX-License-Identifier: GPL-2.0-only
# A backing device whose segments are all too full to gain from is searched once, not for each page that would go there; the pages stay in
# memory, and go there again when emptying a segment is worth it.
. ./common.sh
. ./backing.sh
read -r seed <arguments
noise=$((seed + 4294967296)) # NOISE of some_pages.c
make_backing small 1 512 # four segments, two of them set aside: 128 pages that do not compress
attach 32M
pages write 0 64 $noise
pages write 64 64 $noise
expect backed_pages -eq 128
[ "$(room)" = 128 ] || fail "128 pages take $(room)"

# A hole of one page in each segment: too little to move the others for.
discard 0 1
discard 64 1
searches=$(value backing_searches)
pages write 1024 64 $noise
expect NoCompress -eq 64
expect collected_segments -eq 0
[ "$(value backing_searches)" -gt "$searches" ] && [ "$(value backing_searches)" -le $((searches + 2)) ] ||
	fail "$(($(value backing_searches) - searches)) searches for 64 pages"
pages read 1024 64 $noise

# Half a segment is worth it.
discard 1 31
pages write 2048 64 $noise
expect collected_segments -eq 1
expect collected_pages -eq 32
[ "$(room)" -ge 127 ] || fail "room that was given back is not used: $(room)"
[ "$(value backing_searches)" -le $((searches + 4)) ] || fail "$(($(value backing_searches) - searches)) searches for 128 pages"
pages read 32 32 $noise
pages read 65 63 $noise
pages read 1024 64 $noise
pages read 2048 64 $noise
expect FailedReads -eq 0
expect FailedWrites -eq 0
sums_are_right
