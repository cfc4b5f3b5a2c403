# SPDX-License-Identifier: GPL-2.0-only
# Commands that take longer than timeout_ms: the card is reset, its pages are done in software, it comes back.
. ./common.sh
read -r seed rounds <arguments
put 10 /sys/module/pagepress/parameters/timeout_ms
./check_blocks $disk "$seed" 2 "$rounds" || fail "check_blocks $disk $seed 2 $rounds"
expect card_timeouts -ge 1
expect card_resets -ge 1
expect redone_pages -ge 1
logged "a command took more than 10 ms"
logged "trying the card again"
put 10000 /sys/module/pagepress/parameters/timeout_ms
await ready
out=$(value card_pages_out)
./check_blocks $disk "$seed" 1 50 || fail "check_blocks $disk $seed 1 50"
[ "$(value card_pages_out)" -gt "$out" ] || fail "the card does not work again"
expect FailedReads -eq 0
expect FailedWrites -eq 0
sums_are_right
