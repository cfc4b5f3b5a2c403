# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# `items` documents or pages of the web are open, near the limit of memory. How long going through `pages` pages of each takes, and three times from each to
# the next and through `glance` pages of it, each page rendered anew; how many pages a second that is, and how often the slow disk of programs and documents was read meanwhile.
. ./common.sh
. ./readers.sh
# shellcheck disable=SC2154  # settings

start_desktop
compressed_swap "$size_mb"
[ "$swap_kind" != disk ] || disk_swap 10 "$size_mb"
root_reads() { sed 's/^ *\([0-9]*\).*/\1/' /sys/block/vdb/stat; }

step=0
viewers=0
for number in $(seq "$items"); do
    start_reader "$number"
    loaded=0
    while [ $loaded -lt "$pages" ]; do
        ask "$number" loaded "load $at_once" || break
        loaded=$((loaded + at_once))
        step=$((step + 1))
        sample $step
    done
    [ $loaded -lt "$pages" ] || viewers=$((viewers + 1))
done
metric loaded $viewers
before_reads=$(root_reads)
before_faults=$(of_vmstat pgmajfault)
begin=$(uptime_ms)
for number in $(seq "$items"); do
    before=$(uptime_ms)
    ask "$number" read "read $pages" || break
    metric "read_${number}_ms" $(($(uptime_ms) - before))
    gone_through=$number
done
before=$(uptime_ms)
for turn in 1 2 3; do
    [ "$gone_through" = "$items" ] || break
    for number in $(seq "$items"); do ask "$number" read "read $glance" || break 2; done
    metric switches $((turn * items))
    metric switch_ms $((($(uptime_ms) - before) / turn / items))
done
reads=$(($(root_reads) - before_reads))
ms=$(($(uptime_ms) - begin))
read=$(cat /work/reader.*.said | grep -c page)
metric pages_read "$read"
metric program_reads $reads
# Also where none was gone through, and patience was over.
metric pages_a_second "$(echo "$read $ms" | awk '{ printf "%.3f", $1 * 1000 / $2 }')"
if [ "$read" != 0 ]; then
    metric reads_a_page "$(echo "$reads $read" | awk '{ printf "%.3f", $1 / $2 }')"
    metric page_ms $((ms / read))
fi
metric read_faults $(($(of_vmstat pgmajfault) - before_faults))
totals
look_again "$items"
