# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# `items` documents or pages of the web are loaded `at_once` pages a step and paged through; a sample after each step.
. ./common.sh
. ./readers.sh
# shellcheck disable=SC2154  # settings

start_desktop
compressed_swap "$size_mb"
take_sample() {
    sample "$1"
    echo "$(of_meminfo Cached) $(of_meminfo MemFree) $(compressed_bytes)" >>/tmp/curve
}
step=0
take_sample 0
loaded=0
for number in $(seq "$items"); do
    start_reader "$number"
    have=0
    while [ $have -lt "$pages" ]; do
        ask "$number" loaded "load $at_once" && all_alive "$number" || break 2
        have=$((have + at_once))
        step=$((step + 1))
        take_sample $step
    done
    ask "$number" browsed browse || break
    step=$((step + 1))
    take_sample $step
    loaded=$number
done
metric loaded "$loaded"
# Little in swap is mostly headers.
awk 'NR == 1 || $1 < cached { cached = $1 } NR == 1 || $2 < free { free = $2 } $3 > 1048576 { some++; good += $4 * 2 <= $3 }
    END { print "least_cached_kib", cached; print "least_free_kib", free; if (some) print "half_or_less", int(100 * good / some) }' /tmp/curve |
    while read -r name value; do metric "$name" "$value"; done
totals
