# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# A program's memory is swapped out while it stands still, and recompressed to the cold format; then it looks at every byte.
. ./common.sh
# shellcheck disable=SC2154  # settings
disk=/sys/block/pagepress0
of_disk() { cat "$disk/pagepress/$1"; }

recompress() {
    echo 1 >$disk/compact
    lzo=$(of_disk MemUsedTotal) lzo_bytes=$(of_disk ComprDataSize)
    metric swapped_pages "$(of_disk PagesStored)"
    metric lzo_kib $((lzo / 1024))
    sample 0
    echo all >$disk/idle
    begin=$(uptime_ms)
    for part in $(seq "$parts"); do
        echo "type=idle max_pages=$(($(of_disk PagesStored) / parts + 1))" >$disk/recompress || fail "no recompression"
        echo 1 >$disk/compact
        sample "$part"
    done
    echo type=idle >$disk/recompress || fail "no recompression"
    metric recompress_ms $(($(uptime_ms) - begin))
    echo 1 >$disk/compact
    cold=$(of_disk MemUsedTotal)
    metric cold_kib $((cold / 1024))
    metric of_lzo "$(echo "$cold $lzo" | awk '{ printf "%.3f", $1 / $2 }')"
    metric bytes_of_lzo "$(echo "$(of_disk ComprDataSize) $lzo_bytes" | awk '{ printf "%.3f", $1 / $2 }')"
    metric recompressed_pages "$(of_disk recompressed_pages)"
    metric in_vain "$(of_disk recompressions_in_vain)"
}

compressed_swap "$size_mb"
mkdir -p /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup && mkdir /sys/fs/cgroup/one && echo +memory >/sys/fs/cgroup/cgroup.subtree_control || fail "the guest has no cgroup2"
(
    echo 0 >/sys/fs/cgroup/one/cgroup.procs
    exec ./measure /tmp/fill ./fill "$fill_mb" /debian/data/memory.pages --check 1 >/tmp/fill.said
) &
# Stopped as soon as it is full: whatever it has looked at by then is swapped out all the same.
until grep -q filled /tmp/fill.said 2>/dev/null; do
    [ ! -e /tmp/fill ] || fail "the program ended before it had filled its memory"
    sleep 0.05
done
echo 1 >/sys/fs/cgroup/one/cgroup.freeze
# All that it has is asked for, more than once, as what was written is freed when reclaim comes by again.
for turn in $(seq 20); do echo "${fill_mb}M" >/sys/fs/cgroup/one/memory.reclaim 2>/dev/null; sleep 0.2; done
if [ "$swap_kind" = pagepress ]; then
    recompress
else
    echo 1 >/sys/block/zram0/compact
    metric lzo_kib "$(compressed_bytes | awk '{ print int($2 / 1024) }')"
fi

echo 0 >/sys/fs/cgroup/one/cgroup.freeze
until [ -s /tmp/fill ]; do sleep 0.2; done
read -r status _ </tmp/fill
[ "$status" = 0 ] || fail "the program ended with $status"
wrong_pages /tmp/fill.said
totals
