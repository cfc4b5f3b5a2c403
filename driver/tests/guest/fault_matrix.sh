# SPDX-License-Identifier: GPL-2.0-only
# The fault matrix: each fault x {write, read, write-back} x {idle, load}, a line `cell FAULT WAY LOAD ok|FAILED...` for each.
# A cell wants its pages right by card and by CPU, an end in time, its message in the log, its counters moved, and the card
# back. Write-back is pages that leave for a backing device while others are written, on which the card's fault falls.
# fault_matrix_origin.sh has the rows of the origin and of the lookaside image, fault_matrix_firmware.sh those of the card's own processor,
# fault_matrix_zswap.sh the columns of zswap.
# Arguments, a line each: seed; columns (out, in, back, zswap-out, zswap-in); rows with the disk idle; rows under load; how many pages a
# cell has, rounds the load's programs have, and how many times as long everything may take. Needs the card's control socket and QEMU's
# monitor (CONTROL=1, MONITOR=1).
. ./common.sh
. ./backing.sh
. ./fault_matrix_origin.sh
. ./fault_matrix_zswap.sh
{ read -r seed; read -r ways; read -r rows_idle; read -r rows_load; read -r count rounds slower; } <arguments
disk_ways=$(echo "$ways" | tr ' ' '\n' | grep -v zswap | tr '\n' ' ')
parameters=/sys/module/pagepress/parameters
address=$(cat $block/card/address)
. ./fault_matrix_firmware.sh
first=8192  # of the cells' own pages; the load keeps to the first 2048. As many lie behind them in the column write-back
patience=$((60 * slower)) # seconds, far beyond what anything here takes
wrong=0
around=0 # pages behind a cell's own that leave with them

# A fault a line: name; how it is armed, with , and + for blanks and several; milliseconds a command may take; what the log
# says, with . for a blank; counters that grow. A minus is nothing; `card` is card_pages_out or _in. event:... comes over the
# card while it holds pages back; inject:... needs a kernel with fault injection. Milliseconds are multiplied by `slower`.
faults='
lost-completion lost-completion 300 took.more.than card_timeouts,card_resets,redone_pages
late-completion late-completion,after=100 10000 - card_late,redone_pages
completion-too-late late-completion,after=3000 300 took.more.than card_timeouts,card_resets,redone_pages
wrong-tag wrong-tag 300 card.failed card_resets
wrong-length wrong-length 10000 answer.cannot.be.right card_mismatches,redone_pages
wrong-crc wrong-crc 10000 answer.cannot.be.right card_mismatches,redone_pages
wrong-detail wrong-detail 10000 answer.cannot.be.right card_mismatches,redone_pages
corrupted-data corrupted-data 10000 answer.cannot.be.right card_mismatches,redone_pages
verify-failed failed-status 10000 not.done:.status.1[04] card_errors,redone_pages
stuck-engine stuck 300 took.more.than card_timeouts,card_resets,redone_pages
fatal fatal 10000 stopped.by.itself,.FATAL_CAUSE.5 card_resets,redone_pages
dead-card dead 10000 no.longer.answers card_resets,redone_pages
all-ones all-ones 10000 no.longer.answers card_resets
reset-refused stuck+reset-refused 300 stopped.by.a.function-level.reset card_timeouts,card_resets,redone_pages
function-reset event:reset 10000 card.ready.again redone_pages
suspend event:suspend 10000 suspend.exit redone_pages
unbind event:unbind 10000 card.left redone_pages
remove event:remove 10000 card.left redone_pages
bus-error event:bus-error 10000 cuts.the.card.off redone_pages
no-memory calls 10000 no.memory.for.the.pool FailedWrites
failslab inject:failslab 10000 no.memory.for.the.pool FailedWrites
fail-page-alloc inject:fail_page_alloc 10000 no.memory.for.the.pool FailedWrites
pool-full limit 10000 mem_limit.reached FailedWrites
backing-error backing 10000 backing.device backing_errors
around-error backing 10000 backing.device backing_errors
'

open_control
open_monitor

transfer() { # write|read SEED...: status of some_pages, 143 for a hang
	local way=$1
	shift
	timeout $patience ./some_pages "$way" $disk $first $count "$@" 2>>said
}

# behind COMMAND...: it, with the pages behind the cell's own
behind() { at $((first + count)) "$@"; }

# at FIRST COMMAND...: it, with the pages from there on
at() {
	local first=$1
	shift
	"$@"
}

problem() { problems="$problems $*"; }

# Calls of pagepress into the kernel that fail, once.
arm_calls() {
	local call=mempool_alloc result=0
	# shellcheck disable=SC2046  # words of their own
	set -- $(grep '^pagepress ' /proc/modules)
	[ "$way" = in ] || call=zs_malloc result=-12
	insmod ./fail_calls.ko function="$(of_kernel $call)" value=$result from="$6" bytes="$2" || problem "no fail_calls.ko"
	put 1 /sys/module/fail_calls/parameters/count
}

# inject PROBABILITY: allocations, by the kernel's own fault injection, of the threads that finish what the card has done.
inject() {
	local folder=/sys/kernel/debug/${how#inject:} process file
	[ -d "$folder" ] || mount -t debugfs none /sys/kernel/debug
	for process in /proc/[0-9]*; do
		case $(cat "$process/comm") in
		irq/*pagepr*) put $(($1 != 0)) "$process/make-it-fail" || problem "no make-it-fail" ;;
		esac
	done
	for file in ignore-gfp-wait ignore-gfp-highmem min-order verbose; do
		[ ! -e "$folder/$file" ] || put 0 "$folder/$file"
	done
	put 1 "$folder/task-filter" && put -1 "$folder/times" && put "$1" "$folder/probability" || problem "no $how"
}

# The event of $how, once the card holds pages back. What it has then may take ten seconds; that it stops, a moment.
happen() {
	local waited=0 function=/sys/bus/pci/devices/$address
	until holds_back; do
		waited=$((waited + 1))
		[ $waited -lt $((3000 * slower)) ] || return 1
		sleep 0.02
	done
	put $((300 * slower)) $parameters/timeout_ms
	case $how in
	event:reset) put 1 "$function/reset" ;;
	event:suspend) suspend_and_wake ;;
	event:unbind) put "$address" "$function/driver/unbind" && put "$address" /sys/bus/pci/drivers/pagepress/bind ;;
	event:remove) put 1 "$function/remove" && put 1 /sys/bus/pci/rescan ;;
	event:bus-error) # of which the port above the card tells (AER)
		bus_error DLP
		is_logged_within $((600 * slower)) "card ready again"
		;;
	esac
}

arm_card() { # HOW
	local opcode=compress one
	case $way in in | zswap-in) opcode=decompress ;; esac
	for one in $(echo "$1" | tr + ' '); do
		case $one in *,after=*) one=${one%=*}=$((${one##*=} * slower)) ;; esac
		[ "$one" = reset-refused ] || one=$one,opcode=$opcode
		ask "arm $(echo "$one" | tr , ' ')"
		[ "$answer" = ok ] || problem "cannot arm $one"
	done
}

arm() {
	case $how in
	calls) arm_calls ;;
	limit) put 4096 $block/mem_limit ;;
	firmware:* | lane:*) arm_firmware ;;
	backing)
		case $way in
		out) put 4096 $block/mem_limit ;;
		in) written_back || problem "not written back" ;;
		esac
		bad 0 $last
		;;
	inject:*) inject 100 ;;
	event:*)
		arm_card late-completion,after=20000
		happen &
		happening=$!
		;;
	*) arm_card "$how" ;;
	esac
}

disarm() {
	case $how in
	calls)
		[ "$(cat /sys/module/fail_calls/parameters/struck)" = 1 ] || problem "did not strike"
		rmmod fail_calls
		;;
	limit) put 0 $block/mem_limit ;;
	firmware:* | lane:*) disarm_firmware ;;
	inject:*) inject 0 ;;
	backing)
		good 0 $last
		put 0 $block/mem_limit
		;;
	*)
		case $how in event:*) wait $happening || problem "the event failed" ;; esac
		ask status
		case $answer in "struck 0 "*) problem "did not strike" ;; esac
		ask clear
		[ "$answer" = ok ] || problem "cannot clear"
		;;
	esac
}

written_back() { timeout $patience sh -c "echo page_indexes=$first-$((first + count + around - 1)) >$block/writeback" 2>>said; }

# Old pages leave while new ones are written, and those follow them.
act_back() {
	local leaving
	if [ $how = backing ]; then
		written_back && problem "no error"
		return
	fi
	written_back &
	leaving=$!
	behind transfer write $new || problem "write with status $?"
	wait $leaving || problem "write-back with status $?"
	behind written_back || problem "write-back of new pages with status $?"
	[ "$(value backed_pages)" -ge $((2 * count)) ] || problem "$(value backed_pages) pages written back"
}

# The transfer on which the fault falls. Old pages are there before it.
act() {
	local status
	case $way in
	in)
		transfer read $old
		status=$?
		case $how/$status in
		backing/2 | [!b]*/0) ;;
		*) problem "read with status $status" ;;
		esac
		return
		;;
	back)
		act_back
		return
		;;
	esac
	transfer write $new
	status=$?
	case $how/$status in
	calls/3 | limit/3 | inject:*/3 | backing/2) now="$old $new" ;; # each page is the old or the new one
	calls/0 | limit/0 | inject:*/0)
		now=$new
		# Under load the fault may fall on somebody else.
		[ $load = load ] || problem "no error"
		;;
	*/0) now=$new ;;
	*) problem "write with status $status" ;;
	esac
}

# counts: a line `name value` for each counter, of both disks: under load the fault may fall on the other one
counts() {
	awk '{ name = FILENAME; sub(".*/", "", name); sum[name] += $1 } END { for (name in sum) print name, sum[name] }' \
		/sys/block/pagepress*/pagepress/*
}

# grown COUNTER: since counts wrote the file `before`
grown() { counts | awk -v name="$1" 'NR == FNR { old[$1] = $2; next } $1 == name { more = $2 > old[name] } END { exit !more }' before -; }

# What is still to show: counters that have not grown, a message that has not come, a fault of the card that has not struck.
missing() {
	local counter
	case $how in
	calls | limit | backing | inject:* | event:*) ;; # events ask the card themselves
	origin:* | image:*) ;;
	firmware:* | lane:*) missing_firmware ;;
	*)
		ask status
		case $answer in "struck 0 "*) echo "did not strike" ;; esac
		;;
	esac
	for counter in $(echo "${counters#-}" | tr , ' '); do
		[ "$counter" != card ] || counter=card_pages_${way/back/out}
		grown "$counter" || echo "$counter stays"
	done
	[ "$message" = - ] || dmesg | grep -q "$message" || echo "no message"
}

# until_nothing COMMAND...: until it prints nothing; what it still prints after that time is a problem
until_nothing() {
	local waited=0 rest
	while rest=$("$@"); [ -n "$rest" ]; do
		waited=$((waited + 1))
		if [ $waited = $((600 * slower)) ]; then
			problem "$rest"
			return
		fi
		sleep 0.1
	done
}

# What would hide this cell's message: ten like it in the last five seconds, after which the driver is silent; sixteen in the last minute of
# a firmware's state, whatever they say, of which a cell has some before its message. Empties the log.
hiding() {
	local phrase=$message lines=10 seconds=5
	echo '<7>now' >/dev/kmsg
	dmesg -c >>earlier
	[ "$message" != - ] || return 0
	case $how in
	firmware:*) phrase='runs from slot|firmware does not run|restarting the firmware|did not come back' lines=13 seconds=60 ;;
	esac
	awk -F '[][]' -v phrase="$phrase" -v lines=$lines -v seconds=$seconds '$0 ~ phrase { when[++count] = $2 }
		END { if (count >= lines && $2 - when[count - lines + 1] < seconds) print "too many messages before" }' earlier
}

not_ready() { [ "$(value card_state)" = ready ] || echo "card_state $(value card_state)"; }

cell() {
	local problems='' now="$old" around=0
	put card $parameters/read_path
	case $how in firmware:* | lane:*) renew_firmware ;; esac
	[ $name != around-error ] || renew_around
	transfer write $old || problem "first write with status $?"
	set_times # first: with the last cell's times a busy host may make the card late between the count and the fault
	counts >before
	until_nothing hiding
	arm
	act
	until_nothing missing
	disarm
	put $((10000 * slower)) $parameters/timeout_ms
	until_nothing not_ready
	for path in cpu card; do
		put $path $parameters/read_path
		# shellcheck disable=SC2086  # one seed or two
		transfer read $now || problem "wrong by $path, status $?"
		[ $way/$how = back/backing ] || [ $way != back ] || behind transfer read $new || problem "behind: wrong by $path, status $?"
	done
	[ ! -e broken ] || problem "the load found a wrong byte"
	[ $load = load ] || (sums_are_right) >sums || problem "$(head -n 1 sums)"
	! kernel_complains || problem "the kernel complains"
	verdict
}

# A device of which an access brings what lies around a page: more than half of a segment lives, and nobody has tried yet whether it pays.
renew_around() {
	attach 64M
	put 8M $block/mem_limit # pages that do not compress stay in memory until they are written back
	around=40
	./some_pages write $disk $((first + count)) $around "$old" || problem "pages around: write with status $?"
}

# How long a command and a page may take in this row.
set_times() {
	put $((timeout_ms * slower)) $parameters/timeout_ms
	# Where the card is late; elsewhere a busy host must not make it so, and a page waits for a quarter of this at least: as long as
	# a command may take.
	case $name in
	lost-completion | late-completion | completion-too-late | stuck-engine) put $((8 * slower)) $parameters/card_wait_ms ;;
	# The load waits for its pages and cannot be frozen meanwhile, for which the kernel has 20 seconds, and the alarm less.
	suspend) put $((3000 + 500 * slower)) $parameters/card_wait_ms ;;
	*) put $((40000 * slower)) $parameters/card_wait_ms ;;
	esac
}

# Of a cell, whose problems there are.
verdict() {
	if [ -z "$problems" ]; then
		announce "cell $name $way $load ok"
	else
		wrong=$((wrong + 1))
		announce "cell $name $way $load FAILED:$(echo "$problems" | tr '\n' ' ')"
		dmesg | grep pagepress | tail -n 12
	fi
}

rows() { # idle|load
	load=$1
	while read -r name how timeout_ms says moves; do
		case " $wanted " in *" $name "*) ;; *) continue ;; esac
		# Earlier rows' failures must not count against the card in this one.
		put 1 "/sys/bus/pci/devices/$address/reset" || fail "reset of the function"
		await ready
		# Pages that compress find holes in the pool; those that do not need a new page each.
		new=$((seed + 1))
		[ $how != inject:fail_page_alloc ] || new=$((new + 4294967296)) # NOISE of some_pages.c
		old=$seed
		[ $name != around-error ] || old=$((seed + 4294967296)) # few fill a segment
		for way in $disk_ways; do
			message=$says counters=$moves
			case $how/$way in
			backing/* | */back) use pagepress1 ;;
			*) use pagepress0 ;;
			esac
			case $how/$way in
			wrong-detail/in) message=- counters=card ;; # a read's says nothing
			# A read needs no room and no memory: it only has to go on, by this CPU if need be.
			limit/in | inject:*/in) message=- counters=- ;;
			# Nor does a write need them while the backing device has room.
			limit/back | inject:*/back) message=- counters=forwarded_pages ;;
			calls/back)
				message=- counters=forwarded_pages
				[ "$load" = idle ] || counters=-
				;;
			# Under load it may fall on a page that a CPU compresses, which waits for memory and has it then.
			calls/out) [ "$load" = idle ] || message=- counters=- ;;
			backing/out) message=the.backing.device.failed counters=backing_errors,FailedWrites ;;
			backing/in)
				message=cannot.be.read.from counters=backing_errors,FailedReads
				[ $name != around-error ] || counters=$counters,backing_windows
				;;
			backing/back) message=they.stay.in.memory ;;
			calls/in)
				message=- counters=software_pages_in
				# Under load the fault may fall on somebody else.
				[ "$load" = idle ] || counters=-
				;;
			esac
			cell
		done
	done <faults
	old=$seed
	use pagepress0
}

# use NAME: the disk of the next cell
use() {
	disk=/dev/$1
	block=/sys/block/$1
}

# A second disk, for all that goes to a backing device.
last=65535 # sector of it
make_backing matrix 32 512
put 1 "/sys/block/${backing#/dev/}/queue/rotational" || fail "no arm" # so that it is read around pages
cat /sys/class/pagepress-control/hot_add >said
use pagepress1
put "$backing" $block/backing_dev && put 64M $block/disksize || fail "no disk with a backing device"
use pagepress0
[ ! -e image ] || make_origin_disk # only where a row of it is wanted

# Or errors of the bus reach nobody once the guest has been suspended.
insmod ./keep_ecam.ko || fail "keep_ecam"
echo "$faults$firmware_faults" | grep . >faults
old=$seed
put 50 $parameters/rejoin_ms
put 20 $parameters/rejoin_limit
tell "seed $seed"

wanted=$rows_idle
if [ -n "$disk_ways" ]; then
	rows idle
	[ ! -e image ] || origin_rows idle
fi
wanted=$rows_load
if [ -n "$wanted" ] && [ -n "$disk_ways" ]; then
	(
		round=0
		while [ ! -e enough ]; do
			round=$((round + 1))
			./check_blocks $disk $((seed + round)) 2 "$rounds" tolerant || touch broken enough
		done
	) &
	checker=$!
	await_growth card_pages_out "$(value card_pages_out)"
	rows load
	[ ! -e image ] || origin_rows load
	touch enough
	wait $checker
	[ ! -e broken ] || fail "the load found a wrong byte"
	sums_are_right
	expect FailedReads -eq 0
fi
case $ways in *zswap*) of_zswap ;; esac
[ ! -e image ] || put 1 /sys/block/pagepress2/reset || fail "reset of the origin's disk" # which holds the driver
[ $wrong = 0 ] || fail "$wrong cells of the matrix: $(cat said)"
