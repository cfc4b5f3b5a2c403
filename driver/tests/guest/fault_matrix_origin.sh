# SPDX-License-Identifier: GPL-2.0-only
# Rows of the fault matrix whose fault is the origin's or the lookaside image's, both behind the kernel's NBD. Sourced by fault_matrix.sh.
# In each cell the fault strikes pages that are read from the origin: alone (read), beside pages that are written over others of the origin's
# (write), or beside written pages that leave for the backing device (write-back). No byte may be wrong and nobody may hang; what was
# written needs no origin. Under load, others read the origin's pages all the while, and the other disk is busy as in every row.

# A fault a line: name; which device, and what becomes of it; what the log says, with . for a blank; counters that grow.
# slow: it answers a second later; dead: not at all; wrong: with a flipped bit in each answer; fails: with an error;
# truncated: the image ends behind its header; swapped: it is another image.
origin_faults='
origin-slow origin:slow - origin_pages_in
origin-dead origin:dead does.not.come.in.time.from.origin_dev origin_errors,FailedReads
origin-wrong origin:wrong it.is.not.the.page.that.was.packed origin_errors,FailedReads
origin-fails origin:fails cannot.be.read.from.origin_dev origin_errors,FailedReads
image-dead image:dead lookaside_dev:.does.not.answer lookaside_faults,origin_pages_in
image-wrong image:wrong holds.another.page.than.its.index lookaside_faults,origin_pages_in
image-truncated image:truncated holds.another.page.than.its.index lookaside_faults,origin_pages_in
image-swapped image:swapped holds.another.page.than.its.index lookaside_faults,origin_pages_in
'
far=/dev/nbd0  # the origin
near=/dev/nbd1 # the image at hand
origin_pages=512
apart=256 # from this page on the load reads; the cells' own pages lie before it

# serve N: /dev/nbdN has what the image holds; sets server
serve() {
	local waited=0
	echo sound >"mode$1"
	holds "$1" image
	./slow_device "/dev/nbd$1" "served$1" "mode$1" >"there$1" &
	server=$!
	until [ "$(cat "/sys/block/nbd$1/size")" -gt 0 ] && [ -e "/sys/block/nbd$1/pid" ] && grep -q there "there$1"; do
		waited=$((waited + 1))
		[ $waited -lt $long_wait ] || fail "nbd$1 does not come"
		sleep 0.1
	done
}

# The third disk, of the origin's pages, and a backing device for what is written over them.
make_origin_disk() {
	read -r origin_root <root
	modprobe nbd nbds_max=2 max_part=0 || fail "no nbd"
	serve 0
	origin_server=$server
	serve 1
	image_server=$server
	local backing control # those of the other rows stay
	make_backing origin 8 512
	origin_backing=$backing
	echo "$origin_faults" | grep . >origin_faults
	cat /sys/class/pagepress-control/hot_add >said
}

# holds N FILE: device N holds what FILE does, from one request to the next
holds() { cp "$2" "served$1.new" && mv "served$1.new" "served$1"; }

# A machine that is suspended interrupts the call in which a server holds its device: both are gone.
revive() {
	kill -0 $origin_server 2>/dev/null || { serve 0 && origin_server=$server; }
	kill -0 $image_server 2>/dev/null || { serve 1 && image_server=$server; }
}

# All pages come from the origin again; of an image's fault, by way of the image. Of pages that could not be read, and of faults of an image,
# the kernel's log takes ten lines in five seconds, whatever the reason: those of the cell before must not keep it from ours.
renew() {
	case $how in origin:dead | origin:wrong | origin:fails | image:wrong) sleep 6 ;; esac
	put 1 $block/reset && revive && put "$origin_root" $block/origin_root && put $far $block/origin_dev && put "$origin_backing" $block/backing_dev &&
		put $((origin_pages * 4096)) $block/disksize || problem "the disk cannot be made anew"
	case $how in image:*) put $near $block/lookaside_dev || problem "no lookaside_dev" ;; esac
	# A busy host is slow, not dead.
	put 600000 $block/origin_timeout_ms && put 600000 $block/lookaside_timeout_ms || problem "time-outs"
}

arm_origin() {
	local number=0 server=$origin_server file=origin_timeout_ms
	case $how in image:*) number=1 server=$image_server file=lookaside_timeout_ms ;; esac
	case ${how#*:} in
	slow)
		kill -STOP $server
		rm -f awake
		{ sleep 1; touch awake; kill -CONT $server; } &
		;;
	dead) put $((300 * slower)) $block/$file && kill -STOP $server || problem "cannot be stopped" ;;
	wrong | fails) echo "${how#*:}" >mode$number ;;
	truncated) head -c 4096 image >cut && holds $number cut ;;
	swapped) holds $number foreign ;;
	esac
}

disarm_origin() {
	kill -CONT $origin_server $image_server
	echo sound >mode0
	echo sound >mode1
	holds 0 image
	holds 1 image
	put 600000 $block/origin_timeout_ms && put 600000 $block/lookaside_timeout_ms || problem "time-outs"
}

# Pages of the origin are right, or an error where the row has one, and there it must come.
from_origin() {
	local status wanted=0
	case $how in origin:dead | origin:wrong | origin:fails) wanted=2 ;; esac
	transfer read "$seed"
	status=$?
	[ $status = $wanted ] || echo "the origin's pages from $first on: status $status, not $wanted" >>strange
	[ "$how" != origin:slow ] || [ -e awake ] || echo "did not strike" >>strange
}

# Reads what is apart for as long as the cell lasts: right, or an error.
read_apart() {
	until [ -e cell_ends ]; do
		at $apart transfer read "$seed"
		[ $? != 1 ] || echo "the load read a wrong byte of the origin's" >>strange
		sleep 0.05
	done
}

origin_sums() {
	[ "$(value NumReads)" = $(($(value card_pages_in) + $(value software_pages_in) + $(value direct_pages_in) + $(value origin_pages_in) +
		$(value lookaside_pages_in) + $(value FailedReads))) ] || echo "the sums of reads are wrong"
}

origin_cell() {
	local problems='' first=0 mine=$seed reader='' beside
	rm -f strange cell_ends
	renew
	[ $way != back ] || transfer write $new || problem "first write with status $?"
	counts >before
	until_nothing hiding
	arm_origin
	if [ $load = load ]; then
		read_apart &
		reader=$!
	fi
	case $way in
	in) from_origin ;;
	*)
		mine=$new
		behind from_origin &
		beside=$!
		if [ $way = out ]; then
			transfer write $new || problem "write with status $?"
		else
			written_back || problem "write-back with status $?"
			[ "$(value backed_pages)" = $count ] || problem "$(value backed_pages) pages written back"
		fi
		# The origin has no part in it any more, and still fails.
		transfer read $new || problem "what was written reads with status $?"
		wait $beside
		;;
	esac
	until_nothing missing
	touch cell_ends
	[ -z "$reader" ] || wait $reader
	disarm_origin
	transfer read $mine || problem "afterwards status $?"
	behind transfer read "$seed" || problem "the origin's pages afterwards: status $?"
	at $apart transfer read "$seed" || problem "pages apart afterwards: status $?"
	until_nothing origin_sums
	[ ! -e strange ] || problem "$(cat strange)"
	[ ! -e broken ] || problem "the load found a wrong byte"
	! kernel_complains || problem "the kernel complains"
	verdict
}

origin_rows() { # idle|load
	local first=0
	load=$1 new=$((seed + 1))
	use pagepress2
	while read -r name how says moves; do
		case " $wanted " in *" $name "*) ;; *) continue ;; esac
		for way in $disk_ways; do
			message=$says counters=$moves
			origin_cell
		done
	done <origin_faults
	use pagepress0
}
