# SPDX-License-Identifier: GPL-2.0-only
# Firmware that dies on a card whose clock is slow: the driver boots it anew and waits as long as that takes by the card's time, so
# one restart brings it back. For twelve seconds of the boot the card is at work, which leaves its management part a tenth of a processor.
# Needs CARD=rtl, CONTROL=1; arguments: seed; beside it some_pages.
. ./common.sh
read -r seed <arguments
open_control
shown=/sys/bus/pci/devices/$(cat $block/card/address)/management
state_is() { [ "$(cat $shown/state)" = "$1" ]; }
within $long_wait state_is running
[ "$(cat $shown/firmware_resets)" = 0 ] || fail "restarted before it has booted: $(cat $shown/firmware_resets) times"
tell firmware dead
within $long_wait state_is silent
while [ ! -e enough ]; do ./some_pages write $disk 0 64 "$seed" && ./some_pages read $disk 0 64 "$seed" || exit 1; done &
load=$!
sleep 12
touch enough
wait $load || fail "pages beside the boot"
within $long_wait state_is running
[ "$(cat $shown/firmware_resets)" = 1 ] || fail "restarted $(cat $shown/firmware_resets) times, not once"
logged "firmware does not run (stage RUNNING"
sums_are_right
