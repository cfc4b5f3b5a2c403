# SPDX-License-Identifier: GPL-2.0-only
# Idle pages become cold streams: by command alone, in zram's words, each proven first. Every byte comes back by the card, by this CPU, from the
# backing device, after the card is gone; pages overwritten, discarded or forwarded meanwhile are what they became; a card that lies, fails or
# leaves in the middle of it changes nothing. Needs COLD=1, CONTROL=1, MODULES=null_blk and PROGRAMS=cmp.
PATH=/usr/bin:/bin # busybox's cmp takes seven times as long
. ./common.sh
. ./backing.sh
. ./recorded_pages.sh
read -r seed rounds <arguments
parameters=/sys/module/pagepress/parameters
address=$(cat $block/card/address)
function=/sys/bus/pci/devices/$address
open_control
tell "seed $seed"
make_backing few 4 512
# recompress WORDS: of what is selected; all_of_it: of all there is in memory, marked idle for it
recompress() { put "$1" $block/recompress || fail "recompress $1"; }
all_of_it() { put all $block/idle && recompress type=idle; }
faults() { echo $(($(value card_mismatches) + $(value card_errors))); }

# In zram's words: named before disksize, nothing to choose, bad input refused, and nothing happens for it.
[ "$(cat $block/recomp_algorithm)" = "#1: [cold]" ] || fail "recomp_algorithm is $(cat $block/recomp_algorithm)"
refused "busy" put "algo=cold priority=1" $block/recomp_algorithm
put 1 $block/reset
put "algo=cold priority=1" $block/recomp_algorithm || fail "recomp_algorithm"
for word in algo=zstd cold algo= type=idle; do refused "nvalid" put "$word" $block/recomp_algorithm; done
refused "out of range" put "algo=cold priority=2" $block/recomp_algorithm
refused "nvalid" put type=idle $block/recompress

# What no card makes smaller is tried once, until it is written again.
put 32M $block/disksize
./noise "$seed" 262144 >noise.bytes
for turn in 1 2; do
	dd if=noise.bytes of=$disk bs=256K oflag=direct 2>/dev/null || fail "noise"
	for again in 1 2; do
		put all $block/idle
		recompress type=huge_idle
		recompress type=huge
		expect NoCompress -eq 64
		expect recompressed_pages -eq 0
		expect recompressions_in_vain -eq $((turn * 64))
	done
done
dd if=$disk of=back bs=256K count=1 iflag=direct 2>/dev/null && cmp noise.bytes back || fail "noise has changed"

# Without memory, or room below mem_limit, it stays as it was.
fill
bytes=$(value ComprDataSize)
put all $block/idle
# shellcheck disable=SC2046  # words of their own
insmod ./fail_calls.ko function=zs_malloc value=-12 count=1000 $(text_of) || fail "fail_calls"
refused "memory" put type=idle $block/recompress
rmmod fail_calls
expect ComprDataSize -eq "$bytes"
put 4096 $block/mem_limit
put all $block/idle
refused "space" put type=idle $block/recompress
put 0 $block/mem_limit
intact "after failed recompression"

# With a backing device from here on.
attach 32M
fill
for word in nonsense type=nonsense type= algo=zstd algo threshold=x max_pages=-1 'type=idle nonsense=1'; do refused "nvalid" put "$word" $block/recompress; done
for word in threshold=4097 priority=0 priority=2; do refused "out of range" put "$word" $block/recompress; done
recompress type=idle
recompress "max_pages=0"
expect recompressed_pages -eq 0
expect recompressions_in_vain -eq 0
expect cold_pages -eq 0

# As many as asked for, then those that are long enough, then the rest that is idle; sizes sink by just what is said.
bytes=$(value ComprDataSize)
stored=$(value PagesStored)
put all $block/idle
recompress "type=idle max_pages=10 algo=cold"
expect recompressed_pages -eq 10
expect cold_pages -eq 10
recompress "type=idle threshold=2000"
some=$(value recompressed_pages)
[ "$some" -gt 10 ] && [ "$some" -lt "$pages" ] || fail "$some pages of 2000 bytes and more"
recompress "type=idle"
expect recompressed_pages -gt "$some"
expect cold_pages -eq "$(value recompressed_pages)"
expect PagesStored -eq "$stored"
expect ComprDataSize -eq $((bytes - $(value recompression_saved_bytes)))
[ "$(value ComprDataSize)" -lt $((bytes * 85 / 100)) ] || fail "$bytes bytes are still $(value ComprDataSize)"
[ "$(value cold_bytes)" -le "$(value ComprDataSize)" ] || fail "cold_bytes"
expect verified_streams -ge "$(value recompressed_pages)"
# Idle marks have ended with it; and marked again, what is cold is not for recompression.
some=$(value recompressed_pages) vain=$(value recompressions_in_vain)
recompress type=idle
all_of_it
expect recompressed_pages -eq "$some"
expect recompressions_in_vain -eq "$vain"
put 1 $block/compact
sums_are_right

# By this CPU, by the card.
put cpu $parameters/read_path
before=$(value software_pages_in)
intact "by this CPU"
expect software_pages_in -ge $((before + some))
put card $parameters/read_path
before=$(value card_pages_in)
intact "by the card"
expect card_pages_in -gt $((before + some / 2))
[ "$(faults)" = 0 ] || fail "the card is accused"

# Overwritten, what was cold is LZO1X.
fill
expect cold_pages -eq 0
expect cold_bytes -eq 0
intact "overwritten"
all_of_it
expect cold_pages -gt $((pages / 2))

# Away and back: what is written back is what was in memory, and is read by this CPU, many by one access.
bytes=$(value ComprDataSize) some=$(value recompressed_pages)
everything_back
expect cold_pages -eq 0
expect cold_bytes -eq 0
[ "$(room)" -lt $((bytes / 4096 + 64)) ] || fail "$bytes bytes take $(room) blocks"
intact "from the backing device"
# Nothing of it is for recompression.
all_of_it
expect recompressed_pages -eq "$some"
# The collector takes cold streams elsewhere as well: each turn leaves a segment of which a few of the pages stay, until it is needed.
turn=0
until [ "$(value collected_pages)" -gt 0 ]; do
	turn=$((turn + 1))
	[ $turn -lt 60 ] || fail "the collector has nothing to do"
	dd if=recorded of=$disk bs=64K skip=$((turn % 25)) seek=$((turn % 25)) count=1 oflag=direct conv=notrunc 2>/dev/null || fail "write of a few"
	dd if=recorded of=$disk bs=4096 seek=4096 count=300 oflag=direct 2>/dev/null || fail "write beside them"
	all_of_it
	expect cold_pages -gt 200
	everything_back
done
intact "after the collector"
expect backing_errors -eq 0
blkdiscard $disk
[ "$(room)" = 0 ] || fail "discarded pages take $(room)"
renew
make_backing cold 96 512
attach 32M

# Between proof and replacement, while memory is asked for: the page is overwritten, discarded, or written back.
page_meanwhile() {
	pages write 0 1 "$seed" && put all $block/idle
	some=$(value recompressed_pages)
	hold zs_malloc
	put type=idle $block/recompress &
	held
	"$@"
	release
	wait $! || fail "recompress while $*"
	rmmod fail_calls
}
page_meanwhile pages write 0 1 $((seed + 1))
pages read 0 1 $((seed + 1))
expect recompressed_pages -eq "$some"
expect cold_pages -eq 0
page_meanwhile discard 0 1
expect recompressed_pages -eq "$some"
expect PagesStored -eq 0
expect ComprDataSize -eq 0
page_meanwhile pages read 0 1 "$seed"
expect recompressed_pages -eq $((some + 1))
# Whoever copies it has it alone: it stays in memory, and is cold. Others are told that it goes on.
busy() {
	refused "unavailable" put type=idle $block/recompress
	put all $block/idle && write_back idle
}
page_meanwhile busy
expect recompressed_pages -eq $((some + 1))
expect backed_pages -eq 0
expect cold_pages -eq 1
pages read 0 1 "$seed"
discard 0 1
expect cold_pages -eq 0
expect cold_bytes -eq 0

# Found before the disk was reset, and is smaller: such slots are not looked for. The card has no room until a late command has ended.
found_before() {
	hold down_read_killable 2
	"$@" &
	held 1 && release 1 && held 2
	put 1 $block/reset && put "$backing" $block/backing_dev && put 1M $block/disksize || fail "a smaller disk"
}
gone_on() {
	release
	wait $! || fail "what was found before the reset: status $?"
	rmmod fail_calls
	expect PagesStored -eq 0
}
attach 32M
pages write 400 32 "$seed" && put all $block/idle
put 20 $parameters/card_wait_ms && tell arm late-completion opcode=compress after=60000 count=1
pages write 0 1 "$seed"
holds_back || fail "the card owes no answer"
found_before put type=idle $block/recompress
tell clear
put 240000 $parameters/card_wait_ms
gone_on
expect recompressed_pages -eq 0
attach 32M
pages write 400 32 "$seed" && put all $block/idle
found_before put idle $block/writeback
gone_on
expect backed_pages -eq 0
attach 32M

# By the proofs of the card, if verify_streams leaves them to it, or asks for none: a stream in use is not given up for one unproven.
for mode in none sampled card; do
	put $mode $parameters/verify_streams
	fill
	before=$(value streams_proven_by_card) some=$(value recompressed_pages)
	all_of_it
	expect recompressed_pages -gt $((some + pages / 2))
	case $mode in none) expect streams_proven_by_card -ge $((before + pages / 2)) ;; esac
	for fault in broken-stream "corrupted-data opcode=decompress" "wrong-length opcode=decompress" "failed-status opcode=decompress"; do
		one_in 5 || continue
		fill
		before=$(faults)
		# shellcheck disable=SC2086  # words of their own
		tell arm $fault count=5
		all_of_it
		tell clear
		case $mode in none) [ "$(faults)" = $((before + 5)) ] || fail "$(($(faults) - before)) of 5 found in mode $mode: $fault" ;; esac
		intact "verify_streams=$mode, $fault"
	done
done
put all $parameters/verify_streams

# A card that lies, as it is by default.
for fault in broken-stream wrong-crc wrong-detail corrupted-data wrong-length failed-status \
	"wrong-crc opcode=decompress" "corrupted-data opcode=decompress" "failed-status opcode=decompress"; do
	one_in 3 || continue
	fill
	before=$(faults)
	case $fault in *opcode=*) ;; *) fault="$fault opcode=compress" ;; esac
	# shellcheck disable=SC2086  # words of their own
	tell arm $fault count=20
	all_of_it
	tell clear
	[ "$(faults)" = $((before + 20)) ] || fail "$(($(faults) - before)) of 20 $fault found"
	intact "after $fault"
done
put card $parameters/read_path
for fault in wrong-crc corrupted-data failed-status; do
	one_in 3 || continue
	fill && all_of_it
	tell arm $fault opcode=decompress count=20
	intact "read after $fault"
	tell clear
done

# A card that fails in the middle of it: whoever asked is told, or that there is no card; nothing else has happened.
tenth="opcode=compress one-in=10"
for fault in "lost-completion $tenth" "stuck $tenth" "fatal $tenth" "dead $tenth"; do
	one_in 2 || continue
	fill
	resets=$(value card_resets) before=$(faults)
	put 300 $parameters/timeout_ms && put 20 $parameters/card_wait_ms
	put all $block/idle
	# shellcheck disable=SC2086  # words of their own
	tell arm $fault
	put type=idle $block/recompress 2>/dev/null
	await_growth card_resets "$resets"
	tell clear
	put 60000 $parameters/timeout_ms && put 240000 $parameters/card_wait_ms
	intact "after $fault"
	await ready
	[ "$(faults)" = "$before" ] || fail "$fault: what the card did not answer is held to be its answer"
done
# Events come over it while it holds a page back that is to become cold.
for event in reset unbind remove suspend; do
	fill
	put all $block/idle
	# Tasks freeze before a suspend when the page they wait for is taken back.
	[ $event != suspend ] || put 2000 $parameters/card_wait_ms
	tell arm late-completion opcode=compress after=30000 count=3
	put type=idle $block/recompress 2>/dev/null &
	within $long_wait holds_back
	put 300 $parameters/timeout_ms
	case $event in
	reset) put 1 "$function/reset" ;;
	unbind) put "$address" "$function/driver/unbind" && intact "without a driver" && put "$address" /sys/bus/pci/drivers/pagepress/bind ;;
	remove) put 1 "$function/remove" && intact "without a card" && put 1 /sys/bus/pci/rescan ;;
	suspend) suspend_and_wake ;;
	esac || fail "$event"
	tell clear
	put 60000 $parameters/timeout_ms && put 240000 $parameters/card_wait_ms
	wait $!
	await ready
	intact "after $event"
done
fill && all_of_it
expect cold_pages -gt $((pages / 2))

# While others write, read and discard, and pages leave.
(while [ ! -e enough ]; do put all $block/idle && put type=idle $block/recompress 2>/dev/null; sleep 0.02; everything_back; done) &
(while [ ! -e enough ]; do put "" $block/recompress 2>/dev/null; sleep 0.01; done) &
some=$(value recompressed_pages)
./check_blocks $disk "$seed" 3 "$rounds" || fail "check_blocks while pages become cold"
touch enough
wait
expect recompressed_pages -gt "$some"
expect FailedReads -eq 0
expect FailedWrites -eq 0
expect backing_errors -eq 0
sums_are_right
blkdiscard $disk
expect cold_pages -eq 0
expect cold_bytes -eq 0
expect ComprDataSize -eq 0

# The card goes: pages stay what they are, and none becomes cold any more.
fill && all_of_it
expect cold_pages -gt $((pages / 2))
put 1 "$function/remove"
await none
intact "without a card"
fill && put all $block/idle
refused "not supported" put type=idle $block/recompress
intact "after a refusal"
put 1 /sys/bus/pci/rescan
await ready
all_of_it
expect cold_pages -gt $((pages / 2))
intact "by the card that is back"

put 1 $block/reset || fail "reset"
expect recompressed_pages -eq 0
rmmod pagepress || fail "rmmod"
! kernel_complains || fail "the kernel complains"
