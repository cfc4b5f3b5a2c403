# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# Sourced by swap-cache.sh: chunks of a megabyte, of pages of `data`, are written to a disk far larger than its backing device until
# that has no room. How much it holds, of its own size; how small the pages are there; whether each is as it was.
# shellcheck disable=SC2154  # settings
inside /sbin/swapoff /dev/pagepress0 || fail "swapoff failed" # written to as a disk
case $data in
    noise) ./noise 1 "$noise_bytes" 4096 256 >/tmp/chunk ;;
    memory) head -c 16777216 /debian/data/memory.pages >/tmp/chunk ;;
esac
stretch=$(($(wc -c </tmp/chunk) / 4096))
# fill ACTION: a chunk after the other is done, until one cannot be or `chunks` are; how many into `filled`, and transfers that had failed before the last into `failed`.
fill() {
    local chunk=0
    while [ "$chunk" -lt "$chunks" ] && failed=$(failed_transfers) && ./copy_pages "$1" /dev/pagepress0 /tmp/chunk 256 $((chunk * 256)) $((chunk * 256 % stretch)) 2>/dev/null; do
        chunk=$((chunk + 1))
    done
    filled=$chunk
}
chunks=$disk_mb
fill write
[ "$filled" -lt "$disk_mb" ] || fail "the disk has $disk_mb MB, and all of them found room"
refused=$(($(failed_transfers) - failed)) # of the chunk that found no room
backed=$(cat /sys/block/pagepress0/pagepress/backed_pages)
read -r room _ </sys/block/pagepress0/bd_stat
echo "$backed $room $swap_mb" | awk '{
    printf "metric device_capacity %.4f\nmetric device_page_share %.4f\nmetric device_use %.4f\n", $1 / $3 / 256, $2 / $1, $2 / $3 / 256
}' >/dev/ttyS1
chunks=$filled
fill check
metric wrong_chunks $((chunks - filled))
metric failed_io $(($(failed_transfers) - refused))
