# SPDX-License-Identifier: Apache-2.0
"""Programs of Debian packages for the guest (.tools/guest-programs.toml), with the libraries they are linked with."""
import re
import struct
import subprocess
from pathlib import Path

from system import BUILD, Trouble, require
from system.initramfs import file, folder, link

FOLDER = BUILD / "tools/guest-programs"
LINKER = "ld-linux-x86-64.so.2"
# Opened by the C library when a thread ends early; nothing is linked with it.
ALWAYS = ("libgcc_s.so.1",)
ALL = "all"
RELEASE = "Debian 12"  # whose programs they are


def check():
    require(FOLDER / "lib" / LINKER, "run `make guest-tools`")


def chosen(words):
    """The names that PROGRAMS= stands for, those that links lead to included. Trouble for an unknown one."""
    check()
    known = {path.name: path for path in (FOLDER / "bin").iterdir()}
    names = set(known) if ALL in words else set(words)
    for name in sorted(names):
        if name not in known:
            raise Trouble(f"there is no program {name}: `ls {FOLDER}/bin` lists them, .tools/guest-programs.toml their packages")
    return sorted(names | {known[name].readlink().name for name in names if known[name].is_symlink()})


def is_linked(path):
    """Whether a file is a program that asks for a dynamic linker (64-bit ELF, program header of type 3)."""
    image = Path(path).read_bytes()
    if image[:5] != b"\x7fELF\x02":
        return False
    start, = struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 54)
    return any(struct.unpack_from("<I", image, start + size * index)[0] == 3 for index in range(count))


def libraries(program):
    """Paths of what a linked program needs: those of FOLDER before those of this machine. Trouble where one is missing, or
    older than the program wants it."""
    command = [FOLDER / "lib" / LINKER, "--library-path", FOLDER / "lib", "--list", Path(program).resolve()]
    done = subprocess.run(command, capture_output=True, text=True)
    said = done.stdout + done.stderr
    missing = re.search(r"(\S+) => not found|libraries: (\S+): |version `(\S+)' not found", said)
    if missing or done.returncode:
        what = next(filter(None, missing.groups())) if missing else said.strip() or LINKER
        raise Trouble(f"the guest has no {what} for {program}: build it on {RELEASE}, or statically")
    return [Path(path) for path in re.findall(r" => (/\S+)", said) if Path(path).name != LINKER]


def library_entries(paths):
    """The dynamic linker and the libraries of these programs, where the linker looks for them."""
    check()
    needed = {path.name: path for program in paths if is_linked(program) for path in libraries(program)}
    needed |= {name: FOLDER / "lib" / name for name in ALWAYS}
    yield file(f"lib64/{LINKER}", (FOLDER / "lib" / LINKER).read_bytes(), executable=True)
    yield from (file(f"lib/x86_64-linux-gnu/{name}", path.read_bytes()) for name, path in sorted(needed.items()))


def entries(words):
    """/usr/bin with the programs that PROGRAMS= names, and their libraries; nothing for no words."""
    if not words:
        return
    yield folder("usr/bin")
    paths = [FOLDER / "bin" / name for name in chosen(words)]
    for path in paths:
        if path.is_symlink():
            yield link(f"usr/bin/{path.name}", str(path.readlink()))
        else:
            yield file(f"usr/bin/{path.name}", path.read_bytes(), executable=True)
    yield from library_entries([path for path in paths if not path.is_symlink()])
