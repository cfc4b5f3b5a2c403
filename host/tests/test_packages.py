# SPDX-License-Identifier: Apache-2.0
"""The Debian packages of the host: what is in them, lintian, and a program built against the library's."""

import os
import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
VERSION = re.search(r"\((.*?)\)", (REPOSITORY / "driver/packaging/debian/changelog").read_text())[1]
SECONDS = 600  # on a machine as busy as can be
NO_ADDRESS = "bogus-mail-host,bogus-mail-host-in-debian-changelog"  # the project has none
FILES = {
    "pagepress-tools": {
        "usr/bin/pagepressctl", "lib/systemd/system-generators/pagepress-generator", "lib/udev/rules.d/90-pagepress.rules",
        "lib/modprobe.d/pagepress.conf", "lib/systemd/system/pagepress-metrics.service", "lib/systemd/system/pagepress-metrics.timer",
        "usr/share/man/man8/pagepressctl.8.gz", "usr/share/man/man8/pagepress-generator.8.gz", "usr/share/man/man5/pagepress.conf.5.gz",
        "usr/share/bash-completion/completions/pagepressctl", "usr/share/zsh/vendor-completions/_pagepressctl",
        "usr/share/doc/pagepress-tools/examples/pagepress.conf", "usr/share/doc/pagepress-tools/examples/alerts.yml",
        "usr/share/doc/pagepress-tools/examples/dashboard.json",
    },
    "pagepress-xrt": {"usr/bin/pagepress-xrt", "usr/share/man/man1/pagepress-xrt.1.gz"},
    "libpagepress1": {"usr/lib/x86_64-linux-gnu/libpagepress.so.1"},
    "libpagepress-dev": {
        "usr/include/pagepress/pagepress.h", "usr/include/pagepress/pagepress.hpp", "usr/include/pagepress_interface.h",
        "usr/lib/x86_64-linux-gnu/libpagepress.a", "usr/lib/x86_64-linux-gnu/libpagepress.so", "usr/lib/x86_64-linux-gnu/pkgconfig/pagepress.pc",
    },
}  # fmt: skip
PROGRAM = """
#include <pagepress/pagepress.h>
#include <stdio.h>
int main(void) {
    struct pagepress_device *device;
    struct pagepress_options options = {.size = sizeof options};
    int error = pagepress_open(&options, &device);
    printf("%s %d\\n", pagepress_version(), error);
    pagepress_close(device);
    return error;
}
"""


@pytest.fixture(scope="module")
def packages(built):
    return built("package-host")


def output(*command, **how):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=SECONDS, **how)
    assert done.returncode == 0, done
    return done.stdout


def test_packages_are_built_anew_when_they_would_differ(tmp_path):
    """Another file, option, compiler or library makes other packages; the same ones are not built twice."""
    (tmp_path / "programs").mkdir()
    for name, text in (("dpkg-buildpackage", f"echo >>{tmp_path}/built; touch ../a.deb ../a.dsc ../a.tar.xz"),
                       ("dpkg-query", f'[ "$*" != "-W liblzo2-dev" ] || cat {tmp_path}/library'),
                       ("dpkg-buildflags", 'echo "$CFLAGS"'), ("cc", f"cat {tmp_path}/compiler"), ("c++", "echo 1")):
        (tmp_path / "programs" / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "programs" / name).chmod(0o755)

    def builds(file="1", options="-O1", compiler="1", library="1"):
        (tmp_path / "library").write_text(library)
        (tmp_path / "compiler").write_text(compiler)
        (tmp_path / "fresh/source/debian").mkdir(parents=True)
        (tmp_path / "fresh/source/debian/control").write_text("Source: a\nBuild-Depends: debhelper-compat (= 13), liblzo2-dev\n")
        (tmp_path / "fresh/source/file").write_text(file)
        variables = {"PATH": f"{tmp_path}/programs:{os.environ['PATH']}", "CFLAGS": options}
        output(REPOSITORY / "host/packaging/build-when-changed", tmp_path / "fresh", tmp_path / "out", env=variables)
        return len((tmp_path / "built").read_text().splitlines())

    assert builds() == 1 and builds() == 1
    for count, other in enumerate(({"file": "2"}, {"options": "-O2"}, {"compiler": "2"}, {"library": "2"}), 2):
        assert builds(**other) == count, other
        assert builds(**other) == count, other


def test_packages_hold_their_files(packages):
    """One version for all, the driver's; each file in its package; every program that is needed is in what the package depends on."""
    for name, files in FILES.items():
        package = packages / f"{name}_{VERSION}_amd64.deb"
        listed = {line.split()[5].removeprefix("./") for line in output("dpkg-deb", "-c", package).splitlines() if not line.startswith("d")}
        documents = {path for path in listed if re.match(rf"usr/share/doc/{name}/(copyright|changelog\.gz)$", path)}
        assert listed - documents == files and len(documents) == 2, (name, listed ^ files)
    needed = output("dpkg-deb", "-f", packages / f"pagepress-tools_{VERSION}_amd64.deb", "Depends")
    assert "libc6" in needed and "kmod" in needed and "libxrt" not in needed
    assert "libxrt1" in output("dpkg-deb", "-f", packages / f"libpagepress1_{VERSION}_amd64.deb", "Depends")


def fields_of(control, package):
    (paragraph,) = [part for part in (REPOSITORY / control).read_text().split("\n\n") if f"Package: {package}\n" in part + "\n"]
    return dict(re.findall(r"^([\w-]+): (.*)$", paragraph, re.M))


def test_packages_keep_apart_what_does_not_go_together():
    """Two builds of one module; tools that ask for files which an older driver does not have."""
    both = {"pagepress-dkms", "pagepress-modules"}
    for package in both:
        assert {fields_of("driver/packaging/debian/control", package)["Conflicts"]} == both - {package}
    assert set(fields_of("host/packaging/debian/control", "pagepress-tools")["Breaks"].split(", ")) == {f"{package} (<< ${{source:Version}})" for package in both}


def test_packages_pass_lintian(packages):
    (changes,) = packages.glob("*.changes")
    done = subprocess.run(["lintian", "--suppress-tags", NO_ADDRESS, "--fail-on", "error,warning,info", "--allow-root", changes], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0 and not re.search("^[EWI]: ", done.stdout, re.M), done.stdout + done.stderr


def test_packages_build_programs(packages, tmp_path):
    """A program finds headers and library by pkg-config, and runs with the shared one and with the static one."""
    for name in ("libpagepress1", "libpagepress-dev"):
        output("dpkg-deb", "-x", packages / f"{name}_{VERSION}_amd64.deb", tmp_path)
    (tmp_path / "program.c").write_text(PROGRAM)
    libraries = tmp_path / "usr/lib/x86_64-linux-gnu"
    environment = {**os.environ, "PKG_CONFIG_PATH": str(libraries / "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(tmp_path)}
    environment |= {"PKG_CONFIG_ALLOW_SYSTEM_CFLAGS": "1", "PKG_CONFIG_ALLOW_SYSTEM_LIBS": "1"}
    for static in ([], ["--static"]):
        words = output("pkg-config", *static, "--cflags", "--libs", "pagepress", env=environment).split()
        if static:
            words = [f"{libraries}/libpagepress.a" if word == "-lpagepress" else word for word in words]
        output("gcc", "-o", tmp_path / "program", tmp_path / "program.c", *words)
        said = output(tmp_path / "program", env={**os.environ, "LD_LIBRARY_PATH": "" if static else str(libraries)})
        assert said.split()[1] == "0"
