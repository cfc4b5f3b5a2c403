# SPDX-License-Identifier: GPL-2.0-only
# Each mistake gets an errno and nothing is lost.
. ./common.sh
# Direct I/O, which busybox's dd would quietly make buffered.
./unaligned_io $disk || fail "unaligned I/O was not refused"
pages=$(($(cat $block/disksize) / 4096))
refused "No space left" dd if=/dev/zero of=$disk bs=4096 seek=$pages count=1 oflag=direct
refused "nvalid argument" put sideways /sys/module/pagepress/parameters/read_path
refused "nvalid argument" put Y /sys/module/pagepress/parameters/verify_streams

mkswap $disk >/dev/null && swapon $disk || fail "swapon"
refused "busy" swapon $disk
refused "busy" put 1M $block/disksize
refused "busy" put 1 $block/reset
refused "" rmmod pagepress
swapoff $disk || fail "swapoff"
refused "busy" put 1M $block/disksize
put 1 $block/reset || fail "reset"
put 4K $block/disksize || fail "disksize after reset"
[ "$(cat $block/disksize)" = 4096 ] || fail "disksize is $(cat $block/disksize)"
# One page holds the header and nothing else.
mkswap $disk >/dev/null 2>&1
refused "nvalid argument" swapon $disk
expect InvalidIO -eq 0

rmmod pagepress || fail "rmmod"
refused "nvalid" insmod $driver devices=0
refused "nvalid" insmod $driver read_path=sideways
logged "devices=0: must be 1 to 32"
refused "nvalid" insmod $driver disksize_mb=-5
logged "disksize_mb=-5: must be 0 or more"
refused "annot allocate memory" insmod $driver disksize_mb=2147483647
logged "load with a smaller disksize_mb"
for parameter in depth=0 depth=1 depth=4097 depth=4294967360 moderation_count=65536 moderation_cycles=65536 moderation_cycles=4294967296; do
	refused "out of range" insmod $driver $parameter
	logged "${parameter#*=}' invalid for parameter .${parameter%=*}'"
done
refused "nvalid" insmod $driver depth=-1
refused "nvalid" insmod $driver moderation_count=many
# The ends of what is taken, and what lies between them, as the card has it; of a ring deeper than the card's the log says what became of it.
mount -t debugfs none /sys/kernel/debug 2>/dev/null
for parameters in "depth=2 moderation_count=0 moderation_cycles=0" "depth=64 moderation_count=5 moderation_cycles=7" \
	"depth=4096 moderation_count=65535 moderation_cycles=65535"; do
	# shellcheck disable=SC2086  # words of their own
	load $driver disksize_mb=8 $parameters || fail "insmod $parameters"
	await ready
	for parameter in $parameters; do
		[ "$(cat /sys/module/pagepress/parameters/${parameter%=*})" = "${parameter#*=}" ] || fail "$parameter is not taken"
	done
	# The card's MODERATION: count below, cycles above.
	set -- $parameters
	wanted=$(printf %08x $((${2#*=} | ${3#*=} << 16)))
	grep -q " 1014 $wanted$" /sys/kernel/debug/pagepress/registers || fail "$2 $3: $(grep " 1014 " /sys/kernel/debug/pagepress/registers)"
	dd if=$driver of=$disk bs=64K count=4 oflag=direct 2>/dev/null && dd if=$disk of=back bs=64K count=4 iflag=direct 2>/dev/null &&
		head -c 262144 $driver | cmp - back || fail "pages with $parameters"
	expect card_pages_out -gt 0
	rmmod pagepress || fail "rmmod"
done
logged "card ready: .* of 2 entries"
logged "depth=4096: the card has no rings of more than 1024 entries"
insmod $driver devices=2 disksize_mb=8 card=N || fail "insmod with two disks"
[ "$(cat /sys/block/pagepress1/disksize)" = 8388608 ] || fail "the second disk has another size"
[ "$(value card_state)" = forbidden ] || fail "card=N leaves card_state $(value card_state)"
