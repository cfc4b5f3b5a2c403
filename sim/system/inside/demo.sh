# SPDX-License-Identifier: Apache-2.0
# The demo's part in the guest: swap on the disk, the hungry program, and the driver's own view while
# the memory is still held. `settings` (written by sim/system/demo) holds out, goal, pace, reserve, seed and lanes.
. ./settings
disk=/dev/pagepress0
ways=/sys/block/pagepress0/pagepress

fail() { echo "trouble $*" >/dev/ttyS1; exit 1; }

echo "$(uname -sr), $(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) KiB of memory"
# A store that lives in memory takes some whenever memory is short: keep a little more in reserve
# than the kernel would on so small a machine.
echo 4096 >/proc/sys/vm/min_free_kbytes
# shellcheck disable=SC2154  # from settings
echo "$reserve" >/proc/sys/vm/watermark_scale_factor
mkswap $disk || fail "mkswap $disk failed: see the guest's console"
swapon $disk || fail "swapon $disk failed: see the guest's console"
# A second swapon must be refused, or two users would share the disk.
! swapon $disk 2>/dev/null || fail "a second swapon of $disk was accepted"

# A simulated card is slower than this CPU: left to itself the driver would read most single pages here.
echo card >/sys/module/pagepress/parameters/read_path
at_end='echo "status $(pagepressctl status --json)" >/dev/ttyS1'
# The firmware tests a lane that broke: it says when it has done with it.
# shellcheck disable=SC2154  # from settings
[ "$lanes" = 0 ] || at_end='for second in $(seq 30); do pagepressctl log | grep -q "LANE_RETURNED\|LANE_OUT" && break; sleep 1; done
    echo "lanes $(pagepressctl lanes --json)" >/dev/ttyS1; echo "log $(pagepressctl log --json)" >/dev/ttyS1; '$at_end
# shellcheck disable=SC2154  # from settings
hungry --image /dev/vda --out "$out" --goal $ways/card_pages_out:"$goal" --goal $ways/card_pages_in:"$goal" \
    --pace "$pace" --seed "$seed" --report /dev/ttyS1 \
    --at-end "$at_end"
