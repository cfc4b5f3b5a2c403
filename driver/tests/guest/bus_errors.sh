# SPDX-License-Identifier: GPL-2.0-only
# The bus reports errors under load with swap active (AER at the port above the card): the kernel cuts the card off, resets
# it and gives it back; no byte is wrong. And hibernation is refused while a disk is in use. Needs MONITOR=1.
. ./common.sh
read -r seed rounds <arguments
swap=/dev/pagepress1
open_monitor
open_control
# await_times NUMBER PHRASE: the kernel's log says it so often
await_times() {
	local waited=0
	until [ "$(dmesg | grep -c "$2")" -ge "$1" ]; do
		waited=$((waited + 1))
		[ $waited -lt $long_wait ] || { dmesg | tail -n 40; fail "the log does not say '$2' $1 times"; }
		sleep 0.1
	done
}
mkswap $swap >/dev/null && swapon $swap || fail "swapon"
put card /sys/module/pagepress/parameters/read_path
until [ -e enough ]; do
	./check_blocks $disk "$seed" 2 "$rounds" || exit 1
done &
checker=$!
await_growth card_pages_in 0

# Fatal: cut off, reset, back. Three times: each leaves the card fit for the next. The first strikes while a page is known
# to be in flight, as the card holds its answer back.
for turn in 1 2 3; do
	ready=$(dmesg | grep -c "card ready again")
	if [ $turn = 1 ]; then
		redone=$(value redone_pages)
		tell arm stuck
		while ask status; [ "${answer% armed*}" != "struck 1" ]; do sleep 0.05; done
	fi
	bus_error DLP
	await_times $turn "cuts the card off"
	await_times $((ready + 1)) "card ready again"
	await ready
	await_growth card_pages_out "$(value card_pages_out)"
	await_growth card_pages_in "$(value card_pages_in)"
	[ $turn != 1 ] || expect redone_pages -gt "$redone"
done
# Not fatal: the card goes on.
resets=$(value card_resets) back=$(dmesg | grep -c "card ready again")
bus_error POISON_TLP
await_times 1 "error that stops nothing"
await ready
await_growth card_pages_out "$(value card_pages_out)"
[ "$(dmesg | grep -c "card ready again")" = "$back" ] || fail "an error that stops nothing has stopped the card"
expect card_resets -eq "$resets"

refused "busy" put disk /sys/power/state
logged "hibernation refused"

touch enough
wait $checker || fail "check_blocks $disk $seed 2 $rounds"
swapoff $swap || fail "swapoff"
expect FailedReads -eq 0
expect FailedWrites -eq 0
sums_are_right
