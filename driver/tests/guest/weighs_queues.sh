# SPDX-License-Identifier: GPL-2.0-only
# Weights of a card's queues: what is taken and refused, that the card has them, also after a reset, and that they change under load.
# Beside it: check_blocks, sysfs-bus-pci-pagepress.
. ./common.sh
read -r seed <arguments
mount -t debugfs none /sys/kernel/debug 2>/dev/null
address=$(cat $block/card/address)
weights=/sys/bus/pci/devices/$address/queue_weights
queues=$(cat $block/card/queue_pairs)
# on_card QUEUE: what its register WEIGHT says
on_card() {
	local offset
	offset=$(printf '%04x' $((0x1028 + 0x40 * $1)))
	echo $((0x$(sed -n "s/^$address $offset //p" /sys/kernel/debug/pagepress/registers)))
}
# both QUEUE WEIGHT: file and card say so
both() { [ "$(cat $weights/$1)" = "$2" ] && [ "$(on_card $1)" = "$2" ] || fail "queue $1: $(cat $weights/$1), on the card $(on_card $1), not $2"; }

[ "$queues" = 2 ] || fail "$queues queues"
[ "$(ls $weights | tr '\n' ' ')" = "0 1 " ] || fail "files: $(ls $weights)"
grep -q "^What:.*/queue_weights/<queue>$" sysfs-bus-pci-pagepress || fail "the documents say nothing of queue_weights"
both 0 1
both 1 1
put 15 $weights/1 || fail "15"
put 7 $weights/0 || fail "7"
both 0 7
both 1 15
for words in 0 16 255 4294967297 18446744073709551615 18446744073709551616; do
	refused "out of range" put "$words" $weights/1
done
for words in x -1 +3 0x3 1K "3 4" "" " 3"; do
	refused "nvalid argument" put "$words" $weights/1
done
put 003 $weights/0 || fail "003"
both 0 3
both 1 15

# Under load, and whatever it is just doing: a reset brings the card back with the same weights.
put card /sys/module/pagepress/parameters/read_path
until [ -e enough ]; do
	./check_blocks $disk "$seed" 2 100 || exit 1
done &
checker=$!
turn=0
while [ $turn -lt 200 ]; do
	turn=$((turn + 1))
	put $((turn * 7 % 15 + 1)) $weights/$((turn % 2)) || fail "turn $turn"
	[ $((turn % 60)) != 0 ] || put 1 "/sys/bus/pci/devices/$address/reset" || fail "reset"
done
put 2 $weights/0 && put 9 $weights/1 || fail "last weights"
put 1 "/sys/bus/pci/devices/$address/reset" || fail "last reset"
await ready
both 0 2
both 1 9
await_growth card_pages_out "$(value card_pages_out)"
touch enough
wait $checker || fail "check_blocks"
expect card_errors -eq 0
expect card_mismatches -eq 0
sums_are_right

# A driver that is bound anew knows nothing of it.
put "$address" /sys/bus/pci/drivers/pagepress/unbind || fail "unbind"
[ ! -e $weights ] || fail "files of a card that is not the driver's"
put "$address" /sys/bus/pci/drivers/pagepress/bind || fail "bind"
await ready
both 0 1
both 1 1
