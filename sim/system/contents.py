# SPDX-License-Identifier: Apache-2.0
"""What the guest's initramfs holds.

/bin: busybox, pagepressctl and further programs; /usr/bin: Debian's that were asked for; /lib/modules: what modprobe finds;
/modules: kernel modules loaded at the start and `order`, a line
each: name and parameters; `disk`: the block device to wait for; /work: the script, the files
beside it, and `script.name`.
"""
import subprocess
import tempfile
from pathlib import Path

from system import CONTROL, INSIDE, Trouble, programs, require
from system.initramfs import file, folder, pack
from system.kernels import STOCK
from system.modules import built_in, dependencies, load_order, name_of, shipped

STANDARD_MODULES = ("virtio_pci", "virtio_blk")
# No dependency but a `softdep` of the driver, which modprobe would load for it; newer kernels have none.
WELCOME_MODULES = ("crc32c_intel",)
DISK = "/dev/pagepress0"


def readable(path, what):
    """The bytes of a file that the user named."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise Trouble(f"cannot read {what} {path}: {error.strerror}") from error


def module_entries(kernel, driver, parameters):
    """`driver`: the module file whose disk the guest waits for, or None."""
    available, inside = shipped(kernel), built_in(kernel)
    welcome = [name for name in WELCOME_MODULES if name in available]
    wanted = [*(name for name in STANDARD_MODULES if name not in inside), *welcome, *filter(None, [driver])]
    order = load_order(wanted, available)
    lines = [
        f"{name_of(path)} {parameters if path == driver else ''}".rstrip() for path in order
    ]
    yield from (file(f"modules/{name_of(path)}.ko", stripped(path)) for path in order)
    yield file("modules/order", "".join(line + "\n" for line in lines).encode())
    yield file("modules/disk", f"{DISK}\n".encode() if driver else b"")


def modprobe_entries(kernel, names):
    """/lib/modules with these modules of the kernel and what they need; those that are part of its image need no file."""
    if not names:
        return
    inside, available = built_in(kernel), shipped(kernel)
    names = [name_of(name) for name in names]
    for name in names:
        if name not in inside and name not in available:
            raise Trouble(f"the kernel {kernel.name} has no module {name}: leave it out of MODULES")
    order = load_order([name for name in names if name not in inside], available)
    tree = f"lib/modules/{(kernel.folder / 'release').read_text().strip()}"
    yield from (file(f"{tree}/kernel/{name_of(path)}.ko", stripped(path)) for path in order)
    yield file(f"{tree}/modules.dep", dependencies(order).encode())
    yield file(f"{tree}/modules.builtin", (kernel.folder / "modules/modules.builtin").read_bytes())


def stripped(path):
    """The module without debug information: the guest's memory is small."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / path.name  # strip cannot write to a pipe
        done = subprocess.run(["strip", "--strip-debug", "-o", out, path], capture_output=True, text=True)
        if done.returncode:
            raise Trouble(f"cannot strip {path}: {done.stderr.strip()}")
        return out.read_bytes()


def work_entries(script, files):
    named = {}
    for path in (script, *files):
        if Path(path).name in named:
            raise Trouble(f"{path} and {named[Path(path).name]} would lie in the same place: rename one")
        named[Path(path).name] = path
        what = "the script" if path == script else "the file"
        yield file(f"work/{Path(path).name}", readable(path, what), executable=True)
    yield file("work/script.name", f"{Path(script).name}\n".encode())


def write(path, script, files=(), static_programs=(), debian_programs=(), modules=(), further=(), parameters="", kernel=STOCK, driver=True):
    """Writes the initramfs to `path`. `static_programs`: paths, put into /bin; `debian_programs`: names for system.programs;
    `modules`: of the kernel, for modprobe; `further`: entries of the archive; `parameters`: of the driver module, blank-separated; `driver`: False leaves it out. Trouble where a part is missing."""
    work = list(work_entries(script, files))  # what the user named is looked at first
    kernel.check(driver)
    tools = [kernel.busybox, require(CONTROL, "run `make host`")]
    entries = [folder("dev"), folder("tmp"), file("init", (INSIDE / "init").read_bytes(), executable=True)]
    entries += [file(f"bin/{Path(tool).name}", Path(tool).read_bytes(), executable=True) for tool in (*tools, *static_programs)]
    entries += [*programs.entries(debian_programs), *modprobe_entries(kernel, modules)]
    entries += module_entries(kernel, kernel.driver if driver else None, parameters)
    Path(path).write_bytes(pack([*entries, *further, *work]))
