# SPDX-License-Identifier: GPL-2.0-only
# zswap with `lzo`, which is ours: memory that does not fit comes back right, also when the card dies in the middle, and when it is taken
# away and brought back. Argument: seed. Needs a kernel with zswap, CONTROL=1 and acomp=1.
. ./common.sh
read -r seed <arguments
open_control
address=$(cat $block/card/address)

use_zswap
mkswap $disk >/dev/null && swapon $disk || fail "swapon"
# Six fifths of what there is: kernels take unlike much for themselves.
./soak_memory "$seed" 2 $(($(available) * 6 / 10)) 1 enough >checked 2>said &
load=$!
await_growth acomp_card_pages_out 3000
await_growth acomp_card_pages_in 300
announce "zswap: by the card $(value acomp_card_pages_out) out, $(value acomp_card_pages_in) in; by software $(value acomp_software_out) out, $(value acomp_software_in) in, before the card dies"
tell arm dead
await dead
await_growth acomp_software_out $(($(value acomp_software_out) + 500))
tell clear
put 1 "/sys/bus/pci/devices/$address/reset" || fail "reset"
await ready
# Out of a card that works, in the middle of its pages.
await_growth acomp_card_pages_out $(($(value acomp_card_pages_out) + 500))
put 1 "/sys/bus/pci/devices/$address/remove" || fail "remove"
await none
await_growth acomp_software_out $(($(value acomp_software_out) + 500))
await_growth acomp_software_in $(($(value acomp_software_in) + 50))
put 1 /sys/bus/pci/rescan
await ready
await_growth acomp_card_pages_out $(($(value acomp_card_pages_out) + 500))
touch enough
wait $load || fail "status $? of the programs that swap: $(cat said)"
expect acomp_card_mismatches -eq 0
expect FailedReads -eq 0
expect FailedWrites -eq 0
for counter in $block/pagepress/acomp_*; do announce "${counter##*/} $(cat "$counter")"; done
announce "zswap: $(tr '\n' ' ' <checked)"
