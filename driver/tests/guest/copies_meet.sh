# SPDX-License-Identifier: GPL-2.0-only
# The cleaner copies pages to the backing device; meanwhile they are overwritten, and somebody writes them back by name. Each of the
# two ends with its own copy: what was written last is read.
. ./common.sh
. ./backing.sh
read -r seed <arguments

make_backing room 96 512
attach 64M
pages write 0 256 "$seed"
pages write 256 256 "$seed"
hold submit_bio_wait 2
# High, with room left for what overwrites.
put $(($(value PagesUsed) * 4096 * 100 / 91)) $block/mem_limit
held
pages write 0 32 $((seed + 1))
write_back page_indexes=0-31 &
held 2
# Both copies are on their way; the cleaner's ends while the other still is.
release 1
await_growth cleaning_writes 0
release
wait $! || fail "write-back"
pages read 0 32 $((seed + 1))
pages read 32 224 "$seed"
pages read 256 256 "$seed"
expect FailedReads -eq 0
put 1 $block/reset
