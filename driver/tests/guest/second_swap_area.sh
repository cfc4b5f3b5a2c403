# SPDX-License-Identifier: GPL-2.0-only
# A disk beside compressed swap, as an area of lower priority, and behind it, as its backing device: no byte is wrong, and where pages of
# each age rest. Beside it, what is swapped out first, the oldest, fills the compressed area, and newer pages have to go to the disk;
# behind it what was swapped out longest ago leaves for the disk. Arguments: seed. Needs a device /dev/vda that it may write to (WRITABLE=...).
. ./common.sh
read -r seed <arguments
free=$(available)
compressed=$((free / 8)) # MB in the compressed area, where it is one of two
hot=30                   # percent of all, the newest

# hold_memory: more than there is; until `end` is there
hold_memory() {
	rm -f end said
	./pages_rest fill $((free * 5 / 4)) $hot "$seed" end >said &
	holder=$!
	until grep -qs filled said; do
		kill -0 $holder 2>/dev/null || fail "the memory is not held: $(cat said)"
		sleep 0.2
	done
}

# shown NAME: where pages rest, in the log; the youngest tenths are the last
shown() {
	announce "$1: tenth by age, KiB in memory, first area, second area, of the first on its backing device"
	while read -r line; do announce "$1: $line"; done <where
}

# mean COLUMN: the tenth in which a page of that column lies on average, in hundredths; 0 without one
mean() { awk -v at="$1" '{ all += $at; sum += $at * $1 * 100 } END { print all ? int(sum / all) : 0 }' where; }
sum() { awk -v at="$1" '{ all += $at } END { print all + 0 }' where; }

finish() {
	touch end
	wait $holder || fail "status $?: $(cat said)"
	expect FailedReads -eq 0
	expect FailedWrites -eq 0
}

# Two areas: of the next that is made the priority is lower.
put 1 $block/reset && put ${compressed}M $block/disksize || fail "no disk"
mkswap $disk >/dev/null && swapon $disk && mkswap /dev/vda >/dev/null && swapon /dev/vda || fail swapon
awk 'NR == 2 { first = $5 } NR == 3 && $5 < first { lower = 1 } END { exit !lower }' /proc/swaps || fail "priorities: $(cat /proc/swaps)"
hold_memory
./pages_rest where $holder >where || fail "where"
shown beside
# With pages of other programs, too.
awk -v area=$disk '$1 == area { full = $4 * 10 >= $3 * 9 } END { exit !full }' /proc/swaps || fail "the compressed area is not full: $(cat /proc/swaps)"
[ "$(sum 3)" -gt 1024 ] || fail "few pages are in the compressed area"
[ "$(sum 4)" -gt 4096 ] || fail "the disk is not used"
# What went out first keeps the compressed area, whatever of it the kernel chose: mostly the oldest addresses, the inversion.
inverted=$(mean 3)/$(mean 4)
finish
swapoff /dev/vda && swapoff $disk || fail swapoff

# The same disk behind the compressed pages. Their limit holds several times the pages of other programs, which are written last and stay.
put 1 $block/reset && put /dev/vda $block/backing_dev && put 256M $block/disksize && put ${compressed}M $block/mem_limit || fail "no disk with a backing device"
mkswap $disk >/dev/null && swapon $disk || fail swapon
hold_memory
./pages_rest where $holder $disk $block/pagepress/backing_pages_in >where || fail "where"
shown behind
[ "$(sum 5)" -gt 4096 ] || fail "nothing is on the backing device"
[ "$(sum 5)" -lt "$(sum 3)" ] || fail "all is on the backing device"
# The kernel swaps out what it takes for the oldest, mostly by age of addresses; what leaves memory is the oldest of that, by the order of writes.
awk '{ print $1, $2, $3 - $5, $4, $5 }' where >rests && mv rests where
expect inverted_pages -eq 0
announce "mean tenth by age, compressed/disk: beside $inverted, behind $(mean 3)/$(mean 5), in hundredths"
finish
swapoff $disk || fail swapoff
sums_are_right
! kernel_complains "Out of memory:" || fail "the kernel complains"
