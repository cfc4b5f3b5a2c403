# SPDX-License-Identifier: GPL-2.0-only
# Does wrong, one after the other, what its arguments name. It ends well itself: the run must fail all the same.
. ./common.sh
read -r bugs <arguments
for bug in $bugs; do
	insmod ./plant_bugs.ko bug="$bug" || fail "plant_bugs.ko bug=$bug"
	rmmod plant_bugs || fail "rmmod"
done
