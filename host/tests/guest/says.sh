# SPDX-License-Identifier: Apache-2.0
# What scripts that type commands share. Sourced first: . ./says.sh
fail() {
    echo "FAILED: $*"
    pagepressctl doctor
    dmesg | grep pagepress | tail -n 20
    exit 1
}
# has WORDS: the last example's output has them, blanks being as they are
has() { grep -qF -- "$1" said || fail "the example says nothing of '$1': $(cat said)"; }
# hasnot WORDS
hasnot() { ! grep -qF -- "$1" said || fail "the example says '$1': $(cat said)"; }
# ends STATUS COMMAND...: with this status
ends() {
    local wanted=$1 status
    shift
    "$@" >said 2>&1
    status=$?
    [ $status = "$wanted" ] || fail "'$*' ends with $status, not $wanted: $(cat said)"
}
# in_group COMMAND...: in a control group that may have 8 MiB of memory, and swaps what is more
in_group() { (echo 0 >/groups/small/cgroup.procs && exec "$@"); }
files_are_right() { for file in /t/*; do in_group /usr/bin/cmp base "$file" || fail "$file has changed"; done; }
pages() { cat "/sys/block/pagepress0/pagepress/$1"; }

mkdir -p /groups && mount -t cgroup2 none /groups && echo +memory >/groups/cgroup.subtree_control && mkdir /groups/small &&
    echo 8M >/groups/small/memory.max || fail "no control groups"
