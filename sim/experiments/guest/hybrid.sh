# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# Memory with a cold and a hot part, in a compressed area that takes less than all of it and a disk. `arrangement`: areas = the disk is
# a swap area of lower priority; backing = the disk stands behind the compressed one, and what
# was not used for `cold_s` seconds goes there. Where pages rest, tenth by tenth of their age, and who has to wait for the disk.
. ./common.sh
# shellcheck disable=SC2154  # settings

case $arrangement in
    areas)
        compressed_swap "$compressed_mb"
        swap_on /dev/mapper/swap 10 ;;
    backing)
        # The disk's size is what both together offer; mem_limit keeps in memory what the smaller area would.
        backing=/dev/mapper/swap compressed_swap $((compressed_mb + swap_mb))
        put "${limit_mb}M" mem_limit
        put "$cold_s" writeback_age ;;
    disk) swap_on /dev/mapper/swap 10 ;;
esac
# What is filled first is cold and not read again before all figures are taken; the last part is hot.
mkfifo /tmp/fill.says /tmp/fill.goes_on
exec 5<>/tmp/fill.goes_on
./measure /tmp/fill ./fill "$fill_mb" /debian/data/memory.pages --check "$passes" --part "$hot_percent" $((100 - hot_percent)) <&5 >/tmp/fill.says &
measured=$!
exec 4</tmp/fill.says
: >/tmp/fill.said
# hear WORD: takes down what the program says, until a line begins so or it has ended.
hear() {
    while read -r line <&4; do
        echo "$line" >>/tmp/fill.said
        case $line in
            filled*) filler=$(pidof fill) ;; # before it is needed: a round over memory that was not swapped out takes milliseconds
            "$1"*) break ;;
        esac
    done
}
hear checked

# Where pages rest while all of them are needed, after the first round. The program waits meanwhile, and what the look reads is not its doing.
looked_reads=0 looked_sectors=0 looked_ms=0
if kill -STOP "$filler" 2>/dev/null; then
    [ "$arrangement" != backing ] || behind="/dev/pagepress0 /sys/block/pagepress0/pagepress/backing_pages_in"
    of_swap_disk
    looked_reads=$reads looked_sectors=$read_sectors looked_ms=$busy_ms
    # shellcheck disable=SC2086  # two words or none
    ./pages_rest where "$filler" $behind >/tmp/rests || fail "where pages rest cannot be seen"
    of_swap_disk
    looked_reads=$((reads - looked_reads)) looked_sectors=$((read_sectors - looked_sectors)) looked_ms=$((busy_ms - looked_ms))
    kill -CONT "$filler"
    # Of each tenth: in memory, compressed in memory, on the disk.
    awk -v how="$arrangement" '
        how == "areas" { print $1, $2, $3, $4 }
        how == "backing" { print $1, $2, $3 - $5, $5 }
        how == "disk" { print $1, $2, 0, $3 }' /tmp/rests >/tmp/tenths
    awk '{ print "sample", $1, "memory=" $2, "compressed=" $3, "disk=" $4 }' /tmp/tenths >/dev/ttyS1
fi
hear worked
memory_totals
of_swap_disk
echo >&5
cat <&4 >>/tmp/fill.said
wait $measured
read -r status _ </tmp/fill
metric succeeded $((status == 0))
wrong_pages /tmp/fill.said
[ "$status" = 0 ] || exit 0 # what was not done to its end costs nothing
awk '{
        for (at = 2; at <= 4; at++) { all[at] += $at; sum[at] += $at * $1 }
    } END {
        split("- memory compressed disk", name)
        for (at = 2; at <= 4; at++) {
            print "metric in_" name[at] "_kib", all[at]
            if (all[at]) printf "metric %s_tenth %.2f\n", name[at], sum[at] / all[at]
        }
    }' /tmp/tenths >/dev/ttyS1
metric faults "$(sed -n 's/^worked //p' /tmp/fill.said)"
awk '$1 == "checked" { ms += $2 } $1 == "filled" { print "filled_ms", $2 } END { print "checked_ms", ms + 0 }' /tmp/fill.said | while read -r name value; do metric "$name" "$value"; done
reads=$((reads - looked_reads)) read_sectors=$((read_sectors - looked_sectors)) busy_ms=$((busy_ms - looked_ms))
disk_totals
