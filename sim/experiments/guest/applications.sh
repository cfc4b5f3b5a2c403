# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# Eight pages of the web, a document, a photograph, music and a film, started one after the other and all kept open: which of them
# come within `patience_s` seconds and live to the end; after a page of the web that does not come no further one is opened. Before
# that, on the fresh disk, the law of the classic table.
. ./common.sh
. ./readers.sh
# shellcheck disable=SC2154  # settings

case $areas in
    compressed) compressed_swap "$compressed_mb" ;;
    disk) swap_on /dev/mapper/swap 10 ;;
    both)
        compressed_swap "$compressed_mb"
        swap_on /dev/mapper/swap 10 ;;
esac
# The table of the first compressed swap devices, in the original's names, order and units.
classic_table() { pagepressctl status --ramzswap; }

if [ "$swap_kind" = pagepress ] && [ "$areas" != none ]; then
    # Each write is a page that is stored, or one of a single value; but for few that are freed: who reads the table comes out of memory that was swapped
    # out, and the kernel frees such pages as it brings them back, 64 at a time. Nothing else runs meanwhile.
    mkfifo /tmp/filler.says
    ./measure /tmp/filler ./fill "$fresh_mb" /debian/data/memory.pages --hold >/tmp/filler.says &
    exec 6</tmp/filler.says
    read -r filled _ <&6
    [ "$filled" = filled ] || fail "the program that fills the fresh disk ended before it had"
    classic_table | awk -F '[: ]+' '{ value[$1] = $2 } END {
        print "law_writes", value["NumWrites"]; print "law_freed", value["NotifyFree"]
        gap = value["NumWrites"] - value["PagesStored"] - value["ZeroPages"] - value["NotifyFree"]
        print "law_gap", gap < 0 ? -gap : gap }' |
        while read -r name number; do metric "$name" "$number"; done
    kill "$(pidof fill)"
    while [ ! -e /tmp/filler ]; do sleep 0.2; done
fi

started=0
step=0
sample 0
came() {
    step=$((step + 1))
    sample $step
    metric "$1" "$2"
    started=$((started + $2))
}
for number in $(seq 8); do
    start_reader "$number"
    ask "$number" loaded "load $pages" && sites=$number
    step=$((step + 1))
    sample $step
    [ "${sites:-0}" = "$number" ] || break # what comes no more does not come faster with one more beside it
done
metric web_pages "${sites:-0}"
what=documents
start_reader 9 && ask 9 loaded "load 20" && came document 1 || came document 0
# A player says how many frames it has played; it has begun when a second's worth is out.
play() {
    local name=$1
    shift
    ./measure "/tmp/$name" chroot /debian /usr/bin/ffmpeg -v error -nostdin -nostats -progress "/work/$name.progress" "$@" >/dev/null 2>&1 &
    until=$(($(uptime_ms) + patience_s * 1000))
    while [ "$(uptime_ms)" -lt $until ] && [ ! -e "/tmp/$name" ]; do
        grep -q "$played" "/work/$name.progress" 2>/dev/null && return 0
        sleep 0.5
    done
    grep -q "$played" "/work/$name.progress" 2>/dev/null
}
played='out_time_ms=[1-9]' play music -re -stream_loop 200 -i /data/music.oga -f null - && came music 1 || came music 0
# Backwards, and no faster than one would look: all its frames are held meanwhile.
played='frame=[1-9]' play video -i /data/film.avi -vf reverse,realtime -f null - && came video 1 || came video 0
# Where memory is used up it is shown after minutes, or never.
./measure /tmp/photograph chroot /debian /usr/bin/djpeg -bmp /data/baseline.jpg | md5sum >/tmp/sum.photograph &
photograph=$!
until=$(($(uptime_ms) + patience_s * 1000))
while [ ! -e /tmp/photograph ] && [ "$(uptime_ms)" -lt $until ]; do sleep 0.5; done
status=1
[ ! -e /tmp/photograph ] || read -r status _ </tmp/photograph
came photograph $((status == 0))
[ "$status" != 0 ] || {
    wait $photograph
    [ "$(cut -d ' ' -f 1 /tmp/sum.photograph)" = "$(cat /debian/data/baseline.sum)" ] && wrong=0 || wrong=1
    metric wrong_photographs $wrong
}
alive=0
for number in $(seq 9); do
    [ ! -e "/work/reader.$number.said" ] || [ -e "/work/reader.$number" ] || alive=$((alive + 1))
done
for name in music video; do
    # Still playing, or played to the end.
    [ -e "/tmp/$name" ] && ! grep -q '^0 ' "/tmp/$name" || alive=$((alive + 1))
done
metric alive $alive
metric all_started $((started == 4 && ${sites:-0} == 8 && alive == 11))
[ "$swap_kind" != pagepress ] || [ "$areas" = none ] || classic_table | while read -r name number unit; do
    echo "line $name $number $unit" >/dev/ttyS1
    metric "${name%:}" "$number"
done
totals
look_again 9
