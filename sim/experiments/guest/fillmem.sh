# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# Memory is filled and read back while other programs hold some: whether that succeeds, how long it takes, where the pages are.
. ./common.sh
# shellcheck disable=SC2154  # settings

./measure /tmp/others ./fill "$others_mb" /debian/data/memory.pages --hold >/tmp/others.said &
until grep -q filled /tmp/others.said || [ -e /tmp/others ]; do sleep 0.2; done
case $areas in
    compressed) compressed_swap "$compressed_mb" ;;
    disk) swap_on /dev/mapper/swap 10 ;;
    both)
        compressed_swap "$compressed_mb"
        swap_on /dev/mapper/swap 10 ;;
esac
sample 0
./measure /tmp/fill ./fill "$fill_mb" /debian/data/memory.pages --check 1 >/tmp/fill.said
sample 1
read -r status _ _ system_ms faults _ </tmp/fill
# Whoever holds most is killed: the memory was there only if the others live too.
[ ! -e /tmp/others ] && others_live=1 || others_live=0
metric succeeded $((status == 0 && others_live))
metric killed $(((status > 128) + (others_live == 0)))
wrong_pages /tmp/fill.said
awk '$1 == "filled" || $1 == "checked" { print $1 "_ms", $2 }' /tmp/fill.said | while read -r name value; do metric "$name" "$value"; done
metric system_ms "$system_ms"
metric faults "$faults"
totals
