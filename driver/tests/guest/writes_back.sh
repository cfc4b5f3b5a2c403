# SPDX-License-Identifier: GPL-2.0-only
# Pages leave memory for a backing device and come back: forwarded at write, by command, by themselves; zram's names.
. ./common.sh
. ./backing.sh
read -r seed rounds <arguments
make_backing room 96 512

# Named before disksize, claimed alone.
[ "$(cat $block/backing_dev)" = none ] || fail "backing_dev is $(cat $block/backing_dev)"
refused "busy" put "$backing" $block/backing_dev
put 1 $block/reset
refused "No such file" put /dev/nothing $block/backing_dev
refused "Block device required" put /dev/null $block/backing_dev
refused "nvalid" put $disk $block/backing_dev
logged "is a Pagepress disk itself"
[ "$(cat $block/backing_dev)" = none ] || fail "backing_dev after refusals"
put "$backing" $block/backing_dev || fail "backing_dev"
put "$backing" $block/backing_dev || fail "backing_dev once more"
[ "$(cat $block/backing_dev)" = "$backing" ] || fail "backing_dev is $(cat $block/backing_dev)"
mkswap "$backing" >/dev/null 2>&1 && swapon "$backing" 2>/dev/null && fail "somebody else could claim the device"
refused "nvalid" put idle $block/writeback
refused "nvalid" put all $block/idle
put 32M $block/disksize || fail "disksize"
refused "busy" put none $block/backing_dev
for word in nonsense type=nonsense page_index=x page_indexes=5-3 ''; do refused "nvalid" put "$word" $block/writeback; done
refused "nvalid" put nonsense $block/idle
refused "nvalid" put 3X $block/writeback_rate
refused "nvalid" put x $block/writeback_limit

# What does not compress goes past memory at once.
./noise "$seed" 4194304 >noise.bytes
dd if=noise.bytes of=$disk bs=1M seek=8 oflag=direct 2>/dev/null || fail "noise"
expect forwarded_pages -eq 1024
expect backed_pages -eq 1024
expect NoCompress -eq 0
[ "$(room)" = 1024 ] || fail "noise takes $(room)"
noise_is_there() {
	dd if=$disk of=back bs=1M skip=8 count=4 iflag=direct 2>/dev/null
	cmp noise.bytes back || fail "noise has changed"
}
noise_is_there
expect backing_pages_in -eq 1024

# What compresses goes as it is in memory: few, contiguous writes.
./some_pages write $disk 0 256 "$seed" || fail "some_pages"
bytes=$(value ComprDataSize)
writes=$(awk '{ print $5 }' /sys/block/"${backing#/dev/}"/stat)
everything_back
expect backed_pages -eq 1280
expect backing_pages_out -eq 256
expect ComprDataSize -eq 0
taken=$(($(room) - 1024))
[ $taken -lt 256 ] && [ $((taken * 4096)) -le $((bytes + 256 * 512 + 4096)) ] || fail "$bytes bytes take $taken blocks"
writes=$(($(awk '{ print $5 }' /sys/block/"${backing#/dev/}"/stat) - writes))
[ $writes -le 8 ] || fail "256 pages in $writes writes"
./some_pages read $disk 0 256 "$seed" || fail "pages written back have changed"
# A part of them, across pages of both kinds.
dd if=$disk of=back bs=4096 skip=2047 count=3 iflag=direct 2>/dev/null && dd if=back bs=4096 skip=1 count=2 2>/dev/null >part
head -c 8192 noise.bytes | cmp - part || fail "a part of it has changed"
sums_are_right

# Overwritten, the room is free again; discarded too.
./some_pages write $disk 0 128 $((seed + 1)) || fail "overwrite"
expect backed_pages -eq 1152
./some_pages read $disk 0 128 $((seed + 1)) || fail "overwritten pages"
./some_pages read $disk 128 128 "$seed" || fail "neighbours of overwritten pages"
blkdiscard $disk
expect backed_pages -eq 0
[ "$(room)" = 0 ] || fail "discarded pages take $(room)"

# Oldest first, as far as writeback_limit goes.
./some_pages write $disk 128 64 "$seed" && sleep 0.5 && ./some_pages write $disk 0 64 "$seed" || fail "old and new pages"
before=$(value backing_sectors_out)
put 8 $block/writeback_limit && put 1 $block/writeback_limit_enable && put all $block/idle
refused "Input/output error" put idle $block/writeback
[ "$(cat $block/writeback_limit)" = 0 ] || fail "writeback_limit is $(cat $block/writeback_limit)"
[ $(($(value backing_sectors_out) - before)) -le 64 ] || fail "writeback_limit passed"
out=$(value backed_pages)
[ "$out" -ge 8 ] && [ "$out" -lt 64 ] || fail "$out pages written back within 32 KiB"
before=$(value backing_pages_in)
./some_pages read $disk 0 64 "$seed" || fail "young pages"
expect backing_pages_in -eq "$before"
./some_pages read $disk 128 64 "$seed" || fail "old pages"
expect backing_pages_in -eq $((before + out))
# Past it nothing is forwarded either; and huge means what does not compress.
dd if=noise.bytes of=$disk bs=1M seek=8 count=1 oflag=direct 2>/dev/null || fail "noise past the limit"
expect NoCompress -eq 256
put 0 $block/writeback_limit_enable
write_back huge
expect NoCompress -eq 0
expect backed_pages -eq $((out + 256))
write_back page_indexes=0-9
expect backed_pages -eq $((out + 266))
write_back "page_index=10 type=huge_idle"
expect backed_pages -eq $((out + 267))

# By itself, no faster than allowed.
before=$(value backing_sectors_out)
put 128K $block/writeback_rate && put 1 $block/writeback_age || fail "writeback_age"
begun=$(cut -d. -f1 /proc/uptime)
./some_pages write $disk 512 256 "$seed" || fail "some_pages"
await_growth backed_pages $((out + 300))
sectors=$(($(value backing_sectors_out) - before))
passed=$(($(cut -d. -f1 /proc/uptime) - begun + 1))
[ $sectors -le $(((passed + 1) * 256 + 512)) ] || fail "$sectors sectors in $passed s at 256 a second"
put 0 $block/writeback_rate
waited=0
until [ "$(value ComprDataSize)" = 0 ]; do
	waited=$((waited + 1))
	[ $waited -lt $long_wait ] || fail "cold pages stay in memory"
	sleep 0.1
done
./some_pages read $disk 512 256 "$seed" || fail "cold pages have changed"
put 0 $block/writeback_age

# On a device that takes a second for each batch, whoever waits for the disk gets his turn after one.
put 1 $block/reset && make_backing slow 96 512 1000000000 && attach 32M
for at in 0 256 512 768 1024 1280 1536 1792; do pages write $at 256 "$seed"; done
expect ComprDataSize -gt $((8 * 256 * 1024))
put 1 $block/writeback_age
await_growth backing_sectors_out 0
put 0 $block/mem_limit || fail "mem_limit"
expect backing_sectors_out -le $((3 * 512))
put 0 $block/writeback_age

# Another device, with blocks of a page. Past mem_limit the oldest pages make way; at a limit that leaves no room the newest goes on alone.
put 1 $block/reset && make_backing wide 96 4096 && attach 32M
put 64K $block/mem_limit
./some_pages write $disk 1024 256 $((seed + 2)) || fail "write past mem_limit"
expect cleaned_pages -gt 0
# However small it is: of streams of one size the pool takes several pages for some at once, and has none left while it seems half empty.
for number in $(seq 64); do
	printf %08d "$number" && head -c 1500 noise.bytes && head -c 2588 /dev/zero
done >alike
for limit in 64 60 56 52 48 44 40; do
	put 0 $block/mem_limit && everything_back && put ${limit}K $block/mem_limit
	cleaned=$(value cleaned_pages)
	dd if=alike of=$disk bs=4096 seek=1024 oflag=direct 2>/dev/null || fail "pages of one size past mem_limit"
	[ "$(value GoodCompress)" = 0 ] || expect cleaned_pages -gt "$cleaned"
done
dd if=$disk of=back bs=4096 skip=1024 count=64 iflag=direct 2>/dev/null && cmp alike back || fail "pages of one size have changed"
./some_pages write $disk 1024 64 $((seed + 2)) || fail "write past mem_limit"
put 4096 $block/mem_limit
./some_pages write $disk 1280 64 $((seed + 2)) || fail "write without room in memory"
expect inverted_pages -gt 0
expect forwarded_pages -eq "$(value inverted_pages)"
./some_pages read $disk 1280 64 $((seed + 2)) || fail "forwarded pages"
./some_pages read $disk 1024 256 $((seed + 2)) || fail "pages past mem_limit"
expect FailedWrites -eq 0
put 0 $block/mem_limit
sums_are_right

# While others write, read and discard.
(while [ ! -e enough ]; do everything_back; sleep 0.02; done) &
./check_blocks $disk "$seed" 3 "$rounds" || fail "check_blocks while pages are written back"
touch enough
wait
expect FailedReads -eq 0
expect FailedWrites -eq 0
expect backing_errors -eq 0
expect backing_pages_out -gt 1000
sums_are_right

# Swap, with pages on the device while it is turned off.
attach 64M
mkswap $disk >/dev/null && swapon $disk || fail "swapon"
mkdir -p /t && mount -t tmpfs -o size=64M none /t || fail "tmpfs"
{ head -c 1048576 recorded; head -c 524288 noise.bytes; } >base
mkdir -p /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup && mkdir /sys/fs/cgroup/small || fail "cgroup2"
put +memory /sys/fs/cgroup/cgroup.subtree_control
put 8M /sys/fs/cgroup/small/memory.max || fail "memory.max"
put 0 /sys/fs/cgroup/small/cgroup.procs
for count in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do cp base /t/$count || fail "tmpfs takes no more"; done
expect NumWrites -gt 2000
everything_back
expect backed_pages -gt 1000
put max /sys/fs/cgroup/small/memory.max
swapoff $disk || fail "swapoff"
copies_are_right
rm -f /t/*
expect FailedReads -eq 0

# Gone with the disk: the device is free again.
./some_pages write $disk 0 256 "$seed" && everything_back
put 1 $block/reset || fail "reset"
[ "$(cat $block/backing_dev)" = none ] || fail "backing_dev after reset"
put "$backing" $block/backing_dev && put 16M $block/disksize || fail "the device again"
./some_pages read $disk 0 1 "$seed" 2>/dev/null && fail "an old page after reset"
./some_pages write $disk 0 256 "$seed" && everything_back
put 0 /sys/class/pagepress-control/hot_remove || fail "hot_remove"
mkswap "$backing" >/dev/null && swapon "$backing" && swapoff "$backing" || fail "the device is still claimed"
rmmod pagepress || fail "rmmod"
! kernel_complains || fail "the kernel complains"
