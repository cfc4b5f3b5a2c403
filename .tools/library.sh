# SPDX-License-Identifier: Apache-2.0
# Shared by the installers (bash, sourced): one-line errors, stamps, locks and Debian packages.
#
# An installer sources this file, calls `begin <name> <input files…>` (which exits at once when
# the same inputs were installed before), does its work, and calls `finish`.

set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=$repository/build/tools
mkdir -p "$tools/bin" "$tools/stamps"

# fail <message>: one clear line on stderr, exit 1.
fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

# say <message>: progress, only printed while something is really being installed.
say() { echo "[$(basename "$0")] $*"; }

# begin <name> <input files…>: exit 0 when up to date; otherwise take the installer's lock. The
# stamp is the hash of the calling script, this library and the inputs, so an edit reinstalls.
begin() {
    installer=$1; shift
    stamp=$tools/stamps/$installer
    inputs_hash=$(cat "$0" "$repository/.tools/library.sh" "$@" | sha256sum | cut -d' ' -f1)
    up_to_date && exit 0
    exec 8>"$tools/stamps/$installer.lock"
    flock 8
    ! up_to_date || exit 0      # another run finished while this one waited
    rm -f "$stamp"
    # Every installer reads versions.toml, and the smallest Debian has no Python.
    [ -x /usr/bin/python3 ] || require_packages python3
}

up_to_date() { [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$inputs_hash" ]; }

# finish: record success; the last command of an installer.
finish() { echo "$inputs_hash" > "$stamp"; say "done"; }

# version <section> <key>: a value of versions.toml.
version() {
    /usr/bin/python3 -c 'import sys, tomllib
print(tomllib.load(open(sys.argv[1], "rb"))[sys.argv[2]][sys.argv[3]])' \
        "$repository/.tools/versions.toml" "$1" "$2" || fail "versions.toml has no [$1] $2"
}

# require_packages <Debian packages…>: install the missing ones system-wide. Needs root only
# then. Installers run side by side, so one lock covers the lists and dpkg waits for others.
require_packages() {
    local missing=() package
    for package in "$@"; do package_installed "$package" || missing+=("$package"); done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null || fail "needs Debian's apt-get to install: ${missing[*]}"
    [ "$(id -u)" = 0 ] || fail "not root: run as root once, or install: apt-get install ${missing[*]}"
    say "installing Debian packages: ${missing[*]}"
    local log=$tools/apt-install-$installer.log
    (
        flock 9
        update_package_lists
        # A machine that has just started may still be installing packages of its own: apt waits for apt,
        # but not for a bare dpkg. What an ended installation left half done is completed first.
        install_packages "${missing[@]}" || {
            grep -qE 'Sub-process .*dpkg|fix-broken' "$log" && sleep 20 && { dpkg --configure -a || true; } &&
                install_packages --fix-broken && install_packages "${missing[@]}"
        }
    ) 9>"$tools/stamps/apt.lock" >"$log" 2>&1 </dev/null ||
        fail "cannot install ${missing[*]}: $(last_error "$log") (network? see build/tools/${log##*/})"
}

install_packages() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
}

package_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# update_package_lists: apt-get update, at most once an hour. The caller holds the apt lock.
update_package_lists() {
    local stamp=$tools/stamps/apt-lists
    [ -z "$(find "$stamp" -mmin -60 2>/dev/null)" ] || return 0
    apt-get update -qq -o DPkg::Lock::Timeout=300 </dev/null || return 1
    touch "$stamp"
}

# fetch_package <package> <folder>: download a Debian package and unpack it into <folder>
# without installing it.
fetch_package() {
    local package=$1 folder=$2 download
    download=$(mktemp -d "$tools/download.XXXXXX")
    chmod 755 "$download"
    (
        flock 9
        [ "$(id -u)" != 0 ] || update_package_lists
        cd "$download" && apt-get download -qq "$package" </dev/null
    ) 9>"$tools/stamps/apt.lock" >"$tools/apt-download.log" 2>&1 || {
        rm -rf "$download"
        fail "cannot download $package: $(last_error "$tools/apt-download.log") (network? apt sources?)"
    }
    mkdir -p "$folder"
    dpkg-deb -x "$download"/*.deb "$folder" || fail "$package: broken archive"
    rm -rf "$download"
}

# last_error <log>: the log's first error line, else its last line.
last_error() { grep -m1 -E '^(E:|ERROR:?|\[ERROR\]) .*[[:alnum:]]' "$1" 2>/dev/null || tail -n 1 "$1" 2>/dev/null || true; }
