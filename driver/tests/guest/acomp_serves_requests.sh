# SPDX-License-Identifier: GPL-2.0-only
# The crypto API's algorithm lzo by the card: requests of 0 to 64 KiB from every context agree with the kernel's own software, whatever
# the card answers, while it dies, and without it. Argument: seed. Needs CONTROL=1, MODULES=lzo and acomp=1.
. ./common.sh
read -r seed <arguments
parameters=/sys/module/pagepress/parameters
address=$(cat $block/card/address)
open_control
modprobe lzo || fail "no lzo"

requests() {
	insmod ./acomp_requests.ko seed="$seed" "$@" || fail "requests $*: $(dmesg | grep acomp_requests: | tail -n 3)"
	rmmod acomp_requests
	announce "requests $*: done"
	seed=$((seed + 1))
}
as_new() {
	put 1 "/sys/bus/pci/devices/$address/reset" || fail "reset"
	await ready
}

tests_algorithms || fail "this kernel tests no algorithm"
[ "$(of_crypto name) $(of_crypto type) $(of_crypto selftest) $(of_crypto priority)" = "lzo acomp passed 300" ] ||
	fail "/proc/crypto: $(grep -A 8 lzo-pagepress /proc/crypto)"

# Answers are there before the calls return: a callback that asks again must not be called upon itself.
put 1000 $parameters/poll_us
requests rounds=1
put 20 $parameters/poll_us
requests rounds=60 workers=2
expect acomp_card_pages_out -gt 10
expect acomp_card_pages_in -gt 10
expect acomp_software_out -gt 10
expect acomp_software_in -gt 10
expect acomp_card_mismatches -eq 0
expect acomp_card_errors -eq 0
expect acomp_redone -eq 0
expect acomp_verified_streams -eq "$(value acomp_card_pages_out)"
[ "$(of_crypto refcnt)" = 1 ] || fail "refcnt is $(of_crypto refcnt)"

# ---- streams proven by the card ----
put card $parameters/verify_streams
requests rounds=200 workers=2 pages=1 # some of them the first after its start, which this CPU proves
expect acomp_streams_proven_by_card -gt 10
expect acomp_card_mismatches -eq 0
tell arm broken-stream
requests rounds=20 workers=2 pages=1
expect acomp_card_mismatches -eq 1
tell clear
put all $parameters/verify_streams

# ---- answers that are wrong ----
for fault in wrong-crc wrong-length corrupted-data broken-stream; do
	for opcode in compress decompress; do
		[ $fault.$opcode != broken-stream.decompress ] || continue
		before=$(value acomp_card_mismatches)
		tell arm $fault opcode=$opcode one-in=3 count=40
		requests rounds=20 workers=2 pages=1
		[ "$(value acomp_card_mismatches)" -gt "$before" ] || fail "$fault of $opcode: nothing was noticed"
		tell clear
	done
done
before=$(value acomp_card_errors)
tell arm failed-status one-in=3 count=40
requests rounds=20 workers=2 pages=1
expect acomp_card_errors -gt "$before"
tell clear
expect card_state = ready

# ---- a card that does not answer, or too late ----
put 8 $parameters/card_wait_ms
for fault in stuck "late-completion after=600000000 count=20"; do
	late=$(value card_late) redone=$(value acomp_redone)
	tell arm $fault
	requests rounds=20 workers=2 pages=1
	expect card_late -gt "$late"
	expect acomp_redone -gt "$redone"
	tell clear
	as_new
done
put 240000 $parameters/card_wait_ms

# ---- a card that dies, one that is taken away ----
for way in dead remove; do
	out=$(value acomp_card_pages_out)
	insmod ./acomp_requests.ko seed="$seed" rounds=0 workers=4 pages=1 &
	load=$!
	await_growth acomp_card_pages_out $((out + 200))
	if [ $way = dead ]; then
		tell arm dead
		await dead
	else
		put 1 "/sys/bus/pci/devices/$address/remove"
		await none
	fi
	software=$(value acomp_software_out)
	await_growth acomp_software_out $((software + 200))
	put 1 /sys/module/acomp_requests/parameters/enough
	wait $load || fail "requests while the card goes ($way): $(dmesg | grep acomp_requests: | tail -n 3)"
	rmmod acomp_requests
	announce "requests while the card goes ($way): done"
	tell clear
	if [ $way = dead ]; then as_new; else put 1 /sys/bus/pci/rescan; await ready; fi
done

# ---- without a card, and with one again ----
out=$(value acomp_card_pages_out)
requests rounds=20 workers=2
[ "$(value acomp_card_pages_out)" -gt "$out" ] || fail "a card that is back is not asked"
for counter in $block/pagepress/acomp_*; do announce "${counter##*/} $(cat "$counter")"; done
rmmod pagepress || fail "the module does not go"
! grep -q lzo-pagepress /proc/crypto || fail "the algorithm stays"

# ---- the driver fails to load when its disks are there already: who has one open keeps it until he closes it ----
insmod ./acomp_requests.ko takes_name=1 || fail "no name is taken"
in_use="pagepress0: in use: the driver cannot go before it is closed"
until is_logged_within $long_wait "$in_use" <$disk; do :; done 2>/dev/null &
opener=$!
refused "xists" insmod $driver acomp=1 card=N devices=32 disksize_mb=8
kill $opener 2>/dev/null
logged "$in_use"
[ ! -e $block ] || fail "a driver that was not loaded has disks"
rmmod acomp_requests
insmod $driver acomp=1 card=N disksize_mb=8 && rmmod pagepress || fail "the driver cannot be loaded any more"
