# SPDX-License-Identifier: GPL-2.0-only
# A card that was reset, suspended with the machine, or off the bus comes back by itself, under load and with swap active;
# one that has become smaller is not taken; one that stays away is given up, and comes back when somebody resets it.
# Arguments: seed, rounds, seconds of rest. Needs CONTROL=1.
. ./common.sh
read -r seed rounds idle <arguments
parameters=/sys/module/pagepress/parameters
address=$(cat $block/card/address)
swap=/dev/pagepress1
open_control
# The card takes pages both ways again, and still notices one that gets lost.
in_service() {
	await ready
	await_growth card_pages_out "$(value card_pages_out)"
	await_growth card_pages_in "$(value card_pages_in)"
	put 500 $parameters/timeout_ms
	local timeouts
	timeouts=$(value card_timeouts)
	tell arm lost-completion
	await_growth card_timeouts "$timeouts"
	put 10000 $parameters/timeout_ms
	tell clear
	await ready
}

mkswap $swap >/dev/null && swapon $swap || fail "swapon"
put 50 $parameters/rejoin_ms
put card $parameters/read_path
put 20 $parameters/rejoin_limit
until [ -e enough ]; do
	./check_blocks $disk "$seed" 2 "$rounds" || exit 1
done &
checker=$!

for turn in 1 2 3; do
	put 1 "/sys/bus/pci/devices/$address/reset" || fail "reset $turn"
done
in_service

# With fewer queue pairs than there are rings it is not taken, until it is what it was.
tell arm fewer-queues
put 1 "/sys/bus/pci/devices/$address/reset" || fail "reset"
[ "$(value card_state)" = dead ] || fail "a card with fewer queue pairs is $(value card_state)"
logged "fewer queue pairs or shallower rings than it had: remove and rescan it"
await_growth software_pages_out "$(value software_pages_out)"
tell clear
put 1 "/sys/bus/pci/devices/$address/reset" || fail "reset"
in_service

suspend_and_wake
logged "suspend exit"
put 1 "/sys/bus/pci/devices/$address/reset" || fail "reset after suspend"
in_service

# Off the bus for longer than it rests; then by itself.
tell arm dead
await_log "the card is not on the bus"
[ "$(value card_state)" = dead ] || fail "a card off the bus is $(value card_state)"
# That it reads all ones, configuration space too, is no proof that it no longer writes to memory.
logged "does not confirm that it has stopped"
await_growth software_pages_out "$(value software_pages_out)"
await_growth software_pages_in "$(value software_pages_in)"
tell clear
in_service

# Away for good: given up after rejoin_limit, until a reset.
put 2 $parameters/rejoin_limit
put 1 "/sys/bus/pci/devices/$address/reset" || fail "reset"
await ready
announce "the card goes away for good"
tell arm dead
await_log "times in a row"
# So many failures, each but the last with a rest that is twice as long as the one before.
dmesg | sed '1,/goes away for good/d' >away
rests=$(sed -n 's/.*trying the card again in \([0-9]*\) ms.*/\1/p' away | tr '\n' ' ')
[ "$rests" = "50 100 " ] || fail "the card rests for $rests ms"
grep -q "card failed 3 times in a row" away || fail "given up: $(grep "times in a row" away)"
tell clear
sleep 1
[ "$(value card_state)" = dead ] || fail "a card that was given up is $(value card_state)"
await_growth software_pages_out "$(value software_pages_out)"
put 1 "/sys/bus/pci/devices/$address/reset" || fail "reset of a card that was given up"
in_service

touch enough
wait $checker || fail "check_blocks $disk $seed 2 $rounds"
swapoff $swap || fail "swapoff"

# Rest is no work: a failure counts with the last one, however long nobody has asked the card anything between them.
if [ "$idle" -gt 0 ]; then
	sleep "$idle"
	failed() { dmesg | sed -n 's/.*card ready again after \([0-9]*\) failure.*/\1/p' | tail -n 1; }
	before=$(failed) timeouts=$(value card_timeouts)
	put 500 $parameters/timeout_ms
	tell arm stuck
	dd if=check_blocks of=$disk bs=4096 count=1 oflag=direct 2>/dev/null || fail "a page while the card is stuck"
	await_growth card_timeouts "$timeouts"
	tell clear
	await ready
	[ "$(failed)" = $((before + 1)) ] || fail "the failure after a rest is number $(failed) in a row, not $((before + 1))"
fi
expect FailedReads -eq 0
expect FailedWrites -eq 0
sums_are_right
