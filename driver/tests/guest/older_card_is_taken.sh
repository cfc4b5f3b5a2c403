# SPDX-License-Identifier: GPL-2.0-only
# A driver newer than the card: what the card does not have is not used, all else works.
. ./common.sh
read -r seed <arguments
rmmod pagepress || fail "rmmod"
load ./pagepress.ko || fail "insmod of the other driver"
[ "$(value card_state)" = ready ] || fail "card_state is $(value card_state), not ready"
[ -z "$(ls "/sys/bus/pci/devices/$(cat $block/card/address)/queue_weights")" ] || fail "weights of a card without"
put card /sys/module/pagepress/parameters/read_path
./check_blocks $disk "$seed" 2 100 || fail "check_blocks $disk $seed 2 100"
./some_pages write $disk 0 4 1 || fail "some_pages write"
for slot in 0 1 2 3; do
	./some_pages read $disk $slot 1 1 || fail "some_pages read $slot"
done
expect single_reads_by_card -ge 4
expect single_reads_pushed -eq 0
[ "$(cat $block/card/commands_pushed)" = 0 ] || fail "the card had a command pushed"
expect card_errors -eq 0
expect card_mismatches -eq 0
sums_are_right
