# SPDX-License-Identifier: GPL-2.0-only
# Swap on one disk and noise written to another, straight or into files of a file system, together more than memory holds:
# every write ends, every byte is right. The card, if any, may die in the middle. Arguments: seed, MiB that are swapped, MiB of
# noise a writer, writers, `plain` or `files`, what becomes of the card: none, stays or dies (CONTROL=1), and `crypt` for swap on dm-crypt,
# whose threads write in the place of those that reclaim, or `before` for swap on a disk whose backing device is dm-crypt over a third one.
. ./common.sh
read -r seed megabytes noise writers where card layer <arguments
swap=$disk
other=/sys/block/pagepress1
noise_seed=$((4294967296 + seed)) # NOISE of some_pages.c

# noise HOW WRITER: write or read, a request of 1 MiB after the other; files are written once more by way of the page cache
noise() {
	local at=0 target=/dev/pagepress1 first=$(($2 * noise * 256))
	[ $where = plain ] || target=/f/$2 first=0
	[ "$1.$where" != write.files ] || : >$target
	while [ $at -lt "$noise" ]; do
		./some_pages "$1" $target $((first + at * 256)) 256 $noise_seed || return 1
		at=$((at + 1))
	done
	[ $where = plain ] || if [ "$1" = write ]; then cp $target $target.copy && sync; else cmp $target $target.copy; fi
}

# noises HOW: all writers at once
noises() {
	local writer=0 pids='' pid
	while [ $writer -lt "$writers" ]; do
		noise "$1" $writer &
		pids="$pids $!"
		writer=$((writer + 1))
	done
	[ "$1.$card" != write.dies ] || die
	for pid in $pids; do wait "$pid" || fail "$1 of noise: status $?"; done
}

# The card leaves the bus while it has pages of both disks.
die() {
	await_growth card_pages_out 200
	tell "arm dead opcode=compress"
	await dead
}

# encrypt DISK: /dev/dm-0 is dm-crypt over it
encrypt() {
	modprobe dm-crypt && dmsetup --noudevsync create encrypted --table "0 $(cat "/sys/block/$1/size") crypt cipher_null-ecb - 0 /dev/$1 0" ||
		fail "no dm-crypt"
}

[ "$card" = none ] || await ready
[ "$card" != dies ] || open_control
if [ $where = files ]; then
	modprobe ext4 && mke2fs -b 4096 /dev/pagepress1 >/dev/null && mkdir /f && mount -t ext4 /dev/pagepress1 /f || fail "no file system"
fi
if [ "$layer" = crypt ]; then
	encrypt pagepress0
	swap=/dev/dm-0
fi
if [ "$layer" = before ]; then
	encrypt pagepress2
	echo 1 >/sys/block/pagepress0/reset && echo /dev/dm-0 >/sys/block/pagepress0/backing_dev && echo 64M >/sys/block/pagepress0/disksize &&
		echo 8M >/sys/block/pagepress0/mem_limit || fail "no backing device"
fi
mkswap $swap >/dev/null && swapon $swap || fail "swapon"
./soak_memory "$seed" 1 "$megabytes" 300 enough >checked 2>said &
load=$!
noises write
announce "two disks: $(value NumWrites) pages swapped out by now, $(cat $other/pagepress/NumWrites) pages of noise written"
touch enough
wait $load || fail "status $? of the programs that swap: $(cat said)"
noises read
[ "$card" != dies ] || ask clear
waits=$(($(value memory_waits) + $(cat $other/pagepress/memory_waits)))
announce "two disks: $(cat checked) in swap, waits for memory $waits"
expect NumWrites -gt 1000
expect FailedReads -eq 0
# Else memory was never short, and this has shown nothing.
[ $waits -gt 0 ] || fail "no write had to wait for memory"
if [ "$card" = none ]; then
	[ "$(cat $other/pagepress/memory_waits)" -gt 0 ] || fail "no write of noise had to wait for memory"
else
	expect card_pages_out -gt 100
fi
for block in /sys/block/pagepress0 $other; do
	[ "$(cat $block/pagepress/FailedReads)" = 0 ] || fail "reads failed"
done
