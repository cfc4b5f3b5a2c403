# SPDX-License-Identifier: GPL-2.0-only
# What a card answers is checked whatever verify_streams says, pages written and pages read; how many of its streams this CPU
# decompresses; no card loses a page as the driver is by default, and with `sampled` one whose compressor and verifier are wrong
# together is found; a page that its owner changes meanwhile is held against no card; and what a card writes too late is in no page. Needs CONTROL=1.
. ./common.sh
read -r seed <arguments
parameters=/sys/module/pagepress/parameters
address=$(cat $block/card/address)
open_control
tell "seed $seed"
# write FIRST COUNT: every page by the card, whose ring has room for these, and right afterwards
write() {
	local at=$1
	while [ $at -lt $(($1 + $2)) ]; do
		./some_pages write $disk $at $(($1 + $2 - at < 32 ? $1 + $2 - at : 32)) 7 || fail "write of $2 pages from $1"
		at=$((at + 32))
	done
	./some_pages read $disk "$1" "$2" 7 || fail "wrong after a write of $2 pages from $1"
}
# mismatches_after NUMBER COMMAND...: so many answers of the card are refused, and the command succeeds all the same
mismatches_after() {
	local before expected=$1
	shift
	before=$(value card_mismatches)
	"$@" || fail "status $? of $*"
	[ "$(value card_mismatches)" = $((before + expected)) ] || fail "$(($(value card_mismatches) - before)) mismatches after $*, not $expected"
}
# as_new: the card as it comes, nothing is held against it
as_new() {
	put 1 "/sys/bus/pci/devices/$address/remove"
	put 1 /sys/bus/pci/rescan
	await ready
}
put 1000000 $parameters/full_wait_us
put cpu $parameters/read_path

# By default: a card that compresses wrongly and verifies wrongly, strikes at random.
[ "$(cat $parameters/verify_streams)" = all ] || fail "verify_streams is $(cat $parameters/verify_streams) by default"
tell arm broken-stream one-in=6 count=1000000
mismatches=$(value card_mismatches)
write 2048 256
write 2048 256
ask status
struck=${answer#struck } struck=${struck%% *}
[ "$struck" -gt 40 ] || fail "it struck $struck times only"
[ "$(value card_mismatches)" = $((mismatches + struck)) ] || fail "$struck broken streams, $(($(value card_mismatches) - mismatches)) found"
tell clear
expect FailedReads -eq 0

# In every mode.
for mode in none sampled card all; do
	put $mode $parameters/verify_streams
	for fault in wrong-crc wrong-detail corrupted-data wrong-length; do
		tell arm $fault opcode=compress count=5
		mismatches_after 5 write 0 32
	done
	# What the card says that it could not do: an error each, and each page is done once more.
	errors=$(value card_errors) redone=$(value redone_pages)
	tell arm failed-status opcode=compress count=5
	mismatches_after 0 write 0 32
	expect card_errors -eq $((errors + 5))
	expect redone_pages -eq $((redone + 5))
done

# Pages read, in a batch and one by one.
put card $parameters/read_path
for fault in wrong-crc corrupted-data wrong-length; do
	tell arm $fault opcode=decompress count=5
	mismatches_after 5 ./some_pages read $disk 0 32 7
	tell arm $fault opcode=decompress
	mismatches_after 1 ./some_pages read $disk 5 1 7
	./some_pages read $disk 0 32 7 || fail "wrong when read after $fault"
done
put cpu $parameters/read_path

# How many are decompressed.
put none $parameters/verify_streams
before=$(value verified_streams)
write 0 64
expect verified_streams -eq "$before"
put sampled $parameters/verify_streams
as_new
before=$(value verified_streams)
write 0 256
expect verified_streams -eq $((before + 256))
write 256 160
expect verified_streams -eq $((before + 266))
# The next 4,096 after an answer that no sound card gives, that one not among them; and a start of the card shortens that for none.
tell arm wrong-crc opcode=compress
mismatches_after 1 write 0 1
write 0 32
put 1 "/sys/bus/pci/devices/$address/reset" || fail "reset"
await ready
before=$(value verified_streams)
turn=0
while [ $turn -lt 127 ]; do
	./some_pages write $disk $((turn % 8 * 32)) 32 7 || fail "write $turn of a card that is distrusted"
	turn=$((turn + 1))
done
expect verified_streams -eq $((before + 4064))
write 0 160
expect verified_streams -eq $((before + 4074))

# By the card's decompressors, but for the samples; one stream that is broken, one proof that is: the page is done by this CPU.
put card $parameters/verify_streams
as_new
before=$(value verified_streams) proven=$(value streams_proven_by_card)
write 0 256
expect verified_streams -eq $((before + 256))
expect streams_proven_by_card -eq "$proven"
write 256 160
expect verified_streams -eq $((before + 266))
expect streams_proven_by_card -eq $((proven + 150))
for fault in broken-stream "corrupted-data opcode=decompress" "wrong-length opcode=decompress" "failed-status opcode=decompress"; do
	as_new
	write 0 256
	before=$(value verified_streams) proven=$(value streams_proven_by_card)
	# shellcheck disable=SC2086  # words of their own
	tell arm $fault
	mismatches_after 1 write 0 1
	expect verified_streams -eq "$before"
	expect streams_proven_by_card -eq $((proven + 1))
done
put sampled $parameters/verify_streams
as_new
write 0 256
write 256 160

# What breaks on its way to memory shows without a stream being decompressed, also of a card long trusted.
tell arm corrupted-data opcode=compress
mismatches_after 1 write 0 8

# An owner who changes pages while they are written: the card answers for what it was given.
as_new
before=$(cat $block/card/pages_incompressible)
mismatches_after 0 ./change_while_written $disk "$seed" 400
[ "$(cat $block/card/pages_incompressible)" -gt $((before + 1000)) ] || fail "the card found hardly a page incompressible"
mismatches_after 0 write 0 256
expect FailedReads -eq 0

# A card writes once more to what it had for a page that was read, and by now has for one that is written: before it is given that page's
# command, while the page is copied. Of a direct request the owner may have changed it, so the card is not blamed.
for at in crc32c pagepress_store_expect; do
	as_new
	redone=$(value redone_pages)
	write 0 32
	put card $parameters/read_path
	tell arm late-write opcode=decompress after=600000000
	./some_pages read $disk 5 1 7 || fail "wrong before a late write"
	hold $at
	./some_pages write $disk 40 1 8 &
	writer=$!
	held
	tell clear
	release
	wait $writer || fail "write beside a late write"
	put cpu $parameters/read_path
	[ $at = crc32c ] || expect redone_pages -eq $((redone + 1))
	mismatches_after 0 ./some_pages read $disk 40 1 8
done
rmmod fail_calls

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
