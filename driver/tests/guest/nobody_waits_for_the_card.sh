# SPDX-License-Identifier: GPL-2.0-only
# Whatever a card does not do, nobody waits for it: counters that lie end neither a reader nor the watchdog; pages whose card
# has not answered are done by this CPU long before the command's time-out, and what the card answers then is dropped.
# Needs CONTROL=1, a second processor for what hangs, and ICOUNT=1: what a busy host does is not the guest's time.
. ./common.sh
parameters=/sys/module/pagepress/parameters
address=$(cat $block/card/address)
tracing=/sys/kernel/tracing
mount -t tracefs none $tracing 2>/dev/null
longest=20000 # microseconds that an access may take, whatever the card does
tries=1 enough=1
[ ! -e thorough ] || tries="1 2 3" enough=2
open_control
as_new() {
	put 1 "/sys/bus/pci/devices/$address/reset" || fail "reset"
	await ready
}

# ---- counters that lie ----
pages write 0 64 1
tell arm lying-counters
for file in $block/card/*; do
	cat "$file" >said &
	reader=$!
	waited=0
	while [ -d /proc/$reader ] && ! grep -q "^State:.Z" /proc/$reader/status 2>/dev/null; do
		waited=$((waited + 1))
		[ $waited -lt $long_wait ] || fail "nobody gets to read $file"
		sleep 0.1
	done
	wait $reader || fail "no reading of $file"
done
ask status
[ "$answer" = "struck 1 armed 0 held 0" ] || fail "counters did not lie: $answer"
sleep 1.5 # the watchdog reads them once a second while commands are in flight
timeouts=$(value card_timeouts)
put 300 $parameters/timeout_ms
tell arm lost-completion
pages write 0 8 1
await_growth card_timeouts "$timeouts"
tell clear
await ready
put 60000 $parameters/timeout_ms

# ---- a card that does not answer ----
put card $parameters/read_path
timeouts=$(value card_timeouts)
# A busy host makes a card late that is not: what is only prepared waits for it.
prepare() {
	put 240000 $parameters/card_wait_ms
	pages write "$@"
	put 8 $parameters/card_wait_ms
}
# access COMMAND...: one that is one bio; sets microseconds to what it took, from its first page's begin to its end
access() {
	: >$tracing/trace
	put 1 $tracing/tracing_on
	"$@"
	put 0 $tracing/tracing_on
	microseconds=$(awk 'match($0, /[0-9]+[.][0-9]+: pagepress_/) { at = substr($0, RSTART, RLENGTH - 12) }
		/pagepress_page_begin:/ && !pages++ { begun = at } /pagepress_io_end:/ && !ends++ { ended = at }
		END { print pages && ends == 1 ? int((ended - begun) * 1000000 + 0.5) : "no figure" }' $tracing/trace)
	[ "$microseconds" -gt 0 ] || fail "the trace of '$*' gives $microseconds"
}
put mono $tracing/trace_clock && put 1 $tracing/events/pagepress/pagepress_page_begin/enable &&
	put 1 $tracing/events/pagepress/pagepress_io_end/enable || fail "no tracepoints"
# What an idle guest waits for a busy host is the guest's time as well. So it is never idle: each nanosecond is an instruction.
while :; do :; done &
busy=$!
renice -n 19 -p $busy >said || fail "renice"
for try in $tries; do
	for way in read write wait; do
		as_new
		prepare 0 64 "$try"
		late=$(value card_late) opcode=compress
		[ $way != read ] || opcode=decompress
		# The ring takes three quarters of these pages; the rest would wait for room as long as a test may ask for.
		[ $way != wait ] || put 1000000 $parameters/full_wait_us
		tell arm stuck opcode=$opcode
		if [ $way = read ]; then
			access pages read 0 1 "$try"
		else
			access pages write 64 64 "$try"
		fi
		put 0 $parameters/full_wait_us
		[ "$(value card_late)" -gt "$late" ] || fail "no $way was late: was the card asked?"
		announce "try $try: with a card that is stuck a $way takes $microseconds us"
		[ "$microseconds" -le $longest ] || fail "with a card that is stuck a $way took $microseconds us, more than $longest"
		# While it owes answers, nobody asks it for more.
		late=$(value card_late) software=$(value software_pages_in)
		pages read 0 64 "$try"
		pages write 128 64 "$try"
		expect card_late -eq "$late"
		[ "$(value software_pages_in)" -ge $((software + 60)) ] || fail "a card that owes answers is asked"
		expect card_state = ready
		tell clear
	done
done
# A card that has been quick is waited for a quarter as long.
as_new
put 240000 $parameters/card_wait_ms
pages write 0 64 4
pages read 0 64 4
put 2000 $parameters/card_wait_ms
tell arm stuck opcode=decompress
access pages read 0 1 4
announce "a card that was quick and is stuck makes a read take $microseconds us of 2000000"
[ "$microseconds" -ge 500000 ] && [ "$microseconds" -lt 1900000 ] || fail "a read waited $microseconds us for a card that had been quick"
tell clear
expect card_timeouts -eq "$timeouts"

# ---- a card that fails in other ways ----
for fault in fatal wrong-tag lost-completion all-ones dead; do
	for way in read write; do
		as_new
		prepare 0 64 5
		case $way in
		read) tell arm $fault opcode=decompress && access pages read 0 1 5 ;;
		write) tell arm $fault opcode=compress && access pages write 64 64 5 ;;
		esac
		ask status
		[ "${answer%% armed*}" != "struck 0" ] || fail "$fault has struck no $way: $answer"
		announce "with a card that fails ($fault) a $way takes $microseconds us"
		[ "$microseconds" -le $longest ] || fail "with a card that fails ($fault) a $way took $microseconds us, more than $longest"
		tell clear
		pages read 0 64 5
	done
done
expect card_timeouts -eq "$timeouts"

# ---- a deep ring: a page that is read does not wait for all the writes before it ----
put 1 $block/reset && rmmod pagepress && insmod $driver depth=1024 card_wait_ms=8 disksize_mb=64 || fail "rmmod, insmod"
await ready
put card $parameters/read_path
for event in pagepress_page_begin pagepress_request_submit pagepress_page_software; do
	put 1 $tracing/events/pagepress/$event/enable || fail "no tracepoint $event"
done
# How many reads find room in the ring is up to the host: until a round, by night two, had one behind a full ring.
seen=0
for try in 1 2 3 4 5 6 7 8; do
	# Of a card that has never answered nobody knows how quick it is: it gets all of card_wait_ms.
	put 1 "/sys/bus/pci/devices/$address/remove"
	pages write 0 8 "$try"
	put 1 /sys/bus/pci/rescan
	await ready
	tell arm stuck opcode=compress
	: >$tracing/trace
	put 1 $tracing/tracing_on
	./reads_behind_writes $disk 2 8 "$try" || fail "reads_behind_writes"
	put 0 $tracing/tracing_on
	# Of reads that the card was asked for: how many, and how long the longest took until a CPU had done it.
	awk 'match($0, /[0-9]+[.][0-9]+: pagepress_/) { at = substr($0, RSTART, RLENGTH - 12) }
		match($0, /slot=[0-9]+ /) { slot = substr($0, RSTART, RLENGTH) }
		/ read/ && /page_begin:/ { begun[slot] = at } / read/ && /request_submit:/ { asked[slot] = 1 } / write/ && /request_submit:/ { writes++ }
		/ read/ && /page_software:/ && asked[slot] { reads++; if (at - begun[slot] > longest) longest = at - begun[slot] }
		END { print reads + 0, writes + 0, int(longest * 1000000 + 0.5) }' $tracing/trace >said
	read -r reads writes microseconds <said
	announce "try $try: behind $writes writes to a card that is stuck the longest of $reads reads takes $microseconds us"
	[ "$microseconds" -le $longest ] || fail "behind $writes writes a read took $microseconds us, more than $longest"
	tell clear
	[ "$writes" -le 400 ] || [ "$reads" -eq 0 ] || seen=$((seen + 1))
	[ $seen -lt $enough ] || break
done
[ $seen -gt 0 ] || fail "no read stood behind a full ring"

# ---- the same when the card goes: a page that is read is done before all the writes ----
put 240000 $parameters/card_wait_ms
put 1 $tracing/events/pagepress/pagepress_request_redo/enable || fail "no tracepoint request_redo"
seen=0
for try in 1 2 3 4 5 6 7 8; do
	pages write 0 8 "$try"
	tell arm stuck opcode=compress
	: >$tracing/trace
	put 1 $tracing/tracing_on
	./reads_behind_writes $disk 2 8 "$try" &
	writer=$!
	asked() { [ "$(grep -c "pagepress_page_begin: .* read" $tracing/trace)" = 8 ]; }
	within 300 asked
	put 1 "/sys/bus/pci/devices/$address/remove"
	wait $writer || fail "reads_behind_writes, with a card that goes"
	put 0 $tracing/tracing_on
	# Of pages that the card had: how many writes, how many reads, and how many writes were done again before the last read.
	awk 'match($0, /request=[^ ]+ /) { request = substr($0, RSTART, RLENGTH) }
		/request_submit:/ { way[request] = $NF } /request_redo:/ { request = $NF " "; if (way[request] == "write") writes++; else { reads++; before = writes } }
		END { print reads + 0, writes + 0, before + 0 }' $tracing/trace >said
	read -r reads writes before <said
	announce "try $try: a card with $writes writes and $reads reads goes away: $before writes were done before the last read"
	[ "$before" -eq 0 ] || fail "$before of $writes writes were done before a read"
	tell clear
	put 1 /sys/bus/pci/rescan
	await ready
	[ "$writes" -le 400 ] || [ "$reads" -eq 0 ] || seen=$((seen + 1))
	[ $seen -lt $enough ] || break
done
[ $seen -gt 0 ] || fail "no read was among the writes of a card that went away"
put 0 $tracing/events/pagepress/pagepress_request_redo/enable
kill $busy
pages read 0 8 "$try"
rmmod pagepress && insmod $driver card_wait_ms=8 timeout_ms=60000 disksize_mb=64 || fail "rmmod, insmod"
await ready
put card $parameters/read_path
timeouts=$(value card_timeouts)

# ---- late answers ----
as_new
resets=$(value card_resets)
prepare 0 256 7
for opcode in decompress compress; do
	for try in $tries; do
		late=$(value card_late)
		tell arm late-completion opcode=$opcode after=600000000
		pages read 0 32 7
		pages write 256 64 "$try"
		[ "$(value card_late)" -gt "$late" ] || fail "nothing was late"
		ask status
		[ "${answer##* }" != 0 ] || fail "nothing is held back: $answer"
		tell clear
		# It is asked again, and its memory serves other pages.
		in=$(value card_pages_in) waited=0
		until [ "$(value card_pages_in)" -gt "$in" ]; do
			waited=$((waited + 1))
			[ $waited -lt $long_wait ] || fail "a card that has answered is not asked again"
			pages read 0 256 7
		done
		pages read 256 64 "$try"
	done
done

# ---- what the card was not told of ----
# A task loses its CPU before the last page of a bio, its plug with all the others in it: the card is told for it, and owes nothing.
# hold_at N: a write of eight pages, at its Nth checksum: 8 is its last page's, in the writer; 9 is of the first answer, in the card's thread, under a codec
hold_at() {
	# shellcheck disable=SC2046  # words of their own
	insmod ./fail_calls.ko function=crc32c hold=1 count=1 one_in="$1" $(text_of) ||
		fail "fail_calls"
	pages write 0 8 9 &
	writer=$!
	held
}
release_writer() {
	release
	wait $writer || fail "the write of a task that lost its CPU"
	rmmod fail_calls
}
put 1000 $parameters/card_wait_ms
as_new
late=$(value card_late) out=$(value card_pages_out)
answered() { [ "$(value card_pages_out)" -ge $((out + 7)) ]; }
hold_at 8
within 300 answered
expect card_late -eq "$late"
release_writer
# Told of them just before they are late, it has all of their time before it: of a card that is quick, a quarter of this.
put 16000 $parameters/card_wait_ms
pages write 0 256 9 && pages write 0 256 9 # what it took while it was not told is forgotten
late=$(value card_late)
tell arm late-completion opcode=compress count=8 after=800
hold_at 8
sleep 3.6
release_writer
tell clear
expect card_late -eq "$late"
# Nor is the card reset where it is not told before the command's time is over: that counts from the doorbell.
put 240000 $parameters/card_wait_ms
put 300 $parameters/timeout_ms
as_new # the look that the shorter time has ordered would tell it
out=$(value card_pages_out)
hold_at 8
sleep 2
expect card_pages_out -eq "$out"
expect card_timeouts -eq "$timeouts"
put 60000 $parameters/timeout_ms
sleep 1 # the watchdog looks four times a second
release_writer
pages read 0 8 9

# ---- what the card has answered, in the hands of a thread that loses its CPU: it keeps one page, and others end the rest ----
put 1000 $parameters/card_wait_ms
out=$(value card_pages_out)
hold_at 9
within 300 answered
expect card_pages_out -eq $((out + 7))
release_writer
pages read 0 8 9
expect card_mismatches -eq 0
expect card_errors -eq 0
expect card_timeouts -eq "$timeouts"
expect card_resets -eq "$resets"
expect FailedReads -eq 0
expect FailedWrites -eq 0
sums_are_right
