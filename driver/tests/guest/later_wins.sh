# SPDX-License-Identifier: GPL-2.0-only
# Whatever is in flight (a write at the card, a page on its way to the backing device or back), what was asked for later wins,
# and nothing of it is left: discards, overwrites, reads, idle marks, writeback_limit. Needs CONTROL=1.
. ./common.sh
. ./backing.sh
read -r seed <arguments
parameters=/sys/module/pagepress/parameters
noise=$((seed + 4294967296)) # NOISE of some_pages.c
open_control
# What is held is held until told, also where a busy host takes minutes for what happens meanwhile: a page waits a quarter of card_wait_ms.
put 600000 $parameters/timeout_ms && put 2400000 $parameters/card_wait_ms || fail "patience"
# empty FIRST COUNT: these slots read as zeros
empty() {
	dd if=$disk of=back bs=4096 skip="$1" count="$2" iflag=direct 2>/dev/null && cmp -n $(($2 * 4096)) back /dev/zero ||
		fail "slots $1 and $2 more are not empty"
}
# ends WHAT: the process that was started last does so well
ends() { wait $! || fail "$1 ended with status $?"; }
# await_held NUMBER: the card holds so many completions back
await_held() {
	local waited=0
	while ask status; [ "${answer##* }" != "$1" ]; do
		waited=$((waited + 1))
		[ $waited -lt $long_wait ] || fail "the card says '$answer', not held $1"
		sleep 0.1
	done
}

# ---- a write at the card ----
head -c 4096 /dev/zero | tr '\0' y >same
redone=$(value redone_pages)
tell arm late-completion opcode=compress count=2 after=600000000
./some_pages write $disk 0 4 "$seed" &
first=$!
await_held 4
pages read 0 4 "$seed"
discard 1 1
dd if=same of=$disk bs=4096 seek=2 oflag=direct 2>/dev/null || fail "overwrite of slot 2"
./some_pages write $disk 3 1 $((seed + 1)) &
await_held 5
results() {
	pages read 0 1 "$seed"
	empty 1 1
	dd if=$disk of=back bs=4096 skip=2 count=1 iflag=direct 2>/dev/null && cmp same back || fail "slot 2 has changed"
	pages read 3 1 $((seed + 1))
}
results
tell clear
ends "the second write"
wait $first || fail "the first write ended with status $?"
results
expect card_pages_out -ge 5
expect redone_pages -eq "$redone"
expect PagesStored -eq 3
discard 0 4
expect PagesStored -eq 0
expect ComprDataSize -eq 0
expect MemUsedTotal -eq 0
sums_are_right

# ---- a page forwarded to the backing device ----
make_backing small 1 512 # four segments, two of them set aside: room for 128 pages that do not compress
attach 32M
dd if=same of=$disk bs=4096 seek=1 oflag=direct 2>/dev/null || fail "a neighbour, with which the slot's memory stays"
hold submit_bio
./some_pages write $disk 0 1 $noise &
held
pages read 0 1 $noise
discard 0 1
empty 0 1
release
ends "the forwarded write"
empty 0 1
expect backed_pages -eq 0
expect forwarded_pages -eq 0
[ "$(room)" = 0 ] || fail "a page discarded on its way takes $(room)"

# ---- pages forwarded when there is no page I/O for them: the card's thread waits for none, a work does ----
redone=$(value redone_pages)
tell arm late-completion opcode=compress count=1 after=600000000
./some_pages write $disk 40 4 $noise &
await_held 4
# shellcheck disable=SC2046  # words of their own
set -- $(grep '^pagepress ' /proc/modules)
rmmod fail_calls
insmod ./fail_calls.ko function="$(of_kernel mempool_alloc)" value=0 from="$6" bytes="$2" || fail "fail_calls"
put 6 /sys/module/fail_calls/parameters/count
tell clear
ends "the write without page I/Os"
[ "$(cat /sys/module/fail_calls/parameters/struck)" = 6 ] || fail "only $(cat /sys/module/fail_calls/parameters/struck) page I/Os were refused"
expect redone_pages -gt "$redone" # how many, hangs on whether a work is refused once more before the next answer comes
expect backed_pages -eq 4
pages read 40 4 $noise
discard 40 4

# ---- the same, overwritten meanwhile: a page that comes too late for its slot counts as written ----
redone=$(value redone_pages)
tell arm late-completion opcode=compress count=1 after=600000000
./some_pages write $disk 40 4 $noise &
await_held 4
for slot in 40 41 42 43; do
	dd if=same of=$disk bs=4096 seek=$slot oflag=direct 2>/dev/null || fail "overwrite of slot $slot"
done
put 2000000000 /sys/module/fail_calls/parameters/count
tell clear
ends "the write that was overwritten"
put 0 /sys/module/fail_calls/parameters/count
expect redone_pages -gt "$redone"
expect backed_pages -eq 0
expect ZeroPages -ge 4
sums_are_right
discard 40 4

# ---- a card is taken away while pages that it compressed wait for a page I/O: it does not wait with them ----
address=$(cat $block/card/address)
redone=$(value redone_pages)
tell arm late-completion opcode=compress count=1 after=600000000
./some_pages write $disk 40 4 $noise &
writer=$!
await_held 4
put 2000000000 /sys/module/fail_calls/parameters/count
tell clear
await_growth redone_pages "$redone"
{ put 1 "/sys/bus/pci/devices/$address/remove" && touch removed; } &
comes_within $long_wait [ -e removed ]
left_in_time=$?
backed=$(value backed_pages)
put 0 /sys/module/fail_calls/parameters/count # whatever came of it: a guest whose card cannot go does not end
[ $left_in_time = 0 ] || fail "a card is not taken away while its pages wait"
[ "$backed" = 0 ] || fail "the pages did not wait for the card to go"
wait $writer || fail "the write that the card left behind ended with status $?"
put 1 /sys/bus/pci/rescan
await ready
expect backed_pages -eq 4
pages read 40 4 $noise
discard 40 4

# ---- a page that is read from it ----
pages write 0 64 $noise
pages write 64 64 $noise
expect backed_pages -eq 128
# Discarded, and its segment is other pages' by the time the device is asked: the one freed first is taken first.
hold submit_bio
dd if=$disk of=stale bs=4096 skip=5 count=1 iflag=direct 2>said &
held
# By write-back: what is forwarded would wait behind the read that is held.
discard 0 64
for turn in 1 2 3; do
	[ $turn = 1 ] || discard 300 64
	pages write 300 64 "$seed"
	write_back page_indexes=300-363
done
expect backed_pages -eq 128
release
ends "the read of a discarded slot"
cmp -n 4096 stale /dev/zero || fail "the read of a discarded slot gives what was there before"
# Overwritten in memory.
hold submit_bio
./some_pages read $disk 70 1 $((seed + 1)) &
held
pages write 70 1 $((seed + 1))
release
ends "the read of an overwritten slot"
expect FailedReads -eq 0
expect backing_errors -eq 0
pages read 300 64 "$seed"

# ---- pages that are written back: what a segment takes of the older at once, then the rest ----
blkdiscard $disk
young=0
while [ "$(value ComprDataSize)" -le 262144 ]; do
	pages write $young 8 "$seed"
	young=$((young + 8))
done
sleep 0.3
pages write $young 40 "$seed"
put all $block/idle
hold submit_bio_wait
put idle $block/writeback &
held
pages write 0 4 $((seed + 1))
discard 4 4
in=$(value backing_pages_in)
pages read 8 4 "$seed"
expect backing_pages_in -eq "$in"
# No longer idle, though they were when the search found them.
pages read $((young + 16)) 4 "$seed"
pages write $((young + 20)) 1 $((seed + 1))
release
ends "the write-back"
expect backed_pages -eq $((young + 40 - 13)) # without 4 overwritten, 4 discarded, 4 read and 1 overwritten in time
pages read 0 4 $((seed + 1))
empty 4 4
pages read 8 $((young + 12)) "$seed"
pages read $((young + 20)) 1 $((seed + 1))
pages read $((young + 21)) 19 "$seed"
expect FailedReads -eq 0
sums_are_right

# ---- idle marks, against reads by CPU and card and against writes ----
blkdiscard $disk
pages write 200 16 "$seed"
put all $block/idle
put cpu $parameters/read_path
pages read 200 3 "$seed"
put card $parameters/read_path
in=$(value card_pages_in)
pages read 203 3 "$seed"
expect card_pages_in -gt "$in"
pages write 206 3 "$seed"
write_back idle
expect backed_pages -eq 7

# ---- writeback_limit, against pages that are forwarded ----
put 8 $block/writeback_limit && put 1 $block/writeback_limit_enable || fail "writeback_limit"
forwarded=$(value forwarded_pages)
pages write 400 32 $noise
expect forwarded_pages -eq $((forwarded + 8))
expect NoCompress -eq 24
[ "$(cat $block/writeback_limit)" = 0 ] || fail "writeback_limit is $(cat $block/writeback_limit)"
pages read 400 32 $noise
put 0 $block/writeback_limit_enable

# ---- everything discarded: nothing is left of streams, raw, same-filled and backed pages ----
dd if=same of=$disk bs=4096 seek=500 oflag=direct 2>/dev/null || fail "a same-filled page"
for name in ZeroPages NoCompress GoodCompress backed_pages; do expect $name -gt 0; done
blkdiscard $disk
for name in PagesStored ZeroPages NoCompress GoodCompress backed_pages OrigDataSize ComprDataSize MemUsedTotal; do expect $name -eq 0; done
[ "$(room)" = 0 ] || fail "discarded pages take $(room)"
expect FailedReads -eq 0
expect FailedWrites -eq 0
sums_are_right

# ---- writeback_limit, set while a write is under way: the new one counts whole ----
pages write 200 8 "$seed"
put all $block/idle
put 1000 $block/writeback_limit && put 1 $block/writeback_limit_enable || fail "writeback_limit"
hold submit_bio_wait
put idle $block/writeback &
held
[ "$(cat $block/writeback_limit)" -lt 1000 ] || fail "a write under way has used nothing of its limit"
put 500 $block/writeback_limit
release
ends "the write-back"
expect backed_pages -eq 8
[ "$(cat $block/writeback_limit)" = 500 ] || fail "of a limit of 500, set meanwhile, $(cat $block/writeback_limit) is left"
put 0 $block/writeback_limit_enable
pages read 200 8 "$seed"

# ---- pages written since a write-back began: it is not for them, else it need not end while somebody writes ----
blkdiscard $disk
pages write 0 8 "$seed"
hold submit_bio_wait
put page_indexes=0-63 $block/writeback &
held
sleep 0.3 # ages are counted in 67 ms
pages write 8 8 "$seed"
release
ends "the write-back"
expect backed_pages -eq 8
pages read 0 16 "$seed"
write_back page_indexes=0-63
expect backed_pages -eq 16
pages read 0 16 "$seed"
