# SPDX-License-Identifier: GPL-2.0-only
# Firmware that takes no request, and a window that lies: nobody waits long, nothing is taken for what it is not, the card's pages are
# right, and the driver leaves when it is told to. Needs CONTROL=1; arguments: seed, resets and departures beside lies; beside it pagepressctl, some_pages, image-newer.
. ./common.sh
read -r seed turns <arguments
mount -t debugfs none /sys/kernel/debug 2>/dev/null
open_control
address=$(cat $block/card/address)
device=/sys/bus/pci/devices/$address
shown=$device/management
control=$PWD/pagepressctl
pci=/sys/bus/pci/drivers/pagepress
# eventually COMMAND...: on a busy host too
eventually() { within $long_wait "$@"; }
state_is() { [ "$(cat $shown/state)" = "$1" ]; }
runs() { state_is running; }
said() { dmesg | grep -q "$1"; }
ended() { ! kill -0 "$1" 2>/dev/null; }
# all_ended PROCESS...: within the same time all of them
all_ended() { for process; do ended "$process" || return 1; done; }
# loads FILE: pages come and go until the file is there
loads() { while [ ! -e "$1" ]; do ./some_pages write $disk 64 64 "$seed" && ./some_pages read $disk 64 64 "$seed" && sleep 0.2 || exit 1; done; }
eventually runs

# ---- it takes no request: many who ask wait no longer than one ----
loads mute_ended &
load=$!
tell firmware mute
refused "timed out" cat $shown/telemetry
refused "timed out" put all $shown/self_test
askers=
for _ in $(seq 64); do
	cat $shown/identity >/dev/null 2>&1 &
	askers="$askers $!"
done
put "$address" $pci/unbind &
unbound=$!
# shellcheck disable=SC2086  # numbers of their own
within 900 all_ended $askers $unbound # one after the other would take two minutes
wait $unbound || fail "unbind"
[ ! -e $shown ] || fail "files of a card that has left"
put "$address" $pci/bind || fail "bind"
eventually runs
# It goes on publishing, and its snapshot needs nobody to take a request.
eventually $control telemetry
refused "does not answer" $control firmware list
refused "does not answer" $control firmware update image-newer
# Who asks for a restart gets one, though the firmware does not take the request for it.
put restart $shown/control || fail "restart"
eventually said "firmware event: CORE_RESET HOST"
# That it was silent is what firmware_resets counts.
[ "$(cat $shown/firmware_resets)" = 0 ] || fail "firmware_resets is $(cat $shown/firmware_resets)"
tell firmware well
eventually runs
eventually grep -q temperature $shown/telemetry
touch mute_ended
wait $load || fail "pages beside firmware that takes no request"

# ---- left dead: a restart that is asked for waits for no back-off ----
tell flash dead
put restart $shown/control || fail "restart"
eventually state_is dead
tell flash well
put restart $shown/control || fail "restart of dead firmware"
within 150 runs # the back-off would be 32 s by then

# ---- an update whose program is killed, or which another disturbs ----
for _ in 1 2 3; do
	tell firmware mute
	$control firmware update image-newer --no-restart >/dev/null 2>&1 &
	killed=$!
	sleep 0.5
	kill -9 $killed || fail "the update ended before it was killed"
	tell firmware well
	$control firmware update image-newer --no-restart >/dev/null 2>&1 &
	other=$!
	$control firmware update image-newer --no-restart >/dev/null 2>&1
	wait $killed
	eventually ended $other
done
update_taken() { $control firmware update image-newer --no-restart >taken 2>&1; }
eventually update_taken
grep -q "boots slot B" taken || fail "update: $(cat taken)"
# The driver leaves beside an update.
tell firmware mute
$control firmware update image-newer --no-restart >/dev/null 2>&1 &
other=$!
sleep 0.5
put "$address" $pci/unbind || fail "unbind beside an update"
tell firmware well
eventually ended $other
put "$address" $pci/bind || fail "bind"
eventually runs

# ---- the window lies ----
loads lies_ended &
load=$!
# asks: whatever comes, until they have ended; a figure that is no number is none
asks() {
	while [ ! -e lies_ended ]; do
		cat $shown/* /sys/class/hwmon/*/in*_input /sys/class/hwmon/*/temp*_input
		put all $shown/self_test
		$control telemetry
		$control log --json
		sleep 0.2
	done
}
asks >/dev/null 2>&1 &
asker=$!
tell firmware liar
# A page of which the card lies is no page: pagepressctl, which believes no header either, is given none that is wrong.
whole=0
for _ in $(seq 60); do
	if $control telemetry >/dev/null 2>said; then
		whole=$((whole + 1))
	else
		[ $? != 3 ] || fail "a telemetry page that is none: $(cat said)"
	fi
done
[ $whole -gt 3 ] || fail "only $whole of 60 telemetry pages came through: $(cat said)"
$control firmware update image-newer --no-restart >/dev/null 2>&1
for turn in $(seq "$turns"); do
	sleep 3
	put restart $shown/control 2>/dev/null
	$control firmware update image-newer --no-restart >/dev/null 2>&1 &
	put 1 $device/reset || fail "reset $turn beside lies"
	sleep 1
	put "$address" $pci/unbind || fail "unbind $turn beside lies"
	put "$address" $pci/bind || fail "bind $turn beside lies"
	wait $!
done
touch lies_ended
wait $asker
wait $load || fail "pages beside lies"
tell firmware well
put "$address" $pci/unbind || fail "unbind after lies"
put "$address" $pci/bind || fail "bind after lies"
eventually runs
[ "$(cat $shown/firmware_version)" = 1.0.0 ] || [ "$(cat $shown/firmware_version)" = 1.1.0 ] || fail "version $(cat $shown/firmware_version)"
$control firmware list || fail "list after lies"
before=$(value card_pages_out)
./some_pages write $disk 0 64 "$seed" && ./some_pages read $disk 0 64 "$seed" || fail "pages after lies"
[ "$(value card_pages_out)" -gt "$before" ] || fail "no page by the card after lies"
! kernel_complains || fail "the kernel complains"
sums_are_right
rmmod pagepress || fail "the module does not go"
