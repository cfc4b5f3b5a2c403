# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# Sourced after common.sh: documents in viewers, a desktop behind them.
# shellcheck disable=SC2154  # settings

# What a desktop held in memory: pages recorded of real programs, looked at once and then left alone.
start_desktop() {
    [ "${desktop_mb:-0}" != 0 ] || return 0
    # Not by `measure`: where memory ends, a document has to go.
    ./fill "$desktop_mb" /debian/data/desktop.pages --hold >/tmp/desktop.said &
    await /tmp/desktop.said filled 0 || fail "the desktop does not fit"
}

# await FILE WORD LINES: until the file has more than so many lines and its last begins with the word; 1 when patience is over or the
# program behind it has ended.
await() {
    local until lines
    until=$(($(uptime_ms) + patience_s * 1000))
    while :; do
        lines=$(wc -l <"$1")
        [ "$lines" -gt "$3" ] && [ "$(tail -n 1 "$1" | cut -d ' ' -f 1)" = "$2" ] && return 0
        [ ! -s "${1%.said}" ] && [ "$(uptime_ms)" -lt "$until" ] || return 1
        sleep 0.2
    done
}

# start_reader NUMBER: a viewer with that document (page of the web), nothing loaded.
start_reader() {
    mkfifo "/work/reader.$1.in"
    : >"/work/reader.$1.said"
    if [ "$what" = web ]; then set -- "$1" "/data/sites/$1.html"; else set -- "$1" "/data/$1.pdf"; fi
    # Open before it runs by itself: what is written to a pipe that nobody has open is lost.
    # shellcheck disable=SC2016  # its own shell's
    { ./measure "/work/reader.$1" sh -c 'echo $$ >"$0.pid"; exec "$@"' "/work/reader.$1" \
        chroot /debian /usr/bin/mutool run /work/reader.js "$2" "$dots" "/work/reader.$1.said" <&3 >/dev/null 2>&1 & } 3<>"/work/reader.$1.in"
}

# ask NUMBER ANSWER COMMAND...: 0 when the viewer has answered in time.
ask() {
    local number=$1 answer=$2 lines
    shift 2
    lines=$(wc -l <"/work/reader.$number.said")
    echo "$*" 1<>"/work/reader.$number.in"
    await "/work/reader.$number.said" "$answer" "$lines"
}

# look_again VIEWERS: when all else has been counted, whether every picture that the first so many viewers keep is still as it was rendered first, whatever was swapped
# meanwhile. A viewer that the kernel killed for want of memory keeps none; one that ended otherwise, or does not answer within minutes, is counted. The newest
# is first, whose pages are in memory, and each is closed then, which leaves its memory to the others. Without swap there is nothing to find.
look_again() {
    local number compared=0 not_compared=0
    patience_s=300
    [ "$swap_kind" = none ] || {
        for number in $(seq "$1" -1 1); do
            [ -e "/work/reader.$number.said" ] && ! was_killed "$number" || continue
            if ask "$number" browsed browse; then
                compared=$((compared + 1))
            elif ! was_killed "$number"; then
                not_compared=$((not_compared + 1))
            fi
            close_reader "$number"
        done
        metric viewers_compared $compared
        metric viewers_not_compared $not_compared
    }
    metric wrong_pictures "$(for said in /work/reader.*.said; do tail -n 1 "$said"; done | awk '{ wrong += $3 } END { print wrong + 0 }')"
}

# was_killed NUMBER: by SIGKILL, which the kernel sends where memory ends.
was_killed() { grep -qs '^137 ' "/work/reader.$1"; }

# close_reader NUMBER: when it has done what it was asked for.
close_reader() { echo close 1<>"/work/reader.$1.in"; }

# kill_reader NUMBER: at once, also while it loads; unless it has ended, or never began.
kill_reader() {
    [ -e "/work/reader.$1.pid" ] && [ ! -e "/work/reader.$1" ] || return 0
    kill -9 "$(cat "/work/reader.$1.pid")" 2>/dev/null
    while [ ! -e "/work/reader.$1" ]; do sleep 0.1; done
}

# Whether every viewer up to this one still lives.
all_alive() {
    for number in $(seq "$1"); do
        [ ! -e "/work/reader.$number" ] || return 1
    done
}
