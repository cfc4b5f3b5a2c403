# SPDX-License-Identifier: GPL-2.0-only
# stress-ng's memory workers, two of them with 12 MiB in a memory cgroup of 8 MiB, fill it, swap, and verify every byte, by two
# methods that do so pass by pass, again and again until so many pages have come back. Amount: pages that come back from swap with each
# method. Sourced by integrity.sh.
make_groups
mkswap $disk >/dev/null && swapon $disk || fail "swapon"
mkdir $groups/stress && put 8M $groups/stress/memory.max || fail "group"
for method in incdec zero-one; do
	verified=0 first=$(value NumReads)
	# It ends by itself when it has verified: ended from outside, on a busy host, it may not have got to that.
	until [ $(($(value NumReads) - first)) -ge "$amount" ]; do
		sh -c "echo \$\$ >$groups/stress/cgroup.procs && exec /usr/bin/stress-ng --vm 2 --vm-bytes 12M --vm-method $method --vm-keep \
			--vm-ops 2 --verify --seed $seed --timeout 1h --metrics --temp-path /tmp" >stress.log 2>&1 || fail "stress-ng: status $? $(tail -n 30 stress.log)"
		grep -q 'successful run' stress.log && ! grep -qE 'fail:|detected .* error' stress.log || fail "stress-ng: $(cat stress.log)"
		passed=$(awk '$2 == "metrc:" && $4 == "vm" { print $5 }' stress.log)
		[ "$passed" -gt 0 ] || fail "stress-ng verified nothing: $(cat stress.log)"
		verified=$((verified + passed))
	done
	echo "stress-ng, $method: $verified times verified"
done
rmdir $groups/stress
swapoff $disk || fail "swapoff"
