# SPDX-License-Identifier: GPL-2.0-only
# The file `recorded` on the first pages of the disk. Sourced after common.sh.
pages=$(($(stat -c %s recorded) / 4096))
fill() { dd if=recorded of=$disk bs=1M oflag=direct 2>/dev/null || fail "write"; }
# intact WHAT: they are still there, after that
intact() {
	dd if=$disk of=back bs=4096 count="$pages" iflag=direct 2>/dev/null || fail "read: $1"
	cmp recorded back || fail "$1: pages have changed"
	expect FailedReads -eq 0
}
