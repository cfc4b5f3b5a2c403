# SPDX-License-Identifier: GPL-2.0-only
# pagepress-modules is installed by dpkg, found by modprobe, works, and leaves nothing when it is removed.
. ./common.sh
read -r seed rounds <arguments
rmmod pagepress || fail "rmmod of the module that came with the guest"
installed=/lib/modules/$(uname -r)/updates/pagepress.ko
mkdir -p /var/lib/dpkg/info && touch /var/lib/dpkg/status
dpkg -i ./pagepress-modules.deb || fail "dpkg -i"
[ -f "$installed" ] || fail "no $installed"
# shellcheck disable=SC2046  # words of their own
cd / && modprobe pagepress $(loaded_with) disksize_mb=64 || fail "modprobe"
cd /work || fail "/work"
await ready
./check_blocks $disk "$seed" 2 "$rounds" || fail "check_blocks $disk $seed 2 $rounds"
expect card_pages_out -gt 10
sums_are_right
rmmod pagepress || fail "rmmod"
dpkg -r pagepress-modules || fail "dpkg -r"
[ ! -e "$installed" ] || fail "$installed stays"
! modprobe pagepress 2>/dev/null || fail "modprobe still finds it"
