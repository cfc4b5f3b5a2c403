# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=dash
# In a guest with SYSTEMD=1: what pagepress.conf brought up by itself, then files in memory until it is full, which are
# compared with their originals. `expected` (beside this file): priority, disk size in KiB, and card, the card's engine or none; where
# there is a card the host kills it half-way. Each `report fail ...` is a promise that was not kept.
. ./expected
report() { echo "$*" >/dev/ttyS1; }
fail() {
    report "fail $*"
    echo "FAIL $*"
    failed=1
}
failed=0
STEP=2000 # pages to be swapped out before the card dies, and after it
# shellcheck disable=SC2154  # priority, size_kib, card: of ./expected
{
    [ "$(cat /run/system-state)" = running ] || fail "systemd says $(cat /run/system-state), not running"
    units=$(systemctl --failed --plain --no-legend --no-pager)
    [ -z "$units" ] || fail "units failed: $units"
    read -r _ kind area _ areas_priority <<END
$(grep '^/dev/pagepress0 ' /proc/swaps)
END
    [ "$kind" = partition ] || fail "no swap on /dev/pagepress0"
    [ "$areas_priority" = "$priority" ] || fail "the swap's priority is ${areas_priority:-none}, not $priority"
    # Of the disk the first page is the swap area's head.
    [ "$area" = $((size_kib - 4)) ] || fail "the swap has ${area:-no} KiB, not $((size_kib - 4))"
    for unit in pagepress-setup@pagepress0.service dev-pagepress0.swap pagepress-metrics.timer; do
        systemctl is-active --quiet $unit || fail "$unit is $(systemctl is-active $unit)"
    done
    grep -q '^pagepress_disksize_bytes' /var/lib/prometheus/node-exporter/pagepress.prom || fail "the timer wrote no figures"
    pagepressctl status >/run/status || fail "pagepressctl status ended with $?"
    state=$(awk '$1 == "card_state" { print $2 }' /run/status)
    [ "$card" = none ] || [ "$state" = ready ] || fail "the card's state is ${state:-not told}, not ready"
    [ "$card" != none ] || [ "$state" != ready ] || fail "there is no card, but its state is ready"
}

# Microseconds of the kernel's clock.
logged() { dmesg | sed -n "s/^\[ *\([0-9]*\)\.\([0-9]*\)\] $1.*/\1\2/p" | head -n 1; }
loaded=$(logged 'pagepress: loading out-of-tree module')
swap_on=$(logged 'Adding .* swap on \/dev\/pagepress0')
[ -n "$loaded" ] && [ -n "$swap_on" ] || fail "the kernel's log tells no time of module or swap"
report "milliseconds $(((swap_on - loaded) / 1000))"

swapped_out() { sed -n 's/^pswpout //p' /proc/vmstat; }
copies=0
# copy_until PAGES: copies of programs in memory, until so many pages were ever swapped out.
copy_until() {
    while [ "$(swapped_out)" -lt "$1" ]; do
        copies=$((copies + 1))
        [ $copies -le 40 ] || { fail "40 copies of the programs, and $(swapped_out) pages swapped out instead of $1"; break; }
        cp -a /usr/bin "/pages/$copies" || { fail "cannot copy: $(df /pages | tail -n 1)"; break; }
    done
}
mount -t tmpfs -o size=500M tmpfs /pages
copy_until $STEP
before=$(swapped_out)
report "pages_before $before"
if [ "$card" != none ]; then
    report kill-card now
    waited=0
    while pagepressctl status >/run/status && grep -q 'card_state *ready' /run/status && [ $waited -lt 300 ]; do
        # All copies in turn are more than memory holds: so the card is asked, whatever the host kills it at.
        cat "/pages/$((waited % copies + 1))"/* 2>/dev/null | cksum >/dev/null
        waited=$((waited + 1))
        sleep 0.2
    done
    report "state $(awk '$1 == "card_state" { print $2 }' /run/status)"
fi
copy_until $((before + STEP))
after=$(swapped_out)
report "pages_after $after"
for number in $(seq 1 $copies); do
    diff -r --no-dereference /usr/bin "/pages/$number" || fail "copy $number differs"
done
report "copies $copies copies of $(du -sk /usr/bin | cut -f 1) KiB"
systemctl is-active --quiet dev-pagepress0.swap || fail "dev-pagepress0.swap is no longer active"
umount /pages # memory for what comes back
size_kib=$((size_kib / 2))
sed -i "s/^size = .*/size = $((size_kib / 1024))/" /etc/systemd/pagepress.conf
sh -e ./after-a-change.sh || fail "what the manual page says after a change ends with $?"
grep -q "^/dev/pagepress0 .*[[:blank:]]$((size_kib - 4))[[:blank:]]" /proc/swaps || fail "the swap has not the new size: $(cat /proc/swaps)"
units=$(systemctl --failed --plain --no-legend --no-pager)
[ -z "$units" ] || fail "units failed at the end: $units"
exit $failed
