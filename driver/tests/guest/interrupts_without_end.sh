# SPDX-License-Identifier: GPL-2.0-only
# A card that interrupts without end, by a queue's vector or that of events, stops no machine, not one of a single CPU: its pages go on, it
# is taken out of service, and comes back with all its interrupts. Needs CONTROL=1; argument: seed; beside it some_pages.
. ./common.sh
read -r seed <arguments
parameters=/sys/module/pagepress/parameters
address=$(cat $block/card/address)
open_control
# interrupts NAME: how many this vector has had
interrupts() { awk -v name="pagepress-$address-$1" '$NF == name { print $2 }' /proc/interrupts; }
# interrupted NAME NUMBER: whether it has had more than that
interrupted() { [ "$(interrupts "$1")" -gt "$2" ]; }
put 50 $parameters/rejoin_ms
put 20 $parameters/rejoin_limit
put card $parameters/read_path
for storm in interrupt-storm event-storm; do
	for way in write read; do
		resets=$(value card_resets)
		tell arm $storm
		pages $way 0 64 "$seed"
		await_growth card_resets "$resets"
		await ready
		pages read 0 64 "$seed"
	done
	out=$(value card_pages_out) had=$(interrupts queue0)
	pages write 64 64 "$seed"
	[ "$(value card_pages_out)" -gt "$out" ] || fail "the card takes no page after $storm"
	within $long_wait interrupted queue0 "$had"
done
logged "its vector 1 interrupts without end"
logged "its vector 0 interrupts without end"
had=$(interrupts events)
tell arm fatal
pages write 128 64 "$seed"
within $long_wait interrupted events "$had"
await ready
for first in 0 64 128; do pages read $first 64 "$seed"; done
expect FailedReads -eq 0
expect FailedWrites -eq 0
sums_are_right
! kernel_complains || fail "the kernel complains"
