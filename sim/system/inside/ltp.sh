# SPDX-License-Identifier: Apache-2.0
# Runs the zram and swap tests of the LTP in /suite on Pagepress, each as its list of tests says; a line for each, and the sum.
# LTP's shell scripts were renamed on the way in; what is compiled still says zram, and finds the names in a view of its own.
# Debian's bash, whose commands are Debian's: busybox's shell takes its own before those of PATH.
[ -n "$BASH" ] || { ln -sf /usr/bin/bash /bin/bash && ln -sf /usr/bin/bash /bin/sh && exec /bin/bash "$0"; }
export LTPROOT=/suite PATH=/suite/testcases/bin:/usr/bin:/bin TMPDIR=/scratch LTP_DEV=/dev/pagepress0 LTP_DEV_FS_TYPE=ext4
export LTP_TIMEOUT_MUL=10 LTP_COLORIZE_OUTPUT=n
release=$(uname -r)
mkdir -p /etc $TMPDIR "/lib/modules/$release/kernel"
printf 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' >/etc/passwd
printf 'root:x:0:\nnogroup:x:65534:\n' >/etc/group
# LTP looks here for the driver that a test needs; the disks' own is loaded already.
echo "kernel/drivers/block/zram/zram.ko" >>"/lib/modules/$release/modules.builtin"
cp /modules/pagepress.ko "/lib/modules/$release/kernel/" && depmod -a || exit 1
modprobe loop && modprobe ext4 && mkfs.ext4 -q -b 4096 /dev/pagepress1 && mount /dev/pagepress1 $TMPDIR || exit 1

# under_zrams_names COMMAND: with /dev/zramN and the sysfs of zram as further names of ours.
under_zrams_names() {
    # shellcheck disable=SC2016  # for the inner shell
    unshare -m sh -c '
        mkdir -p /names/sys /names/class /names/block
        mount -t sysfs sysfs /names/sys
        for path in /names/sys/class/* /names/sys/block/*; do ln -sfn "$path" "/names/${path#/names/sys/}"; done
        ln -sfn /names/sys/class/pagepress-control /names/class/zram-control
        for number in 0 1 2 3 4 5 6 7 8 9; do
            ln -sfn "/names/sys/block/pagepress$number" "/names/block/zram$number"
            ln -sfn "pagepress$number" "/dev/zram$number"
        done
        mount --bind /names/class /sys/class && mount --bind /names/block /sys/block || exit 2
        eval "$1"' sh "$1"
}

passed=0 failed=0 skipped=0
cat $LTPROOT/runtest/* | awk '$1 ~ /^(zram|swap)/ && !seen[$1]++' >/tests
while read -r name command; do
    echo "[ltp] $name"
    case $name:$command in
    zram*:*.sh*) (cd $TMPDIR && eval "$(echo "$command" | sed s/zram/pagepress/g)") ;;
    zram*) (cd $TMPDIR && under_zrams_names "$command") ;;
    *) (cd $TMPDIR && eval "$command") ;;
    esac </dev/null
    status=$?
    rm -f /dev/zram[0-9]
    if [ $status = 0 ]; then
        verdict=passed passed=$((passed + 1))
    elif [ $status = 32 ]; then # LTP's "not for this system"
        verdict="not run" skipped=$((skipped + 1))
    else
        verdict="FAILED (status $status)" failed=$((failed + 1))
    fi
    echo "ltp: $name $verdict"
done </tests
echo "ltp: $passed passed, $failed failed, $skipped not run"
[ $failed = 0 ] && [ $passed -gt 0 ]
