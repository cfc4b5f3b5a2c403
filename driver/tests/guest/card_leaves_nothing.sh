# SPDX-License-Identifier: GPL-2.0-only
# A card that leaves: it waits for pages that CPUs still work on, tasks' plugs that know its queues may outlive it, and every DMA
# mapping ends with it, unless nothing proves that it no longer writes to memory. Needs CONTROL=1.
. ./common.sh
read -r seed watched <arguments
open_control
address=$(cat $block/card/address)
bus=/sys/bus/pci/drivers/pagepress
tracing=/sys/kernel/tracing
mount -t tracefs none $tracing
pages() { ./some_pages "$1" $disk "$2" "$3" "$seed" || fail "some_pages $*"; }
leave() { put "$address" $bus/unbind || fail "unbind"; }
come() {
	put "$address" $bus/bind || fail "bind"
	await ready
}
# calls NAME: of the function counted under that name
calls() { awk -v name="$1" '$1 == name { print $2 }' $tracing/kprobe_profile; }
all_unmapped() {
	[ "$(calls map)" -gt 100 ] && [ "$(calls unmap)" = "$(calls map)" ] || fail "of $(calls map) DMA mappings $(calls unmap) have ended"
	[ "$(calls allocate)" -gt 0 ] && [ "$(calls free)" = "$(calls allocate)" ] || fail "of $(calls allocate) rings $(calls free) are free"
}

leave
for probe in map:dma_map_page_attrs unmap:dma_unmap_page_attrs allocate:dma_alloc_attrs free:dma_free_attrs \
	ends:pagepress:pagepress_card_release; do
	echo "p:card/${probe%%:*} ${probe#*:}" >>$tracing/kprobe_events || fail "cannot count $probe"
done
put 1 $tracing/events/card/enable || fail "cannot count"
come
leave
all_unmapped

# With a task's plug still open, whose pages it has in its ring but was not told of.
come
redone=$(value redone_pages)
hold blk_finish_plug
./some_pages write $disk 0 2 "$seed" &
held
leave
expect redone_pages -eq $((redone + 2))
all_unmapped
ended=$(calls ends)
release
wait $! || fail "the write ended with status $?"
[ "$(calls ends)" = $((ended + 1)) ] || fail "the plug was not the last that knew the card"
pages read 0 2

# With a page in the hands of a CPU that is about to submit it.
come
left=$(dmesg | grep -c "card left") unmapped=$(calls unmap)
hold dma_sync_single_for_device
./some_pages write $disk 8 1 "$seed" &
writer=$!
held
leave &
while [ "$(value card_state)" = ready ]; do sleep 0.05; done
sleep 0.5 # as long as it likes: what must not happen needs a moment, and does not happen later either
[ "$(value card_state)" = stopped ] && [ "$(calls unmap)" = "$unmapped" ] && [ "$(dmesg | grep -c "card left")" = "$left" ] ||
	fail "the card has left ($(value card_state)) while a CPU has one of its requests"
release
wait $! || fail "unbind ended with status $?"
wait $writer || fail "the write ended with status $?"
[ "$(dmesg | grep -c "card left")" = $((left + 1)) ] || fail "the card has not left"
pages read 8 1
all_unmapped

# With a thread of its interrupts that is about to have the watchdog look at a proof, which a CPU does meanwhile. The first answers are
# proven by this CPU, and of those that follow the sixteenth.
come
put card /sys/module/pagepress/parameters/verify_streams
pages write 256 256
proven=$(value streams_proven_by_card)
until [ "$(value streams_proven_by_card)" -gt "$proven" ]; do pages write 256 1; done
sleep 1 # the watchdog finds nothing to do and rests: else it would be the second to call
hold pagepress_watchdog_arm 2
./some_pages write $disk 8 1 "$seed" &
writer=$!
held 1
release 1
held 2
leave &
while [ "$(value card_state)" != none ]; do sleep 0.05; done
wait $writer || fail "the write ended with status $?"
release
wait $! || fail "unbind ended with status $?"
rmmod fail_calls
sleep 1 # four times as long as the watchdog rests
put all /sys/module/pagepress/parameters/verify_streams
pages read 8 1

# Off the bus, which proves nothing: what it could reach is nobody else's. A kernel that watches DMA rightly complains of that.
if [ "$watched" = False ]; then
	come
	unmapped=$(calls unmap) freed=$(calls free)
	tell arm dead
	pages write 32 8
	await dead
	leave
	logged "never proven stopped: [0-9]* KiB of buffers stay out of use"
	[ "$(calls unmap)" = "$unmapped" ] && [ "$(calls free)" = "$freed" ] || fail "memory that the card may still write to is free"
	tell clear
	pages read 32 8
fi

come
pages write 16 64
expect card_pages_out -gt 0
expect FailedWrites -eq 0
sums_are_right
