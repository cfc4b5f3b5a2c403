# SPDX-License-Identifier: GPL-2.0-only
# Firmware that means harm (firmware/tests/hostile.h), while pages come and go: each goes by the card, none is done again, nothing hangs,
# whoever asks the firmware is answered or told in time, and the driver gets rid of it when it is told to. Needs CONTROL=1; arguments: what it does (writes
# mailbox lanes log floor), blank-separated; beside it pagepressctl, recorded.
. ./common.sh
open_control
address=$(cat $block/card/address)
shown=/sys/bus/pci/devices/$address/management
control=$PWD/pagepressctl
watched="card_timeouts card_resets card_late card_mismatches card_errors redone_pages FailedReads FailedWrites"
state_is() { [ "$(cat $shown/state)" = "$1" ]; }
# The firmware's own version: not what a hostile image says of itself.
well() { state_is running && [ "$(cat $shown/firmware_version)" = 1.0.0 ]; }
all_in_service() { [ -s $shown/lanes ] && ! awk '$3 != "IN_SERVICE" { exit 0 } END { exit 1 }' $shown/lanes; }
sums() { for name in $watched; do echo "$name $(value $name)"; done; }
within 600 well
head -c 1048576 recorded >base
swap_out_files
# More than fits: each round brings pages in and puts others out.
files=$(($(available) + 16))
count=0
while [ $count -lt $files ]; do
	cp base /t/$count
	count=$((count + 1))
done
sums >before

for harm in $(cat arguments); do
	out=$(value card_pages_out)
	in=$(value card_pages_in)
	tell firmware hostile-$harm
	began=$(date +%s)
	rounds=0
	while [ $(($(date +%s) - began)) -lt 5 ] || [ $rounds -lt 1 ]; do
		rounds=$((rounds + 1))
		for file in /t/*; do
			/usr/bin/cmp base "$file" || fail "$file has changed under hostile-$harm"
			cp base "$file"
		done
		timeout 20 cat $shown/* >/dev/null 2>&1
		[ $? != 124 ] || fail "reading management/ hangs under hostile-$harm"
		timeout 20 $control log --json >/dev/null 2>&1
		[ $? != 124 ] || fail "pagepressctl log hangs under hostile-$harm"
	done
	[ "$(value card_pages_in)" -gt "$in" ] || fail "no page back by the card under hostile-$harm"
	[ "$(value card_pages_out)" -gt "$out" ] || fail "no page by the card under hostile-$harm"
	sums | cmp -s before - || fail "the card's pages felt hostile-$harm: $(sums | diff before - | grep '^[+-][^+-]')"
	[ "$(value card_state)" = ready ] || fail "the card is $(value card_state) under hostile-$harm"
	tell firmware well
	within 900 well
	within 300 all_in_service
	within 100 $control telemetry >/dev/null
done
lines=$(dmesg | grep -c "firmware event")
[ "$lines" -lt 400 ] || fail "the firmware's log floods the kernel's: $lines lines"
! kernel_complains || fail "the kernel complains"
rm -f /t/* && swapoff $disk || fail "swapoff" # nothing is in flight any more

# A window that lies: another version at each look, a firmware that comes and goes. 16 lines a minute, which begins with the card's first.
said() { dmesg | grep "pagepress .*firmware" | grep -vc "firmware event"; }
put "$address" /sys/bus/pci/drivers/pagepress/unbind && put "$address" /sys/bus/pci/drivers/pagepress/bind || fail "unbind and bind"
within 900 well
before=$(said)
tell firmware liar
sleep 40
lines=$(($(said) - before))
announce "lines of a window that lies: $lines"
[ "$lines" -gt 4 ] || fail "nothing is said of a window that lies: $lines lines"
[ "$lines" -le 16 ] || fail "a window that lies floods the kernel's log: $lines lines"
tell firmware well
within 900 well
sums_are_right
