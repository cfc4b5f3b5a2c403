# SPDX-License-Identifier: GPL-2.0-only
# Rows of the fault matrix whose fault is that of the card's own processor, or of one engine of several that this processor looks after.
# Sourced by fault_matrix.sh. No firmware, whatever it does, may cost a page: they go by the card all the while, and none is done again. Of an
# engine that breaks one page is done again, and the others carry the rest while it is isolated, reset and tested.

# A fault a line: name; what becomes of it; milliseconds a command may take; what the kernel's log says; counters that grow.
# hung: until the card's watchdog resets it; dead: until the driver does; mute: it takes no request; liar: its window lies; update: a new
# image comes, is booted and confirms itself; hostile: signed, and doing harm by writes, at the mailbox, to the lanes, to the log, to the version floor; breaks: an engine faults once; broken: and in every test.
firmware_faults='
firmware-hung firmware:hung 10000 - card
firmware-dead firmware:dead 10000 restarting.the.firmware card
firmware-mute firmware:mute 10000 - card
firmware-lies firmware:liar 10000 - card
firmware-updated firmware:update 10000 - card
firmware-writes firmware:hostile-writes 10000 - card
firmware-stops firmware:hostile-mailbox 10000 - card
firmware-isolates firmware:hostile-lanes 10000 - card
firmware-floods firmware:hostile-log 10000 - card
firmware-lowers firmware:hostile-floor 10000 - card
lane-breaks lane:breaks 10000 not.done:.status card_errors,redone_pages
lane-broken lane:broken 10000 not.done:.status card_errors,redone_pages
'
management=/sys/bus/pci/devices/$address/management
lying=3 # seconds for which the window lies: three of the driver's looks

# first_new: the number that the next entry of the firmware's log will have
first_new() { awk 'END { print NR ? $1 + 1 : 0 }' $management/log; }

# happened EVENT: the firmware's log has it, behind what stood there when the cell began
happened() { awk -v first="$logged_first" '$1 >= first' $management/log | grep -q "$1"; }
not_happened() { happened "$1" || echo "no event $1"; }

not_running() { [ "$(cat $management/state)" = running ] || echo "firmware $(cat $management/state)"; }
not_all_in_service() { awk '$3 != "IN_SERVICE" { print "lane", $1, $3 }' $management/lanes; }

restart_firmware() {
	logged_first=$(first_new)
	put restart $management/control || problem "no restart"
	until_nothing not_happened BOOTED
	until_nothing not_running
}

# Firmware that runs; for a lane, all of them in service and no failure remembered: the first boot takes back those that were out.
renew_firmware() {
	until_nothing not_running
	case $how in
	lane:*)
		for _ in 1 2; do
			restart_firmware
			until_nothing not_all_in_service
		done
		;;
	esac
	logged_first=$(first_new)
}

# Somebody asks for all that there is until the cell's fault is over.
asks() {
	while [ ! -e asked_enough ]; do
		cat $management/* || true
		./pagepressctl telemetry
		sleep 0.1
	done >/dev/null 2>asked
}

updates() {
	mount -t debugfs none /sys/kernel/debug 2>/dev/null # where a kernel without firmware upload takes images
	./pagepressctl firmware update image-newer --no-restart >>said 2>&1 && put restart $management/control || touch not_updated
}

arm_firmware() {
	local beside=''
	rm -f asked_enough asked not_updated
	case $way in in) lane=0 ;; *) lane=2 ;; esac # the model's first of either kind
	armed=$(date +%s)
	case $how in
	firmware:update) beside=updates ;;
	firmware:mute | firmware:liar | firmware:hostile-*) beside=asks ;;
	esac
	case $how in
	firmware:update) ;;
	lane:*) tell lane $lane "${how#*:}" ;;
	*) tell firmware "${how#*:}" ;;
	esac
	beside_firmware=
	[ -z "$beside" ] || { $beside & beside_firmware=$!; }
}

# What of the fault is still to show.
missing_firmware() {
	case $how in
	firmware:hung) not_happened CORE_RESET ;;
	firmware:dead) not_happened "CORE_RESET HOST" ;;
	firmware:mute) grep -q "timed out" asked || echo "nobody had to wait" ;;
	firmware:liar | firmware:hostile-*) [ "$(date +%s)" -ge $((armed + lying)) ] || echo "it has not done harm for long" ;;
	firmware:update)
		not_happened "CONFIRMED 1.1.0"
		[ ! -e not_updated ] || echo "no update: $(tail -n 1 said)"
		;;
	lane:*)
		not_happened "LANE_ISOLATED $lane FAULT"
		case $how in
		lane:breaks) not_happened "LANE_RETURNED $lane vectors 4" ;;
		lane:broken) not_happened "LANE_OUT $lane" ;;
		esac
		;;
	esac
}

lane_says() { awk -v lane=$lane '$1 == lane { print $3, $4, $5 }' $management/lanes; }

disarm_firmware() {
	touch asked_enough
	case $how in
	firmware:mute | firmware:liar | firmware:hostile-*) tell firmware well ;;
	lane:breaks) [ "$(lane_says)" = "IN_SERVICE FAULT 1" ] || problem "the lane: $(lane_says)" ;;
	lane:broken) # once by its page, twice by a golden vector: three times in a row
		[ "$(lane_says)" = "OUT TEST 3" ] || problem "the lane: $(lane_says)"
		tell lane $lane well
		;;
	esac
	[ -z "$beside_firmware" ] || wait "$beside_firmware"
	case $how in firmware:liar | firmware:hostile-*) put restart $management/control ;; esac # it may have been left for dead
	until_nothing not_running
	case $how in firmware:*) problems="$problems$(disturbed)" ;; esac
}

# disturbed: what has grown since counts wrote the file `before`, though no page heard of the fault
disturbed() {
	counts | awk 'NR == FNR { old[$1] = $2; next } $1 ~ /^(card_(timeouts|resets|late|mismatches|errors)|redone_pages)$/ && $2 > old[$1] { print $1 " grew" }' before -
}
