# SPDX-License-Identifier: GPL-2.0-only
# The driver looks after the card's firmware: what it shows, tests, forwards and updates; firmware that hangs, dies, or cannot boot; a
# card that is reset or leaves meanwhile. No page notices any of it. Needs CONTROL=1; arguments: seed; beside it pagepressctl, some_pages,
# images image-NAME, and sysfs-bus-pci-pagepress.
. ./common.sh
read -r seed <arguments
mount -t debugfs none /sys/kernel/debug 2>/dev/null
open_control
address=$(cat $block/card/address)
device=/sys/bus/pci/devices/$address
shown=$device/management
control=$PWD/pagepressctl
# of FILE NAME: what stands behind the name there
of() { sed -n "s/^$2 //p" "$shown/$1"; }
# until_is VALUE FILE
until_is() {
	local waited=0
	until [ "$(cat "$shown/$2")" = "$1" ]; do
		waited=$((waited + 1))
		[ $waited -lt $long_wait ] || fail "$2 is $(cat "$shown/$2"), not $1"
		sleep 0.1
	done
}
until_runs() { until_is running state; }
pages() { ./some_pages "$1" $disk 0 64 "$seed" || fail "some_pages $*"; }
# done_by_card: pages are, and come back right
by_card() {
	local before
	before=$(value card_pages_out)
	pages write
	pages read
	[ "$(value card_pages_out)" -gt "$before" ] || fail "no page by the card while $*"
}

# ---- what it shows ----
until_runs
[ "$(of identity version)" = 1.0.0 ] && [ "$(of identity slot)" = A ] && [ "$(of identity trial)" = 0 ] || fail "identity: $(cat $shown/identity)"
[ "$(cat $shown/firmware_version)" = 1.0.0 ] && [ "$(cat $shown/slot)" = A ] && [ "$(cat $shown/boot_kind)" = NORMAL ] || fail "no 1.0.0 of slot A"
[ "$(of identity interface)" = "$(sed -n 's/.*management interface \([0-9.]*\)$/\1/p' management.md)" ] || fail "interface $(of identity interface)"
[ "$(of telemetry temperature)" -gt 4000 ] && [ "$(of telemetry temperature)" -lt 4400 ] || fail "temperature: $(cat $shown/telemetry)"
[ "$(of telemetry voltage_core)" = 849 ] || [ "$(of telemetry voltage_core)" = 850 ] || fail "core voltage: $(cat $shown/telemetry)"
logged "firmware 1.0.0 runs from slot A (boot NORMAL)"
grep -q "INFO BOOTED 1.0.0$" $shown/log || fail "log: $(cat $shown/log)"
! dmesg | grep "firmware event" || fail "what happened before the driver came is said as if it happened now"
for file in "$shown"/*; do echo "/sys/bus/pci/devices/<address>/management/${file##*/}"; done | sort >present
sed -n 's/^What:[[:space:]]*//p' sysfs-bus-pci-pagepress | grep /management/ | sort | diff present - || fail "files (left) and driver/docs/sysfs-bus-pci-pagepress (right) differ"
if [ -d /sys/class/hwmon ]; then
	sensors=$(grep -l '^pagepress$' /sys/class/hwmon/*/name) && sensors=${sensors%/name} || fail "no sensors in hwmon"
	[ "$(cat "$sensors/temp1_input")" = $(($(of telemetry temperature) * 10)) ] || fail "temp1_input is $(cat "$sensors/temp1_input")"
	[ "$(cat "$sensors/in0_input") $(cat "$sensors/in0_label")" = "$(of telemetry voltage_core) core" ] || fail "in0 is $(cat "$sensors/in0_input")"
fi
by_card "firmware is asked"

# ---- sensors, self-test, throttling ----
$control selftest >said || fail "selftest: $(cat said)"
[ "$(grep -c fine said)" = 5 ] || fail "selftest: $(cat said)"
tell sensor 1 off
await_log "firmware event: SENSOR_SILENT VOLTAGE_CORE"
$control selftest >said && fail "selftest without a voltage: $(cat said)"
grep -q "SENSORS *failed" said || fail "selftest: $(cat said)"
[ "$(of telemetry voltage_core)" = 0 ] || fail "a silent sensor: $(cat $shown/telemetry)"
tell sensor 1 18568
tell sensor 0 off
await_log "firmware event: SENSOR_SILENT TEMPERATURE"
$control telemetry >said && grep -q "^ *temperature *silent" said && grep -q "^ *temperature_peak *silent" said || fail "a silent temperature: $(cat said)"
if [ -d /sys/class/hwmon ]; then
	refused "No data available" cat "$sensors/temp1_input"
	refused "No data available" cat "$sensors/temp1_highest"
fi
tell sensor 0 51000
until_is 3 throttle
logged "firmware event: THROTTLED 3"
tell sensor 0 41500
until_is 0 throttle
refused "Invalid argument" put some $shown/self_test
refused "Invalid argument" put jump $shown/control

# ---- lanes ----
$control lanes >said || fail "lanes: $(cat said)"
[ "$(grep -c "IN_SERVICE *NONE" said)" = 4 ] || fail "lanes: $(cat said)"
tell lane 3 breaks
await_log "firmware event: LANE_ISOLATED 3 FAULT"
await_log "firmware event: LANE_RETURNED 3 vectors 4"
tell lane 2 broken
await_log "firmware event: LANE_OUT 2"
logged "firmware event: LANE_FAILED 2 vector 0 status 1"
$control lanes >said && fail "lanes with one that is out: $(cat said)"
grep -q "^ *2 *COMPRESS *OUT *TEST *3" said && grep -q "^ *3 *COMPRESS *IN_SERVICE *FAULT *1" said || fail "lanes: $(cat said)"
by_card "a lane is out"
tell lane 2 well

# ---- the telemetry page: lanes, queues and link of one snapshot ----
# page_of FILE: what stands in JSON behind the first member of that name
page_of() { sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p" said; }
# commands: of all queues
commands() { grep -o '"commands":[0-9]*' said | sed 's/.*://' | { sum=0; while read -r count; do sum=$((sum + count)); done; echo $sum; }; }
$control telemetry --json >said || fail "telemetry: $(cat said)"
before=$(commands)
[ "$(grep -o '"depth_peak":' said | wc -l)" = 4 ] && [ "$(grep -o '"kind":' said | wc -l)" = 4 ] || fail "telemetry of 4 queues and 4 lanes: $(cat said)"
[ "$(page_of completions_faulted)" = 0 ] && [ "$(page_of temperature)" -gt 4000 ] || fail "telemetry: $(cat said)"
by_card "telemetry is read"
waited=0
until $control telemetry --json >said && [ "$(commands)" -ge $((before + 64)) ]; do
	waited=$((waited + 1))
	[ $waited -lt $long_wait ] || fail "telemetry does not count the pages: $(cat said)"
	sleep 0.1
done
$control telemetry >said || fail "telemetry: $(cat said)"
grep -q "^ *2 *COMPRESS *OUT *TEST" said && grep -q "mean wait" said || fail "telemetry: $(cat said)"
# Whole by one read, or not at all.
size=$(cat $shown/telemetry_page | wc -c)
[ "$size" = $((40 + 56 + 16 + 4 * 32 + 4 * 24)) ] || fail "telemetry_page is $size bytes long"
[ "$(dd if=$shown/telemetry_page bs=$size 2>/dev/null | wc -c)" = "$size" ] || fail "telemetry_page by a read of its size"
refused "Message too long" dd if=$shown/telemetry_page of=/dev/null bs=$((size - 1)) count=1

# ---- images that may not run ----
$control firmware rollback >said 2>&1 && fail "rolled back to nothing"
grep -q "(IMAGE_EMPTY: no image is there)" said || fail "rollback: $(cat said)"
# refuses NAME STATUS: the running image stays, and says why
refuses() {
	$control firmware update "image-$1" >said 2>&1 && fail "image-$1 is taken: $(cat said)"
	grep -q "$2" said || fail "image-$1: $(cat said)"
	[ "$(cat $shown/update_status)" = "$2" ] || fail "update_status is $(cat $shown/update_status), not $2"
	logged "firmware update refused at .*: $2;"
	[ "$(of identity slot) $(of identity next_slot)" = "$3 $3" ] || fail "after image-$1: $(cat $shown/identity)"
}
for pair in flipped:IMAGE_BAD_SIGNATURE unsigned:IMAGE_BAD_SIGNATURE truncated:IMAGE_TRUNCATED large:IMAGE_TOO_LARGE magic:IMAGE_BAD_MAGIC \
	target:IMAGE_WRONG_TARGET header:IMAGE_BAD_HEADER erased:IMAGE_EMPTY tiny:IMAGE_TRUNCATED; do
	refuses "${pair%:*}" "${pair#*:}" A
done

# ---- an update while pages come and go ----
sleep 11 # the kernel's log takes 32 events in ten seconds, and images that were refused made many
while [ ! -e updated ]; do ./some_pages write $disk 64 64 "$seed" && ./some_pages read $disk 64 64 "$seed" && sleep 0.2 || exit 1; done &
load=$!
$control firmware update image-newer >said 2>&1 || fail "update: $(cat said)"
touch updated
wait $load || fail "pages beside the update"
grep -q "firmware 1.1.0 runs from slot B" said || fail "update: $(cat said)"
until_is 1.1.0 firmware_version
await_log "firmware event: CONFIRMED 1.1.0"
$control firmware list >said && grep -q "^B *1.1.0 *runs *boots it" said && grep -q "^A *1.0.0 *OK" said || fail "list: $(cat said)"
$control firmware rollback >said 2>&1 || fail "rollback: $(cat said)"
grep -q "firmware 1.0.0 runs from slot A" said || fail "rollback: $(cat said)"
# From here on older ones are refused.
$control firmware update image-newest >said 2>&1 || fail "update: $(cat said)"
refuses newer IMAGE_TOO_OLD B
$control firmware rollback >said 2>&1 && fail "rolled back below the floor"
grep -q "(IMAGE_TOO_OLD: older than" said || fail "rollback: $(cat said)"
until_runs

# ---- firmware that hangs: the card's own watchdog ----
tell firmware hung
until_is 1 watchdog_resets
await_log "firmware event: CORE_RESET WATCHDOG"
until_runs
[ "$(cat $shown/firmware_resets)" = 0 ] || fail "the driver restarted what the watchdog does"
by_card "firmware hung"

# ---- firmware that is dead: the driver ----
tell firmware dead
until_is 1 firmware_resets
await_log "firmware does not run (stage RUNNING"
logged "restarting the firmware, 1 of 5"
until_runs
by_card "firmware was dead"

# ---- a flash that does not answer: updates, then boots ----
tell flash dead
$control firmware update image-newest >said 2>&1 && fail "an update without a flash"
grep -q FLASH_TIMEOUT said || fail "update: $(cat said)"
put restart $shown/control || fail "restart"
until_is dead state
logged "firmware did not come back in 5 restarts: left dead"
$control telemetry --json >said || fail "the last snapshot of dead firmware: $(cat said)"
grep -q '"state":"dead"' said || fail "telemetry of dead firmware: $(cat said)"
[ "$($control telemetry --json)" = "$(cat said)" ] || fail "dead firmware publishes"
[ "$(dmesg | grep -c "restarting the firmware, . of 5")" = 6 ] || fail "restarts: $(dmesg | grep restarting)"
for words in selftest "firmware list" "firmware rollback"; do
	# shellcheck disable=SC2086  # words of their own
	$control $words >said 2>&1 && fail "$words of dead firmware"
	grep -q "firmware does not run (dead)" said || fail "$words of dead firmware: $(cat said)"
done
$control telemetry >said || fail "the last telemetry of dead firmware: $(cat said)"
$control log >said || fail "log of dead firmware: $(cat said)"
by_card "firmware is left dead"
tell flash well
put restart $shown/control || fail "restart"
until_runs

# ---- cards that are reset or leave while somebody asks ----
# asks: without end, whatever comes
asks() { while [ ! -e asked ]; do cat $shown/telemetry_page $shown/telemetry $shown/identity || sleep 0.1; done; }
asks >/dev/null 2>&1 &
asker=$!
for turn in 1 2 3; do
	put 1 $device/reset || fail "reset $turn"
	until_runs
done
for turn in 1 2 3; do
	put "$address" /sys/bus/pci/drivers/pagepress/unbind || fail "unbind $turn"
	[ ! -e $shown ] || fail "files of a card that has left: $(ls $shown)"
	put "$address" /sys/bus/pci/drivers/pagepress/bind || fail "bind $turn"
	until_runs
done
touch asked
wait $asker
by_card "it was away"
sums_are_right
rmmod pagepress || fail "the module does not go"
