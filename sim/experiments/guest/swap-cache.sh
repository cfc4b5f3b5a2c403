# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# `instances` of a program whose memory does not fit, on the disk alone or with a little compressed memory before it.
. ./common.sh
# shellcheck disable=SC2154  # settings

case $swap_kind in
    pagepress)
        backing=/dev/mapper/swap compressed_swap "${disk_mb:-$swap_mb}"
        [ -z "${clean_percent:-}" ] || put "$clean_percent" clean_percent
        put "${cache_kb:-$((cache_mb * 1024))}K" mem_limit ;;
    *) disk_swap ;;
esac
start() {
    case $program in
        fft) ./measure "/tmp/$1" ./fft "$fft_mb" ;;
        sort) head -c "$((text_mb << 20))" /debian/data/lines.txt | ./measure "/tmp/$1" chroot /debian /usr/bin/sort --parallel=1 -S "$((text_mb * 4))M" ;;
        # What else it says is how long it took.
        simulator) ./measure "/tmp/$1" chroot /debian /usr/bin/ngspice -b "/data/$circuit.cir" | grep '^average' ;;
        # Its frames are copied, as they are when they are shown: else none of them would be read again.
        xanim) ./measure "/tmp/$1" chroot /debian /usr/bin/ffmpeg -v error -nostdin -t "$film_s" -i /data/film.avi -vf reverse -f rawvideo - ;;
    esac 2>/dev/null | md5sum >"/tmp/sum.$1"
}
case $program in # of how much, or of what, it makes something
    fft) of=$fft_mb ;;
    sort) of=$text_mb ;;
    simulator) of=$circuit ;;
    xanim) of=$film_s ;;
esac
if [ "$program" = none ]; then
    . ./device_capacity.sh
    exit 0
fi
sample 0
children=
for instance in $(seq "$instances"); do
    start "$instance" &
    children="$children $!"
done
# shellcheck disable=SC2086  # numbers
wait $children
sample 1
alive=0 real_ms=0
for instance in $(seq "$instances"); do
    read -r status milliseconds _ <"/tmp/$instance"
    [ "$status" = 0 ] || continue
    alive=$((alive + 1)) real_ms=$((real_ms + milliseconds))
    output "$program $of" "$(cut -c 1-16 "/tmp/sum.$instance")"
done
metric alive $alive
metric killed $((instances - alive))
memory_totals
[ "$alive" = "$instances" ] || exit 0 # those that live had less to do and more memory
metric real_ms $((real_ms / instances))
of_swap_disk
disk_totals
out=$(swapped out)
if [ "$swap_kind" = pagepress ]; then
    ours=/sys/block/pagepress0/pagepress
    to_disk=$(($(cat $ours/forwarded_pages) + $(cat $ours/backing_pages_out)))
    [ "$write_sectors" = 0 ] || metric program_capacity "$(echo "$to_disk $write_sectors" | awk '{ printf "%.4f", $1 * 8 / $2 }')"
    metric newest_first_pages "$(cat $ours/inverted_pages)"
    for name in cleaning_waits memory_short_pages memory_waits backing_windows backing_window_pages; do metric "$name" "$(cat "$ours/$name")"; done
else
    to_disk=$((write_sectors / 8)) # as they are, also from zswap's pool
fi
[ "$writes" = 0 ] || metric pages_a_write "$(echo "$to_disk $writes" | awk '{ printf "%.2f", $1 / $2 }')"
[ "$out" = 0 ] || metric io_share "$(echo "$write_sectors $out" | awk '{ printf "%.4f", $1 / $2 / 8 }')"
