# SPDX-License-Identifier: GPL-2.0-only
# Scenarios of data integrity, one after the other on the same disk. Arguments: seed, then one SCENARIO=AMOUNT each:
# amount is what guest/integrity_<scenario>.sh says.
. ./common.sh
read -r seed scenarios <arguments
[ "$(value card_state)" = ready ] || fail "card_state is $(value card_state), not ready"

# make_groups: sets groups, where memory cgroups are made
make_groups() {
	groups=/sys/fs/cgroup
	mount -t cgroup2 none $groups 2>/dev/null
	put +memory $groups/cgroup.subtree_control || fail "no memory cgroups"
}

# await_pages_back NUMBER: of pages read from the disk from now on, while the last command in the background runs
await_pages_back() {
	local first waited=0
	first=$(value NumReads)
	until [ $(($(value NumReads) - first)) -ge "$1" ]; do
		waited=$((waited + 1))
		kill -0 $! 2>/dev/null && [ $waited -lt 6000 ] || fail "only $(($(value NumReads) - first)) pages came back: $(cat said.* 2>/dev/null)"
		sleep 0.1
	done
}

for scenario in $scenarios; do
	out=$(value card_pages_out) in=$(value card_pages_in)
	amount=${scenario#*=}
	. "./integrity_${scenario%%=*}.sh"
	sums_are_right
	for none in FailedReads FailedWrites card_errors card_mismatches card_timeouts redone_pages; do
		expect $none -eq 0
	done
	! dmesg | grep -q 'Out of memory' || fail "memory ran out"
	[ "$(value card_pages_out)" -gt $((out + 100)) ] || fail "the card compressed fewer than 100 pages"
	announce "scenario ${scenario%%=*} out $(($(value card_pages_out) - out)) in $(($(value card_pages_in) - in))"
done
