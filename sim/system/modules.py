# SPDX-License-Identifier: Apache-2.0
"""Which kernel modules a module needs, in the order in which they must be loaded."""
from functools import cache
from pathlib import Path

from system import KERNEL, Trouble


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
def shipped(kernel=KERNEL):
    """Module files that come with the kernel, by name."""
    return {name_of(path): path for path in (kernel / "modules/kernel").rglob("*.ko")}


def load_order(wanted, available=None):
    """Paths of the wanted modules (names of shipped ones, or paths) and of all they need,
    each after its needs. Raises Trouble for a name that the kernel does not ship."""
    available = shipped() if available is None else available
    order = []

    def visit(module):
        path = module if isinstance(module, Path) else available.get(module)
        if path is None:
            raise Trouble(f"the guest's kernel has no module {module}: remove build/tools and try again")
        if path not in order:
            for need in needs(path.read_bytes()):
                visit(need)
            order.append(path)

    for module in wanted:
        visit(module)
    return order
