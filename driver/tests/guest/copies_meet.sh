# SPDX-License-Identifier: GPL-2.0-only
# The cleaner copies pages to the backing device; meanwhile they are overwritten, and somebody writes them back by name. Each of the
# two ends with its own copy: what was written last is read.
. ./common.sh
. ./backing.sh
read -r seed <arguments
pages() { ./some_pages "$1" $disk "$2" "$3" "$4" || fail "some_pages $*"; }
# await_writes COUNT: until so many writes are in flight on the device
await_writes() {
	local waited=0
	until [ "$(awk '{ print $2 }' /sys/block/"${backing#/dev/}"/inflight)" -ge "$1" ]; do
		waited=$((waited + 1))
		[ $waited -lt 600 ] || fail "$1 writes are never in flight"
		sleep 0.1
	done
}

make_backing slow 96 512 4000000000
attach 64M
pages write 0 256 "$seed"
pages write 256 256 "$seed"
# High, with room left for what overwrites.
put $(($(value PagesUsed) * 4096 * 100 / 91)) $block/mem_limit
await_writes 1
pages write 0 32 $((seed + 1))
write_back page_indexes=0-31 &
await_writes 2
wait
pages read 0 32 $((seed + 1))
pages read 32 224 "$seed"
pages read 256 256 "$seed"
expect FailedReads -eq 0
put 1 $block/reset
