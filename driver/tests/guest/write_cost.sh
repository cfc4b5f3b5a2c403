# SPDX-License-Identifier: GPL-2.0-only
# What a written page costs this CPU, in nanoseconds of run time, which under ICOUNT=1 are instructions: through the card, by
# software, and down to a device that does nothing. Reports a line `cost WAY PAGES TASK INTERRUPTS` for each.
. ./common.sh
read -r rounds <arguments
parameters="disksize_mb=64 full_wait_us=1000000 card_wait_ms=60000"

# Run time of the threads that finish pages: the interrupts' and the workqueue's.
threads() {
	local sum=0 run process
	for process in /proc/[0-9]*; do
		case $(cat "$process/comm" 2>/dev/null) in
		irq/*pagepr* | kworker/*)
			read -r run _ <"$process/schedstat" && sum=$((sum + run))
			;;
		esac
	done
	echo $sum
}

# cost WAY DEVICE
cost() {
	local before line
	./write_cost "$2" data 1 >/dev/null || fail "write_cost $2" # caches and the pool are warm
	before=$(threads)
	line=$(./write_cost "$2" data "$rounds") || fail "write_cost $2"
	announce "cost $1 $line $(($(threads) - before))"
}

# share WHAT: of what the card counts, per command, in thousandths
share() { announce "share $1 $(($(cat "$block/card/$1") * 1000 / $(cat $block/card/commands)))"; }

modprobe null_blk nr_devices=1 queue_mode=0 gb=1 memory_backed=0 || fail "null_blk"
cost nothing /dev/nullb0
# shellcheck disable=SC2086  # words of their own
for way in card card-proves card-sampled software; do
	rmmod pagepress || fail "rmmod"
	case $way in
	card) insmod $driver $parameters ;;
	card-proves) insmod $driver $parameters verify_streams=card ;;
	card-sampled) insmod $driver $parameters verify_streams=sampled ;;
	software) insmod $driver $parameters card=N ;;
	esac || fail "insmod for $way"
	[ $way = software ] || await ready
	cost $way $disk
	[ $way = software ] || {
		[ $(($(value software_pages_out) * 50)) -lt "$(value NumWrites)" ] || fail "too few pages went through the card"
		share doorbells
		share interrupts
	}
	sums_are_right
	expect card_mismatches -eq 0
	expect redone_pages -eq 0
done
