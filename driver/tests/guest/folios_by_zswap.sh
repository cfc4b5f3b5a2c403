# SPDX-License-Identifier: GPL-2.0-only
# What folios of 64 KiB and of a page cost the card by zswap, out and in: doorbells, interrupts, how often a task waited. zswap asks for
# one page at a time and waits for it, so there is a doorbell a page; but no task sleeps for it and no thread is woken as long as the card
# answers within poll_us. Arguments: seed, folios. Needs a kernel with zswap, MODULES=null_blk, acomp=1, and ICOUNT=1 INSTANT=1, as a
# simulated card does not answer within poll_us.
. ./common.sh
read -r seed folios <arguments
read -r script <script.name
sizes=/sys/kernel/mm/transparent_hugepage/hugepages-64kB
group=/sys/fs/cgroup/one

# figures STEP: what kernel and card have counted by now
figures() {
	cat $block/card/doorbells >"doorbells.$1"
	cat $block/card/interrupts >"interrupts.$1"
	cat $sizes/stats/zswpout >"folios.$1"
	value acomp_card_pages_out >"out.$1"
	value acomp_card_pages_in >"in.$1"
	awk '$1 ~ /^voluntary/ { print $2 }' "/proc/$2/status" >"waits.$1"
}
# grown NAME FROM TO
grown() { echo $(($(cat "$1.$3") - $(cat "$1.$2"))); }

# large_folios runs this very script between its steps.
case $1 in
filled)
	figures before $$
	# That there is no more to reclaim is no error.
	for turn in 1 2 3; do put 256M $group/memory.reclaim 2>/dev/null; done
	figures out $$
	figures back "$(pidof large_folios)"
	exit
	;;
read)
	figures in "$(pidof large_folios)"
	exit
	;;
esac

modprobe null_blk nr_devices=1 gb=1 memory_backed=1 || fail "null_blk"
use_zswap
mkswap /dev/nullb0 >/dev/null && swapon /dev/nullb0 || fail "swapon"
mkdir -p /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup && mkdir $group || fail "cgroup2"
put +memory /sys/fs/cgroup/cgroup.subtree_control
for enabled in always never; do
	put $enabled $sizes/enabled || fail "no folios of 64 KiB"
	(put 0 $group/cgroup.procs && exec ./large_folios "$folios" "$seed" "sh ./$script") || fail "large_folios, $enabled"
	announce "zswap folios $enabled: $(grown out before out) pages out by the card: $(grown folios before out) folios of 64 KiB, $(grown doorbells before out) doorbells, $(grown interrupts before out) interrupts, $(grown waits before out) waits; $(grown in back in) in: $(grown doorbells back in) doorbells, $(grown interrupts back in) interrupts, $(grown waits back in) waits"
	[ "$(grown out before out)" -ge $((folios * 14)) ] || fail "only $(grown out before out) pages went out by the card"
	[ "$(grown in back in)" -ge $((folios * 14)) ] || fail "only $(grown in back in) pages came back by the card"
	[ $enabled = never ] || [ "$(grown folios before out)" -ge $((folios * 7 / 8)) ] || fail "no folios of 64 KiB went out"
	[ $(($(grown waits before out) * 8)) -le "$(grown out before out)" ] && [ $(($(grown waits back in) * 8)) -le "$(grown in back in)" ] || fail "tasks sleep for pages"
	# A command is told of once.
	[ "$(grown doorbells before out)" -le $(($(grown out before out) + $(grown in before out))) ] || fail "more than a doorbell a page out"
done
expect acomp_card_mismatches -eq 0
