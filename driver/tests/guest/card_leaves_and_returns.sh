# SPDX-License-Identifier: GPL-2.0-only
# The card is reset, removed and rescanned under load with swap active: the disk stays, no byte wrong, the card works again, and what it has
# counted stays counted.
. ./common.sh
read -r seed rounds <arguments
address=$(cat $block/card/address)
swap=/dev/pagepress1
mkswap $swap >/dev/null && swapon $swap || fail "swapon"
until [ -e enough ]; do
	./check_blocks $disk "$seed" 2 "$rounds" || exit 1
done &
checker=$!
# A reset takes the card's own counters back to 0, and not what is shown of them.
await_growth card_pages_out 1000
compressed=$(cat $block/card/pages_compressed)
put 1 "/sys/bus/pci/devices/$address/reset" || fail "reset"
await ready
[ "$(cat $block/card/pages_compressed)" -ge "$compressed" ] ||
	fail "pages_compressed went back from $compressed to $(cat $block/card/pages_compressed)"
for turn in 1 2 3; do
	await_growth card_pages_out "$(value card_pages_out)"
	out=$(value card_pages_out)
	compressed=$(cat $block/card/pages_compressed)
	put 1 "/sys/bus/pci/devices/$address/remove" || fail "remove"
	[ "$(value card_state)" = none ] || fail "turn $turn: card_state is $(value card_state), not none"
	[ "$(cat $block/card/present)" = 0 ] || fail "a removed card is present"
	[ "$(cat $block/card/pages_compressed)" -ge "$compressed" ] ||
		fail "turn $turn: of $compressed pages compressed $(cat $block/card/pages_compressed) are remembered"
	sleep 0.5
	put 1 /sys/bus/pci/rescan
	await ready
	await_growth card_pages_out "$out"
done
touch enough
wait $checker || fail "check_blocks $disk $seed 2 $rounds"
# Unbinding is a removal too.
put "$address" /sys/bus/pci/drivers/pagepress/unbind || fail "unbind"
[ "$(value card_state)" = none ] || fail "card_state is $(value card_state) after unbind"
put "$address" /sys/bus/pci/drivers/pagepress/bind || fail "bind"
await ready
swapoff $swap || fail "swapoff"
expect FailedReads -eq 0
expect FailedWrites -eq 0
sums_are_right
