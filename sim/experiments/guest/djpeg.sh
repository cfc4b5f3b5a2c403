# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# `instances` times djpeg at once, of one picture: how many live, what the survivors took, and the sum of what they made. BMP files begin with the last row, so
# djpeg keeps the whole picture in memory. `kill_at_pages`: the card dies when so many pages were swapped out.
. ./common.sh
# shellcheck disable=SC2154  # settings

disk_swap
compressed_swap "$compressed_mb"
sample 0
children=
for instance in $(seq "$instances"); do
    ./measure "/tmp/$instance" chroot /debian /usr/bin/djpeg -bmp "/data/$picture.jpg" 2>/dev/null | md5sum >"/tmp/sum.$instance" &
    children="$children $!"
done
(
    step=1
    while sleep 0.25; do
        sample $step
        step=$((step + 1))
        # The session kills the card once, however often it is told.
        [ -z "$kill_at_pages" ] || [ "$(of_vmstat pswpout)" -lt "$kill_at_pages" ] || echo kill-card >/dev/ttyS1
    done
) &
sampler=$!
# shellcheck disable=SC2086  # numbers
wait $children
kill $sampler
for instance in $(seq "$instances"); do
    read -r status _ <"/tmp/$instance"
    [ "$status" != 0 ] || output "$picture" "$(cut -c 1-16 "/tmp/sum.$instance")"
done

cat /tmp/[0-9]* | awk '
    $1 == 0 { alive++; real += $2; user += $3; system_time += $4; faults += $5 }
    $1 > 128 { killed++ }
    END {
        print "survivors", alive + 0; print "killed", killed + 0
        if (alive) { print "real_ms", int(real / alive); print "cpu_ms", int(user / alive); print "system_ms", int(system_time / alive); print "faults", int(faults / alive) }
    }' | while read -r name value; do metric "$name" "$value"; done
totals
[ "$swap_kind" = pagepress ] || exit 0
# A card that has died stays bound to its driver, which may take timeout_ms to notice: by then the last picture is long made.
gone() { [ "$(cat /sys/block/pagepress0/pagepress/card_state)" != ready ]; }
patience_s=30
while [ -n "$kill_at_pages" ] && ! gone && [ $patience_s -gt 0 ]; do
    sleep 1
    patience_s=$((patience_s - 1))
done
metric card_gone "$(if gone; then echo 1; else echo 0; fi)"
