# SPDX-License-Identifier: GPL-2.0-only
# Writes, discards and reads of the same slots at once: every page read is whole, and the last write stays.
. ./common.sh
read -r seed rounds <arguments
./race_blocks $disk "$seed" "$rounds" || fail "race_blocks $disk $seed $rounds"
expect card_pages_out -gt 100
expect card_mismatches -eq 0
expect FailedReads -eq 0
expect FailedWrites -eq 0
expect PagesStored -eq 8
sums_are_right
