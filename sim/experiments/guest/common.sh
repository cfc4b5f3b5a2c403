# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=busybox
# Sourced by every scenario's script: the root disk, the swap of the engine, samples. `settings` comes from the scenario.
. ./settings
# shellcheck disable=SC2154  # settings

metric() { echo "metric $1 $2" >/dev/ttyS1; }
# output NAME SUM: of what a program made, which is the same whatever swaps beneath it; compared with what other guests say of that name.
output() { echo "output $2 $1" >/dev/ttyS1; }
say() { echo "say $*" >/dev/ttyS1; }
fail() { echo "trouble $*" >/dev/ttyS1; exit 1; }
# put VALUE NAME: to that file of the disk's. What it refuses would be measured at another value.
put() { echo "$1" >"/sys/block/pagepress0/$2" || fail "$2 takes no $1"; }

# Where the programs of Debian find their libraries; those of this shell are linked statically.
export LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu/blas:/usr/lib/x86_64-linux-gnu/lapack:/usr/lib/x86_64-linux-gnu/pulseaudio
export HOME=/tmp # without one ngspice falls

# A program of Debian, by its path: of its name alone busybox would make its own.
inside() { chroot /debian "$@"; }

# delay DEVICE NAME MILLISECONDS: /dev/mapper/NAME, the device that many milliseconds later; the device itself for 0.
delay() {
    if [ "$3" = 0 ]; then
        ln -sf "/dev/$1" "/dev/mapper/$2"
        return
    fi
    sectors=$(cat "/sys/block/$1/size")
    DM_DISABLE_UDEV=1 inside /sbin/dmsetup create "$2" --table "0 $sectors delay /dev/$1 0 $3" || fail "$1 cannot be delayed: see the guest's console"
}

# disk_with_arm DEVICE NAME: /dev/mapper/NAME, the device as a disk that does one thing at a time.
disk_with_arm() {
    insmod ./disk_with_arm.ko "device=/dev/$1" seek_us=$((swap_seek_ms * 1000)) bytes_a_second=$((swap_mb_a_second * 1000000)) || fail "$1 gets no arm: see the guest's console"
    ln -sf /dev/arm "/dev/mapper/$2"
}

# The scenario's root: programs and data on a disk as slow as the scenario says. What was unpacked into memory at the start goes.
prepare() {
    echo -1000 >/proc/self/oom_score_adj # not the experiment itself; `measure` and `free_to_kill` take it back
    echo 0 >/proc/sys/kernel/hung_task_timeout_secs 2>/dev/null
    echo 3 >/proc/sys/vm/drop_caches
    modprobe crc32c_generic 2>/dev/null
    modprobe ext4 2>/dev/null
    modprobe dm_delay || fail "the guest has no dm-delay"
    mkdir -p /debian /dev/mapper
    mount -t ext4 -o ro,noload /dev/vda /debian || fail "the root disk cannot be mounted"
    mount --bind /dev /debian/dev
    mount --bind /proc /debian/proc
    mount --bind /sys /debian/sys
    delay vdb root "$root_delay_ms"
    delay vdc swap "$swap_delay_ms"
    [ "$swap_seek_ms" = 0 ] || disk_with_arm vdc swap
    umount /debian/dev /debian/proc /debian/sys
    umount /debian
    mount -t ext4 -o ro,noload /dev/mapper/root /debian || fail "the delayed root disk cannot be mounted"
    mount --bind /dev /debian/dev
    mount --bind /proc /debian/proc
    mount --bind /sys /debian/sys
    mount --bind /work /debian/work
    mount --bind /tmp /debian/tmp # of programs that write aside
    rm -rf /modules
    # A pool in memory takes some whenever memory is short: a little more in reserve, for every engine.
    echo "${reserve_kb:-2048}" >/proc/sys/vm/min_free_kbytes
    [ -z "$swappiness" ] || echo "$swappiness" >/proc/sys/vm/swappiness
    echo 3 >/proc/sys/vm/drop_caches
}

# compressed_swap MEGABYTES [PRIORITY]: the engine's own, if it has one, of that size.
compressed_swap() {
    [ "$1" != 0 ] || return 0
    case $swap_kind in
        pagepress)
            echo 1 >/sys/block/pagepress0/reset
            [ -z "$backing" ] || put "$backing" backing_dev
            put "$1M" disksize
            swap_on /dev/pagepress0 "${2:-100}" ;;
        zram)
            modprobe lzo; modprobe lzo_rle; modprobe zram || fail "the guest has no zram"
            echo lzo >/sys/block/zram0/comp_algorithm
            echo "$1M" >/sys/block/zram0/disksize
            swap_on /dev/zram0 "${2:-100}" ;;
    esac
}

# disk_swap [PRIORITY] [MEGABYTES]: the slow disk, whole unless a size is given; of zswap, its front.
disk_swap() {
    [ "$swap_mb" != 0 ] || return 0
    if [ "$swap_kind" = zswap ]; then
        modprobe zsmalloc
        echo lzo >/sys/module/zswap/parameters/compressor
        # Newer kernels have no other pool, and a shrinker.
        [ ! -e /sys/module/zswap/parameters/zpool ] || echo zsmalloc >/sys/module/zswap/parameters/zpool
        [ ! -e /sys/module/zswap/parameters/shrinker_enabled ] || echo Y >/sys/module/zswap/parameters/shrinker_enabled
        echo "${zswap_percent:-40}" >/sys/module/zswap/parameters/max_pool_percent
        echo Y >/sys/module/zswap/parameters/enabled || fail "the guest has no zswap"
    fi
    swap_on /dev/mapper/swap "${1:-10}" "${2:+$(($2 * 1024))}"
}

# swap_on DEVICE PRIORITY [KIBIBYTES]: for the engine without swap nothing. busybox's swapon knows no priorities.
swap_on() {
    [ "$swap_kind" != none ] || return 0
    # shellcheck disable=SC2086  # no word at all for the whole device
    mkswap "$1" $3 >/dev/null || fail "mkswap $1 failed"
    inside /sbin/swapon -p "$2" "$1" || fail "swapon $1 failed"
}

of_meminfo() { sed -n "s/^$1: *\([0-9]*\).*/\1/p" /proc/meminfo; }
of_vmstat() { sed -n "s/^$1 //p" /proc/vmstat; }

# Of the pages in compressed memory, in bytes: their plain size, the memory that is allocated for them (of Pagepress with its table of slots), and that of
# their streams, which zswap does not tell.
compressed_bytes() {
    case $swap_kind in
        pagepress) cut -c 1-200 /sys/block/pagepress0/mm_stat ;;
        zram) [ ! -d /sys/block/zram0 ] || cat /sys/block/zram0/mm_stat ;;
        zswap) echo "$(($(cat /sys/kernel/debug/zswap/stored_pages) * 4096)) - $(cat /sys/kernel/debug/zswap/pool_total_size)" ;;
    esac 2>/dev/null | { read -r plain streams allocated _; echo "${plain:-0} ${allocated:-0} ${streams#-}"; }
}

# swapped out|in: pages that programs gave and took. zswap's pool counts apart; what it writes back later was counted when it came in.
swapped() {
    local pages
    pages=$(of_vmstat "pswp$1")
    if [ "$swap_kind" = zswap ]; then
        pages=$((pages + $(of_vmstat "zswp$1")))
        [ "$1" = in ] || pages=$((pages - $(cat /sys/kernel/debug/zswap/written_back_pages)))
    fi
    echo "$pages"
}

# sample STEP [NAME=NUMBER...]: what memory holds now, in KiB and pages.
sample() {
    local step=$1
    shift
    compressed_bytes | {
        read -r plain allocated streams
        echo "sample $step anonymous=$(of_meminfo AnonPages) cached=$(of_meminfo Cached) free=$(of_meminfo MemFree) swap_used=$(($(of_meminfo SwapTotal) - $(of_meminfo SwapFree)))" \
            "plain=$((plain / 1024)) pool=$((allocated / 1024))${streams:+ compressed=$((streams / 1024))}" \
            "swap_out=$(swapped out) swap_in=$(swapped in) faults=$(of_vmstat pgmajfault)" \
            "stalled_ms=$(sed -n 's/^full.*total=//p' /proc/pressure/memory | awk '{ print int($1 / 1000) }') uptime_ms=$(uptime_ms)" "$@"
    } >/dev/ttyS1
}

# What the swap disk was asked for, into reads, read_sectors, writes, write_sectors: of a disk with an arm, what it made an access of, and
# into busy_ms how long seeks and bytes took it.
of_swap_disk() {
    read -r reads _ read_sectors _ writes _ write_sectors _ </sys/block/vdc/stat
    [ "$swap_seek_ms" != 0 ] || return 0
    busy_ms=$(disk_busy_ms)
    reads=$(cat /sys/module/disk_with_arm/parameters/read_accesses)
    writes=$(cat /sys/module/disk_with_arm/parameters/write_accesses)
}

busy_us=/sys/module/disk_with_arm/parameters/busy_us
disk_busy_ms() { echo $(($(cat $busy_us) / 1000)); }

uptime_ms() { awk '{ print int($1 * 1000) }' /proc/uptime; }

# What any scenario reports at its end.
totals() {
    memory_totals
    of_swap_disk
    disk_totals
}

memory_totals() {
    metric swap_out_pages "$(swapped out)"
    metric swap_in_pages "$(swapped in)"
    metric major_faults "$(of_vmstat pgmajfault)"
    metric oom_kills "$(of_vmstat oom_kill)"
    compressed_bytes | {
        read -r plain allocated streams
        metric plain_kib $((plain / 1024))
        metric pool_kib $((allocated / 1024))
        [ -z "$streams" ] || metric compressed_kib $((streams / 1024))
    }
    [ "$swap_kind" != pagepress ] || metric failed_io "$(failed_transfers)"
}

failed_transfers() { echo $(($(cat /sys/block/pagepress0/pagepress/FailedReads) + $(cat /sys/block/pagepress0/pagepress/FailedWrites))); }

# Of what of_swap_disk has found.
disk_totals() {
    metric disk_reads "$reads"
    metric disk_read_sectors "$read_sectors"
    metric disk_writes "$writes"
    metric disk_write_sectors "$write_sectors"
    [ "$swap_seek_ms" = 0 ] || metric disk_busy_ms "$busy_ms"
}

# wrong_pages FILE: of all that `fill` has filled, by what it said there; nothing where it was killed before it had compared every page.
wrong_pages() { sed -n 's/^wrong //p' "$1" | while read -r pages _; do metric wrong_pages "$pages"; done; }

mount -t debugfs none /sys/kernel/debug 2>/dev/null
prepare
metric available_kib "$(of_meminfo MemAvailable)"
