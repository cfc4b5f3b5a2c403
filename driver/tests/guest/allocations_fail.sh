# SPDX-License-Identifier: GPL-2.0-only
# An allocation that an administrator's command makes fails: each of them, or some drawn from the seed when there are many. The
# command fails as a whole or succeeds all the same, and works the next time; nothing of it holds the module. Arguments: seed, how
# many are tried of each command, the root hash of image. Needs a kernel with fault injection, and COLD=1.
. ./common.sh
. ./backing.sh
read -r seed tries root <arguments
random=$seed failed=0
address=$(cat $block/card/address)
hooks=/sys/kernel/debug
mount -t debugfs none $hooks
for hook in failslab fail_page_alloc; do
	put 0 $hooks/$hook/verbose && put 0 $hooks/$hook/ignore-gfp-wait || fail "the kernel offers no $hook"
done
put 0 $hooks/fail_page_alloc/min-order # pages of programs are spared: they are in high memory, if there is one

# count COMMAND...: prints how many allocations it makes, and a few more
count() (
	put 1000000 /proc/self/fail-nth
	"$@" || exit
	read -r left </proc/self/fail-nth
	echo $((1000000 - left))
)

# strike N COMMAND...: in a process whose Nth allocation fails. Status 0: the command succeeded; 1: it failed by that; 2: by itself.
strike() (
	put "$1" /proc/self/fail-nth
	shift
	"$@" && exit
	read -r left </proc/self/fail-nth
	[ "$left" = 0 ] && exit 1 || exit 2
)

# try UNDO COMMAND...: UNDO follows every success
try() {
	local undo=$1 all turn=0 nth
	shift
	all=$(count "$@") && $undo || fail "$*, or $undo after it"
	while [ $turn -lt $tries ] && [ $turn -lt "$all" ]; do
		turn=$((turn + 1)) nth=$turn
		[ "$all" -le $tries ] || { draw "$all" && nth=$((drawn + 1)); }
		strike $nth "$@" 2>said
		case $? in
		0) $undo || fail "$undo after $* without allocation $nth of $all" ;;
		1) failed=$((failed + 1)) ;;
		*) fail "$* fails by itself: $(cat said)" ;;
		esac
	done
	echo "$*: $turn of $all allocations tried; with earlier commands $failed were needed"
}

control_files=/sys/class/pagepress-control
second=/sys/block/pagepress1
add() { read -r added <$control_files/hot_add; }
remove() { put 1 $control_files/hot_remove && [ ! -e $second ]; }
try remove add
[ ! -e $second ] || fail "a disk that could not be added is there"

add
reset() { put 1 $second/reset && [ "$(cat $second/initstate)" = 0 ]; }
try reset put 8M $second/disksize
make_backing spare 16 512
try reset put "$backing" $second/backing_dev
sized_with_backing() { put "$backing" $second/backing_dev && put 8M $second/disksize; }
try reset sized_with_backing
reset

# Pages that cannot be written back stay; those that are, are right.
sized_with_backing || fail "no disk with a backing device"
./some_pages write /dev/pagepress1 0 256 "$seed" || fail "some_pages write"
back() { put idle $second/writeback; }
again() { ./some_pages write /dev/pagepress1 0 256 "$seed" && put all $second/idle; }
again
try again back
./some_pages read /dev/pagepress1 0 256 "$seed" || fail "pages written back have changed"
put 1 $second/compact

# A budget is kept, or not; pages that are not recompressed stay as they were.
off() { put off $second/pool_budget; }
try off put auto $second/pool_budget
recompress() { put type=idle $second/recompress; }
again
try again recompress
./some_pages read /dev/pagepress1 0 256 "$seed" || fail "recompressed pages have changed"
reset || fail "reset"

# An origin that could not be attached is none, and so is a lookaside image.
make_backing far 16 512
origin=$backing
make_backing near 16 512
lookaside=$backing
dd if=image of="$origin" bs=4096 2>/dev/null && dd if=old of="$lookaside" bs=4096 2>/dev/null && put "$root" $second/origin_root ||
	fail "no images"
no_origin() { put none $second/origin_dev; }
no_lookaside() { put none $second/lookaside_dev; }
try no_origin put "$origin" $second/origin_dev
put "$origin" $second/origin_dev || fail "origin_dev"
try no_lookaside put "$lookaside" $second/lookaside_dev
put "$lookaside" $second/lookaside_dev && put "$(wc -c <plain)" $second/disksize || fail "a disk with an origin"
dd if=/dev/pagepress1 bs=128K iflag=direct 2>/dev/null | cmp - plain || fail "the origin's pages are wrong"
reset && put 1 $control_files/hot_remove || fail "reset or hot_remove"

# A card arrives, and goes.
bus=/sys/bus/pci/drivers/pagepress
leave() { put "$address" $bus/unbind; }
leave
try leave put "$address" $bus/bind
put "$address" $bus/bind || fail "bind"
await ready
put card /sys/module/pagepress/parameters/read_path
./some_pages write $disk 0 256 "$seed" && ./some_pages read $disk 0 256 "$seed" || fail "the card is of no use afterwards"
expect card_pages_in -gt 0
expect card_pages_out -gt 0
sums_are_right
[ $failed -gt 0 ] || fail "no allocation was needed"
rmmod pagepress || fail "a command that failed still holds the module"
