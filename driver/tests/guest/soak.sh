# SPDX-License-Identifier: GPL-2.0-only
# Memory that does not fit, in swap with a backing device, and direct requests to a second disk, while faults drawn from the seed
# strike the card of both: no byte wrong, no hang, the card back. Arguments: seed, seconds, milliseconds the programs rest
# between runs of pages, disks (1 or 2), milliseconds until a command has failed, whether zswap stands before the swap (0 or 1; acomp=1).
# Needs CONTROL=1.
. ./common.sh
. ./backing.sh
read -r seed seconds rest disks timeout_ms by_zswap <arguments
parameters=/sys/module/pagepress/parameters
address=$(cat $block/card/address)
struck=0
random=$seed
# What must have been counted, however long it takes: on a busy machine seconds are no measure of what was done.
least="card_pages_out=500 card_pages_in=50 backing_pages_in=1"
[ "$by_zswap" = 0 ] || least="$least acomp_card_pages_out=500 acomp_card_pages_in=50"

# pick WORD...: sets picked to one of the words
pick() {
	draw $#
	shift $drawn
	picked=$1
}

open_control

# One fault of the card, or something an administrator does.
strike() {
	local fault how
	pick lost-completion late-completion wrong-tag wrong-length wrong-crc corrupted-data failed-status stuck fatal \
		all-ones dead reset-refused function-reset removal write-back compact
	fault=$picked
	echo "$fault" >>strikes
	case $fault in
	function-reset) put 1 "/sys/bus/pci/devices/$address/reset" 2>>refusals ;;
	removal)
		put 1 "/sys/bus/pci/devices/$address/remove"
		draw 10
		sleep 0.$drawn
		put 1 /sys/bus/pci/rescan
		;;
	write-back) put all $block/idle && put idle $block/writeback 2>>refusals ;;
	compact) put 1 $block/compact ;;
	*)
		pick compress decompress
		how="arm $fault opcode=$picked"
		case $fault in
		late-completion) pick 20 100 3000 && how="$how after=$picked" ;;
		# Strikes at a disable, so something must make the driver disable the card.
		reset-refused) ask "arm stuck" && how="arm $fault" ;;
		esac
		draw 20 && how="$how count=$((drawn + 1))"
		draw 8 && how="$how one-in=$((drawn + 1))"
		ask "$how"
		[ "$answer" = ok ] || fail "the card answers '$answer' to '$how'"
		;;
	esac
	draw 15
	sleep $((drawn / 10)).$((drawn % 10))
	ask status
	case $answer in
	struck*) answer=${answer#struck } && struck=$((struck + ${answer%% *})) ;;
	esac
	ask clear
}

# on_second COMMAND...: it, about the second disk
on_second() {
	local disk=/dev/pagepress1 block=/sys/block/pagepress1
	"$@"
}

# Requests to the second disk, each round with other numbers, until told.
check_second() {
	local round=0
	while [ ! -e enough ]; do
		round=$((round + 1))
		./check_blocks $disk $((seed + round)) 2 100 tolerant 2>second || return 1
	done
	echo "$round rounds of requests to the second disk, $(value NumWrites) pages out and $(value NumReads) in, $(value card_pages_out)/$(value card_pages_in) by card"
}

is_done() {
	local counter
	[ $(($(date +%s) - began)) -ge "$seconds" ] && [ $struck -ge 3 ] || return 1
	for counter in $least; do [ "$(value "${counter%=*}")" -ge "${counter#*=}" ] || return 1; done
}

progress() {
	echo "soak: $(($(date +%s) - began)) of $seconds s, $struck faults, pages out $(value NumWrites) in $(value NumReads)," \
		"by card $(value card_pages_out)/$(value card_pages_in), redone $(value redone_pages)," \
		"backing out $(value backing_pages_out) in $(value backing_pages_in)," \
		"resets $(value card_resets), card $(value card_state)"
	[ "$by_zswap" = 0 ] || echo "soak: by zswap: card $(value acomp_card_pages_out)/$(value acomp_card_pages_in)," \
		"software $(value acomp_software_out)/$(value acomp_software_in), redone $(value acomp_redone)"
}

free=$(awk '/MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
# The device keeps in memory what was ever written to it: a sixth of it, so that it is full at times.
make_backing room $((free / 6)) 512
attach 256M
put 10 $block/writeback_age || fail "writeback_age" # seconds after which a page goes there by itself
put "$timeout_ms" $parameters/timeout_ms
put 50 $parameters/rejoin_ms
put 1000000 $parameters/rejoin_limit
mkswap $disk >/dev/null && swapon $disk || fail "swapon"
# A pool that is full writes back to the swap behind it, and takes the next page at once, not only when a tenth of it has gone.
[ "$by_zswap" = 0 ] || { use_zswap && put 100 $zswap/accept_threshold_percent && put 10 $zswap/max_pool_percent; }
tell "seed $seed"
if [ "$disks" = 2 ]; then
	cat /sys/class/pagepress-control/hot_add >said && put 16M /sys/block/pagepress1/disksize || fail "no second disk"
	on_second check_second >rounds &
	checker=$!
fi
# Six fifths of what there is: a third of it ends in swap, where it takes half the room.
./soak_memory "$seed" 3 $((free * 12 / 30)) "$rest" enough >checked 2>said &
load=$!
began=$(date +%s)
next=$began
while kill -0 $load 2>/dev/null && { [ "$disks" = 1 ] || kill -0 $checker 2>/dev/null; } && ! is_done; do
	strike
	[ "$(date +%s)" -lt $next ] || { progress && next=$((next + 10)); }
done
ask clear
touch enough
wait $load || fail "status $? of the load: $(cat said)"
[ "$disks" = 1 ] || wait $checker || fail "the second disk: $(cat second)"
put 10000 $parameters/timeout_ms
await ready
swapoff $disk || fail "swapoff"
progress
echo "soak: strikes: $(sort strikes | uniq -c | awk '{ printf("%s%s %s", (NR > 1 ? ", " : ""), $1, $2) }')"
expect FailedReads -eq 0
sums_are_right
if [ "$disks" = 2 ]; then
	on_second expect FailedReads -eq 0
	on_second sums_are_right
	echo "soak: $(cat rounds)"
fi
echo "soak: $(awk '{ all += $2 } END { print all }' checked) pages checked, $struck faults, every byte right"
