# SPDX-License-Identifier: GPL-2.0-only
# On arm64, the card on PCI: random transfers, swap, a card that fails, leaves and returns; reports where its registers are. Needs CONTROL=1.
. ./common.sh
read -r seed rounds <arguments
report() { echo "$*" >/dev/ttyS1; }
await ready
address=$(cat $block/card/address)
open_control
put card /sys/module/pagepress/parameters/read_path
put 50 /sys/module/pagepress/parameters/rejoin_ms
./check_blocks $disk "$seed" 2 "$rounds" || fail "check_blocks $disk $seed 2 $rounds"
tell arm fatal
./check_blocks $disk "$seed" 2 "$rounds" || fail "check_blocks beside a failing card"
logged "it stopped by itself"
await ready
put "$address" /sys/bus/pci/drivers/pagepress/unbind || fail "unbind"
put "$address" /sys/bus/pci/drivers/pagepress/bind || fail "bind"
await ready
./some_pages write $disk 0 256 "$seed" && ./some_pages read $disk 0 256 "$seed" || fail "some_pages"
expect FailedReads -eq 0
expect FailedWrites -eq 0
expect card_mismatches -eq 0
expect card_pages_out -gt 100
expect card_pages_in -gt 100
read -r first _ <"/sys/bus/pci/devices/$address/resource"
report address "$first"
report did "$(value card_pages_out) pages out and $(value card_pages_in) in by the card"
