# SPDX-License-Identifier: Apache-2.0
# Ten phases of swapping for the pictures: files in memory are read and rewritten, some that do not compress come in, and
# after half the time the card leaves. /dev/vda gets all figures as `pagepressctl metrics` tells them, each behind a line `@SECONDS`, and
# behind a line `@top` what `pagepressctl top` drew while there was a card. /dev/vdb is the backing device.
. ./says.sh
mount -t debugfs none /sys/kernel/debug 2>/dev/null
pagepressctl setup --size 192M --mem-limit 40M --writeback-device /dev/vdb pagepress0 || fail "setup"
mkdir -p /t && mount -t tmpfs -o size=300M none /t || fail "no tmpfs"
head -c 1048576 /bin/busybox >base
(
    while :; do
        read -r now _ </proc/uptime
        echo "@$now"
        pagepressctl metrics
        sleep 2
    done >figures
) &
sampler=$!
for phase in $(seq 10); do
    [ "$phase" != 6 ] || echo 1 >"/sys/bus/pci/devices/$(cat /sys/block/pagepress0/card/address)/remove"
    [ "$phase" != 5 ] || pagepressctl top --count 2 --interval 8 >screens &
    read -r begun _ </proc/uptime
    now=$begun
    count=0
    while [ $((${now%.*} - ${begun%.*})) -lt 18 ]; do
        count=$(((count + 1) % 12))
        in_group cp base "/t/$phase.$count" || fail "cp"
        [ $((phase % 3)) != 2 ] || in_group head -c 262144 /dev/urandom >"/t/noise.$count"
        in_group cmp base "/t/$phase.$count" || fail "a file has changed"
        read -r now _ </proc/uptime
    done
    [ "$phase" -lt 5 ] || rm -f "/t/$((phase - 4))".*
done
kill $sampler
{ cat figures && echo @top && cat screens; } >/dev/vda && sync || fail "the figures do not go out"
