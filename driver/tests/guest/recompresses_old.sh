# SPDX-License-Identifier: GPL-2.0-only
# recompress_age: old pages become cold by themselves, each tried once, then it is quiet; half of the card's compressors are theirs, and nobody
# waits for what the card does not answer; off it is by default, and off it can be switched; disks are reset and removed meanwhile. Needs COLD=1 and CONTROL=1.
. ./common.sh
./noise 1 262144 >>recorded # pages that no card makes smaller
. ./recorded_pages.sh
queues=/sys/kernel/debug/pagepress/queues
mount -t debugfs none /sys/kernel/debug
open_control
tried() { echo $(($(value recompressed_pages) + $(value recompressions_in_vain))); }
# await_tried NUMBER: until so many pages were tried
await_tried() {
	local waited=0
	until [ "$(tried)" -ge "$1" ]; do
		waited=$((waited + 1))
		[ $waited -lt $long_wait ] || fail "$(tried) of $1 pages tried"
		sleep 0.1
	done
}
# quiet: for a few seconds, many looks at the table, nothing is tried and no card is asked
quiet() {
	local before commands
	before=$(tried) commands=$(cat $block/card/commands)
	sleep 4
	[ "$(tried)" = "$before" ] || fail "$(($(tried) - before)) pages more are tried: $1"
	[ "$(cat $block/card/commands)" = "$commands" ] || fail "the card is asked: $1"
}

# By default never; nor what is young.
[ "$(cat $block/recompress_age)" = 0 ] || fail "recompress_age is $(cat $block/recompress_age)"
fill
quiet "by default"
put 1000000 $block/recompress_age
quiet "young pages"
[ "$(tried)" = 0 ] || fail "$(tried) young pages tried"

# Old ones, each once.
put 1 $block/recompress_age
await_tried "$pages"
quiet "all are tried"
[ "$(tried)" = "$pages" ] || fail "$(tried) of $pages pages tried"
expect recompressed_pages -gt $((pages / 2))
expect recompressions_in_vain -ge 64
expect cold_pages -eq "$(value recompressed_pages)"
expect card_mismatches -eq 0
intact "become cold"
quiet "read"

# Written again, they are young, then old again.
put 0 $block/recompress_age
fill
quiet "switched off"
expect cold_pages -eq 0
put 1 $block/recompress_age
await_tried $((2 * pages))
expect cold_pages -gt $((pages / 2))

# What a card has of it is no more than half of its compressors, and nobody waits for it: neither reads nor writes.
put 0 $block/recompress_age
fill
tell arm late-completion opcode=compress after=600000 count=1000
put 1 $block/recompress_age
within $long_wait holds_back
sleep 1
compressors=$(cat $block/card/compressors)
[ "$compressors" -gt 3 ] || fail "with $compressors compressors a half is no more than one page"
share=$((compressors / 2))
[ "$(grep -c "recompress pagepress0" $queues)" = $share ] || fail "the card has $(grep -c "recompress pagepress0" $queues) pages of it, not $share"
put cpu /sys/module/pagepress/parameters/read_path
intact "while the card holds pages back"
[ "$(grep -c "recompress pagepress0" $queues)" = $share ] || fail "reads waited for the card"
# As long as the card owes an answer it gets no page to write, if that took too long; here this CPU's turn comes when it is told to stop.
tell clear
await_tried $((2 * pages + 1))
put 0 $block/recompress_age
intact "after it"

# Reset, sized anew and removed while it works.
for turn in 1 2 3; do
	put 1 $block/recompress_age
	fill
	await_growth recompressed_pages "$((turn > 1 ? 5 : $(value recompressed_pages)))"
	within $long_wait put 1 $block/reset 2>/dev/null
	expect cold_pages -eq 0
	[ "$(cat $block/recompress_age)" = 1 ] || fail "reset has changed recompress_age"
	put 32M $block/disksize || fail "disksize"
done
fill
await_growth recompressed_pages 5
put 0 /sys/class/pagepress-control/hot_remove || fail "hot_remove"
rmmod pagepress || fail "rmmod"
! kernel_complains || fail "the kernel complains"
