# SPDX-License-Identifier: GPL-2.0-only
# Disks are added and removed while others work, with zram's names and refusals.
. ./common.sh
read -r seed rounds <arguments
control=/sys/class/pagepress-control
./check_blocks $disk "$seed" 2 "$rounds" &
checker=$!
[ "$(cat $block/initstate) $(cat $block/comp_algorithm)" = "1 [lzo]" ] || fail "initstate or comp_algorithm"
for turn in 1 2 3; do
	[ "$(cat $control/hot_add)" = 1 ] || fail "hot_add $turn"
	one=/sys/block/pagepress1
	[ "$(cat $one/initstate) $(cat $one/disksize)" = "0 0" ] || fail "a new disk has a size"
	refused "nvalid" put zstd $one/comp_algorithm
	put lzo $one/comp_algorithm || fail "comp_algorithm"
	put 4 $one/max_comp_streams || fail "max_comp_streams"
	# Who is told of new disks opens each at once: one without a size may be given one all the same, and is as any from then on.
	exec 5<>/dev/pagepress1
	refused "busy" put 1 $control/hot_remove
	put 32M $one/disksize || fail "disksize of an open disk that had none"
	refused "busy" put 64M $one/disksize
	refused "busy" put 1 $one/reset
	dd if=/dev/zero bs=4096 count=1 seek=8191 conv=notrunc 2>said >&5 || fail "the disk opened before it had a size: $(cat said)"
	exec 5>&-
	put 1 $one/reset && put 32M $one/disksize || fail "disksize"
	refused "busy" put lzo $one/comp_algorithm
	mkswap /dev/pagepress1 >/dev/null && swapon /dev/pagepress1 || fail "swapon"
	refused "busy" put 1 $control/hot_remove
	swapoff /dev/pagepress1 || fail "swapoff"
	./check_blocks /dev/pagepress1 "$seed" 2 20 || fail "check_blocks /dev/pagepress1"
	put 1 $control/hot_remove || fail "hot_remove $turn"
	[ ! -e $one ] || fail "a removed disk is still there"
done
refused "No such device" put 1 $control/hot_remove
refused "nvalid" put nonsense $control/hot_remove
wait $checker || fail "check_blocks $disk $seed 2 $rounds"
# All numbers taken, then all but the first given back, the last one with pages in it.
count=1
while [ $count -lt 32 ]; do
	[ "$(cat $control/hot_add)" = $count ] || fail "hot_add gives not $count"
	count=$((count + 1))
done
refused "No space left" cat $control/hot_add
put 32M /sys/block/pagepress31/disksize || fail "disksize"
./check_blocks /dev/pagepress31 "$seed" 1 5 || fail "check_blocks /dev/pagepress31"
while [ $count -gt 1 ]; do
	count=$((count - 1))
	put $count $control/hot_remove || fail "hot_remove $count"
done
sums_are_right
expect FailedReads -eq 0
rmmod pagepress || fail "rmmod"
