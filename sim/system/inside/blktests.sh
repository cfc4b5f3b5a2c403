# SPDX-License-Identifier: Apache-2.0
# Runs the block group of the blktests in /suite on /dev/pagepress0; their own lines, and the sum.
# Debian's bash, whose commands are Debian's: busybox's shell takes its own before those of PATH.
[ -n "$BASH" ] || { ln -sf /usr/bin/bash /bin/bash && ln -sf /usr/bin/bash /bin/sh && exec /bin/bash "$0"; }
export PATH=/usr/bin:/bin TMPDIR=/tmp
mount -t debugfs none /sys/kernel/debug 2>/dev/null
mkdir -p /etc /dev/shm
printf 'root:x:0:0::/:/bin/bash\n' >/etc/passwd
ln -sfn /proc/self/fd /dev/fd
depmod -a
cd /suite || exit 1
printf 'TEST_DEVS=(/dev/pagepress0)\nTIMEOUT=30\n' >config
bash ./check block >/output 2>&1 &
tail -n +1 -f --pid=$! /output
wait $! # its status means different things in different versions
count() { grep -cF "[$1]" /output; }
echo "blktests: $(count passed) passed, $(count failed) failed, $(count 'not run') not run"
[ "$(count passed)" -gt 0 ] && [ "$(count failed)" = 0 ]
