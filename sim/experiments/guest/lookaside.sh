# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# Files are read whole, four at a time as a build does, from a file system behind a slow link: as it is (engine disk), or by pages that
# pagepress takes from an image at hand where that has them, and from the link as streams. `rate` and `delay` are the link's, in bits a second
# and milliseconds there and back; `image` what is at hand: none, or a file of /data/versions. How long, what crossed, what was wrong.
. ./common.sh
# shellcheck disable=SC2154  # settings
data=/debian/data/versions
block=/sys/block/pagepress0
modprobe nbd nbds_max=2 max_part=0 || fail "the guest has no nbd"
echo sound >mode

# serve N FILE RATE DELAY [-w]: /dev/nbdN
serve() {
    cp "$2" "served$1" || fail "there is no $2"
    # shellcheck disable=SC2086  # no word at all for a device that is only read
    ./slow_device $5 "/dev/nbd$1" "served$1" mode "$3" "$4" >"there$1" &
    server=$!
    until grep -q there "there$1" && [ -e "/sys/block/nbd$1/pid" ] && [ "$(cat "/sys/block/nbd$1/size")" -gt 0 ]; do
        kill -0 $server 2>/dev/null || fail "nobody serves nbd$1: see the guest's console"
        sleep 0.1
    done
}

# rate BYTES TIMES WORDS-OF-DD...: that many megabits a second
rate() {
    local bytes=$1 times=$2
    shift 2
    echo 3 >/proc/sys/vm/drop_caches
    began=$(uptime_ms)
    dd bs="$bytes" count="$times" "$@" 2>/dev/null || fail "the device at hand fails"
    awk -v bits=$((bytes * times * 8)) -v ms=$(($(uptime_ms) - began)) 'BEGIN { printf "%.1f\n", bits / ms / 1000 }'
}

if [ "$image" = rates ]; then
    serve 1 $data/tree.ext4 "$near_rate" "$near_delay"
    serve 0 $data/tree.ext4 "$near_write_rate" "$near_delay" -w
    while read -r size bytes times; do
        # A failure of its own shell is not this one's.
        read_rate=$(rate "$bytes" "$times" if=/dev/nbd1 of=/dev/null iflag=direct) || exit 1
        write_rate=$(rate "$bytes" "$times" if=/dev/zero of=/dev/nbd0 oflag=direct) || exit 1
        metric "rate_$size" "$read_rate"
        metric "write_rate_$size" "$write_rate"
    done <<'SIZES'
4k 4096 200
16k 16384 100
64k 65536 40
256k 262144 16
1m 1048576 4
SIZES
    exit 0
fi

device=/dev/nbd0
case $swap_kind in
    disk) serve 0 $data/tree.ext4 "$rate" "$delay" ;;
    *)
        device=/dev/pagepress0
        serve 0 $data/origin.image "$rate" "$delay"
        [ "$image" = none ] || serve 1 "$data/$image.image" "$near_rate" "$near_delay"
        pages=$(($(stat -c %s $data/tree.ext4) / 4096))
        echo 1 >$block/reset
        cat $data/root >$block/origin_root || fail "no root hash" ;;
esac
mkdir -p /mnt
echo 3 >/proc/sys/vm/drop_caches
read -r _ _ before _ </sys/block/nbd0/stat
began=$(uptime_ms)
# What is attached has its index read, which is part of the time.
if [ "$swap_kind" != disk ]; then
    { echo /dev/nbd0 >$block/origin_dev && echo $((pages * 4096)) >$block/disksize; } || fail "no origin"
    [ "$image" = none ] || echo /dev/nbd1 >$block/lookaside_dev || fail "no image"
fi
mount -t ext4 -o ro,noload $device /mnt || fail "no file system"
for part in 0 1 2 3; do
    awk -v part=$part 'NR % 4 == part' $data/sums >"sums$part"
    { cd /mnt && sha256sum -c "/work/sums$part" >"/work/said$part" 2>/dev/null; } &
    readers="$readers $!"
done
# shellcheck disable=SC2086  # a word each
wait $readers
ms=$(($(uptime_ms) - began))
read -r _ _ after _ </sys/block/nbd0/stat
metric elapsed_s "$(awk -v ms=$ms 'BEGIN { printf "%.2f\n", ms / 1000 }')"
metric files "$(cat said? | grep -c ': OK$')"
metric wrong_files $(($(wc -l <$data/sums) - $(cat said? | grep -c ': OK$')))
metric link_kib $(((after - before) / 2))
[ "$swap_kind" != disk ] || exit 0
near=$(cat $block/pagepress/lookaside_pages_in)
all=$((near + $(cat $block/pagepress/origin_pages_in)))
metric pages $all
metric hit_share "$(awk -v near="$near" -v all=$all 'BEGIN { printf "%.4f\n", near / all }')"
metric lookaside_faults "$(cat $block/pagepress/lookaside_faults)"
metric failed_io "$(failed_transfers)"
case $image in origin) image=7.x ;; esac
awk -v version="$image" '$1 == version { print "common_by_file", $2; print "common_by_page", $3; print "least_hits", $4 }' $data/commonality | while read -r name value; do metric "$name" "$value"; done
