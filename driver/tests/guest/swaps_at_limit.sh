# SPDX-License-Identifier: GPL-2.0-only
# Swap under memory pressure at mem_limit, with a backing device behind it: programs write and check more memory than
# there is, writers wait for the cleaner, and nothing hangs, is lost or goes out newest first. Arguments: seed, seconds, pages that the cleaner writes, at least both.
# Needs a device /dev/vda that it may write to (WRITABLE=...).
. ./common.sh
. ./backing.sh
read -r seed seconds cleaned <arguments
free=$(available)
backing=/dev/vda
attach 512M
put $((free / 16))M $block/mem_limit
mkswap $disk >/dev/null && swapon $disk || fail "swapon"
./soak_memory "$seed" 4 $((free * 5 / 16)) 0 enough >checked 2>said &
load=$!
began=$(cut -d. -f1 /proc/uptime)
while kill -0 $load 2>/dev/null && { [ $(($(cut -d. -f1 /proc/uptime) - began)) -lt "$seconds" ] || [ "$(value cleaned_pages)" -lt "$cleaned" ] ||
	[ "$(value backing_pages_in)" -lt 100 ]; }; do
	sleep 1
	announce "limit $(($(cut -d. -f1 /proc/uptime) - began)) s: pages out $(value NumWrites) in $(value NumReads), $(value cleaned_pages) in" \
		"$(value cleaning_writes) writes, $(value cleaning_waits) waits, $(value inverted_pages) inverted, $(value redone_pages) redone, memory $(value MemUsedTotal)"
done
touch enough
wait $load || fail "status $? of the load: $(cat said)"
swapoff $disk || fail "swapoff"
announce "limit $(awk '{ all += $2 } END { print all }' checked) pages checked, $(value cleaned_pages) in $(value cleaning_writes) writes," \
	"$(value cleaning_waits) waits, $(value inverted_pages) inverted, $(value FailedWrites) failed"
expect FailedReads -eq 0
expect FailedWrites -eq 0
# A writer waits two seconds for a batch of the cleaner, which a busy host may take longer for.
expect inverted_pages -le $(($(value cleaned_pages) / 100))
[ $(($(value cleaned_pages) / $(value cleaning_writes))) -ge 32 ] || fail "few pages a write"
sums_are_right
! kernel_complains "Out of memory:" || fail "the kernel complains"
