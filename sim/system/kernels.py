# SPDX-License-Identifier: Apache-2.0
"""The kernels a guest can run: where each lies, and the driver built for it."""
import tomllib
from dataclasses import dataclass

from system import BUILD, REPOSITORY, require

# Built from source by .tools/install-debug-kernel; .tools/install-kernel installs the others.
DEBUG_NAME = "debug"
DEBUG_MEMORY = 140  # megabytes; of the rest it takes a sixth to watch it
# Debian's with every option has zswap. This one is installed by .tools/install-experiments.
GENERIC_NAME = "6.1-generic"
GENERIC_MEMORY = 12  # megabytes that such a one takes beyond what Debian's cloud kernel does
NAMES = (*tomllib.loads((REPOSITORY / ".tools/kernels.toml").read_text()), DEBUG_NAME, GENERIC_NAME)


@dataclass(frozen=True)
class Kernel:
    """`name` is one of NAMES."""

    name: str

    @property
    def folder(self):
        return BUILD / "tools/kernels" / self.name

    @property
    def image(self):
        return self.folder / "vmlinuz"

    @property
    def busybox(self):
        return self.folder / "busybox"

    @property
    def driver(self):
        """pagepress.ko as `make driver KERNEL=name` builds it."""
        return BUILD / ("driver" if self == STOCK else f"driver-{self.name}") / "pagepress.ko"

    @property
    def finds_bugs(self):
        """Whether it watches memory, locks and DMA, and complains."""
        return self.name == DEBUG_NAME

    def own_memory(self, memory):
        """Megabytes it takes for itself beyond what Debian's kernels take of `memory`."""
        if self.name.endswith("-generic"):
            return GENERIC_MEMORY
        return DEBUG_MEMORY + memory // 6 if self.finds_bugs else 0

    def check(self, driver=True):
        """Trouble unless it is installed and, if a guest is to have it, its driver is built."""
        remedy = "" if self == STOCK else f" KERNEL={self.name}"
        require(self.image, f"run `make kernel-tools{remedy}`")
        if driver:
            require(self.driver, f"run `make driver{remedy}`")


STOCK = Kernel(NAMES[0])
GENERIC = Kernel(GENERIC_NAME)
