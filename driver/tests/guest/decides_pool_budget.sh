# SPDX-License-Identifier: GPL-2.0-only
# pool_budget=auto: the pool gives up memory for which reads of recent pages pay, and is given it back when old pages are read again;
# without swapoff, and without a wrong byte.
. ./common.sh
. ./backing.sh
read -r seed <arguments
pages() { ./some_pages "$1" $disk "$2" 256 "$seed" || fail "some_pages $*"; }
# many WAY FIRST COUNT
many() {
	local at=$2
	while [ "$at" -lt $(($2 + $3)) ]; do
		pages "$1" "$at"
		at=$((at + 256))
	done
}
# stat COLUMN
stat() { awk -v column="$1" '{ print $column }' $block/pool_budget_stat; }
budget() { stat 1; }
decisions() { stat 3; }
grown() { stat 4; }
shrunk() { stat 5; }
shrinker_calls() { stat 8; }
shrinker_pages() { stat 9; }
# memory_is_short: the kernel asks everybody who has memory to spare
memory_is_short() { echo 2 >/proc/sys/vm/drop_caches; }
# until_more FIGURE FIRST COUNT: goes on reading until the figure has grown
until_more() {
	local before turn=0
	before=$($1)
	while [ "$($1)" = "$before" ]; do
		many read "$2" "$3"
		turn=$((turn + 1))
		[ $turn -lt 2000 ] || fail "$1 stays $before: $(cat $block/pool_budget_stat)"
	done
}

[ "$(cat $block/pool_budget)" = off ] || fail "pool_budget is $(cat $block/pool_budget)"
for wrong in on 1 autos ''; do put "$wrong" $block/pool_budget 2>/dev/null && fail "pool_budget takes '$wrong'"; done
put auto $block/pool_budget
# No device, nowhere to go.
echo 16M >$block/disksize
[ "$(budget)" = 0 ] || fail "a budget of $(budget) without a device"
echo 1 >$block/reset

make_backing room 128 512 100000
attach 160M
# Three quarters of what is not the kernel's own.
shared=$(($(awk '/^(MemFree|Active|Inactive):/ { sum += $2 } END { print sum }' /proc/meminfo) * 1024))
[ "$(budget)" -gt $((shared * 11 / 16)) ] && [ "$(budget)" -lt $((shared * 13 / 16)) ] || fail "the first budget is $(budget) of $shared"
# What does not compress takes its turn as well.
./noise "$seed" 262144 >noise.bytes
dd if=noise.bytes of=$disk bs=64K oflag=direct 2>/dev/null || fail "noise"
expect NoCompress -eq 64
expect forwarded_pages -eq 0

# ---- much that nobody reads, little that is read again and again: programs should have the memory ----
many write 0 12288
many write 32768 1024
before=$(value MemUsedTotal)
first=$(budget)
# While memory is short, what the budget gives the pool stays there.
memory_is_short
[ "$(shrinker_calls)" = 0 ] && [ "$(value cleaned_pages)" = 0 ] || fail "the pool gives up pages that its budget leaves it: $(cat $block/pool_budget_stat)"
until_more shrunk 32768 1024
# What it does not, leaves at once. Beside the work that does so every second, so it is asked until it has been in time.
turn=0
until [ "$(shrinker_calls)" -gt 0 ]; do
	memory_is_short
	turn=$((turn + 1))
	[ $turn -lt 200 ] || fail "memory is short, and the pool keeps what its budget does not give it: $(cat $block/pool_budget_stat)"
	[ "$(value MemUsedTotal)" -gt "$(budget)" ] || many read 32768 1024
done
[ "$(shrinker_pages)" -ge "$(shrinker_calls)" ] || fail "no pages were asked for: $(cat $block/pool_budget_stat)"
# It may have got where it stays by now.
until [ "$(budget)" -lt "$first" ] && [ "$(budget)" -lt "$before" ]; do until_more shrunk 32768 1024; done
announce "budget $first, then $(budget); memory $before, then $(value MemUsedTotal); $(cat $block/pool_budget_stat)"
expect cleaned_pages -gt 0
waited=0
until [ "$(value MemUsedTotal)" -lt $((before * 7 / 8)) ]; do
	waited=$((waited + 1))
	[ $waited -lt $long_wait ] || fail "pages stay in memory: $(value MemUsedTotal) of $before"
	sleep 0.1
done
expect backed_pages -gt 1000

# ---- the old ones are wanted after all ----
small=$(budget)
until_more grown 0 2048
announce "budget $small, then $(budget); $(value backing_pages_in) pages from the device; $(cat $block/pool_budget_stat)"
[ "$(budget)" -gt "$small" ] || fail "the budget does not grow"

# ---- mem_limit is still the most there may be; off, nothing is left of the budget ----
put 2M $block/mem_limit
waited=0
until [ "$(value MemUsedTotal)" -le 2097152 ]; do
	waited=$((waited + 1))
	[ $waited -lt $long_wait ] || fail "mem_limit does not hold: $(value MemUsedTotal)"
	sleep 0.1
done
put 0 $block/mem_limit
put off $block/pool_budget
[ "$(budget)" = 0 ] && [ "$(cat $block/mem_limit)" = 0 ] || fail "switched off there is a budget of $(budget)"
stays=$(value backing_pages_out)
many write 20480 2048
expect backing_pages_out -eq "$stays"
for turn in $(seq 20); do
	put auto $block/pool_budget
	put off $block/pool_budget
done
put auto $block/pool_budget
many read 0 12288
many read 32768 1024
many read 20480 2048
expect FailedReads -eq 0
expect FailedWrites -eq 0
expect inverted_pages -eq 0
sums_are_right
echo 1 >$block/reset
[ "$(budget)" = 0 ] || fail "a budget of $(budget) after a reset"
