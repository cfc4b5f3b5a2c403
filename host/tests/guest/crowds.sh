# SPDX-License-Identifier: Apache-2.0
# Several operators at once, one without rights, and a card that leaves, dies and comes back under doctor's eyes. Beside it says.sh, and
# for a card of the model common.sh, whose control socket this needs (CONTROL=1).
. ./common.sh
. ./says.sh
mount -t debugfs none /sys/kernel/debug 2>/dev/null
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
mkdir -p /etc && echo "user:x:1000:1000::/:/bin/sh" >/etc/passwd && chmod 755 /work 2>/dev/null
card=
[ ! -e "$block/card/address" ] || card=$(cat $block/card/address)

# ---- at once ----
count=0
begin() {
    count=$((count + 1))
    (
        "$@" >"said.$count" 2>"complaint.$count"
        echo "$? $*" >"ended.$count"
    ) &
}
# all_end STATUS...: each with one of these; who fails says one line why
all_end() {
    wait
    for number in $(seq $count); do
        read -r status command <"ended.$number"
        case " $* " in *" $status "*) ;; *) fail "'$command' ends with $status: $(cat "said.$number" "complaint.$number")" ;; esac
        [ "$status" = 0 ] || [ -s "said.$number" ] || [ "$(wc -l <"complaint.$number")" = 1 ] || fail "'$command' complains: $(cat "complaint.$number")"
    done
    count=0
}
# swaps NUMBER: so many disks are swap, and every other has no size
swaps() {
    [ "$(grep -c ^/dev/pagepress /proc/swaps)" = "$1" ] || fail "not $1 swap areas: $(cat /proc/swaps)"
    for disk in /sys/block/pagepress*; do
        [ ! -e "$disk" ] || grep -q "^/dev/${disk##*/} " /proc/swaps || [ "$(cat "$disk/disksize")" = 0 ] || fail "${disk##*/} is half made"
    done
}
ends 0 pagepressctl reset --all --remove
for _ in $(seq 5); do begin pagepressctl setup --size 8M; done
all_end 0
swaps 5
for _ in $(seq 4); do begin pagepressctl reset --all --remove; done
all_end 0
swaps 0
[ -z "$(ls -d /sys/block/pagepress* 2>/dev/null)" ] || fail "there are disks left"
for _ in $(seq 4); do begin pagepressctl setup --size 8M pagepress1; done
all_end 0 5
[ "$(cat said.1 said.2 said.3 said.4 | grep -c "pagepress1: 8 MiB, swap")" = 1 ] || fail "setup of one disk: $(cat said.? complaint.?)"
swaps 1
for _ in 1 2 3; do
    for size in 8M 16M 24M; do begin pagepressctl setup --size $size; done
    for _ in 1 2; do begin pagepressctl reset --all --remove; done
    for _ in 1 2; do begin pagepressctl bench --size 1M --card-only --force; done
    for words in "list" "metrics" "list --json"; do
        # shellcheck disable=SC2086  # words of their own
        begin pagepressctl $words
    done
    # bench wants a card; reset refuses the disk that bench has open.
    all_end 0 1 5
    swaps "$(grep -c ^/dev/pagepress /proc/swaps)"
    for number in 1 2 3; do [ "$(cut -d ' ' -f 1 <"ended.$number")" = 0 ] || fail "$(cat "ended.$number" "complaint.$number")"; done
done
ends 0 pagepressctl reset --all --remove
ends 0 pagepressctl setup --size 32M

# ---- without rights ----
# as_user STATUS WORDS...: what pagepressctl WORDS says to a user without rights
as_user() {
    local wanted=$1
    shift
    ends "$wanted" su user -c "pagepressctl $*"
}
for words in list "list --json" status "status --ramzswap" "top --once" metrics "setup --dry-run" "reset --all --dry-run" "image --help"; do as_user 0 "$words"; done
for words in setup "setup pagepress0" "reset --all" "reset pagepress0 --remove" bench trace; do
    as_user 5 "$words"
    has "be root"
    [ "$(wc -l <said)" = 1 ] || fail "'$words' without rights: $(cat said)"
done
swaps 1
if [ -z "$card" ]; then
    as_user 6 doctor
    has "no card on the bus"
    for words in regs log telemetry "firmware list" selftest; do
        as_user 1 "$words"
        has "no Pagepress card on the bus"
    done
    exit 0
fi
shown=/sys/bus/pci/devices/$card/management
# until_is VALUE FILE
until_is() {
    local waited=0
    until [ "$(cat "$shown/$2" 2>/dev/null)" = "$1" ]; do
        waited=$((waited + 1))
        [ $waited -lt $long_wait ] || fail "$2 is $(cat "$shown/$2"), not $1"
        sleep 0.1
    done
}
# answered VALUE: of the firmware, as metrics has it
answered() { pagepressctl metrics | grep -qx "pagepress_firmware_answers{card=\"$card\"} $1" || fail "metrics do not say $1: $(pagepressctl metrics | grep firmware)"; }
until_is running state
for words in log telemetry "firmware list"; do as_user 0 "$words"; done
for words in selftest "firmware rollback" regs; do
    as_user 5 "$words"
    has "be root"
    [ "$(wc -l <said)" = 1 ] || fail "'$words' without rights: $(cat said)"
done
as_user 0 doctor

# ---- firmware that is mute, dead, on trial ----
open_control
ends 0 pagepressctl doctor
has "firmware 1.0.0 of slot A runs"
answered 1
pagepressctl metrics | grep -q "^pagepress_firmware_temperature_celsius{card=\"$card\"} 4[0-9]" || fail "no temperature: $(pagepressctl metrics | grep firmware)"
tell firmware mute
ends 6 pagepressctl doctor
has "the card's firmware does not answer (running)"
answered 0
tell firmware well
tell flash dead
echo restart >"$shown/control"
until_is dead state
ends 6 pagepressctl doctor
has "its firmware is dead"
answered 0
pagepressctl top --once >said
has "$card  firmware dead"
tell flash well
echo restart >"$shown/control"
until_is running state
ends 0 pagepressctl doctor
has "restarted"

# ---- a card that comes and goes ----
doctors() {
    while [ ! -e done ]; do
        for words in doctor "doctor --json" metrics "top --once"; do
            # shellcheck disable=SC2086  # words of their own
            pagepressctl $words >"seen" 2>"seen.errors"
            status=$?
            case $status in 0 | 6 | 7) ;; *) echo "$words ends with $status: $(cat seen.errors)" && return ;; esac
            ! grep "one version" seen || return
            [ ! -s seen.errors ] || { cat seen.errors && return; }
        done
    done
}
doctors >unwell &
watcher=$!
drivers=/sys/bus/pci/drivers/pagepress
for _ in 1 2 3 4 5; do
    echo "$card" >$drivers/unbind
    ends 7 pagepressctl doctor
    has "no driver has this card"
    hasnot "firmware"
    echo "$card" >$drivers/bind
done
await ready
until_is running state
tell arm dead # off the bus, as by a surprise
echo 1 >"/sys/bus/pci/devices/$card/remove"
ends 6 pagepressctl doctor
has "no card on the bus"
hasnot "firmware"
tell clear
echo 1 >/sys/bus/pci/rescan
await ready
until_is running state
touch done
wait $watcher
[ ! -s unwell ] || fail "while the card came and went: $(cat unwell)"
ends 0 pagepressctl doctor
has "firmware 1.0.0 of slot A runs"
ends 0 pagepressctl reset --all
