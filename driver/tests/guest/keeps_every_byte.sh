# SPDX-License-Identifier: GPL-2.0-only
# Random writes, overwrites, discards and reads from three processes: no byte wrong, and the sums agree.
. ./common.sh
read -r seed engine rounds <arguments
[ "$engine" = none ] && expected=none || expected=ready
[ "$(value card_state)" = $expected ] || fail "card_state is $(value card_state), not $expected"
put card /sys/module/pagepress/parameters/read_path # single pages as well
./check_blocks $disk "$seed" 3 "$rounds" || fail "check_blocks $disk $seed 3 $rounds"
sums_are_right
expect FailedReads -eq 0
expect FailedWrites -eq 0
expect card_mismatches -eq 0
expect card_errors -eq 0
if [ "$engine" = none ]; then
	expect card_pages_out -eq 0
	expect software_pages_in -gt 100
else
	expect card_pages_out -gt 100
	expect card_pages_in -gt 100
	# Commands of single reads are pushed, and a card that has nothing else to do takes them so: one that is behind with what is in the ring
	# fetches them all the same.
	pushed=$(value single_reads_pushed) used=$(cat $block/card/commands_pushed)
	[ "$used" -le "$pushed" ] || fail "the card used $used of $pushed pushed"
	./some_pages write $disk 0 30 1 || fail "some_pages write"
	slot=0
	while [ $slot -lt 30 ]; do
		./some_pages read $disk $slot 1 1 || fail "some_pages read $slot"
		slot=$((slot + 1))
	done
	pushed=$(($(value single_reads_pushed) - pushed)) used=$(($(cat $block/card/commands_pushed) - used))
	[ $pushed -gt 10 ] && [ $used -le $pushed ] && [ $((used * 2)) -ge $pushed ] || fail "the card used $used of $pushed pushed"
	[ "$(cat $block/card/pages_decompressed)" -ge "$(value card_pages_in)" ] || fail "the card counted fewer pages in"
fi
# Everything discarded: nothing left in the pool.
blkdiscard $disk
expect PagesStored -eq 0
expect ComprDataSize -eq 0
expect MemUsedTotal -eq 0
