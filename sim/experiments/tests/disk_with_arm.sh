# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# A disk with an arm before /dev/vda, 8 ms to another place and 20 MB a second: bytes, accesses, the least time that they take, and bad input.
fail() { echo "FAILED: $*"; exit 1; }
# milliseconds COMMAND...: that it took
milliseconds() {
    local begun
    begun=$(awk '{ print int($1 * 1000) }' /proc/uptime)
    "$@"
    echo $(($(awk '{ print int($1 * 1000) }' /proc/uptime) - begun))
}
sequential() { dd if=/dev/arm of=/dev/null bs=4096 count="$1" iflag=direct 2>/dev/null || fail "a read"; }
# scattered COUNT STEP: reads of a page, each elsewhere
scattered() {
    local turn=0
    while [ $turn -lt "$1" ]; do
        dd if=/dev/arm of=/dev/null bs=4096 count=1 skip=$((turn * $2 % 8000)) iflag=direct 2>/dev/null || fail "a read"
        turn=$((turn + 1))
    done
}
together() {
    scattered 20 7919 &
    scattered 20 5003 &
    wait
}

# refused PHRASE PARAMETER...
refused() {
    phrase=$1
    shift
    # shellcheck disable=SC2068,SC2086  # words of their own
    insmod ./disk_with_arm.ko $@ 2>/dev/null && fail "taken: $*"
    dmesg | tail -n 1 | grep -q "$phrase" || fail "of '$*' is said: $(dmesg | tail -n 1)"
}
refused "name a device" seek_us=8000
refused "name a device" device=/dev/vda bytes_a_second=0
refused "is no block device" device=/dev/none

insmod ./disk_with_arm.ko device=/dev/vda seek_us=8000 bytes_a_second=20000000 || fail insmod
[ "$(cat /sys/block/arm/queue/rotational)" = 1 ] || fail "it says that it has no arm"
seq 800000 | head -c 4194304 >/bytes
dd if=/bytes of=/dev/arm bs=1M oflag=direct 2>/dev/null || fail "a write"
dd if=/dev/arm of=/back bs=64K count=64 iflag=direct 2>/dev/null
cmp /bytes /back || fail "bytes differ"
# Of all of that, from one number to the next, without what the host took: 1 to 2 accesses, 4 MB each way.
busy=$(cat /sys/module/disk_with_arm/parameters/busy_us)
[ "$busy" -ge 427000 ] && [ "$busy" -lt 460000 ] || fail "8 MB and their accesses are said to take $busy us"
accesses() { cat /sys/module/disk_with_arm/parameters/"$1"_accesses; }
[ "$(accesses write)" = 1 ] || fail "a write of 4 MB is $(accesses write) accesses"
before=$(accesses read)
taken=$(milliseconds sequential 500)
[ $(($(accesses read) - before)) = 1 ] || fail "500 pages one after the other are $(($(accesses read) - before)) accesses"
[ "$taken" -ge 100 ] || fail "500 pages one after the other took $taken ms"
before=$(accesses read)
taken=$(milliseconds scattered 40 7919)
[ $(($(accesses read) - before)) = 40 ] || fail "40 pages, each elsewhere, are $(($(accesses read) - before)) accesses"
[ "$taken" -ge 320 ] || fail "40 pages, each elsewhere, took $taken ms"
taken=$(milliseconds together)
[ "$taken" -ge 300 ] || fail "two readers are quicker than one: $taken ms" # two of their pages may lie side by side
rmmod disk_with_arm || fail rmmod
dd if=/dev/vda of=/back bs=64K count=64 iflag=direct 2>/dev/null
cmp /bytes /back || fail "bytes differ below"
! dmesg | grep -qE 'BUG:|WARNING:|Call Trace' || fail "the kernel complains"
