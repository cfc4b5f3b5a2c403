# SPDX-License-Identifier: GPL-2.0-only
# What a page costs this CPU that is recompressed, and one that zram compresses with zstd, in nanoseconds of run time, which under ICOUNT=1 are
# instructions. Reports a line `cost WAY PAGES NANOSECONDS` for each. Beside it write_cost, data; COLD=1, MODULES=null_blk zram.
. ./common.sh
parameters="disksize_mb=64 full_wait_us=1000000 card_wait_ms=60000"

# Run time of this shell, which has slept since it last did anything, and of the threads that finish pages.
run_time() {
	local sum run process
	sleep 0.01
	read -r sum _ </proc/$$/schedstat
	for process in /proc/[0-9]*; do
		case $(cat "$process/comm" 2>/dev/null) in
		irq/*pagepr* | kworker/*) read -r run _ <"$process/schedstat" && sum=$((sum + run)) ;;
		esac
	done
	echo $sum
}

modprobe null_blk nr_devices=1 queue_mode=0 gb=1 memory_backed=0 && modprobe zram || fail "no devices to compare with"
echo zstd >/sys/block/zram0/comp_algorithm && echo 256M >/sys/block/zram0/disksize || fail "no zram with zstd"
for way in nothing zstd; do
	case $way in nothing) device=/dev/nullb0 ;; zstd) device=/dev/zram0 ;; esac
	./write_cost $device data 1 >/dev/null || fail "write_cost $device" # caches and the pool are warm
	line=$(./write_cost $device data 1) || fail "write_cost $device"
	announce "cost $way $line"
done

for way in all card none; do
	rmmod pagepress || fail "rmmod"
	# shellcheck disable=SC2086  # words of their own
	insmod $driver $parameters verify_streams=$way || fail "insmod"
	await ready
	for turn in 1 2; do # the card is trusted when it has answered a while
		./write_cost $disk data 1 >/dev/null || fail "write_cost $disk"
		put all $block/idle
		before=$(value recompressed_pages) tried=$(value recompressions_in_vain)
		begun=$(run_time)
		put "type=idle max_pages=0" $block/recompress
		between=$(run_time)
		put type=idle $block/recompress || fail "recompress"
		ended=$(run_time)
	done
	pages=$(($(value recompressed_pages) - before))
	announce "cost $way $pages $((ended - between - (between - begun)))"
	announce "$way: $pages pages cold, $(($(value recompressions_in_vain) - tried)) in vain, $(value verified_streams) proven by this CPU, $(value streams_proven_by_card) by the card"
	expect card_mismatches -eq 0
	sums_are_right
done
