# SPDX-License-Identifier: GPL-2.0-only
# A page can be followed through the tracepoints by its request; histograms and the dump of the queues agree with it; single
# reads go to whoever is faster; every file in sysfs is documented. Needs CONTROL=1.
. ./common.sh
parameters=/sys/module/pagepress/parameters
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
mount -t debugfs none /sys/kernel/debug 2>/dev/null
tracing=/sys/kernel/tracing
shown=/sys/kernel/debug/pagepress
open_control
pages() { ./some_pages "$1" $disk "$2" "$3" 1 || fail "some_pages $*"; }
# read_one_by_one COUNT: pages a task waits for
read_one_by_one() {
	local slot=0
	while [ $slot -lt "$1" ]; do
		pages read $slot 1
		slot=$((slot + 1))
	done
}
# requests EVENT: what the trace has of it, as `CARD queue=N request=X`, sorted
requests() { sed -n "s/.*pagepress_request_$1: \([^ ]* queue=[^ ]* request=[^ ]*\).*/\1/p" trace | sort; }
# events NAME: how many the trace has
events() { grep -c "pagepress_$1:" trace; }

# ---- tracepoints ----
put card $parameters/read_path
put 1 $tracing/events/pagepress/enable || fail "no tracepoints"
out=$(value card_pages_out) in=$(value card_pages_in) writes=$(value NumWrites) reads=$(value NumReads)
pages write 0 40
pages read 0 40
tell arm wrong-crc
pages write 40 8
put 0 $tracing/events/pagepress/enable
cp $tracing/trace trace
out=$(($(value card_pages_out) - out)) in=$(($(value card_pages_in) - in))
[ $out -gt 20 ] && [ $in -gt 20 ] || fail "only $out pages out and $in in by the card"
[ "$(events page_begin)" = $(($(value NumWrites) - writes + $(value NumReads) - reads)) ] || fail "not every page begins"
requests submit >submitted
for event in complete judge; do
	requests $event | cmp - submitted || fail "not each submission has one $event of its request"
done
[ "$(uniq submitted | wc -l)" = "$(wc -l <submitted)" ] || fail "two submissions share a request"
[ "$(wc -l <submitted)" = $((out + in + 1)) ] || fail "$(wc -l <submitted) submissions for $out and $in pages"
[ "$(events request_redo)" = 1 ] && [ "$(events page_software)" -ge 1 ] || fail "the wrong answer is not in the trace"
grep "$(requests redo)" trace | grep -q "judge.* doubted" || fail "the page done again was not doubted"
grep "pagepress_queue_ring:" trace | sed 's/.*commands=//' >rung
[ "$(($(tr '\n' '+' <rung)0))" = $((out + in + 1)) ] || fail "doorbells tell of $(tr '\n' ' ' <rung)commands"
[ "$(events slot_give)" = $(($(value NumWrites) - writes)) ] || fail "not every page written is in the trace as stored"

# ---- the dump of the queues ----
tell arm late-completion after=600000000
./some_pages write $disk 0 1 1 &
writer=$!
waited=0
until grep " request " $shown/queues >dump; do
	waited=$((waited + 1))
	[ $waited -lt $long_wait ] || fail "no request in the dump: $(cat $shown/queues)"
done
grep -q "write pagepress0 slot 0 for [0-9]* ns" dump || fail "the dump says: $(cat dump)"
grep -q "QUEUE_STATUS 0x1 " $shown/queues || fail "no active queue: $(cat $shown/queues)"
tell clear
wait $writer || fail "the late page"
! grep " request " $shown/queues || fail "nothing is in flight, and the dump shows it"

# ---- the dump of the registers ----
cat $shown/registers >registers || fail "no registers"
grep -q "^0000:[0-9a-f:.]* 0000 52504750$" registers || fail "no MAGIC: $(head -n 3 registers)"
[ -z "$(cut -d ' ' -f 2 registers | sort | uniq -d)" ] || fail "registers are there twice"
pairs=$((0x$(awk '$2 == "0010" { print $3 }' registers) >> 8 & 255))
grep -q " 101c " registers || fail "no QUEUE_STATUS"
[ "$(awk '$2 >= "1000"' registers | wc -l)" = $((pairs * 11)) ] || fail "other than eleven registers for each of $pairs pairs"

# ---- a card that must not be touched: it does not stop, and somebody waits for that to reset it ----
put 5000 $parameters/timeout_ms
tell arm reset-refused
put 1 "/sys/bus/pci/devices/$(cat $block/card/address)/reset" &
resets=$!
await stopped
cat $shown/queues >dump
cat $shown/registers >registers
[ "$(value card_state)" = stopped ] || fail "the dumps came too late"
grep -q "queue 0: not asked" dump && ! grep QUEUE_STATUS dump || fail "a card that is being reset is asked: $(cat dump)"
[ ! -s registers ] || fail "a card that is being reset is asked: $(head -n 3 registers)"
wait $resets || fail "reset"
put 10000 $parameters/timeout_ms
await ready

# ---- a card that recovery resets, as it does not stop: whoever knows nothing of that reads no register meanwhile ----
management=/sys/bus/pci/devices/$(cat $block/card/address)/management
state_is() { [ "$(cat $management/state)" = "$1" ]; }
within $long_wait state_is running
hold pcie_reset_flr
put 300 $parameters/timeout_ms
tell arm stuck
tell arm reset-refused
pages write 0 1
held
put 10000 $parameters/timeout_ms
cat $shown/registers >registers
cat $management/telemetry_page >page 2>said
comes_within 100 state_is unreachable
seen=$?
release # before anything is judged: a guest whose card is held does not end
[ -s registers ] && ! grep -v " ffffffff$" registers || fail "a card that recovery resets is asked: $(head -n 3 registers)"
grep -q "No such device" said || fail "the telemetry of a card that recovery resets: $(cat said), $(wc -c <page) bytes"
[ $seen = 0 ] || fail "the heartbeat looks at a card that recovery resets"
await_log "stopped by a function-level reset"
tell clear
await ready
within $long_wait state_is running
rmmod fail_calls

# ---- single reads ----
put auto $parameters/read_path
# chosen FASTER OTHER: of forty reads nearly all go to FASTER, which the driver has found out by itself
chosen() {
	local turns=0 before=0 after
	until after=$(value "single_reads_by_$2") && read_one_by_one 40 && before=$(($(value "single_reads_by_$2") - after)) &&
		[ $before -le 5 ]; do
		turns=$((turns + 1))
		[ $turns -lt 20 ] || fail "$before of 40 single reads by $2, though $1 is faster"
	done
	[ "$(value "single_read_$1_ns")" -lt "$(value "single_read_$2_ns")" ] || fail "the averages say otherwise"
}
tell arm late-completion opcode=decompress count=1000 after=30
chosen cpu card
tell clear
# From here on this CPU needs 30 ms for what the card does in less, on a busy host as well.
# shellcheck disable=SC2046  # words of their own
set -- $(grep '^pagepress ' /proc/modules)
insmod ./fail_calls.ko function=lzo1x_decompress_safe delay_us=30000 from="$6" bytes="$2" count=100000 || fail "fail_calls"
chosen card cpu
rmmod fail_calls
expect single_read_probes -ge 1

# ---- histograms ----
column() { awk -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR > 1 { sum += $at } END { print sum + 0 }' latency; }
cp $shown/latency latency
for pair in card_write:card_pages_out card_read:card_pages_in cpu_write:software_pages_out cpu_read:software_pages_in; do
	[ "$(column "${pair%:*}")" = "$(value "${pair#*:}")" ] || fail "${pair%:*} has $(column "${pair%:*}") pages: $(cat latency)"
done

# ---- every file is documented ----
modprobe null_blk nr_devices=1 || fail "null_blk" # a disk with no files but the kernel's
for file in "$block"/* "$block"/pagepress/* "$block"/card/*; do
	name=${file#"$block"/}
	[ -d "$file" ] || [ -e "/sys/block/nullb0/$name" ] || echo "/sys/block/pagepress<id>/$name"
done >present
ls -d /sys/class/pagepress-control/hot_* $parameters/* >>present
sed -n 's/^What:[[:space:]]*//p' sysfs-block-pagepress | sort >documented
sort present | diff - documented || fail "files (left) and driver/docs/sysfs-block-pagepress (right) differ"
sums_are_right
