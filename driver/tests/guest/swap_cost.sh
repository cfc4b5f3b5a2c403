# SPDX-License-Identifier: GPL-2.0-only
# The same memory swapped out and read again by each way that a kernel with zswap has: what it costs this CPU, in nanoseconds of run
# time, which under ICOUNT=1 are instructions; what memory it takes; what goes to a device below. Reports a line `way NAME PAGES
# OUT OUT-THREADS IN IN-THREADS MEMORY BELOW` for each, and `copies PAGE BYTES STREAM`, what a page and a stream of so many bytes cost to
# copy. Beside it swap_cost, data, copy_cost.ko; MODULES=null_blk zram.
. ./common.sh
read -r script <script.name
parameters="disksize_mb=64 full_wait_us=1000000 card_wait_ms=60000"
group=/sys/fs/cgroup/one

# Run time of the threads that finish pages: the interrupts' and the workqueue's, and who swaps besides the program.
threads() {
	local sum=0 run process
	for process in /proc/[0-9]*; do
		case $(cat "$process/comm" 2>/dev/null) in
		irq/*pagepr* | kworker/* | kswapd*)
			read -r run _ <"$process/schedstat" && sum=$((sum + run))
			;;
		esac
	done
	echo $sum
}

# below: pages that the plain device has taken
below() { awk '{ print $7 / 8 }' /sys/block/nullb0/stat; }

# memory: bytes that the pages of `way` take
memory() {
	case $way in
	zram) awk '{ print $3 }' /sys/block/zram0/mm_stat ;;
	zswap*) cat /sys/kernel/debug/zswap/pool_total_size ;;
	disk*) value MemUsedTotal ;;
	plain) echo $(($(below) * 4096)) ;;
	esac
}

# swap_cost runs this very script between its steps.
case $1 in
filled | out | read)
	read -r way <way
	threads >"threads.$1"
	below >"below.$1"
	memory >"memory.$1"
	exit
	;;
esac

in_group() { (put 0 $group/cgroup.procs && exec "$@"); }

# measure WAY DEVICE: swap is on it alone
measure() {
	way=$1
	echo "$way" >way
	mkswap "$2" >/dev/null && swapon "$2" || fail "swap on $2"
	in_group ./swap_cost data $group/memory.reclaim "sh ./$script" >/dev/null || fail "swap_cost by $way" # caches and pools are warm
	line=$(in_group ./swap_cost data $group/memory.reclaim "sh ./$script") || fail "swap_cost by $way"
	# shellcheck disable=SC2086  # words of their own
	set -- $line
	announce "way $way $1 $2 $(($(cat threads.out) - $(cat threads.filled))) $3 $(($(cat threads.read) - $(cat threads.out))) $(($(cat memory.out) - $(cat memory.filled))) $(($(cat below.out) - $(cat below.filled)))"
}

# module PARAMETERS: the driver, with these besides
module() {
	[ ! -e $block ] || rmmod pagepress || fail "rmmod"
	# shellcheck disable=SC2086  # words of their own
	insmod $driver $parameters "$@" || fail "insmod $*"
	[ "$1" = card=N ] || await ready
}

mkdir -p /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup && mkdir $group && put +memory /sys/fs/cgroup/cgroup.subtree_control || fail "cgroup2"
mount -t debugfs none /sys/kernel/debug 2>/dev/null
rmmod pagepress || fail "rmmod"
modprobe null_blk nr_devices=1 gb=1 memory_backed=1 && modprobe zram || fail "no devices to compare with"
echo 256M >/sys/block/zram0/disksize || fail "zram"

insmod ./copy_cost.ko || fail "copy_cost"
announce "copies $(cat /sys/module/copy_cost/parameters/page) $(cat /sys/module/copy_cost/parameters/bytes) $(cat /sys/module/copy_cost/parameters/stream)"
rmmod copy_cost
measure plain /dev/nullb0
swapoff /dev/nullb0
measure zram /dev/zram0
swapoff /dev/zram0
put lzo $zswap/compressor && put 1 $zswap/enabled || fail "zswap"
measure zswap-software /dev/nullb0
swapoff /dev/nullb0
put 0 $zswap/enabled
for way in disk-software disk-card disk-card-proves disk-card-sampled; do
	case $way in
	disk-software) module card=N ;;
	disk-card) module verify_streams=all ;;
	disk-card-proves) module verify_streams=card ;;
	disk-card-sampled) module verify_streams=sampled ;;
	esac
	measure $way $disk
	swapoff $disk
	expect FailedReads -eq 0
	expect card_mismatches -eq 0
	[ $way = disk-software ] || [ $(($(value software_pages_out) * 20)) -lt "$(value card_pages_out)" ] || fail "too few pages went through the card"
done
module acomp=1
use_zswap
for way in zswap-card zswap-card-proves zswap-card-sampled; do
	case $way in
	*proves) put card /sys/module/pagepress/parameters/verify_streams ;;
	*sampled) put sampled /sys/module/pagepress/parameters/verify_streams ;;
	esac
	measure $way /dev/nullb0
	swapoff /dev/nullb0
	[ $(($(value acomp_software_out) * 5)) -lt "$(value acomp_card_pages_out)" ] || fail "too few pages went through the card: $(value acomp_software_out) did not"
	expect acomp_card_mismatches -eq 0
	announce "$way: by the card $(value acomp_card_pages_out) out, $(value acomp_card_pages_in) in; by software $(value acomp_software_out) out, $(value acomp_software_in) in; $(cat $block/card/commands) commands, $(cat $block/card/doorbells) doorbells, $(cat $block/card/interrupts) interrupts"
done
