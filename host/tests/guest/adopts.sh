# SPDX-License-Identifier: Apache-2.0
# pagepressctl adopt: a swap partition with pages in it becomes the backing device of a disk; every step fails once, and all is
# then as it was; the partition is given back. /dev/vda is the partition, /dev/vdb has a file system.
. ./says.sh

uuid=0a1b2c3d-1122-4333-8444-5566778899aa
part=/dev/vda
block=/sys/block/pagepress0
before=0 # the disk's size
echo 1 >$block/reset

# is_swap PRIORITY DEVICE
is_swap() { grep -q "^$2 .*[[:blank:]]$1$" /proc/swaps || fail "$2 is not swap of priority $1: $(cat /proc/swaps)"; }
no_swap() { ! grep -q "^$1 " /proc/swaps || fail "$1 is still swap"; }
header_is_kept() { head -c 4096 $part | cmp - header || fail "the partition has another header"; }
# put_copy N: a copy more. Where the disk is slower than the group grows the kernel may kill cp: then once the disk has caught up.
put_copy() {
    for turn in $(seq 100); do
        in_group cp base "/t/$1" && return
        sleep 1
    done
    fail "cp"
}
# limit SIZE: of the group's memory; what is more is swapped out at once. Without, swapoff has room for all of it.
limit() { echo "$1" >/groups/small/memory.max || fail "limit $1"; }
squeeze() { limit 8M && limit max; }
# as_it_was: the partition, its pages and the disk
as_it_was() {
    is_swap 7 $part
    no_swap /dev/pagepress0
    header_is_kept
    [ "$(cat $block/backing_dev) $(cat $block/disksize)" = "none $before" ] || fail "the disk keeps $(cat $block/backing_dev) $(cat $block/disksize)"
    [ "$(echo /sys/block/pagepress*)" = $block ] || fail "a disk is left: $(echo /sys/block/pagepress*)"
    files_are_right
    squeeze
    [ "$(swapped)" -ge 8192 ] || fail "only $(swapped) KiB are swapped"
    echo "as it was: after $*"
}
# swapped: KiB in the partition
swapped() { awk -v part=$part '$1 == part { print $4 }' /proc/swaps; }

/usr/bin/mkswap -U $uuid -L spare $part >/dev/null && head -c 4096 $part >header || fail "mkswap"
modprobe ext4 && mke2fs -F -b 4096 /dev/vdb >/dev/null 2>&1 || fail "mke2fs"

# Refusals, before anything is on.
ends 5 pagepressctl adopt /dev/vdb
has "holds an ext2, ext3 or ext4 file system"
ends 5 pagepressctl adopt --force /dev/vdb
has "holds an ext2, ext3 or ext4 file system"
ends 5 pagepressctl setup --size 64M --writeback-device /dev/vdb
has "/dev/vdb holds an ext2, ext3 or ext4 file system: name another device; wipefs -a /dev/vdb, or setup --force, drops it"
mkdir -p /m && mount -t ext4 /dev/vdb /m || fail "mount"
ends 5 pagepressctl adopt --force /dev/vdb
has "/dev/vdb is in use: mounted on /m"
ends 5 pagepressctl setup --force --size 64M --writeback-device /dev/vdb
has "/dev/vdb is in use: mounted on /m"
umount /m
dd if=/dev/zero of=/dev/vdb bs=4096 count=64 2>/dev/null
ends 5 pagepressctl adopt /dev/vdb
has "is no swap area: --force takes it"
ends 5 pagepressctl adopt --force /dev/pagepress0
has "a Pagepress disk itself"
ends 5 pagepressctl adopt /bin/busybox
has "not a block device"
ends 1 pagepressctl adopt /dev/nothing
ends 5 pagepressctl adopt --undo $part
has "no disk has it as its backing device"

# Pages into the partition.
/usr/bin/swapon -p 7 $part || fail "swapon"
ends 5 pagepressctl setup --force --size 64M --writeback-device $part
has "$part is swap: pagepressctl adopt takes it"
[ "$(cat $block/backing_dev) $(cat $block/disksize)" = "none 0" ] || fail "a refused setup leaves $(cat $block/backing_dev) $(cat $block/disksize)"
mkdir -p /t && mount -t tmpfs -o size=600M none /t || fail "no tmpfs"
head -c 1048576 /bin/busybox >base
for count in $(seq 24); do put_copy $count; done
limit max
ends 0 pagepressctl adopt --dry-run $part
has "swapoff $part" && has "echo $part >$block/backing_dev" && has "swapon --priority 7 /dev/pagepress0"
as_it_was "a dry run"

# Each step fails. A file of sysfs fails by another that is mounted over it and can only be read.
ends 1 pagepressctl adopt --disk pagepress77 $part
as_it_was "no such disk"
mkdir -p /fixed && mount -t tmpfs none /fixed && echo none >/fixed/backing_dev && echo 0 >/fixed/disksize && echo 0 >/fixed/mem_limit &&
    mount -o remount,ro /fixed || fail "no files to mount"
for file in backing_dev disksize mem_limit; do
    mount -o bind /fixed/$file $block/$file || fail "bind $file"
    ends 5 pagepressctl adopt --mem-limit 16M $part
    has "$file: '"
    umount $block/$file
    as_it_was "$file"
done
before=67108864 # and from now on the disk has one that it must have again
echo $before >$block/disksize
mv /dev/pagepress0 /dev/away
ends 1 pagepressctl adopt $part
has "pagepress0: cannot be opened for swap"
mv /dev/away /dev/pagepress0
as_it_was mkswap
# A device that forgets what is written has no swap area for the kernel.
modprobe null_blk nr_devices=1 && mkdir other && ln -s /dev/nullb0 other/pagepress0 || fail "no forgetful device"
ends 5 env PAGEPRESS_DEV=$PWD/other pagepressctl adopt $part
has "swapon: Invalid argument"
as_it_was swapon
# An interrupt while pages come back: swapoff has a process of its own. On a fast machine all may be done before it comes.
pagepressctl adopt $part >said 2>&1 &
adopter=$!
while kill -0 $adopter 2>/dev/null && [ "$(pidof pagepressctl | wc -w)" -lt 2 ]; do :; done
kill -TERM $adopter 2>/dev/null
wait $adopter && status=0 || status=$?
echo "interrupted: $status $(cat said)"
[ $status = 0 ] || [ $status = 5 ] || fail "an interrupted adopt ends with $status"
[ $status = 0 ] || has nterrupted
[ $status = 0 ] || as_it_was "an interrupt"
[ $status != 0 ] || { pagepressctl adopt --undo $part && echo $before >$block/disksize; } || fail "undo"
# A group that may not have its pages back, and more pages than the machine has room for.
limit 8M
ends 5 pagepressctl adopt --disk pagepress1 $part
has "memory does not hold its pages"
as_it_was "a swapoff without room in the group"
limit 8M
ram=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
for count in $(seq 25 330); do
    put_copy $count
    [ "$(swapped)" -lt $((ram * 11 / 10)) ] || break
done
limit max
ends 5 pagepressctl adopt --disk pagepress1 $part
has "memory does not hold its pages"
for count in $(seq 25 330); do rm -f /t/$count; done
as_it_was "a swapoff without memory"

# The happy way: files come through, and incompressible pages go to the partition.
ends 0 pagepressctl adopt --json --mem-limit 4M $part
has "\"partition\":\"$part\",\"device\":\"pagepress0\"" && has "\"uuid\":\"$uuid\",\"label\":\"spare\",\"was_on\":true,\"priority\":7"
size=$(($(cat /sys/class/block/vda/size) * 512 + ram * 2 / 4 * 4096))
[ "$(cat $block/disksize)" = $size ] || fail "disksize is $(cat $block/disksize), not $size"
is_swap 7 /dev/pagepress0
no_swap $part
files_are_right
for count in $(seq 25 40); do put_copy $count; done
squeeze
files_are_right
squeeze
[ "$(pages backed_pages)" -gt 100 ] || fail "only $(pages backed_pages) pages rest on the partition"
ends 5 pagepressctl adopt $part
has "is in use"
! head -c 4096 $part | cmp -s - header && echo "the header is written over"

# Giving it back: each step fails, then all works.
mount -o bind /fixed/mem_limit $block/reset || fail "bind reset"
ends 5 pagepressctl adopt --undo $part
umount $block/reset
is_swap 7 /dev/pagepress0
[ "$(cat $block/backing_dev)" = $part ] || fail "the partition is gone"
files_are_right
ends 0 pagepressctl adopt --undo $part
has "$part: plain swap again, on; pagepress0: reset"
before=0
as_it_was undo
[ "$(/usr/bin/blkid -p -s UUID -o value $part) $(/usr/bin/blkid -p -s LABEL -o value $part)" = "$uuid spare" ] || fail "blkid: $(/usr/bin/blkid -p $part)"

# Swap that is off comes back off; what was no swap area is one afterwards.
rm -f /t/*
swapoff $part || fail "swapoff"
ends 0 pagepressctl adopt --priority 9 --disk pagepress1 $part
is_swap 9 /dev/pagepress1
ends 0 pagepressctl adopt --undo $part
no_swap $part
header_is_kept
ends 0 pagepressctl adopt --force --size 64M /dev/vdb
is_swap 100 /dev/pagepress0
ends 0 pagepressctl adopt --undo --json /dev/vdb
has '"was_on":false,"priority":null'
swapon /dev/vdb || fail "what was given back is no swap area"
ends 0 pagepressctl setup --writeback-device $part --size 64M
ends 5 pagepressctl adopt --undo $part
has "did not get $part from adopt"
