# SPDX-License-Identifier: Apache-2.0
"""A guest with systemd as its init: the root file system on its first disk, and the initramfs that hands over to it.

The root file system is Debian (.tools/install-systemd-guest) with pagepress-tools as `make package-host` makes it, the driver module where
modprobe finds it, and pagepress.conf; nothing in it turns swap on but the units that the generator makes of that file. /work holds the
script and the files beside it, as in the usual guest. The script is run once all units have had their turn. A `fresh` one has nothing
of ours but packages beside the script, which that installs (`packages`).
"""
import os
import shutil
import subprocess
from pathlib import Path

from system import BUILD, INSIDE, REPOSITORY, Trouble, contents, require
from system.initramfs import file, folder, pack
from system.kernels import STOCK
from system.modules import built_in, load_order, name_of, shipped

DEBIAN = BUILD / "tools/systemd-guest"
PACKAGES, DRIVER_PACKAGES = BUILD / "package-host", BUILD / "package"
CONFIGURATION = "pagepress.conf"
EXAMPLE = f"usr/share/doc/pagepress-tools/examples/{CONFIGURATION}"
# A busy host's emulation is slow, and no unit may fail because of that.
SYSTEM_CONF = "[Manager]\nDefaultDeviceTimeoutSec=600\nDefaultTimeoutStartSec=600\nDefaultTimeoutStopSec=600\n"
# What a machine without network, users and a console of its own has no use for.
MASKED = (
    "getty-static.service", "getty.target", "console-getty.service", "systemd-networkd.service", "systemd-resolved.service", "systemd-logind.service",
    "systemd-user-sessions.service", "systemd-timesyncd.service", "systemd-update-utmp.service", "systemd-update-utmp-runlevel.service", "systemd-firstboot.service",
    "systemd-binfmt.service", "proc-sys-fs-binfmt_misc.automount", "proc-sys-fs-binfmt_misc.mount", "systemd-pstore.service",
    "systemd-ask-password-console.path", "systemd-ask-password-wall.path", "systemd-journal-flush.service",
    "systemd-hwdb-update.service", "systemd-machine-id-commit.service", "ldconfig.service", "modprobe@drm.service", "modprobe@efi_pstore.service",
    "apt-daily.timer", "dpkg-db-backup.timer", "e2scrub_all.timer", "fstrim.timer", "systemd-tmpfiles-clean.timer", "systemd-pcrphase.service",
    "systemd-pcrphase-sysinit.service", "dev-hugepages.mount", "dev-mqueue.mount", "sys-kernel-debug.mount", "sys-kernel-config.mount",
    "systemd-sysext.service", "systemd-growfs-root.service", "systemd-repart.service",
)  # fmt: skip
MACHINE = "9a7e55ed0000400080000000000000a1"  # any number: a machine without one takes this boot for its first
UNIT = """[Unit]
Description=The script of make guest

[Service]
ExecStart=/bin/sh /usr/lib/run-script
StandardInput=null
StandardOutput=journal
TimeoutStopSec=10
"""
ARGUMENTS = "systemd.getty_auto=no systemd.show_status=no"


def check():
    require(DEBIAN / "packages.json", "run `.tools/install-systemd-guest`")
    require(PACKAGES, "run `make package-host`")


def package(name, folder=PACKAGES):
    """The file of the package of that name."""
    found = sorted(folder.glob(f"{name}_*_amd64.deb"))
    if not found:
        raise Trouble(f"{folder} holds no {name}: run `make package`")
    return found[-1]


def packages(kernel=STOCK):
    """What an administrator installs on that kernel: tools, library, driver."""
    driver = package("pagepress-modules", DRIVER_PACKAGES)
    if f"linux-image-{release_of(kernel)}" not in run("read the driver's package", "dpkg-deb", "-f", driver, "Recommends"):
        raise Trouble(f"{driver} is not for {release_of(kernel)}: run `make package KDIR={kernel.folder}/build`")
    return [package("libpagepress1"), package("pagepress-tools"), driver]


def release_of(kernel):
    return (kernel.folder / "release").read_text().strip()


def write(initramfs, image, script, files, kernel=STOCK, parameters="", modules=(), fresh=False):
    """Writes both; `files`: put beside the script, but a pagepress.conf among them takes the place of the package's example;
    `parameters`: of the driver module; `modules`: further ones of the kernel; `fresh`: with nothing of ours."""
    check()
    kernel.check()
    work = list(contents.work_entries(script, files))
    tree = Path(image).with_suffix(".tree")
    try:
        shutil.copytree(DEBIAN / "system", tree, symlinks=True)
        if not fresh:
            unpack(package("pagepress-tools"), tree)
        install_modules(tree, kernel, modules, parameters, with_driver=not fresh)
        for entry in work:
            put(tree, entry.name, entry.data)
        settle(tree)
        if not fresh:
            given = tree / "work" / CONFIGURATION
            put(tree, f"etc/systemd/{CONFIGURATION}", (given if given.exists() else tree / EXAMPLE).read_bytes())
            enable(tree, "timers.target", "pagepress-metrics.timer", "/lib/systemd/system/pagepress-metrics.timer")
        make_image(tree, image)
    finally:
        shutil.rmtree(tree, ignore_errors=True)
    entries = [folder("dev"), folder("proc"), folder("sys"), folder("disk"), file("init", (INSIDE / "init-systemd").read_bytes(), executable=True)]
    entries += [file("bin/busybox", kernel.busybox.read_bytes(), executable=True), *contents.module_entries(kernel, None, "")]
    Path(initramfs).write_bytes(pack(entries))


def unpack(deb, tree):
    """As dpkg installs it: /lib is a link there, and stays one."""
    archive = tree.with_suffix(".tar")
    with open(archive, "wb") as stream:
        subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], stdout=stream, check=True)
    run(f"unpack {deb.name}", "tar", "-x", "--keep-directory-symlink", "-f", archive, "-C", tree)
    archive.unlink()


def put(tree, name, data):
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def settle(tree):
    """What an administrator of the machine would do."""
    for name in ("proc", "sys", "dev", "run", "tmp", "root", "pages", "var/lib/prometheus/node-exporter"):
        (tree / name).mkdir(parents=True, exist_ok=True)
    put(tree, "etc/systemd/system.conf.d/slow-host.conf", SYSTEM_CONF)
    put(tree, "etc/machine-id", MACHINE + "\n")
    put(tree, "etc/hostname", "guest\n")
    put(tree, "etc/fstab", "/dev/vda / ext4 defaults 0 0\n")
    put(tree, "usr/lib/run-script", (INSIDE / "run-script").read_bytes())
    put(tree, "etc/systemd/system/guest-script.service", UNIT)
    units = tree / "etc/systemd/system"
    for name in MASKED:
        (units / name).unlink(missing_ok=True)
        (units / name).symlink_to("/dev/null")
    enable(tree, "multi-user.target", "guest-script.service", "../guest-script.service")
    (units / "default.target").unlink(missing_ok=True)
    (units / "default.target").symlink_to("/lib/systemd/system/multi-user.target")


def enable(tree, target, name, place):
    wants = tree / f"etc/systemd/system/{target}.wants"
    wants.mkdir(exist_ok=True)
    (wants / name).symlink_to(place)


def install_modules(tree, kernel, modules, parameters, with_driver):
    """What the driver needs below /lib/modules, and itself, with the tables by which udev and modprobe find them."""
    release = release_of(kernel)
    inside = built_in(kernel)
    wanted = [*contents.STANDARD_MODULES, *contents.WELCOME_MODULES, "autofs4", *map(name_of, modules)]
    available = shipped(kernel)
    names = [name for name in wanted if name not in inside and (name in available or name in map(name_of, modules))]
    for path in load_order([*names, kernel.driver], available):
        if path == kernel.driver and not with_driver:
            continue
        where = "updates" if path == kernel.driver else "kernel"
        put(tree, f"usr/lib/modules/{release}/{where}/{name_of(path)}.ko", contents.stripped(path))
    for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        if (kernel.folder / "modules" / name).exists():
            put(tree, f"usr/lib/modules/{release}/{name}", (kernel.folder / "modules" / name).read_bytes())
    libraries = tree / "usr/lib/x86_64-linux-gnu"
    linker = tree / "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
    run("make the modules' tables", linker, "--library-path", libraries, "--argv0", "depmod", tree / "usr/bin/kmod", "-b", tree, release)
    if parameters:
        put(tree, "etc/modprobe.d/guest.conf", f"options pagepress {parameters}\n")


def make_image(tree, path):
    """An ext4 file system of what lies in `tree`, with room for what the guest writes."""
    used = int(run("measure the file system", "du", "-sm", "--apparent-size", tree).split()[0])
    count = sum(len(names) + len(folders) for _, folders, names in os.walk(tree))
    run("make the file system", "mke2fs", "-q", "-t", "ext4", "-E", "root_owner=0:0", "-m", "0",
        "-N", count + 2000, "-d", tree, path, f"{used * 5 // 4 + 64}M")  # fmt: skip


def run(what, *words):
    environment = os.environ | {"PATH": "/usr/sbin:/sbin:" + os.environ["PATH"]}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=environment, cwd=REPOSITORY)
    if done.returncode:
        raise Trouble(f"cannot {what}: {(done.stderr.strip().splitlines() or ['it said nothing'])[-1]}")
    return done.stdout
