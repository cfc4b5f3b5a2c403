# SPDX-License-Identifier: GPL-2.0-only
"""The Debian packages: built from the source package, installed in the guest, built by DKMS's own command."""
import shutil
import subprocess
from pathlib import Path

import pytest
from guest_programs import NIGHTLY

REPOSITORY = Path(__file__).resolve().parents[2]
HEADERS = REPOSITORY / "build/tools/kernels/6.1/build"
VERSION = (REPOSITORY / "driver/packaging/debian/changelog").read_text().split("(")[1].split(")")[0]


def test_package_installs_in_the_guest(packages, run_in_guest, check_blocks, seed, tmp_path):
    package = shutil.copy(packages / f"pagepress-modules_{VERSION}_amd64.deb", tmp_path / "pagepress-modules.deb")
    run_in_guest("package_installs", [seed, 100], [check_blocks, package], CARD="model")


def test_package_builds_as_dkms_builds_it(packages, tmp_path):
    """DKMS's own steps: source by dkms.conf into <tree>/<name>/<version>/build, then its MAKE line in a shell. `make test` has it make
    one object, as the whole module is in the package beside; `make test-whole` all."""
    goal, made = ("modules", "pagepress.ko") if NIGHTLY else ("card/power.o", "card/power.o")
    subprocess.run(["dpkg-deb", "-x", packages / f"pagepress-dkms_{VERSION}_all.deb", tmp_path / "root"], check=True)
    source = tmp_path / f"root/usr/src/pagepress-{VERSION}"
    build = tmp_path / f"dkms/pagepress/{VERSION}/build"
    shutil.copytree(source, build)
    script = f"""
        set -eu; kernel_source_dir={HEADERS} dkms_tree={tmp_path}/dkms
        . {build}/dkms.conf
        [ "$PACKAGE_NAME $PACKAGE_VERSION" = "pagepress {VERSION}" ]
        [[ {(REPOSITORY / "build/tools/kernels/6.1/release").read_text().strip()} =~ $BUILD_EXCLUSIVE_KERNEL ]]
        for option in $BUILD_EXCLUSIVE_CONFIG; do grep -q "^$option=" {HEADERS}/include/config/auto.conf; done
        [ "${{BUILT_MODULE_NAME[0]}} ${{MAKE[0]##* }}" = "pagepress modules" ]
        eval "${{MAKE[0]% *}} {goal}"; [ -f {build}/{made} ]; eval "$CLEAN"; [ ! -e {build}/{made} ]
    """
    done = subprocess.run(["bash", "-c", script], cwd=build, capture_output=True, text=True)
    assert done.returncode == 0 and "warning:" not in done.stderr, done.stdout + done.stderr


@pytest.mark.night("test-whole")
def test_source_package_holds_what_it_needs(packages, tmp_path):
    """The source package alone builds the same packages again."""
    subprocess.run(["dpkg-source", "-x", packages / f"pagepress_{VERSION}.dsc", tmp_path / "source"], check=True,
                   capture_output=True)
    done = subprocess.run(["dpkg-buildpackage", "-d", "-us", "-uc", "-b"], cwd=tmp_path / "source", capture_output=True,
                          text=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "KDIR": str(HEADERS)})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert sorted(path.name for path in tmp_path.glob("*.deb")) == sorted(path.name for path in packages.glob("*.deb"))
