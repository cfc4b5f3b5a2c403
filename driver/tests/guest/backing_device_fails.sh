# SPDX-License-Identifier: GPL-2.0-only
# A backing device that fails: what memory has stays, what only the device had ends in an error that says where.
. ./common.sh
. ./backing.sh
read -r seed <arguments
make_backing broken 16 512
attach 32M
last=32767 # sector of the device
./noise "$seed" 1048576 >noise.bytes

# Forwarded pages: memory takes them instead.
bad 0 $last
dd if=noise.bytes of=$disk bs=1M oflag=direct 2>/dev/null || fail "incompressible pages are lost"
expect NoCompress -eq 256
expect backing_errors -ge 1
expect FailedWrites -eq 0
logged "slot .* not forwarded: cannot be written to backing device $backing, sector"
[ "$(room)" = 0 ] || fail "failed writes keep their room"
# While it sends pages back, their writers wait for memory as any other does; before they asked for it they drew on reserves that are
# reclaim's, and without them the page was lost. The first page is sent back, the second finds no memory at first.
waits=$(value memory_waits)
# shellcheck disable=SC2046  # words of their own
insmod ./fail_calls.ko function=zs_malloc value=-12 count=1 one_in=2 $(text_of) ||
	fail "fail_calls"
dd if=noise.bytes of=$disk bs=4096 count=8 oflag=direct 2>said || fail "a page sent back found no memory: $(cat said)"
[ "$(cat /sys/module/fail_calls/parameters/struck)" = 1 ] || fail "no allocation failed"
rmmod fail_calls
expect memory_waits -eq $((waits + 1))
expect FailedWrites -eq 0
# Without room in memory the write fails, and the old page stays.
put 64K $block/mem_limit
dd if=noise.bytes of=$disk bs=4096 skip=255 count=1 oflag=direct 2>said && fail "nothing could take the page"
grep -q "Input/output error" said || fail "dd says $(cat said)"
logged "slot 0 not written: the backing device failed"
put 0 $block/mem_limit

# Written back: what failed stays in memory.
./some_pages write $disk 1024 64 "$seed" || fail "some_pages"
put all $block/idle
refused "Input/output error" put idle $block/writeback
logged "not written back: cannot be written to backing device $backing, sector .*; they stay in memory"
expect backed_pages -eq 0
dd if=$disk of=back bs=1M count=1 iflag=direct 2>/dev/null
cmp noise.bytes back || fail "noise has changed"
./some_pages read $disk 1024 64 "$seed" || fail "pages that failed to be written back have changed"

# By itself it tries again, once the device is well.
put 1 $block/writeback_age
await_growth backing_errors "$(value backing_errors)"
good 0 $last
await_growth backed_pages 319
put 0 $block/writeback_age
expect ComprDataSize -eq 0
./some_pages read $disk 1024 64 "$seed" || fail "pages written back at last have changed"

# Read: an error for what lies there, nothing for the others.
bad 0 $last
./some_pages write $disk 4096 64 "$seed" || fail "pages in memory"
dd if=$disk of=back bs=4096 skip=1030 count=1 iflag=direct 2>said && fail "a page that cannot be read was read"
grep -q "Input/output error" said || fail "dd says $(cat said)"
logged "slot 1030: I/O error: cannot be read from backing device $backing, sector"
expect FailedReads -eq 1
./some_pages read $disk 4096 64 "$seed" || fail "pages in memory have changed"
good 0 $last
./some_pages read $disk 1024 64 "$seed" || fail "pages on the device have changed"

# Changed behind our back: never handed out, and only believed when it comes twice.
asked=$(value backing_sectors_in)
dd if=$disk of=back bs=4096 skip=1030 count=1 iflag=direct 2>/dev/null || fail "a page on the device is not read"
once=$(($(value backing_sectors_in) - asked))
dd if=/dev/zero of="$backing" bs=1M count=16 conv=fsync 2>/dev/null || fail "cannot write to the device"
before=$(value FailedReads)
dd if=$disk of=back bs=4096 skip=1030 count=1 iflag=direct 2>/dev/null && fail "a changed page was read"
expect backing_sectors_in -eq $((asked + 3 * once))
logged "slot 1030: I/O error: not the page that was written came from backing device $backing"
expect FailedReads -eq $((before + 1))
sums_are_right

# Gone altogether: pages in memory, and the disk, go on.
put 0 $control/power
dd if=$disk of=back bs=4096 skip=1031 count=1 iflag=direct 2>/dev/null && fail "a page was read from a device that is gone"
dd if=noise.bytes of=$disk bs=1M oflag=direct 2>/dev/null || fail "incompressible pages are lost without the device"
dd if=$disk of=back bs=1M count=1 iflag=direct 2>/dev/null
cmp noise.bytes back || fail "noise has changed"
./some_pages read $disk 4096 64 "$seed" || fail "pages in memory have changed"
put 1 $block/reset || fail "reset"
put 8M $block/disksize && ./some_pages write $disk 0 64 "$seed" && ./some_pages read $disk 0 64 "$seed" || fail "a fresh disk"
expect backed_pages -eq 0
! kernel_complains || fail "the kernel complains"
