# SPDX-License-Identifier: GPL-2.0-only
# Memory as a cache for writes in front of the backing device: near mem_limit the pages written longest ago leave, in few contiguous
# writes, reads change nothing of it, and every byte comes back; the device may be slow, fail, fill or come late.
. ./common.sh
. ./backing.sh
read -r seed <arguments
# By night more of the same: pages, rounds, MiB of a device that fills.
last=8192 rounds=2 lots=30 some=600 small=16
[ ! -e thorough ] || last=16384 rounds=4 lots=40 some=1200 small=32
# many WAY FIRST COUNT SEED: more than a request has
many() {
	local at=$2
	while [ "$at" -lt $(($2 + $3)) ]; do
		pages "$1" "$at" 256 "$4"
		at=$((at + 256))
	done
}
writes() { awk '{ print $5 }' /sys/block/"${backing#/dev/}"/stat; }
# settled: until the cleaner writes no more
settled() {
	local before=-1 waited=0
	until [ "$before" = "$(value cleaning_writes)" ]; do
		before=$(value cleaning_writes)
		waited=$((waited + 1))
		[ $waited -lt $long_wait ] || fail "the cleaner does not end"
		sleep 0.3
	done
}
# on_device FIRST COUNT: prints how many of these pages are read from the device
on_device() {
	local before
	before=$(value backing_pages_in)
	pages read "$1" "$2" "$seed"
	echo $(($(value backing_pages_in) - before))
}
noise=$((seed + 4294967296)) # NOISE of some_pages.c
announce "cleaner healthy device"

# ---- the oldest leave, in few writes; reads change nothing ----
make_backing room 96 512 1000000
attach 128M
[ "$(cat $block/clean_percent)" -gt 0 ] || fail "clean_percent is $(cat $block/clean_percent)"
for wrong in 91 -1 x ''; do put "$wrong" $block/clean_percent 2>/dev/null && fail "clean_percent takes '$wrong'"; done
put 4M $block/mem_limit
many write 0 512 "$seed"
expect cleaned_pages -eq 0
before=$(writes)
at=512
while [ $at -lt $last ]; do
	pages write $at 256 "$seed"
	# Read again and again, these stay the oldest.
	[ $at -gt 4096 ] || pages read 0 256 "$seed"
	at=$((at + 256))
	[ $at != 4096 ] || { settled; [ "$(on_device 0 256)" = 256 ] || fail "pages that were read stay in memory"; }
	[ "$(value MemUsedTotal)" -le 4194304 ] || fail "mem_limit is passed: $(value MemUsedTotal)"
done
settled
device_writes=$(($(writes) - before))
announce "cleaner $(value cleaned_pages) pages in $(value cleaning_writes) writes, $device_writes of the device," \
	"$(value cleaning_waits) waits, $(value inverted_pages) inverted, $(value redone_pages) redone, memory $(value MemUsedTotal)"
expect inverted_pages -eq 0
expect forwarded_pages -eq 0
expect FailedWrites -eq 0
expect cleaned_pages -gt $((last * 5 / 8))
[ $(($(value cleaned_pages) / $(value cleaning_writes))) -ge 32 ] && [ $(($(value cleaned_pages) / device_writes)) -ge 32 ] || fail "few pages a write"
expect backing_pages_out -eq "$(value cleaned_pages)"
# The youngest are in memory, the oldest on the device.
young=$(on_device $((last - 256)) 256)
[ "$young" = 0 ] || fail "$young of the 256 youngest pages have left"
stays=$(value backing_pages_out)
many read 0 $last "$seed"
expect backing_pages_out -eq "$stays"
expect FailedReads -eq 0
sums_are_right

# ---- overwritten, a page is young; discarded, it is nothing ----
blkdiscard $disk
[ "$(room)" = 0 ] || fail "discarded pages take $(room)"
expect MemUsedTotal -eq 0
many write 0 1024 "$seed"
pages write 0 128 "$seed"
blkdiscard -o $((256 * 4096)) -l $((256 * 4096)) $disk
# A step at a time, until the oldest have left: at once, a fast writer has all of them leave. How many pages that takes is a
# matter of whose streams they are: the card's are smaller.
at=2048
until [ $at -ge 4096 ] || [ "$(on_device 128 128)" -gt 0 ]; do
	many write $at 256 "$seed"
	settled
	at=$((at + 256))
done
[ "$(on_device 0 128)" -lt "$(on_device 128 128)" ] || fail "overwritten pages leave first"
many write $at $((4096 - at)) "$seed"
settled
pages read 0 256 "$seed"
many read 512 512 "$seed"
many read 2048 2048 "$seed"

# ---- mem_limit while it runs: pages leave without a write ----
put 1M $block/mem_limit
settled
[ "$(value MemUsedTotal)" -le 1048576 ] || fail "after mem_limit sank, memory is $(value MemUsedTotal)"
put 0 $block/mem_limit
before=$(value cleaned_pages)
many write 4096 2048 "$seed"
expect cleaned_pages -eq "$before"
put 2M $block/mem_limit
await_growth cleaned_pages "$before"
settled
[ "$(value MemUsedTotal)" -le 2097152 ] || fail "after mem_limit came, memory is $(value MemUsedTotal)"
many read 4096 2048 "$seed"
expect inverted_pages -eq 0

# ---- the order stays small and right, whatever was written: of each round but one page stays ----
blkdiscard $disk
put 0 $block/mem_limit
empty=$(value table_bytes)
round=0
while [ $round -lt $lots ]; do
	pages write $round 1 "$seed"
	many write 1024 1024 "$seed"
	round=$((round + 1))
done
sleep 1
pages write 1024 1 "$seed"
[ "$(value table_bytes)" -le $((empty + 22 * 4096)) ] || fail "$((1024 + lots)) pages take $(($(value table_bytes) - empty)) bytes of table and order"
put 1M $block/mem_limit
settled
[ "$(on_device 0 $lots)" = $lots ] || fail "packing has made old pages young"
[ "$(on_device 1920 128)" = 0 ] || fail "packing has made young pages old"
many read 1024 1024 "$seed"
expect inverted_pages -eq 0

# ---- without memory for the order, pages are found by a search ----
attach 64M
# shellcheck disable=SC2046  # words of their own
set -- $(grep '^pagepress ' /proc/modules)
insmod ./fail_calls.ko function=__get_free_pages value=0 from="$6" bytes="$2" || fail "fail_calls"
put 1000000 /sys/module/fail_calls/parameters/count
many write 0 768 "$seed"
[ "$(cat /sys/module/fail_calls/parameters/struck)" -gt 0 ] || fail "nothing asked for memory"
put 0 /sys/module/fail_calls/parameters/count
many write 768 256 "$seed"
put 256K $block/mem_limit
await_growth cleaned_pages 768
settled
[ "$(value MemUsedTotal)" -le 262144 ] || fail "without an order memory stays at $(value MemUsedTotal)"
many read 0 1024 "$seed"

# ---- found old and then overwritten, a page stays ----
attach 64M
# The oldest by themselves: pages of one request end in any order, and the one that ends first is the older.
pages write 0 64 "$seed"
pages write 64 192 "$seed"
many write 256 768 "$seed"
hold submit_bio_wait
put $(($(value PagesUsed) * 4096 * 100 / 92)) $block/mem_limit
held
pages write 64 64 "$seed"
release
await_growth cleaned_pages 100
settled
[ "$(on_device 64 64)" = 0 ] || fail "pages overwritten since they were found have left"
[ "$(on_device 0 64)" = 64 ] || fail "older pages have not left"
expect inverted_pages -eq 0
rmmod fail_calls
attach 128M
put 4M $block/mem_limit

# ---- others write, overwrite, read and discard meanwhile ----
./check_blocks $disk "$seed" 4 $some || fail "check_blocks"
expect FailedWrites -eq 0
expect inverted_pages -eq 0
sums_are_right

announce "cleaner faulty device"
# ---- the device fails: nothing is lost that memory has; then it is well again ----
put 1 $block/reset && put 0 "$control/power" && make_backing broken $small 512 && attach 64M
put 4M $block/mem_limit
many write 0 512 "$seed"
bad 0 $((small * 2048 - 1))
at=512
while ./some_pages write $disk $at 256 "$seed" 2>/dev/null && [ $at -lt 6144 ]; do at=$((at + 256)); done
[ $at -lt 6144 ] || fail "6144 pages fit a device that fails"
expect backing_errors -ge 1
logged "they stay in memory"
expect cleaned_pages -eq 0
many read 0 $at "$seed"
good 0 $((small * 2048 - 1))
sleep 2
many write $at 1024 "$seed"
many read 0 $((at + 1024)) "$seed"
expect cleaned_pages -gt 0
expect FailedReads -eq 0

# ---- it fills: writes fail with ENOSPC, what is there stays ----
blkdiscard $disk
at=0
while ./some_pages write $disk $at 256 $noise 2>/dev/null && [ $at -lt 16384 ]; do at=$((at + 256)); done
[ $at -lt 16384 ] && [ $at -gt $((small * 7000 / 32)) ] || fail "$at pages of noise fit $small MiB"
many read 0 $at $noise

# ---- writeback_limit holds for it as well ----
blkdiscard $disk
put 64 $block/writeback_limit && put 1 $block/writeback_limit_enable
before=$(value backing_sectors_out)
at=0
while ./some_pages write $disk $at 256 "$seed" 2>/dev/null && [ $at -lt 8192 ]; do at=$((at + 256)); done
[ $at -lt 8192 ] || fail "writeback_limit stops nothing"
[ $(($(value backing_sectors_out) - before)) -le 512 ] || fail "writeback_limit passed"
put 0 $block/writeback_limit_enable

# ---- reset, and removal of the disk, while it cleans a slow device ----
put 1 $block/reset && put 0 "$control/power" && make_backing slow 96 512 50000000
round=0
while [ $round -lt $rounds ]; do
	attach 64M
	put 4M $block/mem_limit
	many write 0 4096 "$seed"
	expect inverted_pages -eq 0
	[ $round != $((rounds / 2)) ] || many read 0 4096 "$seed"
	put 64K $block/mem_limit
	round=$((round + 1))
done
# Nor does removal wait for all that somebody else writes back, which ends with an error.
attach 64M
many write 0 $((last / 2)) "$seed"
put all $block/idle
(! put idle $block/writeback 2>/dev/null) &
writes_back=$!
await_growth backing_pages_out 0
put 0 /sys/class/pagepress-control/hot_remove || fail "hot_remove"
wait $writes_back || fail "hot_remove waits for the end of a write-back"
[ "$(cat /sys/class/pagepress-control/hot_add)" = 0 ] || fail "hot_add"
put "$backing" $block/backing_dev && put 2M $block/mem_limit && put 64M $block/disksize || fail "the device after mem_limit"
many write 0 2048 "$seed"
expect cleaned_pages -gt 0
put 64K $block/mem_limit
put 1 $block/reset && put 0 "$control/power" || fail "reset"

# ---- a device that stalls costs a wait, then pages pass the cleaner ----
make_backing stalls 96 512 5000000000 && attach 64M
put 4M $block/mem_limit
at=0
until [ "$(value inverted_pages)" -gt 0 ]; do
	pages write $at 64 "$seed"
	at=$((at + 64))
	[ $at -lt 16384 ] || fail "no page passes the cleaner"
done
expect cleaning_waits -gt 0
put 0 $block/mem_limit
pages read $((at - 64)) 64 "$seed"
put 64K $block/mem_limit
put 0 /sys/class/pagepress-control/hot_remove || fail "hot_remove"
rmmod pagepress || fail "rmmod"
! kernel_complains || fail "the kernel complains"
