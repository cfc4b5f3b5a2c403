# SPDX-License-Identifier: Apache-2.0
# pagepressctl as an operator uses it: the lines of the manual page's examples, one after the other (beside this script, in
# `examples`), and after each of them what must have come of it. The machine has one card, one disk that nobody uses, and a swap partition.
. ./says.sh

mount -t tracefs none /sys/kernel/tracing 2>/dev/null
mount -t debugfs none /sys/kernel/debug 2>/dev/null
modprobe ext4 && modprobe null_blk nr_devices=1 && ln -s nullb0 /dev/sdb1 || fail "no device to write back to"
ln -s vda /dev/sda2 && mkswap /dev/sda2 >/dev/null && swapon /dev/sda2 && head -c 4096 /dev/sda2 >header || fail "no swap partition"
ram=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
half=$((ram / 2 / 4 * 4096))
head -c 1000000 /bin/busybox >disk.copy

while read -r line <&4; do
    echo "# $line"
    sh -c "$line" >said 2>&1 || {
        status=$?
        # On a busy host a simulated card is slow, and doctor is right to say so; nothing else may be wrong.
        case $line$status in
        *doctor6) ! grep -E '^(warning|error)' said | grep -vE 'card_late|full_wait_us' || fail "doctor: $(cat said)" ;;
        *) fail "'$line' ends with $status: $(cat said)" ;;
        esac
    }
    case $line in
    *"setup --dry-run"*)
        has "echo $half >/sys/block/pagepress0/disksize"
        has "swapon --priority 100 /dev/pagepress0"
        grep -q pagepress /proc/swaps && fail "a dry run turned swap on"
        ;;
    *"--priority 100"*)
        has "swap, priority 100, card ready"
        grep -q "^/dev/pagepress0 .*[[:blank:]]100$" /proc/swaps || fail "no swap: $(cat /proc/swaps)"
        [ "$(cat /sys/block/pagepress0/disksize)" = $half ] || fail "disksize is $(cat /sys/block/pagepress0/disksize), not $half"
        # Work for the card: files of a tmpfs, of a group that may have a third of them in memory.
        mkdir -p /t && mount -t tmpfs none /t || fail "no tmpfs"
        head -c 1048576 /bin/busybox >base
        for count in $(seq 24); do in_group cp base /t/$count || fail "cp"; done
        files_are_right
        [ "$(pages card_pages_out)" -ge 300 ] || fail "only $(pages card_pages_out) pages by the card"
        ;;
    *list) has "swap, priority 100" && has ready ;;
    *status*) has "NumWrites" && has "card_pages_out" ;;
    *doctor)
        has "good    card           ready"
        has "good    pagepress0     swap, priority 100"
        ;;
    *"top --once") has "card ready" && has "card_write" && has "0000:01:00.0 0" && has "OUT/s" ;;
    *metrics*)
        grep -q "^pagepress_card_pages_out_total{device=\"pagepress0\"} [1-9]" pagepress.prom || fail "metrics: $(cat pagepress.prom)"
        pagepressctl metrics | tail -n 1 | grep -qx "# EOF" || fail "metrics have no end"
        ;;
    *trace*)
        head -c 15 trace.json | grep -q '{"traceEvents"' || fail "trace: $(head -c 300 trace.json)"
        [ -z "$(ls /sys/kernel/tracing/instances)" ] || fail "the trace's buffer is still there"
        ;;
    *regs*)
        has "MAGIC                  52504750" && has "READY 1" && has "PAGES_COMPRESSED"
        rm -rf /t/* # memory for what follows
        ;;
    *"adopt --dry-run"*)
        has "swapoff /dev/vda" && has "swapon --priority 100 /dev/pagepressN"
        grep -q "^/dev/vda " /proc/swaps || fail "a dry run turned swap off"
        ;;
    *"adopt --undo"*)
        has "/dev/vda: plain swap again, on; pagepress1: reset"
        grep -q "^/dev/vda " /proc/swaps || fail "the partition is no swap: $(cat /proc/swaps)"
        head -c 4096 /dev/vda | cmp - header || fail "the partition has another header"
        ;;
    *adopt*)
        has "pagepress1: 128 MiB, swap, priority 40, backed by /dev/vda"
        [ "$(cat /sys/block/pagepress1/backing_dev)" = /dev/vda ] || fail "backing_dev is $(cat /sys/block/pagepress1/backing_dev)"
        ;;
    *"--writeback-device"*)
        has "pagepress1: 64 MiB, swap, priority 50, backed by /dev/sdb1"
        [ "$(cat /sys/block/pagepress1/backing_dev)" = /dev/sdb1 ] || fail "backing_dev is $(cat /sys/block/pagepress1/backing_dev)"
        ;;
    *bench*)
        grep -Eq '^card .* [1-9][0-9]* %' said || fail "the card did nothing: $(cat said)"
        [ ! -e /sys/block/pagepress2 ] || fail "bench leaves its disk"
        ;;
    *"reset pagepress1")
        has "pagepress1: reset"
        grep -q pagepress1 /proc/swaps && fail "swap is still on"
        [ "$(cat /sys/block/pagepress1/backing_dev)" = none ] || fail "the backing device is still there"
        ;;
    *"reset --all --remove")
        [ -z "$(ls -d /sys/block/pagepress* 2>/dev/null)" ] || fail "there are disks left"
        ;;
    *"image pack"*) has "pages     245 of 4096 bytes" ;;
    *"image verify"*) has "disk.image: verified" ;;
    *) fail "the manual page has an example that is not checked: $line" ;;
    esac
    case $line in *"--once"*)
        # Pages in flight while the kernel is traced.
        pagepressctl trace --count 20 --json >traced &
        tracer=$!
        until ls /sys/kernel/tracing/instances/* >/dev/null 2>&1; do sleep 0.1; done
        while kill -0 $tracer 2>/dev/null; do files_are_right; done
        wait $tracer || fail "trace"
        [ "$(wc -l <traced)" = 20 ] || fail "trace shows other than 20 pages: $(cat traced)"
        grep -q '"by":"card".*"status":"' traced || fail "no page of the card in the trace: $(cat traced)"
        # A reader that has seen enough, and a full disk, end it, and the kernel traces no more.
        for output in pipe full; do
            rm -f ended
            if [ $output = pipe ]; then (pagepressctl trace 2>said; echo $? >ended) | head -n 1 >traced & else (pagepressctl trace 2>said >/dev/full; echo $? >ended) & fi
            tracer=$!
            until ls /sys/kernel/tracing/instances/* >/dev/null 2>&1; do sleep 0.1; done
            while [ -n "$(ls /sys/kernel/tracing/instances)" ]; do files_are_right; done
            wait $tracer
            until [ -s ended ]; do sleep 0.1; done
            [ "$(cat ended)" = 4 ] || fail "a trace into a $output ends with $(cat ended): $(cat said)"
        done
        [ "$(wc -l <traced)" = 1 ] || fail "a trace into head: $(cat traced)"
        ;;
    esac
done 4<examples

# From nothing: the first disk is made, used, measured against software, refused where it is in use.
ends 6 pagepressctl doctor
has "there is no disk"
ends 0 pagepressctl setup --size 32M --no-swap
has "pagepress0: 32 MiB, a disk, card ready"
ends 0 pagepressctl bench --json --size 4M pagepress0
has '"way":"card"' && has '"way":"software","write_bytes_per_second":' && hasnot '"wrong_pages":1'
grep -q '"way":"software".*"card_pages_out":0,' said || fail "software's figures are of the card: $(cat said)"
[ "$(cat /sys/block/pagepress0/card/present)" = 1 ] || fail "bench keeps the card"
[ "$(cat /sys/module/pagepress/parameters/read_path)" = auto ] || fail "bench leaves read_path changed"
ends 0 pagepressctl setup pagepress0 --priority 7
ends 5 pagepressctl setup pagepress0
has "in use: swap, priority 7"
ends 5 pagepressctl bench pagepress0 --size 1M
ends 0 pagepressctl reset pagepress0
ends 0 pagepressctl setup --no-swap --size 16M pagepress0
mke2fs -b 4096 /dev/pagepress0 >/dev/null 2>&1 && mkdir -p /m && mount -t ext4 /dev/pagepress0 /m || fail "no file system"
ends 5 pagepressctl reset pagepress0
has "mounted on /m"
ends 5 pagepressctl setup pagepress0
umount /m
ends 5 pagepressctl setup pagepress0
has "--force drops it"
ends 0 pagepressctl setup --force pagepress0
# The card leaves: swap goes on, and doctor says so.
echo 1 >"/sys/bus/pci/devices/$(cat /sys/block/pagepress0/card/address)/remove"
ends 6 pagepressctl doctor --quiet
has "no card on the bus"
ends 0 pagepressctl reset --all
