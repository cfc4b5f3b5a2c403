# SPDX-License-Identifier: GPL-2.0-only
# The slot table grows and shrinks with its use: what a large disk costs empty and in use; that a failed allocation is a failed write;
# that what is zeroed is, however much it is; and that chunks of slots may come and go while others write, read, discard, look for old
# pages and free swap.
. ./common.sh
. ./backing.sh
read -r seed rounds <arguments
chunk=169 # slots
table() { cat "$block/pagepress/table_bytes"; }
# takes CHUNKS: what the table takes above what the empty disk does
takes() { [ $(($(table) - empty)) = $(($1 * 4096)) ] || fail "$1 chunks take $(($(table) - empty)) bytes"; }
sized() { put 1 $block/reset && put "$1" $block/disksize || fail "disksize $1"; }

# Empty: a thousandth of disksize at most, and searches for pages in memory pass it. Where lockdep watches, a lock takes 72 bytes
# instead of 4, and 1,024 of them alone more than the thousandth of 16 MiB.
[ -e /proc/lockdep ] && sizes="100G 1T" || sizes="16M 100G 1T"
for size in $sizes; do
	sized $size
	empty=$(table)
	[ $((empty * 1000)) -le "$(cat $block/disksize)" ] || fail "an empty disk of $size takes $empty bytes"
	announce "slots empty disk of $size: $empty bytes"
	expect MemUsedTotal -eq 0
	put all $block/idle || fail "idle"
done

# One page here and there makes a chunk each; reads and idle marks make none.
last=$((268435456 - 1))
for slot in 0 $((chunk - 1)) $chunk 134217728 $last; do
	./some_pages write $disk $slot 1 "$seed" || fail "write of slot $slot"
done
takes 4
./some_pages read $disk $last 1 "$seed" || fail "the last slot has changed"
dd if=$disk of=back bs=1M skip=4096 count=1 iflag=direct 2>/dev/null && cmp -n 1048576 back /dev/zero || fail "slots never written are no zeros"
put all $block/idle
takes 4
expect PagesStored -eq 5
expect MemUsedTotal -ge $((4 * 4096))
[ "$(cat $block/mem_used_max)" -ge "$(value MemUsedTotal)" ] || fail "mem_used_max is $(cat $block/mem_used_max)"
blkdiscard -o 0 -l $((chunk * 4096)) $disk
takes 3
blkdiscard $disk
takes 0
expect PagesStored -eq 0
expect MemUsedTotal -eq 0

# Side by side: bytes of the table a page, zero pages and others, freed one by one.
at=0
while [ $at -lt 2560 ]; do
	./some_pages write $disk $at 256 "$seed" || fail "write of slots from $at on"
	at=$((at + 256))
done
[ $(($(table) - empty)) -le $((2560 * 26)) ] || fail "2560 slots take $(($(table) - empty)) bytes"
announce "slots of 2560 pages side by side: $(($(table) - empty)) bytes"
takes 16
dd if=/dev/zero of=$disk bs=4096 count=$chunk oflag=direct 2>/dev/null || fail "zeros"
takes 16
blkdiscard -o 4096 -l $((chunk * 4096 - 4096)) $disk
takes 16
blkdiscard -o 0 -l 4096 $disk
takes 15
sums_are_right
# zram's line of memory says what our own files say, and the most that was used begins anew with what is used.
dd if=/dev/zero of=$disk bs=4096 count=7 oflag=direct 2>/dev/null || fail "zeros"
./some_pages write $disk 7 3 $((seed + 4294967296)) || fail "noise" # NOISE of some_pages.c
expect ZeroPages -ge 7
expect NoCompress -ge 3
[ "$(value ZeroPages)" != "$(value NoCompress)" ] || fail "as many zeros as raw pages tell nothing"
put 0 $block/mem_used_max || fail "mem_used_max"
[ "$(cat $block/mem_used_max)" = "$(value MemUsedTotal)" ] || fail "mem_used_max is $(cat $block/mem_used_max) of $(value MemUsedTotal)"
# shellcheck disable=SC2046  # words of their own
set -- $(cat $block/mm_stat)
[ "$1 $2 $3 $4 $5 $6 $8" = "$(value OrigDataSize) $(value ComprDataSize) $(value MemUsedTotal) 0 $(value MemUsedTotal) $(value ZeroPages) $(value NoCompress)" ] &&
	[ "$9" -ge "$8" ] || fail "mm_stat: $*"
# Three of four pages go: what they leave of the pool's pages comes free when asked for, and the others stay.
at=512
while [ $at -lt 2560 ]; do
	blkdiscard -o $(((at + 1) * 4096)) -l $((3 * 4096)) $disk
	at=$((at + 4))
done
before=$(value MemUsedTotal)
put 1 $block/compact || fail "compact"
[ "$(value MemUsedTotal)" -lt "$before" ] || fail "$before bytes are used before and behind compact"
[ "$(awk '{ print $7 }' $block/mm_stat)" -gt "$7" ] || fail "pages_compacted of mm_stat: $(cat $block/mm_stat)"
at=512
while [ $at -lt 2560 ]; do
	./some_pages read $disk $at 1 "$seed" || fail "slot $at behind compact"
	at=$((at + 128))
done

# mem_limit refuses no slot its memory: past it the most that was used grows as well.
blkdiscard $disk
put 4096 $block/mem_limit && put 0 $block/mem_used_max || fail "mem_limit"
dd if=/dev/zero of=$disk bs=4096 count=$((3 * chunk)) oflag=direct 2>/dev/null || fail "zeros past mem_limit"
expect MemUsedTotal -eq $((3 * 4096))
[ "$(cat $block/mem_used_max)" -ge "$(value MemUsedTotal)" ] || fail "mem_used_max is $(cat $block/mem_used_max) past mem_limit"

# More is zeroed at once than a bio can count the bytes of: all of it, its first pages and its last ones, and nothing behind them.
sized 16G
empty=$(table)
gibibyte=262144 # pages
for slot in 0 $((4 * gibibyte - 8)) $((4 * gibibyte)) $((10 * gibibyte - 8)) $((10 * gibibyte)); do
	./some_pages write $disk $slot 8 "$seed" || fail "write of slot $slot"
done
/usr/bin/blkdiscard -z -o 0 -l $((4 << 30)) $disk || fail "4 GiB cannot be zeroed"
expect PagesStored -eq 24
dd if=$disk of=back bs=32K count=1 iflag=direct 2>/dev/null && cmp -n 32768 back /dev/zero || fail "what was zeroed is no zeros"
./some_pages read $disk $((4 * gibibyte)) 8 "$seed" || fail "more was zeroed than 4 GiB"
/usr/bin/blkdiscard -z -o 0 -l $((10 << 30)) $disk || fail "10 GiB cannot be zeroed"
expect PagesStored -eq 8
./some_pages read $disk $((10 * gibibyte)) 8 "$seed" || fail "more was zeroed than 10 GiB"
/usr/bin/blkdiscard -z $disk || fail "the disk cannot be zeroed"
takes 0

# No memory for a chunk: the write fails and says so, what is there stays; where there is a chunk none is needed.
sized 1G
empty=$(table)
# shellcheck disable=SC2046  # words of their own
set -- $(grep '^pagepress ' /proc/modules)
insmod ./fail_calls.ko function=get_zeroed_page value=0 from="$6" bytes="$2" || fail "fail_calls"
./some_pages write $disk 0 $chunk "$seed" || fail "write"
put 1000000 /sys/module/fail_calls/parameters/count
failed=$(value FailedWrites)
./some_pages write $disk $chunk 8 "$seed" 2>/dev/null
[ $? = 3 ] || fail "a write without memory for its slots gives another error than ENOMEM"
expect FailedWrites -eq $((failed + 8))
logged "slot $chunk not written: no memory for the slot table"
# shellcheck disable=SC2046  # words of their own
[ "$(echo $(cat $block/io_stat))" = "$(value FailedReads) $(value FailedWrites) $(value InvalidIO) $(value NotifyFree)" ] || fail "io_stat: $(cat $block/io_stat)"
./some_pages write $disk 0 $chunk $((seed + 1)) || fail "a write that needs no chunk fails"
put 0 /sys/module/fail_calls/parameters/count
rmmod fail_calls
takes 1
./some_pages read $disk 0 $chunk $((seed + 1)) || fail "pages have changed"
./some_pages write $disk $chunk 8 "$seed" && ./some_pages read $disk $chunk 8 "$seed" || fail "no write once there is memory again"
takes 2
sums_are_right

# Chunks of one page each, while others look for old pages and write them back; swap does the same on a second disk.
make_backing room 32 512
attach 64M
empty=$(table)
failed=$(value FailedReads)
[ "$(cat /sys/class/pagepress-control/hot_add)" = 1 ] && put 64M /sys/block/pagepress1/disksize || fail "hot_add"
mkswap /dev/pagepress1 >/dev/null && swapon /dev/pagepress1 || fail "swapon"
mkdir -p /t /sys/fs/cgroup && mount -t tmpfs -o size=64M none /t && mount -t cgroup2 none /sys/fs/cgroup || fail "tmpfs, cgroup2"
mkdir /sys/fs/cgroup/small && put +memory /sys/fs/cgroup/cgroup.subtree_control && put 4M /sys/fs/cgroup/small/memory.max || fail "memory.max"
head -c 1048576 recorded >base
(
	put 0 /sys/fs/cgroup/small/cgroup.procs
	while [ ! -e enough ]; do
		for file in 1 2 3 4 5 6 7 8 9 10 11 12; do cp base /t/$file; done
		for file in 1 2 3 4 5 6 7 8 9 10 11 12; do /usr/bin/cmp base /t/$file || put wrong wrong; done
		rm -f /t/*
	done
) &
(while [ ! -e enough ]; do everything_back; put all /sys/block/pagepress1/idle; done) &
./race_blocks $disk "$seed" "$rounds" $chunk || fail "race_blocks"
touch enough
wait
[ ! -e wrong ] || fail "files in swap have changed"
expect FailedReads -eq "$failed"
[ "$(cat /sys/block/pagepress1/pagepress/NotifyFree)" -gt 100 ] || fail "swap freed too little"
everything_back # or the order of writes takes a page as well
takes 8
blkdiscard $disk
takes 0
swapoff /dev/pagepress1 && umount /t || fail "swapoff"
put 1 /sys/class/pagepress-control/hot_remove || fail "hot_remove"
put 1 $block/reset || fail "reset"
rmmod pagepress || fail "rmmod"
