# SPDX-License-Identifier: GPL-2.0-only
# A slow origin and a lookaside image before it, both behind the kernel's NBD: slow, dead and wrong origins; images that are fresh,
# old, wrong, cut off, swapped for another. No byte is ever wrong; where the right one cannot be had there is an error. Needs CONTROL=1
# and PROGRAMS=cmp.
PATH=/usr/bin:/bin # busybox's cmp takes seven times as long
. ./common.sh
# Of the origin's image; filled: pages of it that are not zeros. claimed: MiB of the device whose header claims too large an index, if any.
read -r seed root pages filled claimed <arguments
size=$((pages * 4096))
modprobe nbd nbds_max=4 max_part=0 || fail "no nbd"

# serve N IMAGE [MEGABYTES]: /dev/nbdN has it, and a hole behind it up to that size, soundly for now; sets served to the server's number
serve() {
	echo sound >"mode$1" && cp "$2" "served$1" && { [ -z "$3" ] || dd if=/dev/null of="served$1" bs=1M count=0 seek="$3" 2>/dev/null; } ||
		fail "serve $1"
	./slow_device "/dev/nbd$1" "served$1" "mode$1" >"there$1" &
	served=$!
	until grep -q there "there$1"; do sleep 0.1; done
	waited=0
	until [ "$(cat "/sys/block/nbd$1/size")" -gt 0 ] && [ -e "/sys/block/nbd$1/pid" ]; do
		waited=$((waited + 1))
		[ $waited -lt $long_wait ] || fail "nbd$1 does not come"
		sleep 0.1
	done
}
# sound N, wrong N, fails N: how it answers from now on
sound() { echo sound >"mode$1"; }
wrong() { echo wrong >"mode$1"; }
fails() { echo fail >"mode$1"; }

# all_right: the whole disk reads as expected says, by requests of many pages
all_right() {
	dd if=$disk of=got bs=128K iflag=direct 2>/dev/null || fail "a page cannot be read: $*"
	cmp -s got expected || fail "wrong bytes: $*: $(cmp got expected 2>&1)"
}
# none_wrong: each page of some is as expected, or an error; sets errors
none_wrong() {
	errors=0 page=0
	while [ $page -lt "$pages" ]; do
		if dd if=$disk of=got bs=4096 skip=$page count=1 iflag=direct 2>/dev/null; then
			dd if=expected of=wanted bs=4096 skip=$page count=1 2>/dev/null
			cmp -s got wanted || fail "page $page is wrong: $*"
		else
			errors=$((errors + 1))
		fi
		page=$((page + 37))
	done
}
# complains PHRASE: page 40 cannot be read, and the kernel's log says why; it takes ten such lines in five seconds
complains() {
	waited=0
	until dmesg | grep -q "$1"; do
		waited=$((waited + 1))
		[ $waited -lt 40 ] || fail "the kernel's log says nothing of '$1'"
		dd if=$disk of=got bs=4096 skip=40 count=1 iflag=direct 2>/dev/null && fail "page 40 is delivered: $1"
		sleep 0.5
	done
}
state() { cat $block/lookaside_state; }
lookaside() { put "$1" $block/lookaside_dev; }
attach_lookaside() {
	lookaside none && lookaside /dev/nbd1 || fail "lookaside_dev"
	[ "$(state)" = used ] || fail "lookaside_state is $(state)"
}

serve 0 image
origin=$served
serve 1 old
near=$served
put 1 $block/reset || fail reset
# A busy host is slow, not dead.
impatient() { put 300 $block/origin_timeout_ms && put 300 $block/lookaside_timeout_ms || fail "time-outs"; }
patient() { put 600000 $block/origin_timeout_ms && put 600000 $block/lookaside_timeout_ms || fail "time-outs"; }
refused "out of range" put 0 $block/origin_timeout_ms
refused "Invalid argument" put soon $block/lookaside_timeout_ms
patient

# inside FUNCTION PROCESS: whether it is there in the kernel; gone PROCESS: whether it has ended
inside() { grep -q "$1" "/proc/$2/stack"; }
gone() { [ ! -e "/proc/$1" ] || grep -q "^State:.Z" "/proc/$1/status"; }

# What is no origin is refused in one line, and leaves nothing behind.
refused "Invalid argument" put /dev/nbd0 $block/origin_dev
logged "origin_dev needs origin_root first"
refused "Invalid argument" put 12 $block/origin_root
refused "Invalid argument" put "${root}0" $block/origin_root
put "$(echo "$root" | tr 0-9a-f 1-9a-f0)" $block/origin_root || fail "origin_root"
refused "Invalid argument" put /dev/nbd0 $block/origin_dev
logged "what it holds is not what origin_root stands for"
put "$root" $block/origin_root || fail "origin_root"
[ "$(cat $block/origin_root)" = "$root" ] || fail "origin_root reads $(cat $block/origin_root)"
refused "No such device" lookaside /dev/nbd1
refused "No such file" put /dev/none $block/origin_dev
serve 2 image
for bad in plain foreign flipped; do
	cp $bad served2
	refused "Invalid argument" put /dev/nbd2 $block/origin_dev
done
logged "origin_dev /dev/nbd2 is of no use: it holds no page image"
dd if=image of=served2 bs=4096 count=1 2>/dev/null # a header, and nothing behind it
refused "Invalid argument" put /dev/nbd2 $block/origin_dev
fails 2
refused "Input/output error" put /dev/nbd2 $block/origin_dev
[ "$(cat $block/origin_dev)" = none ] || fail "a refused origin stays: $(cat $block/origin_dev)"

# An index that nobody has proven takes no memory that others need: this one would leave them none.
if [ -n "$claimed" ]; then
	serve 3 claims "$claimed"
	refused "annot allocate memory" put /dev/nbd3 $block/origin_dev
	logged "no memory for the index of origin_dev /dev/nbd3"
	! kernel_complains "Out of memory" || fail "others pay for an index"
fi

# An origin that does not answer, or whose writer is killed meanwhile, is none, and no disk is made that would lack its pages. Once it
# answers it can be attached.
no_origin() {
	impatient
	refused "Device or resource busy" put $size $block/disksize
	[ "$(cat $block/origin_dev)" = none ] || fail "an origin that does not answer counts: $(cat $block/origin_dev)"
	refused "Device or resource busy" put /dev/nbd0 $block/origin_dev
	logged "origin_dev /dev/nbd0 still has reads that it does not answer"
	put "$root" $block/origin_root || fail "origin_root"
	kill -CONT $origin
	patient
}
impatient
kill -STOP $origin
refused "timed out" put /dev/nbd0 $block/origin_dev
no_origin
put $size $block/disksize && put 1 $block/reset || fail "a disk after an origin that was dead"
kill -STOP $origin
put /dev/nbd0 $block/origin_dev &
writer=$!
within $long_wait inside pagepress_source_get $writer
kill -KILL $writer
wait $writer
no_origin

# From the origin alone: every byte, zeros beyond it, nothing read twice from a page written since.
put /dev/nbd0 $block/origin_dev || fail "origin_dev"
refused "Device or resource busy" put "$root" $block/origin_root
put $((size + 1048576)) $block/disksize || fail disksize
cp plain expected
dd if=/dev/zero bs=1M count=1 2>/dev/null >>expected
all_right "the origin alone"
expect origin_pages_in -eq "$filled"
expect FailedReads -eq 0
expect PagesStored -eq 0
[ "$(value origin_sectors_in)" -lt $((size / 512 * 9 / 10)) ] || fail "pages cross the link, not streams"
refused "Device or resource busy" put /dev/nbd2 $block/origin_dev

# An old image before it.
attach_lookaside
[ "$(cat $block/lookaside_contents)" -gt 0 ] || fail "the old image has nothing"
before=$(value origin_pages_in)
all_right "an old image"
near_pages=$(value lookaside_pages_in)
[ "$near_pages" -gt 0 ] || fail "the old image is not used"
expect origin_pages_in -eq $((before + filled - near_pages))
expect lookaside_faults -eq 0

# A page that was discarded is empty for good: with another size it would be the origin's again.
blkdiscard -o $((20 * 4096)) -l 4096 $disk || fail "discard"
refused "Device or resource busy" put "$size" $block/disksize
dd if=$disk of=back bs=4096 skip=20 count=1 iflag=direct 2>/dev/null && cmp -n 4096 back /dev/zero || fail "a discarded page comes back"

# Writes and discards go on as ever, and no read brings back what they replaced.
./check_blocks $disk "$seed" 1 300 || fail "check_blocks"
put 1 $block/reset && put "$root" $block/origin_root && put /dev/nbd0 $block/origin_dev && put $((size + 1048576)) $block/disksize ||
	fail "attached anew"
attach_lookaside
all_right "a disk made anew"
tail -c 40960 plain | dd of=$disk bs=4096 seek=20 oflag=direct conv=notrunc 2>/dev/null || fail write
tail -c 40960 plain | dd of=expected bs=4096 seek=20 conv=notrunc 2>/dev/null
all_right "pages written"

# A read that finds a page's first write under way, and gets on when that has failed: the slot holds nothing, and the origin's page counts.
open_control
lock=mutex_trylock
! grep -q ' _mutex_trylock_nest_lock$' /proc/kallsyms || lock=_mutex_trylock_nest_lock # what newer kernels that watch locks call it
tell arm late-completion opcode=compress count=1 after=600000000
put 4096 $block/mem_limit
dd if=plain of=$disk bs=4096 skip=30 seek=40 count=1 oflag=direct conv=notrunc 2>said &
writer=$!
within $long_wait holds_back
hold $lock 1 pagepress_codec_get
dd if=$disk of=got bs=4096 skip=40 count=1 iflag=direct 2>/dev/null &
reader=$!
held
tell clear
wait $writer && fail "a write past mem_limit succeeds"
grep -q "No space left" said || fail "dd says $(cat said)"
release
wait $reader || fail "a read beside a write that fails ends with status $?"
dd if=expected of=wanted bs=4096 skip=40 count=1 2>/dev/null
cmp got wanted || fail "a read beside a write that fails does not give the origin's page"
put 0 $block/mem_limit
all_right "after a write that failed"

# Images that err: pages come from the origin, and the image is given up.
broken() {
	all_right "$1"
	[ "$(state)" = given_up ] || fail "$1: lookaside_state is $(state)"
	[ "$(value lookaside_faults)" -ge 16 ] || fail "$1: $(value lookaside_faults) faults"
	near_pages=$(value lookaside_pages_in)
	all_right "$1, given up"
	expect lookaside_pages_in -eq "$near_pages"
	sound 1
	cp old served1
	attach_lookaside
	all_right "$1, attached again"
	[ "$(value lookaside_pages_in)" -gt "$near_pages" ] || fail "$1: the image is not used again"
}
wrong 1
broken "flipped bits in the image"
logged "lookaside_dev: holds another page than its index says; origin_dev is asked"
fails 1
broken "an image that cannot be read"
# Given up after the sixteenth fault, neither sooner nor later: pages that are read one after the other.
fails 1
faults=$(value lookaside_faults) page=0
while [ "$(state)" = used ]; do
	[ $page -lt "$pages" ] || fail "the image is used after $(($(value lookaside_faults) - faults)) faults"
	dd if=$disk of=got bs=4096 skip=$page count=1 iflag=direct 2>/dev/null || fail "page $page cannot be read"
	page=$((page + 1))
done
expect lookaside_faults -eq $((faults + 16))
sound 1
attach_lookaside
cp foreign served1
broken "an image swapped for another"
dd if=old of=served1 bs=4096 count=3 2>/dev/null
broken "an image cut off"
logged "lookaside_dev is given up after 16 faults"

put 300 $block/lookaside_timeout_ms || fail lookaside_timeout_ms
kill -STOP "$near"
all_right "a dead image"
[ "$(state)" = given_up ] || fail "a dead image is $(state)"
refused "Device or resource busy" lookaside none
logged "lookaside_dev /dev/nbd1 still has reads that it does not answer"
[ "$(state)" != used ] || fail "a dead image is used"
all_right "a dead image that cannot be let go"
kill -CONT "$near"
patient
attach_lookaside
all_right "an image that lives again"

# Who waits for an image to be attached that does not answer can be killed, and has changed nothing.
lookaside none || fail "lookaside_dev none"
kill -STOP "$near"
lookaside /dev/nbd1 &
attacher=$!
within $long_wait inside pagepress_source_get $attacher
for command in "reset 1" "lookaside_dev none"; do
	put "${command#* }" "$block/${command% *}" &
	waiter=$!
	within $long_wait inside 'pagepress_[a-z]*_\(wait_idle\|detach\)' $waiter
	kill -KILL $waiter
	within $long_wait gone $waiter
done
kill -CONT "$near"
wait $attacher || fail "an image that was slow is not attached"
[ "$(state)" = used ] || fail "lookaside_state is $(state)"
all_right "an image that was slow"

# What is no image is refused, and the disk goes on.
lookaside none || fail "lookaside_dev none"
for bad in plain flipped; do
	cp $bad served1
	[ $bad = flipped ] || refused "Invalid argument" lookaside /dev/nbd1
	all_right "no image"
	[ "$(cat $block/lookaside_dev)" = none ] || fail "a refused image stays"
done

# Origins that err: an error, never a wrong byte; and back again.
wrong 0
none_wrong "a wrong origin"
[ $errors -gt 0 ] || fail "a wrong origin is believed"
logged "it is not the page that was packed that came from origin_dev /dev/nbd0"
fails 0
none_wrong "an origin that fails"
[ $errors -gt 0 ] || fail "an origin that fails delivers"
complains "cannot be read from origin_dev /dev/nbd0"
sound 0
all_right "an origin that is well again"
cp foreign served0
none_wrong "an origin swapped for another"
cp image served0
put 300 $block/origin_timeout_ms || fail origin_timeout_ms
kill -STOP $origin
dd if=$disk of=got bs=4096 skip=40 count=1 iflag=direct 2>said && fail "a dead origin delivers"
complains "does not come in time from origin_dev /dev/nbd0"
cp old served1
attach_lookaside
refused "Device or resource busy" put 1 $block/reset
[ "$(state)" = used ] || fail "a reset that was refused has let the image go: $(state)"
kill -CONT $origin
patient
all_right "an origin that lives again"
expect origin_errors -gt 0

before=$(value FailedReads)
[ "$(value NumReads)" = $(($(value card_pages_in) + $(value software_pages_in) + $(value direct_pages_in) + $(value origin_pages_in) +
	$(value lookaside_pages_in) + before)) ] || fail "the sums are wrong"
put 1 $block/reset || fail reset
put 1M $block/disksize || fail "a disk without an origin"
dd if=$disk of=got bs=1M count=1 iflag=direct 2>/dev/null
head -c 1048576 /dev/zero | cmp -s - got || fail "an origin that is gone is still read"
rmmod pagepress || fail "rmmod"
! kernel_complains || fail "the kernel complains"
