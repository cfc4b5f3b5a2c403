# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=dash
# In a fresh guest with SYSTEMD=1: our Debian packages (beside this file) by dpkg, swap by one command, and pagepress.conf for the next
# boot, which runs systemd.sh. `expected`: as there, and the size as an option. Each `report fail ...` is a promise that was not kept.
. ./expected
report() { echo "$*" >/dev/ttyS1; }
fail() {
    report "fail $*"
    echo "FAIL $*"
    exit 1
}
command -v pagepressctl && fail "a fresh guest has pagepressctl"
dpkg --install ./*.deb >/run/dpkg 2>&1 || fail "dpkg: $(grep -i error /run/dpkg | head -n 1)"
cat /run/dpkg
grep -iE '(error|warning):|not found' /run/dpkg && fail "dpkg complains"
ours="pagepress-tools pagepress-modules libpagepress1"
# shellcheck disable=SC2016,SC2086  # dpkg's names; three words
{
    wrong=$(dpkg-query --show --showformat='${db:Status-Abbrev}${Package}\n' $ours | grep -v '^ii ')
    [ -z "$wrong" ] || fail "not installed: $wrong"
    dpkg --verify $ours | grep -v ' /usr/share/doc/' && fail "dpkg finds other files than it installed"
}
[ ! -d /sys/module/pagepress ] || fail "the module is loaded already"

# What an administrator types, and how long until swap is on.
nanoseconds() { date +%s%N; }
# shellcheck disable=SC2154  # size_kib, priority, card: of ./expected
{
    began=$(nanoseconds)
    pagepressctl setup --size "${size_kib}K" --priority "$priority" >/run/setup 2>&1 || fail "setup: $(cat /run/setup)"
    ended=$(nanoseconds)
    cat /run/setup
    grep -q "^/dev/pagepress0 .*[[:blank:]]$priority\$" /proc/swaps || fail "no swap of priority $priority: $(cat /proc/swaps)"
    [ "$card" = none ] || grep -q 'card ready$' /run/setup || fail "the card is not ready: $(cat /run/setup)"
}
report "microseconds $(((ended - began) / 1000))"
man=/usr/share/man/man8/pagepressctl.8.gz
[ -s $man ] || fail "there is no $man"

cp pagepress.conf /etc/systemd/ && systemctl --quiet enable pagepress-metrics.timer || fail "the file cannot be put where it belongs"
echo systemd.sh >script.name
