# SPDX-License-Identifier: Apache-2.0
"""Which kernel modules a module needs, in the order in which they must be loaded, and as modprobe finds them."""
from functools import cache
from pathlib import Path

from system import Trouble


def name_of(path):
    """The kernel's name of a module file: `virtio-rng.ko` is `virtio_rng`."""
    return Path(path).name.removesuffix(".ko").replace("-", "_")


def needs(image):
    """Names of the modules that the module with these bytes needs directly."""
    start = image.find(b"\0depends=")
    if start < 0:
        return []
    names = image[start + 9 : image.index(b"\0", start + 9)].decode()
    return [name for name in names.split(",") if name]


@cache
def shipped(kernel):
    """Module files that come with the kernel, by name."""
    return {name_of(path): path for path in (kernel.folder / "modules/kernel").rglob("*.ko")}


@cache
def built_in(kernel):
    """Names of the modules that are part of the kernel's image."""
    return {name_of(line) for line in (kernel.folder / "modules/modules.builtin").read_text().splitlines()}


def load_order(wanted, available):
    """Paths of the wanted modules (names of shipped ones, or paths) and of all they need,
    each after its needs. Raises Trouble for a name that the kernel does not ship."""
    order = []

    def visit(module):
        path = module if isinstance(module, Path) else available.get(module)
        if path is None:
            raise Trouble(f"the guest's kernel has no module {module}: remove build/tools/kernels and try again")
        if path not in order:
            for need in needs(path.read_bytes()):
                visit(name_of(need))
            order.append(path)

    for module in wanted:
        visit(module)
    return order


def dependencies(order):
    """The text of modules.dep for modules in `order`, as load_order gives them; each lies at kernel/<name>.ko."""
    at = {name_of(path): f"kernel/{name_of(path)}.ko" for path in order}

    def all_needs(name):
        path = next(path for path in order if name_of(path) == name)
        for need in map(name_of, needs(path.read_bytes())):
            yield from (need, *all_needs(need))

    return "".join(f"{place}: {' '.join(at[need] for need in dict.fromkeys(all_needs(name)))}".rstrip() + "\n" for name, place in at.items())
