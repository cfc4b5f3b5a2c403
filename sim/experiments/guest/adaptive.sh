# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# A program works in four parts of its memory in turn, with a pool of a static size before the disk. How long the disk is busy, in all and
# once a part has been gone through.
. ./common.sh
# shellcheck disable=SC2154  # settings

if [ "$swap_kind" = disk ]; then
    swap_on /dev/mapper/swap 10
else
    backing=/dev/mapper/swap compressed_swap "$swap_mb"
    if [ "$percent" = auto ]; then
        put auto pool_budget
    else
        put "$((memory_mb * 1024 * percent / 100))K" mem_limit
    fi
fi
# KiB that pool_budget=auto gives the pool, 0 where it decides nothing.
budget() { [ "$swap_kind" != pagepress ] && echo 0 || awk '{ print int($1 / 1024) }' /sys/block/pagepress0/pool_budget_stat; }
sample 0 "budget=$(budget)"
: >/tmp/fill.said
mkfifo /tmp/fill.goes_on
exec 5<>/tmp/fill.goes_on
# It notes itself how long the disk was busy: whoever asked when it has said so would count what it does meanwhile.
./measure /tmp/fill ./fill "$fill_mb" /debian/data/memory.pages --note "$busy_us" --check "$passes" --part 24 0 25 50 75 <&5 >/tmp/fill.said &
step=0
while [ ! -s /tmp/fill ] && ! grep -q '^worked' /tmp/fill.said; do # once it is there it is whole
    sleep 1
    step=$((step + 1))
    sample $step "budget=$(budget)"
done
# The last look at all memory, between the parts as well, is none of the work.
memory_totals
of_swap_disk
echo >&5
wait
read -r status _ </tmp/fill
metric succeeded $((status == 0))
wrong_pages /tmp/fill.said
[ "$status" = 0 ] || exit 0 # what was not done to its end costs nothing
metric faults "$(sed -n 's/^worked \([0-9]*\).*/\1/p' /tmp/fill.said)"
# A phase begins with the change, and time for the pool, which decides once a second; its last quarter is steady.
awk -v passes="$passes" '
    $1 == "filled" { before = $3 } $1 == "checked" { if (pass++ % passes >= passes * 3 / 4) { busy += $4 - before; ms += $2 } before = $4 }
    END { print "steady_ms", ms + 0; print "steady_busy_ms", int(busy / 1000) }' /tmp/fill.said | while read -r name value; do metric "$name" "$value"; done
metric phases_ms "$(awk '$1 == "checked" { ms += $2 } END { print ms + 0 }' /tmp/fill.said)"
disk_totals
