# SPDX-License-Identifier: GPL-2.0-only
# A backing device for the guest scripts, made by the kernel's null_blk, which keeps what is written to it and fails on
# demand. Needs MODULES=null_blk. Sourced after common.sh: . ./backing.sh
modprobe null_blk nr_devices=0 && mount -t configfs none /sys/kernel/config ||
	fail "no null_blk"

# make_backing NAME MEGABYTES BLOCK_BYTES [NANOSECONDS]: sets backing, its device, and control, its folder; each answer takes so long
make_backing() {
	local name
	control=/sys/kernel/config/nullb/$1
	mkdir "$control" && put "$2" "$control/size" && put "$3" "$control/blocksize" && put 1 "$control/memory_backed" &&
		{ [ -z "$4" ] || { put 2 "$control/irqmode" && put "$4" "$control/completion_nsec"; }; } && put 1 "$control/power" || fail "null_blk makes no device"
	# Newer kernels call it by its name, older ones by its number.
	for name in "$1" "nullb$(cat "$control/index")"; do
		[ ! -b "/dev/$name" ] || backing=/dev/$name
	done
}

# make_stopping MEGABYTES: sets backing, a device of the kernel's NBD that answers as it is told below. Needs MODULES=nbd and slow_device.
make_stopping() {
	modprobe nbd nbds_max=1 max_part=0 || fail "no nbd"
	sound && dd if=/dev/zero of=served bs=1M count=0 seek="$1" 2>/dev/null || fail "no file to serve"
	./slow_device -w /dev/nbd0 served mode &
	server=$!
	backing=/dev/nbd0
	within $long_wait is_served
}
is_served() { [ "$(cat /sys/block/nbd0/size)" -gt 0 ] && [ -e /sys/block/nbd0/pid ]; }
# sound, fails: how it answers from now on; stand_still: not at all, until it is told to go_on
sound() { echo sound >mode; }
fails() { echo fail >mode; }
stand_still() { kill -STOP $server && within $long_wait grep -q "^State:.T" /proc/$server/status; }
go_on() { kill -CONT $server; }

# attach SIZE: the disk anew, of SIZE, with the backing device
attach() {
	put 1 $block/reset && put "$backing" $block/backing_dev && put "$1" $block/disksize || fail "attach"
}

# renew: the disk is reset, and the backing device goes, for another one
renew() {
	put 1 $block/reset && put 0 "$control/power" && rmdir "$control" || fail "reset"
}

# bad FIRST LAST: these sectors of the backing device fail from now on; good: they do not any more. The kernel forgets
# some of a longer range, so that ranges are named in pieces.
bad() { mark + "$@"; }
good() { mark - "$@"; }
mark() {
	local sign=$1 first=$2 last=$3
	while [ "$first" -le "$last" ]; do
		put "$sign$first-$((first + 511 < last ? first + 511 : last))" "$control/badblocks"
		first=$((first + 512))
	done
}

# room: sectors that the disk's pages take on the backing device, in units of 4 KiB
room() { awk '{ print $1 }' $block/bd_stat; }

# write_back SELECTION: all of it
write_back() { put "$1" $block/writeback || fail "writeback $1"; }

# everything_back: every page that is in memory
everything_back() { put all $block/idle && write_back idle; }
