# SPDX-License-Identifier: GPL-2.0-only
# What the guest scripts share. Sourced first: . ./common.sh
# shellcheck disable=SC2034  # for the scripts
disk=/dev/pagepress0
block=/sys/block/pagepress0
driver=/modules/pagepress.ko
long_wait=3000 # tenths of a second: of no state that a busy host only delays, of a hang alone

fail() {
	echo "FAILED: $*"
	for file in "$block"/pagepress/*; do echo "  ${file##*/} $(cat "$file")"; done
	dmesg | grep pagepress | tail -n 20
	# A call that is held for ever would hold the shutdown too, as a device that stands still would.
	[ ! -e /sys/module/fail_calls ] || echo 0 >/sys/module/fail_calls/parameters/count
	[ -z "$server" ] || kill -CONT "$server"
	exit 1
}

# announce TEXT: a line of the console that stays whole, for a program outside (guest_programs.py, ANNOUNCED). The kernel's own
# lines fall into what a shell prints, so it goes to the kernel's log, which takes ten in five seconds unless told.
echo on >/proc/sys/kernel/printk_devkmsg
announce() {
	echo "<4>$(echo "$*" | cut -c -800)" >/dev/kmsg
}

# value NumReads: prints it
value() {
	local content
	read -r content <"$block/pagepress/$1" && echo "$content"
}

# expect NAME OPERATOR NUMBER: as in test, e.g. expect FailedReads -eq 0
expect() {
	[ "$(value "$1")" "$2" "$3" ] || fail "$1 is $(value "$1"), not $2 $3"
}

# log_has PHRASE: whether the kernel's log does; logged PHRASE: it does
log_has() { dmesg | grep -q "$1"; }
logged() {
	log_has "$1" || fail "the kernel's log says nothing of '$1'"
}

# kernel_complains [PHRASE]: whether the kernel's log has a complaint, or PHRASE, and shows it. That ODEBUG is out of memory is none.
kernel_complains() { dmesg | grep -E "(^|[^A-Z])BUG:|WARNING:|Call Trace|blocked for more${1:+|$1}"; }

# refused PHRASE COMMAND...: the command fails and says PHRASE
refused() {
	local phrase=$1 said
	shift
	said=$("$@" 2>&1) && fail "'$*' succeeded"
	case $said in *"$phrase"*) ;; *) fail "'$*' says '$said', not '$phrase'" ;; esac
}

# pages read|write FIRST COUNT SEED: of the disk, as some_pages makes them; discard FIRST COUNT: their slots
pages() { ./some_pages "$1" $disk "$2" "$3" "$4" || fail "some_pages $*"; }
discard() { blkdiscard -o $(($1 * 4096)) -l $(($2 * 4096)) $disk || fail "discard of $2 slots from $1"; }

# put VALUE FILE: writes to a file of sysfs
put() { echo "$1" >"$2"; }

# loaded_with: prints the parameters that the guest loaded its driver with, patience with a busy host among them
loaded_with() { sed -n 's/^pagepress //p' /modules/order; }

# load MODULE [PARAMETER=VALUE...]: with those, and these, which win
load() {
	local module=$1
	shift
	# shellcheck disable=SC2046  # words of their own
	insmod "$module" $(loaded_with) "$@"
}

# What docs/sysfs.md promises when nothing is in flight.
sums_are_right() {
	expect NumReads -eq $(($(value card_pages_in) + $(value software_pages_in) + $(value direct_pages_in) +
		$(value FailedReads)))
	expect NumWrites -eq $(($(value card_pages_out) + $(value software_pages_out) + $(value direct_pages_out) +
		$(value FailedWrites)))
	expect PagesStored -ge $(($(value ZeroPages) + $(value NoCompress) + $(value GoodCompress)))
	expect OrigDataSize -eq $(($(value PagesStored) * 4096))
	expect MemUsedTotal -eq $(($(value PagesUsed) * 4096))
	expect ComprDataSize -le "$(value MemUsedTotal)"
}

# swap_out_files: swap is on the disk, and files in /t, a tmpfs, are swapped out like any memory
swap_out_files() {
	mkswap $disk >/dev/null && swapon $disk || fail "swapon"
	mkdir -p /t && mount -t tmpfs -o size=100% none /t || fail "tmpfs"
}

# copies_are_right: every file in /t is what `base` is. PROGRAMS=cmp takes a seventh of the time of busybox's.
copies_are_right() {
	local file
	for file in /t/*; do /usr/bin/cmp base "$file" || fail "$file has changed"; done
}

# available: prints how many MiB of memory are
available() { echo $(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024)); }

# within TENTHS COMMAND...: until it succeeds, for at most so many tenths of a second
within() { comes_within "$@" || { shift && fail "too late: $*"; }; }

# comes_within TENTHS COMMAND...: whether it does
comes_within() {
	local left=$1
	shift
	until "$@"; do
		left=$((left - 1))
		[ $left -gt 0 ] || return 1
		sleep 0.1
	done
}

# await STATE: of the card
await() {
	local waited=0
	until [ "$(value card_state)" = "$1" ]; do
		waited=$((waited + 1))
		[ $waited -lt $long_wait ] || fail "card_state is $(value card_state), not $1"
		sleep 0.1
	done
}

# await_growth NAME NUMBER: until the value exceeds NUMBER
await_growth() {
	local waited=0
	until [ "$(value "$1")" -gt "$2" ]; do
		waited=$((waited + 1))
		[ $waited -lt $long_wait ] || fail "$1 stays at $2"
		sleep 0.1
	done
}

# is_logged_within TENTHS PHRASE: whether the kernel's log comes to have it in so many tenths of a second
is_logged_within() { comes_within "$1" log_has "$2"; }

# await_log PHRASE: until the kernel's log has it
await_log() { is_logged_within $long_wait "$1" || logged "$1"; }

# suspend_and_wake: to memory, until the clock's alarm ten seconds later. Asked to count what wakes it, the kernel refuses to sleep past an
# alarm, and it is tried again; but one that rings in the last moments, when no interrupt is taken any more, would never wake it. So the
# alarm is far off, and farther after each refusal: a busy host, or a kernel that watches itself, takes seconds to fall asleep.
suspend_and_wake() {
	local alarm=/sys/class/rtc/rtc0/wakealarm counted tries=1
	until put 0 $alarm && read -r counted </sys/power/wakeup_count && put "$counted" /sys/power/wakeup_count && put +$((tries * 10)) $alarm &&
		put mem /sys/power/state; do
		tries=$((tries + 1))
		[ $tries -lt 20 ] || fail "suspend"
	done 2>>refused_to_sleep
}

# one_in N: whether a loop does this one: each Nth time it is asked, from one that the script's seed decides; by night and under the debug
# kernel always
asked=0
one_in() {
	asked=$((asked + 1))
	[ -e thorough ] || [ $(((asked + seed) % $1)) = 0 ]
}

# draw N: sets drawn to one of 0 .. N-1, from random, which the script sets to its seed
draw() {
	random=$(((random * 1103515245 + 12345) % 2147483648))
	drawn=$((random / 65536 % $1))
}

# of_crypto KEY: what /proc/crypto says of our algorithm
of_crypto() { awk 'BEGIN { RS = "" } /driver *: lzo-pagepress/' /proc/crypto | awk -v key="$1" '$1 == key { print $3 }'; }

# tests_algorithms: whether this kernel tests an algorithm before it says that it passed (conftest.py spares others the time)
tests_algorithms() { ! grep -qs Y /sys/module/cryptomgr/parameters/notests; }

# use_zswap: with the compressor `lzo`, which must be ours by its priority. zswap makes no other pool of a name that it uses, and one of
# `lzo` from boot has software: so another name comes before.
zswap=/sys/module/zswap/parameters
use_zswap() {
	[ -d $zswap ] || fail "this kernel has no zswap"
	tests_algorithms || fail "this kernel tests no algorithm"
	[ "$(of_crypto name) $(of_crypto selftest)" = "lzo passed" ] || fail "/proc/crypto: $(grep -A 8 lzo-pagepress /proc/crypto)"
	put lzo-rle $zswap/compressor && put lzo $zswap/compressor && put 1 $zswap/enabled || fail "zswap"
	[ "$(of_crypto refcnt)" -gt 1 ] || fail "zswap's lzo is not ours"
}

# of_kernel FUNCTION: what the kernel at hand calls it; from 6.10 on allocations that it accounts for have a name of their own
of_kernel() { grep -qw "$1_noprof" /proc/kallsyms && echo "$1_noprof" || echo "$1"; }

# text_of [FUNCTION]: where the driver lies, or this function of its, for fail_calls.ko
text_of() {
	local begin=
	[ -n "$1" ] || { awk '$1 == "pagepress" { print "bytes=" $2, "from=" $6 }' /proc/modules && return; }
	grep ' [tT] .*\[pagepress\]' /proc/kallsyms | sort | while read -r address _ name _; do
		[ -z "$begin" ] || { echo "bytes=$((0x$address - 0x$begin)) from=0x$begin" && break; }
		[ "$name" != "$1" ] || begin=$address
	done
}

# hold FUNCTION [CALLS [CALLER]]: the driver's next call of it waits, or so many (fail_calls.ko), from anywhere or from its function CALLER;
# held [CALLS]: until one does, or so many; release [CALLS]: they go on, or all but the last so many
hold() {
	local module
	[ ! -d /sys/module/fail_calls ] || rmmod fail_calls
	module=$(text_of "$3")
	# shellcheck disable=SC2086  # words of their own
	insmod ./fail_calls.ko function="$1" hold="${2:-1}" count="${2:-1}" $module || fail "cannot hold $1"
}
held() {
	local waited=0
	until [ "$(cat /sys/module/fail_calls/parameters/struck)" = "${1:-1}" ]; do
		waited=$((waited + 1))
		[ $waited -lt $long_wait ] || fail "nobody calls what is held"
		sleep 0.1
	done
}
release() { put "${1:-0}" /sys/module/fail_calls/parameters/count; }

# open_monitor: QEMU's monitor, for the next (MONITOR=1)
open_monitor() {
	stty -F /dev/ttyS3 raw -echo
	exec 4<>/dev/ttyS3
}

# bus_error KIND: is reported by the port above the card. What the terminal echoed before it was told not to ends with a line of its own.
bus_error() { printf '\npcie_aer_inject_error card-port %s\n' "$1" >&4; }

# open_control: the card's control socket, for the two below (CONTROL=1)
open_control() {
	stty -F /dev/ttyS2 raw -echo
	exec 3<>/dev/ttyS2
}

# ask LINE: sets answer to the card's
ask() {
	echo "$*" >&3
	read -r answer <&3
}

# holds_back: whether the card holds answers back
holds_back() {
	ask status
	[ "${answer##* }" != 0 ]
}

# tell LINE: the card must answer ok
tell() {
	ask "$*"
	[ "$answer" = ok ] || fail "'$*' is answered with '$answer'"
}
