# SPDX-License-Identifier: GPL-2.0-only
# Past mem_limit a write fails with ENOSPC, is counted, and what was stored stays; a higher limit lets it go on.
. ./common.sh
read -r seed <arguments
./noise "$seed" 8388608 >noise.bytes
put 4M $block/mem_limit
dd if=noise.bytes of=$disk bs=4096 oflag=direct 2>said && fail "8 MiB of noise fit under a limit of 4 MiB"
grep -q "No space left" said || fail "dd says $(cat said)"
expect FailedWrites -ge 1
stored=$(value PagesStored)
[ "$stored" -gt 500 ] || fail "only $stored pages were stored"
expect MemUsedTotal -le 4194304
dd if=$disk of=back bs=4096 count="$stored" iflag=direct 2>/dev/null
head -c $((stored * 4096)) noise.bytes | cmp - back || fail "what was stored has changed"
# An overwrite that finds no room leaves the old page.
dd if=noise.bytes of=$disk bs=4096 skip=1024 count=1 oflag=direct 2>/dev/null && echo "(one page still fitted)"
logged "mem_limit reached"
# A bio that stands for others too, one of which has failed: that it succeeded itself does not make the write a good one.
refused "No space left" insmod ./chained_bios.ko disk=$disk first=2046 second=2047
put 0 $block/mem_limit
refused "temporarily unavailable" insmod ./chained_bios.ko disk=$disk first=2046 second=2047
dd if=noise.bytes of=$disk bs=4096 oflag=direct 2>/dev/null || fail "without a limit noise does not fit"
dd if=$disk of=back bs=4096 count=2048 iflag=direct 2>/dev/null
cmp noise.bytes back || fail "noise has changed"
sums_are_right
