# SPDX-License-Identifier: Apache-2.0
"""What stands behind ENGINES: which card the guest gets, which kernel, and what swaps there."""
from dataclasses import dataclass

from system import CARD, MODEL_CARD
from system.kernels import GENERIC, STOCK, Kernel


@dataclass(frozen=True)
class Engine:
    """card: as for `make guest`; swap: what the guest's scripts make swap of (`pagepress`, `zram`, `zswap`, `disk`, `none`)."""

    name: str
    swap: str
    card: str = "none"
    kernel: Kernel = STOCK

    @property
    def has_driver(self):
        return self.swap == "pagepress"

    @property
    def card_program(self):
        """None without a card. The model's has no RTL: whoever runs it alone need not build that."""
        return {"rtl": CARD, "model": MODEL_CARD}.get(self.card)

    def kernel_of(self, settings):
        """The kernel of a point's guest: the engine's, unless the point's settings name one."""
        return Kernel(settings["kernel"]) if "kernel" in settings else self.kernel

    def modules(self, kernel):
        """What the guest may ask for, of what that kernel has as modules."""
        generic = ("ext4", "crc32c_generic", "lzo", "zsmalloc") if kernel == GENERIC else ()
        return {"zram": ("lzo", "lzo_rle", "zram"), "zswap": generic}.get(self.swap, ())


ENGINES = {
    engine.name: engine
    for engine in (
        Engine("rtl", "pagepress", "rtl"),
        Engine("model", "pagepress", "model"),
        Engine("software", "pagepress"),
        Engine("zram", "zram"),
        Engine("zswap", "zswap", kernel=GENERIC),
        Engine("disk", "disk"),
        Engine("none", "none"),
    )
}
TRUST = ("none", "disk")  # whose pages nobody compresses, the most trusted first
OURS = tuple(name for name, engine in ENGINES.items() if engine.has_driver)
