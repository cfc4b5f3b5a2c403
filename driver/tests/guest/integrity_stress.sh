# SPDX-License-Identifier: GPL-2.0-only
# stress-ng's memory workers, two of them with 12 MiB in a memory cgroup of 8 MiB, fill it, swap, and verify every byte, by two
# methods that do so pass by pass. Amount: pages that come back from swap with each method. Sourced by integrity.sh.
make_groups
mkswap $disk >/dev/null && swapon $disk || fail "swapon"
mkdir $groups/stress && put 8M $groups/stress/memory.max || fail "group"
for method in incdec zero-one; do
	sh -c "echo \$\$ >$groups/stress/cgroup.procs && exec /usr/bin/stress-ng --vm 2 --vm-bytes 12M --vm-method $method --vm-keep \
		--verify --seed $seed --timeout 1h --metrics --temp-path /tmp" >stress.log 2>&1 &
	stress=$!
	await_pages_back "$amount"
	kill -INT $stress # it ends in peace, with a verdict
	wait $stress || fail "stress-ng: status $? $(tail -n 30 stress.log)"
	grep -q 'successful run' stress.log && ! grep -qE 'fail:|detected .* error' stress.log || fail "stress-ng: $(cat stress.log)"
	verified=$(awk '$2 == "metrc:" && $4 == "vm" { print $5 }' stress.log)
	[ "$verified" -gt 0 ] || fail "stress-ng verified nothing: $(cat stress.log)"
	echo "stress-ng, $method: $verified times verified"
done
rmdir $groups/stress
swapoff $disk || fail "swapoff"
