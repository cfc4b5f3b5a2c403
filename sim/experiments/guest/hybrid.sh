# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# Memory with a cold and a hot part, in a compressed area that takes less than all of it and a disk. `arrangement`: areas = the disk is
# a swap area of lower priority; backing = the disk stands behind the compressed one, and what
# was not used for `cold_s` seconds goes there. Where pages rest, and who has to wait for the disk.
. ./common.sh
# shellcheck disable=SC2154  # settings

case $arrangement in
    areas)
        compressed_swap "$compressed_mb"
        swap_on /dev/mapper/swap 10 ;;
    backing)
        # The disk's size is what both together offer; mem_limit keeps in memory what the smaller area would.
        backing=/dev/mapper/swap compressed_swap $((compressed_mb + swap_mb))
        echo "${limit_mb}M" >/sys/block/pagepress0/mem_limit
        echo "$cold_s" >/sys/block/pagepress0/writeback_age ;;
    disk) swap_on /dev/mapper/swap 10 ;;
esac
sample 0
# What is filled first is cold and never read again; the last part is hot.
./measure /tmp/fill ./fill "$fill_mb" /debian/data/memory.pages --check "$passes" --part "$hot_percent" $((100 - hot_percent)) >/tmp/fill.said &
step=0
while [ ! -e /tmp/fill ]; do
    sleep 2
    step=$((step + 1))
    sample $step
    # Where pages rest while all of them are needed: the last look before the program ended.
    compressed_bytes >/tmp/bytes.now
    [ "$swap_kind" != pagepress ] || cat /sys/block/pagepress0/pagepress/backed_pages >/tmp/backed.now
    awk '$1 ~ /dm-|mapper|vdc/ { print $4 }' /proc/swaps >/tmp/on_disk.now
    [ ! -e /tmp/fill ] || break
    for name in bytes backed on_disk; do [ ! -s /tmp/$name.now ] || mv /tmp/$name.now /tmp/$name; done
done
read -r status _ _ _ faults _ </tmp/fill
metric succeeded $((status == 0))
metric wrong_pages "$(awk '$1 == "checked" { wrong += $3 } END { print wrong + 0 }' /tmp/fill.said)"
metric faults "$faults"
read -r plain _ </tmp/bytes 2>/dev/null
metric in_compressed_kib $((${plain:-0} / 1024))
metric backed_kib $(($(cat /tmp/backed 2>/dev/null || echo 0) * 4))
metric in_disk_area_kib "$(cat /tmp/on_disk 2>/dev/null || echo 0)"
[ "$swap_kind" != pagepress ] || metric backing_pages_in "$(cat /sys/block/pagepress0/pagepress/backing_pages_in)"
awk '$1 == "checked" { ms += $2 } $1 == "filled" { print "filled_ms", $2 } END { print "checked_ms", ms + 0 }' /tmp/fill.said | while read -r name value; do metric "$name" "$value"; done
totals
