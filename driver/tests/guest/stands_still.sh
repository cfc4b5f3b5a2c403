# SPDX-License-Identifier: GPL-2.0-only
# A backing device that stands still holds up its own disk alone: whatever waits for it, pages of another disk come and go meanwhile.
. ./common.sh
. ./backing.sh
read -r seed <arguments
noise=$((seed + 4294967296)) # NOISE of some_pages.c
./noise "$seed" 1048576 >noise.bytes
use() {
	block=/sys/block/pagepress$1
	disk=/dev/pagepress$1
}
# beside NAME COMMAND...: goes on beside the script, and leaves the file NAME when it has ended well
beside() {
	local name=$1
	shift
	rm -f "$name"
	{ "$@" 2>"$name.said" && touch "$name"; } &
}
# raw read|write DISK PLACE: a mebibyte that does not compress, from that mebibyte of the disk on
raw() {
	if [ "$1" = write ]; then
		dd if=noise.bytes of="$2" bs=1M seek="$3" count=1 oflag=direct conv=notrunc
	else
		dd if="$2" bs=1M skip="$3" count=1 iflag=direct of="back$3" && cmp noise.bytes "back$3"
	fi
}
# other_goes_on WHILE: each way a page goes, on a disk whose device is well
other_goes_on() {
	local redone
	use 1
	redone=$(value redone_pages)
	for try in write read; do
		beside other raw $try $disk 2
		comes_within $long_wait [ -e other ] || fail "$1 the other disk does not $try: $(cat other.said)"
	done
	beside other ./some_pages write $disk 0 64 "$seed"
	comes_within $long_wait [ -e other ] || fail "$1 the other disk does not write to memory"
	beside other put page_indexes=0-63 $block/writeback
	comes_within $long_wait [ -e other ] || fail "$1 the other disk writes nothing back"
	beside other ./some_pages read $disk 0 64 "$seed"
	comes_within $long_wait [ -e other ] || fail "$1 the other disk does not read what was written back"
	redone_there=$(($(value redone_pages) - redone))
	blkdiscard $disk || fail "discard"
	for name in $standing; do [ ! -e "$name" ] || fail "$name has ended, though the device stands still"; done
}
# all_end: what the device held up
all_end() {
	for name in $standing; do
		comes_within $long_wait [ -e "$name" ] || fail "$name does not end: $(cat "$name.said")"
	done
}

make_stopping 16
attach 64M
raw write $disk 0 2>said || fail "$(cat said)"
use 1
make_backing well 16 512
attach 64M
# Chunks of the slot table for all that follows: their memory is not to fail.
for number in 0 1; do dd if=/dev/zero of=/dev/pagepress$number bs=1M seek=1 count=4 oflag=direct 2>/dev/null || fail "zeros"; done

# ---- it answers nothing, and there is no memory for more than the reserve: reads and hundreds of works wait for page I/Os ----
use 0
redone=$(value redone_pages)
# shellcheck disable=SC2046  # words of their own
insmod ./fail_calls.ko function=__get_free_pages value=0 count=2000000000 $(text_of) || fail "fail_calls"
stand_still
standing="write1 write2 read0"
beside write1 raw write $disk 1
beside write2 raw write $disk 2
await_growth redone_pages $((redone + 450)) # more than a workqueue has under way
beside read0 raw read $disk 0
other_goes_on "while a device answers nothing"
[ $redone_there -gt 0 ] || fail "no page of the other disk waited for a page I/O"
use 0
go_on
all_end
for place in 0 1 2; do raw read $disk $place 2>said || fail "mebibyte $place: $(cat said)"; done
rmmod fail_calls

# ---- it takes no request: the work that gives it pages stands still in the block layer ----
hold submit_bio
standing="read0 read1 read2"
for place in 0 1 2; do beside read$place raw read $disk $place; done
held
other_goes_on "while a device takes nothing"
use 0
release
all_end
for number in 0 1; do
	use $number
	expect FailedReads -eq 0
	expect FailedWrites -eq 0
	expect backing_errors -eq 0
	sums_are_right
done

# ---- a write-back waits for its device: whoever waits for it can be killed, and disks come and go ----
control=/sys/class/pagepress-control
# lost TEXT: fails, once nothing waits any more for the device: the disk's files do
lost() { go_on && fail "$@"; }
# waits PID: for a lock; gone PID: it has ended
waits() { grep -q "^State:.D" /proc/$1/status; }
gone() { ! grep -q "^State:.[^Z]" /proc/$1/status 2>/dev/null; }
use 0
pages write 4096 64 "$seed"
stand_still
beside first put page_indexes=4096-4159 $block/writeback
within $long_wait grep -q " [1-9][0-9]*$" /sys/block/nbd0/inflight
put page_indexes=0-63 $block/writeback 2>/dev/null &
waiting=$!
for try in "put 1G $block/mem_limit" "cat $block/mm_stat" "cat $block/pagepress/PagesStored" "put 0 $control/hot_remove"; do
	$try >/dev/null 2>&1 &
	waiting="$! $waiting" # in this order: one that goes lets in who came after it
	within $long_wait waits $!
done
# Nor does a worker of the kernel wait for it, which would complain after two minutes: it comes back.
put 1 $block/writeback_age && sleep 1 || fail "writeback_age"
for one in $(grep -l write_cold_work /proc/[0-9]*/stack 2>/dev/null | cut -d / -f 3); do
	! waits "$one" || lost "a worker waits for the write-back: $(cat /proc/$one/stack)"
done
put 0 $block/writeback_age || fail "writeback_age"
cat $control/hot_add >added &
comes_within $long_wait grep -q 2 added || lost "no disk can be added while a device answers nothing"
for number in 2 1; do
	beside other put $number $control/hot_remove
	comes_within $long_wait [ -e other ] || lost "disk $number cannot be removed: $(cat other.said)"
done
refused "busy" put 0 $control/hot_remove # by the one that waits
for one in $waiting; do ! gone "$one" || lost "process $one of $waiting does not wait for the write-back"; done
for one in $waiting; do
	kill -9 "$one"
	comes_within $long_wait gone "$one" || lost "process $one of $waiting cannot be killed"
done
[ ! -e first ] || fail "the write-back has ended, though the device stands still"
standing=first
go_on
all_end
pages read 4096 64 "$seed"
[ "$(cat $block/mem_limit)" = 0 ] || fail "who was killed has set mem_limit"
put 0 $control/hot_remove || fail "hot_remove"
! kernel_complains || fail "the kernel complains"
