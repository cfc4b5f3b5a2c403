# SPDX-License-Identifier: GPL-2.0-only
# fio checks what it wrote with CRC32C: blocks of all sizes at random, many in flight; reads between the writes; each block
# discarded before it is written; one after the other. At the end all is discarded and read as zeros. Amount: megabytes of each. Sourced by integrity.sh.
part() { echo "--name=$1 --offset=$(($2 * amount))M --size=${amount}M"; }
# shellcheck disable=SC2046  # words
/usr/bin/fio --filename=$disk --direct=1 --ioengine=libaio --randseed="$seed" --refill_buffers --buffer_compress_percentage=60 \
	--verify=crc32c --verify_fatal=1 --verify_dump=0 --group_reporting --output=fio.log \
	$(part sizes 0) --rw=randwrite --iodepth=32 --bssplit=4k/40:8k/20:16k/15:64k/15:256k/10 \
	$(part mixed 1) --rw=randrw --iodepth=16 --bs=4k --verify_backlog=64 \
	$(part discarded 2) --rw=randtrimwrite --iodepth=16 --bsrange=4k-64k \
	$(part sequential 3) --rw=write --iodepth=4 --bs=128k || fail "fio: status $? $(tail -n 30 fio.log)"
grep -E 'err=|IO depths|issued' fio.log
[ "$(grep -c 'err= 0' fio.log)" -ge 1 ] && ! grep -q 'err= *[1-9]' fio.log || fail "fio: $(cat fio.log)"
blkdiscard $disk
expect PagesStored -eq 0
dd if=$disk bs=1M count=$((4 * amount)) iflag=direct 2>/dev/null | tr -d '\000' | cmp - /dev/null || fail "discarded pages are not zero"
