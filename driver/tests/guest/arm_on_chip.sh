# SPDX-License-Identifier: GPL-2.0-only
# On arm64, the card as the device tree describes it (sim/system/check-arm): random transfers, a card that fails, leaves and returns.
# First what firmware and wires are on a chip: PCI's driver lets go, the card may read and write memory, and all its vectors raise one
# interrupt of the GIC, by messages to the GICv2m frame. Needs CONTROL=1.
. ./common.sh
read -r seed rounds registers interrupt coherence <arguments
report() { echo "$*" >/dev/ttyS1; }
node=$(printf '%x.accelerator' "$((registers))")
platform=/sys/bus/platform/drivers/pagepress
frame=0x8020040 # SETSPI_NS of QEMU's machine virt
table=0x8000    # of MSI-X, in BAR0
await ready
pci=$(cat $block/card/address)
read -r first _ <"/sys/bus/pci/devices/$pci/resource"
[ "$((first))" = "$((registers))" ] || fail "the card's registers are at $first, not $registers"
put "$pci" /sys/bus/pci/drivers/pagepress/unbind || fail "unbind from PCI"
[ "$(value card_state)" = none ] || fail "without a card it is $(value card_state)"
[ -e /sys/bus/platform/devices/$node ] || fail "no $node: $(ls /sys/bus/platform/devices)"
case $coherence in
dma-coherent) [ ! -e /sys/bus/platform/devices/$node/of_node/dma-noncoherent ] ;;
*) [ -e /sys/bus/platform/devices/$node/of_node/dma-noncoherent ] ;;
esac || fail "the device tree does not say $coherence"

put 1 "/sys/bus/pci/devices/$pci/enable" || fail "cannot enable the card"
# byte OFFSET: of configuration space
byte() { hexdump -s "$1" -n 1 -e '"%u"' "/sys/bus/pci/devices/$pci/config"; }
# set_byte OFFSET VALUE
set_byte() { printf "\\$(printf %03o "$2")" | dd of="/sys/bus/pci/devices/$pci/config" bs=1 seek="$1" conv=notrunc 2>/dev/null || fail "configuration space at $1"; }
at=$(byte 52)
until [ "$(byte "$at")" = 17 ]; do
	[ "$at" -ne 0 ] || fail "no MSI-X"
	at=$(byte $((at + 1)))
done
vectors=$((($(byte $((at + 2))) | ($(byte $((at + 3))) & 7) << 8) + 1))
set_byte 4 6                                         # memory and bus mastering
set_byte $((at + 3)) $(($(byte $((at + 3))) | 128)) # MSI-X on
vector=0
while [ $vector -lt $vectors ]; do
	entry=$((registers + table + vector * 16))
	devmem $entry 32 $((frame)) && devmem $((entry + 4)) 32 0 && devmem $((entry + 8)) 32 "$interrupt" && devmem $((entry + 12)) 32 0 ||
		fail "vector $vector"
	vector=$((vector + 1))
done

open_control
put card /sys/module/pagepress/parameters/read_path
put 50 /sys/module/pagepress/parameters/rejoin_ms
put $node $platform/bind || fail "bind $node"
await ready
[ "$(cat $block/card/address)" = $node ] || fail "its address is $(cat $block/card/address)"
out=$(value card_pages_out)
interrupts() { awk '/pagepress-/ { sum += $2 + $3 } END { print sum + 0 }' /proc/interrupts; }
./check_blocks $disk "$seed" 2 "$rounds" || fail "check_blocks $disk $seed 2 $rounds"
[ "$(value card_pages_out)" -gt $((out + 100)) ] || fail "$(($(value card_pages_out) - out)) pages by the card"
[ "$(interrupts)" -gt 20 ] || fail "$(interrupts) interrupts"
tell arm fatal
./check_blocks $disk "$seed" 2 "$rounds" || fail "check_blocks beside a failing card"
logged "it stopped by itself"
await ready
put $node $platform/unbind || fail "unbind"
put $node $platform/bind || fail "bind again"
await ready

# Swap: copies of a program in a tmpfs, more than memory holds.
blkdiscard $disk
swap_out_files
out=$(value card_pages_out)
copies=0
until [ "$(awk '/^SwapTotal/ { total = $2 } /^SwapFree/ { free = $2 } END { print total - free }' /proc/meminfo)" -gt 32768 ]; do
	[ $copies -lt 300 ] || fail "no swap used"
	cp /bin/busybox "/t/$copies" || fail "copy $copies"
	copies=$((copies + 1))
done
[ "$(value card_pages_out)" -gt "$out" ] || fail "nothing swapped out by the card"
while [ $copies -gt 0 ]; do
	copies=$((copies - 1))
	cmp /bin/busybox "/t/$copies" || fail "copy $copies is another"
	rm "/t/$copies"
done
umount /t && swapoff $disk || fail "swapoff"
expect FailedReads -eq 0
expect FailedWrites -eq 0
expect card_mismatches -eq 0
report did "$(value card_pages_out) pages out and $(value card_pages_in) in by the card, $(interrupts) interrupts"
