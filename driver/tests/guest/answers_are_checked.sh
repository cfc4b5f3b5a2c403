# SPDX-License-Identifier: GPL-2.0-only
# What a card answers is checked whatever verify_streams says; how many of its streams are opened again; and a card whose
# compressor and verifier are wrong together is found by the sample. Needs CONTROL=1.
. ./common.sh
parameters=/sys/module/pagepress/parameters
address=$(cat $block/card/address)
open_control
# write FIRST COUNT: every page by the card, and right afterwards
write() {
	./some_pages write $disk "$1" "$2" 7 || fail "write of $2 pages from $1"
	./some_pages read $disk "$1" "$2" 7 || fail "wrong after a write of $2 pages from $1"
}
put 1000000 $parameters/full_wait_us
put cpu $parameters/read_path

# In every mode.
for mode in none sampled all; do
	put $mode $parameters/verify_streams
	for fault in wrong-crc wrong-detail corrupted-data wrong-length; do
		before=$(value card_mismatches)
		tell arm $fault opcode=compress count=5
		write 0 32
		[ "$(value card_mismatches)" = $((before + 5)) ] || fail "$fault, $mode: $(value card_mismatches) mismatches after $before"
	done
done
expect FailedReads -eq 0
before=$(value card_mismatches)
tell arm broken-stream count=20
write 0 64
[ "$(value card_mismatches)" = $((before + 20)) ] || fail "all: $(value card_mismatches) mismatches after $before"

# How many are opened.
put none $parameters/verify_streams
before=$(value opened_streams)
write 0 64
expect opened_streams -eq "$before"
put sampled $parameters/verify_streams
put 1 "/sys/bus/pci/devices/$address/remove"
put 1 /sys/bus/pci/rescan # as new: nothing is held against it
await ready
before=$(value opened_streams)
write 0 256
expect opened_streams -eq $((before + 256))
write 256 160
expect opened_streams -eq $((before + 266))

# The sample finds the card out, and from then on nothing of it is believed.
tell arm broken-stream count=1000
./some_pages write $disk 1024 192 7 || fail "write to the lying card"
tell clear
lost=0 slot=1024
while [ $slot -lt 1216 ]; do
	./some_pages read $disk $slot 1 7 2>>said
	case $? in
	0) ;;
	2) lost=$((lost + 1)) ;;
	*) fail "wrong bytes in slot $slot" ;;
	esac
	slot=$((slot + 1))
done
[ $lost -le 16 ] || fail "$lost pages lost to a card whose every stream is wrong"
expect FailedReads -eq $lost
sums_are_right
