# SPDX-License-Identifier: GPL-2.0-only
# However a page ends, its page I/O goes back to the reserve, and its command to the ring. While there is no memory for more of them, the
# whole reserve must be in flight at once after each kind of ending. Needs CONTROL=1.
. ./common.sh
. ./backing.sh
read -r seed <arguments
parameters=/sys/module/pagepress/parameters
noise=$((seed + 4294967296)) # NOISE of some_pages.c
reserve=16 # RESERVED_PAGE_IOS of page_io.c, and what one access may bring
some=12 # pages of an ending: were they lost, the next would find the rest
shown=/sys/kernel/debug/pagepress/queues
mount -t debugfs none /sys/kernel/debug 2>/dev/null
open_control
make_stopping 8
attach 32M

# start WORDS: some_pages beside the script; ends WHAT: it does, and well
start() {
	rm -f ended
	{ ./some_pages "$@" 2>said && touch ended; } &
}
ends() {
	comes_within $long_wait [ -e ended ] || fail "$1 do not end: $(cat said)"
	wait $!
}
# full WHAT: so many pages are read at once, by one access, that they need all of the reserve
full() {
	local before there
	before=$(value backing_sectors_in)
	stand_still
	start read $disk 144 $reserve $noise
	await_growth backing_sectors_in "$before"
	there=$((($(value backing_sectors_in) - before) / 8))
	go_on
	[ $there = $reserve ] || fail "after $1 $there of $reserve page I/Os are left"
	ends "reads after $1"
}
# held_at_card NUMBER: the card holds so many answers back
held_at_card() { ask status && [ "${answer##* }" = "$1" ]; }
written() { [ "$(value backing_sectors_out)" -ge $((out + some * 8)) ]; }

# All in slots of one chunk of the table, so that nothing else wants pages.
pages write 144 $reserve $noise
expect backed_pages -eq $reserve
# shellcheck disable=SC2046  # words of their own
insmod ./fail_calls.ko function=__get_free_pages value=0 count=2000000000 $(text_of) || fail "fail_calls"
full "nothing"

start write $disk 0 $some $noise
ends writes
full "writes"
start read $disk 0 $some $noise
ends reads
full "reads"

stand_still
before=$(value backing_reads)
start read $disk 0 $some "$seed"
await_growth backing_reads "$before"
pages write 0 $some "$seed"
go_on
ends "reads of pages that are overwritten meanwhile"
full "reads of pages that were overwritten meanwhile"

pages write 16 $some $noise
fails
./some_pages read $disk 16 $some $noise 2>said && fail "a device that fails is read"
sound
expect FailedReads -eq $some
full "reads that failed"

backed=$(value backed_pages)
out=$(value backing_sectors_out)
stand_still
start write $disk 32 $some $noise
within $long_wait written
discard 32 $some
go_on
ends "writes of pages that are discarded on their way"
expect backed_pages -eq "$backed"
full "writes of pages that were discarded on their way"

tell arm late-completion opcode=compress count=1 after=600000000
start write $disk 32 $some $noise
within $long_wait held_at_card $some
discard 32 $some
tell clear
ends "writes of pages that are discarded while the card has them"
expect backed_pages -eq "$backed"
full "writes of pages that were discarded while a card had them"

# ---- commands that a card answers late ----
# The CPU takes over, and finds the pages on the device. One that is too busy has taken over before they are there.
put card $parameters/read_path
for try in 1 2 3 4 5 6 7 8; do
	late=$(value card_late) in=$(value backing_pages_in)
	pages write 32 $some "$seed"
	tell arm late-completion opcode=decompress count=1 after=600000000
	put 2000 $parameters/card_wait_ms
	start read $disk 32 $some "$seed"
	within $long_wait held_at_card $some
	write_back page_indexes=32-$((32 + some - 1))
	ends "reads that a card answers late"
	expect card_late -eq $((late + some))
	tell clear
	put 240000 $parameters/card_wait_ms
	[ "$(value backing_pages_in)" -lt $((in + some)) ] || break
	[ $try -lt 8 ] || fail "no late page was read from the device"
done
full "reads that a card answered late"
# Each command of each ring is free again: one less than entries.
free() { [ "$(grep -c " depth 64 .* free 63$" $shown)" = "$(grep -c " depth " $shown)" ]; }
within 100 free

# ---- last: a device that failed is not asked for a second ----
# As many as there are page I/Os wait for the device, which fails them; the others wait for a page I/O each, and do without it then.
redone=$(value redone_pages)
others_wait() { [ "$(value redone_pages)" -ge $((redone + 40 - reserve)) ]; }
fails
stand_still
start write $disk 64 40 $noise
within $long_wait others_wait
go_on
ends "writes that fail, and those that wait meanwhile"
sound
expect FailedWrites -eq 0
pages read 64 40 $noise
full "writes that failed, and those that waited meanwhile"
[ "$(cat /sys/module/fail_calls/parameters/struck)" -gt 100 ] || fail "there was memory for page I/Os"
rmmod fail_calls
sums_are_right
put 1 $block/reset || fail "reset"
! kernel_complains || fail "the kernel complains"
