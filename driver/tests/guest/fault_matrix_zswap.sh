# SPDX-License-Identifier: GPL-2.0-only
# The fault matrix's columns of zswap: each fault of the card falls on pages that zswap has the card compress (zswap-out) or decompress
# (zswap-in), alone or beside programs that swap. Sourced by fault_matrix.sh. A cell wants every byte right, every page gone and back, the
# fault's message and counters, and that zswap never hears of it. Below zswap lies a plain device in memory, so that the card has no other
# user. Needs a kernel with zswap and acomp=1.
failures=/sys/kernel/debug/zswap # what zswap counts of its compressor

begin_zswap() {
	mount -t debugfs none /sys/kernel/debug 2>/dev/null
	use_zswap
	make_backing swap 512 4096
	mkswap "$backing" >/dev/null && swapon "$backing" || fail "swapon"
	mkfifo orders answers
	./swapped_pages "$count" <orders >answers &
	exec 5>orders 6<answers
}

# order fill SEED|out|in: of the cell's pages; what is not well is a problem
order() {
	echo "$*" >&5
	answer='nothing: it hangs'
	read -r -t $patience answer <&6
	[ "$answer" = ok ] || problem "pages $1: $answer"
}

# rejected: how often the compressor failed zswap. Noise does not compress, which the load's is; nothing may fail to decompress
rejected() {
	local file
	for file in $failures/reject_compress_fail $failures/*decompress*; do
		case $load/$file in load/*reject*) continue ;; esac
		[ ! -e "$file" ] || cat "$file"
	done
}

zswap_cell() {
	local problems='' refused
	order fill "$new"
	[ $way = zswap-out ] || order out
	refused=$(rejected)
	counts >before
	until_nothing hiding
	set_times
	arm
	order ${way#zswap-}
	until_nothing missing
	disarm
	put $((10000 * slower)) $parameters/timeout_ms
	until_nothing not_ready
	# What was kept is right, and swap goes on.
	for step in in out in; do order $step; done
	[ "$(rejected)" = "$refused" ] || problem "zswap heard of it"
	[ ! -e broken ] || problem "the load found a wrong byte"
	! kernel_complains || problem "the kernel complains"
	verdict
}

zswap_rows() { # idle|load
	load=$1
	while read -r name how timeout_ms says moves; do
		case " $wanted " in *" $name "*) ;; *) continue ;; esac
		case $how in calls | limit | backing | inject:* | firmware:* | lane:*) continue ;; esac # no fault of the card
		put 1 "/sys/bus/pci/devices/$address/reset" || fail "reset of the function"
		await ready
		for way in $(echo "$ways" | tr ' ' '\n' | grep zswap); do
			new=$((new + 1))
			message=$says counters=$(echo "$moves" | sed 's/redone_pages/acomp_redone/; s/card_mismatches/acomp_card_mismatches/; s/card_errors/acomp_card_errors/')
			case $name/$way in
			wrong-detail/zswap-in) message=- counters=acomp_card_pages_in ;; # a decompression's says nothing
			verify-failed/*) message=it.reports.an.error ;;
			esac
			zswap_cell
		done
	done <faults
}

of_zswap() {
	local programs
	new=$seed
	begin_zswap
	wanted=$rows_idle
	zswap_rows idle
	wanted=$rows_load
	[ -n "$wanted" ] || return
	rm -f enough broken
	{ ./soak_memory "$seed" 2 90 1 enough >checked 2>>said || touch broken; } &
	programs=$!
	await_growth acomp_card_pages_out $(($(value acomp_card_pages_out) + 100))
	await_growth acomp_card_pages_in $(($(value acomp_card_pages_in) + 100))
	zswap_rows load
	touch enough
	wait $programs
	[ ! -e broken ] || fail "the programs that swap: $(cat said)"
}
