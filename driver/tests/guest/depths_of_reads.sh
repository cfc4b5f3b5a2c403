# SPDX-License-Identifier: GPL-2.0-only
# Which reads tell how deep their pages lay: those of pages that rest somewhere, not those of a page that is still being written.
. ./common.sh
. ./backing.sh
read -r seed <arguments
noise=$((seed + 4294967296)) # NOISE of some_pages.c
decisions() { awk '{ print $3 }' $block/pool_budget_stat; }

make_backing room 96 512
attach 64M
# They do not compress and nothing limits the pool, so they are forwarded to the device, which is given none of them for now.
hold submit_bio
./some_pages write $disk 0 64 $noise &
held
put auto $block/pool_budget || fail "pool_budget"
for turn in 1 2 3 4 5 6 7 8; do
	./some_pages read $disk 0 64 $noise || fail "read $turn"
done
expect backing_pages_in -eq 0
sleep 3
[ "$(decisions)" = 0 ] || fail "reads of pages in flight have been judged by: $(cat $block/pool_budget_stat)"
release
wait $! || fail "write"
# Once it rests there, such reads count.
waited=0
while [ "$(decisions)" = 0 ]; do
	./some_pages read $disk 0 64 $noise || fail "read from the device"
	waited=$((waited + 1))
	[ $waited -lt $long_wait ] || fail "no read is judged by: $(cat $block/pool_budget_stat)"
done
put 1 $block/reset
