# SPDX-License-Identifier: GPL-2.0-only
# Four programs at once, each in a memory cgroup of 4 MiB with 12 MiB of pages that it writes and checks at random.
# Amount: pages that come back from swap before they end. Sourced by integrity.sh.
make_groups
mkswap $disk >/dev/null && swapon $disk || fail "swapon"
for group in 1 2 3 4; do
	mkdir $groups/$group && put 4M $groups/$group/memory.max || fail "group $group"
	sh -c "echo \$\$ >$groups/$group/cgroup.procs && exec ./soak_memory $((seed + group)) 1 12 0 enough" >checked.$group 2>said.$group &
done
await_pages_back "$amount"
for group in 1 2 3 4; do
	[ "$(cat $groups/$group/memory.swap.current)" -gt 4194304 ] || fail "group $group has only $(cat $groups/$group/memory.swap.current) bytes in swap"
done
touch enough
wait
for group in 1 2 3 4; do
	grep '^checked' checked.$group || fail "group $group: $(cat said.$group)"
	rmdir $groups/$group
done
swapoff $disk || fail "swapoff"
