# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# Documents are opened and paged through, one after the other, until one does not come within `patience_s` seconds or one that is open
# is killed: how many were open. A sample after each step: odd ones open, even ones page.
. ./common.sh
. ./readers.sh
# shellcheck disable=SC2154  # settings

# stored [PREFIX]: what compressed memory takes for what it holds, by metrics whose names begin so.
stored() {
    compressed_bytes | awk -v of="$1" '$1 {
        print of "plain_kib", int($1 / 1024); printf "%sstored_share %.4f\n", of, $2 / $1
        if (NF > 2) printf "%sstream_share %.4f\n", of, $3 / $1 }' |
        while read -r name value; do metric "$name" "$value"; done
}

start_desktop
case $swap_kind in
    pagepress | zram) compressed_swap "$size_mb" ;;
    disk | zswap) disk_swap 10 "$size_mb" ;;
esac
sample 0
open=0
next=0
step=0
while [ $open -lt "$limit" ]; do
    next=$((open + 1))
    start_reader $next
    ask $next loaded "load $pages" && all_alive $next || break
    step=$((step + 1))
    sample $step
    ask $next browsed browse && all_alive $next || break
    step=$((step + 1))
    sample $step
    open=$next
    metric open $open
    stored
done
metric open $open
totals
# The one that did not come would go on loading, and take memory from those that did.
[ $next = $open ] || kill_reader $next
# When the desktop has gone, only the viewers' pages are left; holes that its pages leave are not their memory.
if [ "${desktop_mb:-0}" != 0 ]; then
    desktop=$(pidof fill)
    kill "$desktop"
    wait "$desktop"
    for disk in pagepress0 zram0; do
        [ ! -e /sys/block/$disk/compact ] || echo 1 >/sys/block/$disk/compact
    done
    stored viewers_
fi
look_again $open
