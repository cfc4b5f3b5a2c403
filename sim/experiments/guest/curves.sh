# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# `items` documents or pages of the web are loaded `at_once` pages a step and paged through; a sample after each step. What the last
# five show is where memory has become short; before the first document its programs are not read yet.
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
sample 0
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
awk '$3 > 1048576 { some++; last = $4 / $3; if (last > most) most = last } END { if (some) printf "pool_share_most %.4f\npool_share_last %.4f\n", most, last }' /tmp/curve |
    while read -r name value; do metric "$name" "$value"; done
tail -n 5 /tmp/curve | awk '
    NR == 1 || $1 < least { least = $1 } $1 > most { most = $1 } NR == 1 || $2 < least_free { least_free = $2 } $2 > most_free { most_free = $2 }
    END { if (NR) { print "cached_kib", least; printf "cached_lost %.4f\n", (most - least) / most; print "free_kib", least_free; print "free_swing_kib", most_free - least_free } }' |
    while read -r name value; do metric "$name" "$value"; done
totals
look_again "$loaded"
