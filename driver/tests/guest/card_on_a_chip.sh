# SPDX-License-Identifier: GPL-2.0-only
# The card as a platform device (card_on_chip.ko): it serves, fails, comes back, leaves and returns under load as one on PCI does; an
# interrupt that stays raised keeps no CPU busy; what fails on its way in leaves nothing behind. Needs CONTROL=1.
. ./common.sh
read -r seed rounds <arguments
parameters=/sys/module/pagepress/parameters
pci=/sys/bus/pci/drivers/pagepress
platform=/sys/bus/platform/drivers/pagepress
tracing=/sys/kernel/tracing
mount -t tracefs none $tracing
open_control
put card $parameters/read_path
put 50 $parameters/rejoin_ms
put 1000 $parameters/rejoin_limit
raised() { cat /sys/module/card_on_chip/parameters/raised; }
# calls NAME: of the function counted under that name
calls() { awk -v name="$1" '$1 == name { print $2 }' $tracing/kprobe_profile; }
come() { put pagepress $platform/bind || fail "bind"; }
leave() { put pagepress $platform/unbind || fail "unbind"; }
# in_service: the card takes pages both ways, and is heard
in_service() {
	local before waited=0
	await ready
	await_growth card_pages_out "$(value card_pages_out)"
	await_growth card_pages_in "$(value card_pages_in)"
	before=$(raised)
	until [ "$(raised)" -gt "$before" ]; do
		waited=$((waited + 1))
		[ $waited -lt $long_wait ] || fail "no interrupts"
		sleep 0.1
	done
}

put "$(cat $block/card/address)" $pci/unbind || fail "unbind from PCI"
[ "$(value card_state)" = none ] || fail "without a card it is $(value card_state)"
# The one interrupt is heard by the queue of each CPU: its thread takes the completions of pages that one task writes alone, not the
# watchdog or who looks for late ones, unless a busy host holds it up.
insmod ./card_on_chip.ko lines=1 || fail "card_on_chip"
await ready
put 1 $tracing/events/pagepress/pagepress_request_complete/enable || fail "cannot trace"
for cpu in 0 1; do
	for attempt in $(seq 30); do
		echo >$tracing/trace
		for page in 0 1 2 3 4 5 6 7 8 9; do
			taskset -c $cpu ./some_pages write $disk $page 1 "$seed" || fail "some_pages on CPU $cpu"
		done
		heard=$(grep -c "^ *irq/.*: pagepress_request_complete:.* queue=$cpu " $tracing/trace)
		[ "$heard" -lt 6 ] || break
	done
	[ "$heard" -ge 6 ] || fail "$heard of 10 completions of queue $cpu were taken at the interrupt: $(cat $tracing/trace)"
done
put 0 $tracing/events/pagepress/pagepress_request_complete/enable
rmmod card_on_chip || fail "rmmod"

mkswap /dev/pagepress1 >/dev/null && swapon /dev/pagepress1 || fail "swapon"
until [ -e enough ]; do
	./check_blocks $disk "$seed" 2 "$rounds" || exit 1
done &
checker=$!

# One interrupt for each vector, then one for all.
for lines in 0 1; do
	insmod ./card_on_chip.ko lines=$lines || fail "card_on_chip"
	[ "$(cat $block/card/address)" = pagepress ] || fail "its address is $(cat $block/card/address)"
	in_service
	expect card_mismatches -eq 0
	expect card_errors -eq 0

	# A command that gets lost, one that stops the card.
	put 500 $parameters/timeout_ms
	timeouts=$(value card_timeouts)
	tell arm lost-completion
	await_growth card_timeouts "$timeouts"
	put 10000 $parameters/timeout_ms
	in_service
	tell clear
	dmesg -c >/dev/null
	tell arm fatal
	await_log "it stopped by itself"
	in_service
	tell clear

	# The error stays, and its interrupt with it: the card takes no reset, and this bus has no other. Nobody is kept busy by that.
	dmesg -c >/dev/null
	put 500 $parameters/timeout_ms
	tell arm reset-refused
	tell arm fatal
	await_log "does not confirm that it has stopped"
	before=$(raised)
	sleep 1
	[ "$(($(raised) - before))" -lt 100 ] || fail "$(($(raised) - before)) interrupts of a card that does not work"
	put 10000 $parameters/timeout_ms
	tell clear
	in_service

	suspend_and_wake
	in_service

	leave
	[ "$(value card_state)" = none ] || fail "card_state is $(value card_state) after unbind"
	come
	in_service
	rmmod card_on_chip || fail "rmmod"
	[ "$(value card_state)" = none ] || fail "card_state is $(value card_state) after rmmod"
	await_growth software_pages_out "$(value software_pages_out)"
done
# A card that never stops is proven harmless by nothing, but what it was not told of it cannot reach: only its first driver loses buffers.
insmod ./card_on_chip.ko || fail "card_on_chip"
in_service
dmesg -c >/dev/null
put 500 $parameters/timeout_ms
tell arm reset-refused
tell arm fatal
await_log "does not confirm that it has stopped"
leave
await_log "never proven stopped"
dmesg -c >/dev/null
! put pagepress $platform/bind 2>/dev/null || fail "a card that does not stop is taken"
! dmesg | grep "never proven stopped" || fail "buffers are lost of which the card was not told"
tell clear
put 10000 $parameters/timeout_ms
come
in_service
rmmod card_on_chip || fail "rmmod"
touch enough
wait $checker || fail "check_blocks $disk $seed 2 $rounds"

# All that is mapped for the card ends with it, also when it does not get all it needs.
insmod ./card_on_chip.ko || fail "card_on_chip"
leave
for probe in map:dma_map_page_attrs unmap:dma_unmap_page_attrs allocate:dma_alloc_attrs free:dma_free_attrs \
	request:request_threaded_irq give_back:free_irq; do
	echo "p:card/${probe%%:*} ${probe#*:}" >>$tracing/kprobe_events || fail "cannot count $probe"
done
put 1 $tracing/events/card/enable || fail "cannot count"
module=$(text_of)
while read -r function result turn; do
	# shellcheck disable=SC2086  # words of their own
	insmod ./fail_calls.ko function="$function" value="$result" one_in="$turn" count=1 $module || fail "cannot fail $function"
	put pagepress $platform/bind 2>/dev/null
	[ "$(cat /sys/module/fail_calls/parameters/struck)" = 1 ] || fail "$function was not called"
	rmmod fail_calls
	[ "$(value card_state)" = none ] || fail "card_state is $(value card_state) without $function"
done <<LIST
devm_ioremap 0 1
dma_set_mask -5 1
platform_get_irq -6 1
dma_alloc_attrs 0 1
devm_kasprintf 0 1
request_threaded_irq -12 1
request_threaded_irq -12 2
LIST
come
./some_pages write $disk 0 64 "$seed" || fail "some_pages"
expect card_pages_out -gt 0
leave
for pair in map:unmap allocate:free request:give_back; do
	[ "$(calls "${pair%:*}")" -gt 0 ] && [ "$(calls "${pair%:*}")" = "$(calls "${pair#*:}")" ] ||
		fail "$(calls "${pair%:*}") calls of ${pair%:*}, $(calls "${pair#*:}") of ${pair#*:}"
done
rmmod card_on_chip || fail "rmmod"
./some_pages read $disk 0 64 "$seed" || fail "some_pages read"
swapoff /dev/pagepress1 || fail "swapoff"
expect FailedReads -eq 0
expect FailedWrites -eq 0
sums_are_right
