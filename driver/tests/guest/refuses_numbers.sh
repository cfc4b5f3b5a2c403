# SPDX-License-Identifier: GPL-2.0-only
# Every file and parameter that takes a number while the module is loaded: what it takes, what it refuses, with which error, and that
# refusing leaves things as they were.
. ./common.sh
parameters=/sys/module/pagepress/parameters
control=/sys/class/pagepress-control
# LARGEST is 2^63 less a page; 144115188 s are the longest age. `=` and what is read back after writing succeeded, or `!` and an error:
# invalid (EINVAL), range (ERANGE), memory (ENOMEM), device (ENODEV). A disk of a size takes no other: reset comes first.
none='!invalid'
far='!range'
cases="
$block/disksize 0 $none
$block/disksize x $none
$block/disksize -1 $none
$block/disksize +4096 $none
$block/disksize 0x1000 $none
$block/disksize 64Mb $none
$block/disksize 1KK $none
$block/disksize K $none
$block/disksize 18446744073709551615 $far
$block/disksize 18446744073709551616 $far
$block/disksize 9223372036854771713 $far
$block/disksize 16E $far
$block/disksize 8E $far
$block/disksize 7E !memory
$block/disksize 1 =4096
$block/disksize 64m =67108864
$block/mem_limit 16E $far
$block/mem_limit 99999999999999999999 $far
$block/mem_limit 18446744073709551615 $far
$block/mem_limit -1 $none
$block/mem_limit 4G2 $none
$block/mem_limit 9223372036854771712 =9223372036854771712
$block/mem_limit 7E =8070450532247928832
$block/mem_limit 1 =1
$block/mem_limit 0 =0
$block/mem_used_max 1 $none
$block/mem_used_max 18446744073709551616 $far
$block/mem_used_max 0 =0
$block/idle 144115189 $far
$block/idle 18446744073709551615 $far
$block/idle 18446744073709551616 $far
$block/idle -1 $none
$block/idle some $none
$block/idle 1K $none
$block/idle 144115188 =
$block/idle 0 =
$block/writeback page_index=16383 !device
$block/writeback page_index= $none
$block/writeback page_index=-1 $none
$block/writeback page_index=1- $none
$block/writeback page_index=18446744073709551615 $far
$block/writeback page_index=18446744073709551614 $far
$block/writeback page_indexes=2-1 $none
$block/writeback page_indexes=1-18446744073709551616 $far
$block/writeback_limit 1152921504606846976 $far
$block/writeback_limit 18446744073709551615 $far
$block/writeback_limit 1K $none
$block/writeback_limit 1152921504606846975 =1152921504606846975
$block/writeback_limit 0 =0
$block/writeback_limit_enable 2 $far
$block/writeback_limit_enable y $none
$block/writeback_limit_enable 1 =1
$block/writeback_limit_enable 0 =0
$block/writeback_age 144115189 $far
$block/writeback_age 4294967296 $far
$block/writeback_age -1 $none
$block/writeback_age 144115188 =144115188
$block/writeback_age 0 =0
$block/recompress_age 144115189 $far
$block/recompress_age -1 $none
$block/recompress_age 1K $none
$block/recompress_age 144115188 =144115188
$block/recompress_age 0 =0
$block/clean_percent 91 $far
$block/clean_percent -1 $none
$block/clean_percent 90 =90
$block/clean_percent 0 =0
$block/writeback_rate 2T $far
$block/writeback_rate 16E $far
$block/writeback_rate 1B $none
$block/writeback_rate 1G =1073741824
$block/writeback_rate 0 =0
$block/recompress max_pages=18446744073709551616 $far
$block/recompress max_pages=-1 $none
$block/recompress max_pages=1K $none
$block/recompress threshold=4097 $far
$block/recompress threshold=18446744073709551615 $far
$block/recompress threshold=x $none
$block/recompress priority=0 $far
$block/recompress priority=2 $far
$block/recompress priority= $none
$block/max_comp_streams 0 $far
$block/max_comp_streams 2147483648 $far
$block/max_comp_streams two $none
$block/max_comp_streams 4 =1
$block/reset 0 $none
$block/reset 18446744073709551616 $far
$block/reset yes $none
$control/hot_remove 32 !device
$control/hot_remove 4294967296 !device
$control/hot_remove 18446744073709551616 $far
$control/hot_remove -1 $none
$block/origin_timeout_ms 0 $far
$block/origin_timeout_ms 3600001 $far
$block/origin_timeout_ms 18446744073709551616 $far
$block/origin_timeout_ms 1s $none
$block/origin_timeout_ms 3600000 =3600000
$block/lookaside_timeout_ms 0 $far
$block/lookaside_timeout_ms 3600001 $far
$block/lookaside_timeout_ms -1 $none
$block/lookaside_timeout_ms 1 =1
$parameters/full_wait_us 1000001 $far
$parameters/full_wait_us 4294967296 $far
$parameters/full_wait_us -1 $none
$parameters/full_wait_us 0x10 $none
$parameters/full_wait_us 1000000 =1000000
$parameters/full_wait_us 0 =0
$parameters/rejoin_ms 4294967296 $far
$parameters/rejoin_ms -1 $none
$parameters/rejoin_ms 4294967295 =4294967295
$parameters/rejoin_ms 0 =0
$parameters/rejoin_limit 4294967296 $far
$parameters/rejoin_limit 5x $none
$parameters/rejoin_limit 4294967295 =4294967295
$parameters/rejoin_limit 0 =0
$parameters/poll_us 1001 $far
$parameters/poll_us 4294967296 $far
$parameters/poll_us 1000 =1000
$parameters/poll_us 0 =0
$parameters/timeout_ms 9 $far
$parameters/timeout_ms 4294968 $far
$parameters/timeout_ms 010 =10
$parameters/timeout_ms 10 =10
$parameters/card_wait_ms 0 $far
$parameters/card_wait_ms 4294968 $far
$parameters/card_wait_ms 4294967 =4294967
$parameters/card_wait_ms 1 =1
"
modprobe null_blk nr_devices=1 || fail "null_blk" # a disk with no files but the kernel's
put 1 $block/reset || fail "reset"
# log: the driver's own lines, but for the sizes that the block layer announces, and all complaints. A busy host has the kernel say more.
log() { dmesg | grep -e pagepress -e 'BUG:' -e 'WARNING:' -e 'Call Trace' -e 'allocation failure' -e 'vmalloc error' | grep -v 'capacity change'; }
lines=$(log | wc -l)
seen=0
while read -r file words wanted; do
	[ -n "$file" ] || continue
	before=$(cat "$file" 2>/dev/null)
	said=$(put "$words" "$file" 2>&1) && status=done || status=$said
	case $wanted.$status in
	!invalid.*"nvalid argument" | !range.*"out of range" | !memory.*"allocate memory" | !memory.*"of memory" | !device.*"o such device")
		[ "$(cat "$file" 2>/dev/null)" = "$before" ] || fail "$file: '$words' is refused, and it says $(cat "$file") for $before"
		;;
	=*.done)
		[ "$wanted" = = ] || [ "$(cat "$file")" = "${wanted#=}" ] || fail "$file: '$words' makes it $(cat "$file"), not ${wanted#=}"
		[ "$file.$words" != $block/disksize.1 ] || put 1 $block/reset || fail "reset"
		;;
	*) fail "$file: '$words' gives '$status', not '$wanted'" ;;
	esac
	seen=$((seen + 1))
done <<EOF
$cases
EOF
[ $seen -gt 95 ] || fail "only $seen cases were tried"
# Of several selections none is begun when one is wrong; the disk has no backing device, which the first would say.
for words in "idle page_index=x" "huge nonsense" "page_index=0 page_indexes=2-1" "page_index=0 page_index=16384" "idle page_index=18446744073709551616"; do
	refused "" put "$words" $block/writeback
	case $(put "$words" $block/writeback 2>&1) in *"o such device"*) fail "'$words' is begun" ;; esac
done
# None of them is left out: the driver has so many that may be written, and these take words, or anything.
words=" backing_dev comp_algorithm compact recomp_algorithm origin_dev origin_root lookaside_dev pool_budget read_path verify_streams "
find $block/ $parameters $control/ -maxdepth 1 -type f -perm -200 | while read -r file; do
	[ -e "/sys/block/nullb0/${file#"$block"/}" ] && continue
	case $words in *" ${file##*/} "*) continue ;; esac
	case $cases in *"/${file##*/} "*) ;; *) fail "no case writes to $file" ;; esac
done || exit 1
# What is said to be not changed by reset is not.
settings="writeback_limit_enable=1 writeback_limit=7 writeback_age=100 writeback_rate=65536 clean_percent=30 recompress_age=100
origin_timeout_ms=100 lookaside_timeout_ms=200 pool_budget=auto"
for setting in $settings; do put "${setting#*=}" "$block/${setting%%=*}" || fail "$setting"; done
put 1 $block/reset || fail "reset"
for setting in $settings; do
	[ "$(cat "$block/${setting%%=*}")" = "${setting#*=}" ] || fail "reset makes ${setting%%=*} $(cat "$block/${setting%%=*}"), not ${setting#*=}"
done
put off $block/pool_budget
# Nothing of it is worth a word in the log, let alone a trace.
[ "$(log | wc -l)" = "$lines" ] || fail "the log has grown: $(log | tail -n 3)"
# A device of 40 TiB is one; the accounts of so much of it are more than a kernel gives at once, which is no more than that.
. ./backing.sh
make_backing huge 41943040 512
put 1 $block/reset
put "$backing" $block/backing_dev || fail "backing_dev"
refused "memory" put 18T $block/disksize
! kernel_complains "page allocation failure" || fail "the kernel complains"
attach 1M
