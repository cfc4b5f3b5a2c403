# SPDX-License-Identifier: GPL-2.0-only
# Kernels of today swap large folios, and put several folios into one bio: 64 KiB cost one doorbell out and one in, as one folio or as
# sixteen. How many pages the kernel takes right after they were written is shown, but is up to the moment.
. ./common.sh
read -r seed folios <arguments
read -r script <script.name
sizes=/sys/kernel/mm/transparent_hugepage/hugepages-64kB
group=/sys/fs/cgroup/one

# figures STEP: what kernel, card and disk have counted by now
figures() {
	cat $block/card/doorbells >"doorbells.$1"
	cat $block/card/interrupts >"interrupts.$1"
	awk '{ print $5 }' $block/stat >"bios.$1"
	cat $sizes/stats/swpout >"folios.$1"
	awk '$1 == "pswpout" { print $2 }' /proc/vmstat >"pages.$1"
	awk '$1 == "pgrotated" { print $2 }' /proc/vmstat >"rotated.$1"
	value card_pages_in >"card_pages_in.$1"
}
# grown NAME FROM TO
grown() { echo $(($(cat "$1.$3") - $(cat "$1.$2"))); }

# large_folios runs this very script between its steps.
case $1 in
filled)
	figures before
	# Twice: what reclaim has written it frees when it comes by again. That there is no more to reclaim is no error.
	for turn in 1 2 3; do put 256M $group/memory.reclaim 2>/dev/null; done
	figures out
	exit
	;;
read)
	figures in
	exit
	;;
esac

mkswap $disk >/dev/null && swapon $disk || fail "swapon"
mkdir -p /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup && mkdir $group || fail "cgroup2"
put +memory /sys/fs/cgroup/cgroup.subtree_control
put 4 /proc/sys/vm/page-cluster # read-ahead of 16 pages: a folio
# swapped ENABLED: folios * 64 KiB go out and come back in folios of 64 KiB (always) or of a page (never)
swapped() {
	put "$1" $sizes/enabled || fail "no folios of 64 KiB"
	(put 0 $group/cgroup.procs && exec ./large_folios "$folios" "$seed" "sh ./$script") || fail "large_folios, $1"
	pages=$(grown pages before out)
	announce "large_folios $1: $pages pages out: $(grown folios before out) folios of 64 KiB, $(grown bios before out) bios, $(grown doorbells before out) doorbells, $(grown interrupts before out) interrupts, $(grown rotated before out) pages taken next; $(grown card_pages_in out in) pages in by the card: $(grown interrupts out in) interrupts, $(grown doorbells out in) doorbells"
	[ "$pages" -ge $((folios * 14)) ] || fail "only $pages pages went out"
	# The program's own pages come in one by one meanwhile.
	[ $((($(grown doorbells before out) - $(grown card_pages_in before out)) * 16)) -le $((pages + pages / 8)) ] || fail "more than a doorbell for 16 pages out"
	[ $(($(grown doorbells out in) * 16)) -le $(($(grown card_pages_in out in) * 5 / 4)) ] || fail "more than a doorbell for 16 pages in"
}
swapped always
[ "$(grown folios before out)" -ge $((folios * 7 / 8)) ] || fail "no folios of 64 KiB went out"
swapped never
# The kernel did gather folios, else this shows nothing.
[ $(($(grown bios before out) * 4)) -le "$pages" ] || fail "a bio holds but one folio"
expect FailedReads -eq 0
expect FailedWrites -eq 0
expect card_mismatches -eq 0
sums_are_right
