# SPDX-License-Identifier: GPL-2.0-only
# A driver made from another interface: one line naming both hashes, no card, and the disk works in software.
. ./common.sh
read -r seed <arguments
rmmod pagepress || fail "rmmod"
load ./pagepress.ko || fail "insmod of the other driver"
logged "interface mismatch: the card has [0-9.]* hash [0-9a-f]*, this driver [0-9.]* hash [0-9a-f]*badbad"
[ "$(value card_state)" = none ] || fail "card_state is $(value card_state), not none"
./check_blocks $disk "$seed" 2 100 || fail "check_blocks $disk $seed 2 100"
expect card_pages_out -eq 0
sums_are_right
