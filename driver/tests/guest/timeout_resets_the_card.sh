# SPDX-License-Identifier: GPL-2.0-only
# Commands that take longer than timeout_ms: the card is reset, its pages are done in software, it comes back.
. ./common.sh
read -r seed rounds <arguments
put card /sys/module/pagepress/parameters/read_path
put 10 /sys/module/pagepress/parameters/timeout_ms
until [ -e enough ]; do
	./check_blocks $disk "$seed" 2 "$rounds" || exit 1
done &
checker=$!
await_growth card_timeouts 0
# From here on the card is given time: else it would fail again until it is given up.
put 10000 /sys/module/pagepress/parameters/timeout_ms
logged "a command took more than 10 ms"
await ready
logged "trying the card again"
expect card_resets -ge 1
await_growth card_pages_out "$(value card_pages_out)"
await_growth card_pages_in "$(value card_pages_in)"
touch enough
wait $checker || fail "check_blocks $disk $seed 2 $rounds"
expect redone_pages -ge 1
expect FailedReads -eq 0
expect FailedWrites -eq 0
sums_are_right
