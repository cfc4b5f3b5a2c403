# SPDX-License-Identifier: Apache-2.0
"""The machine that QEMU makes: its command line from a description."""
import json
from dataclasses import dataclass
from pathlib import Path

from system import QEMU
from system.kernels import STOCK, Kernel

# A reply that comes late desynchronises QEMU and the card for good, and RTL is slow: wait long. But the
# whole guest stands still for so long when a card dies in the middle of a read.
CARD_REPLY_MILLISECONDS = 30_000

PAGE_BYTES = 4096  # of the guest's architecture

# One instruction on a processor, a copy by `rep movsb` is emulated, and counted, as one a byte: let the kernel copy by words.
EMULATED_COPIES = ",-erms,-fsrm"

KERNEL_ARGUMENTS = (
    # Warnings too: a complaint must reach the console, where it is seen.
    "console=ttyS0 quiet loglevel=5 rdinit=/init"
    # A broken kernel ends the run at once (with -no-reboot QEMU exits) ...
    " panic=-1 oops=panic"
    # ... but a busy host makes clocks late without anything being broken.
    " nowatchdog rcupdate.rcu_cpu_stall_suppress=1 no_timer_check"
)

# An emulated processor gets its turns from the host, and what a busy host makes of its start must not become its clock:
# without these a second processor counts the rounds of its delay loop between two ticks, and all of them read
# the time from a device, one after the other. 5 GHz, at 250 ticks a second: no host is faster, so no delay is too short.
EMULATED = " tsc=reliable lpj=20000000"


@dataclass(frozen=True)
class Machine:
    """memory: megabytes, as much as Debian's kernel would need for the same; writable_root: a raw image, the first disk; disks: raw images,
    attached read-only as the next of /dev/vda, vdb, ..., then writable_disks; arguments: further ones of the kernel; network: a card whose other end is QEMU's own network, without a way out;
    report: file that receives what the guest writes to /dev/ttyS1; card_instant: the card takes no time; card_control: the card's control
    socket, which the guest finds at /dev/ttyS2; monitor: a path for QEMU's monitor, which it finds at /dev/ttyS3."""

    initramfs: Path
    report: Path
    memory: int = 256
    processors: int = 1
    card_socket: Path | None = None
    card_control: Path | None = None
    card_instant: bool = False
    monitor: Path | None = None
    writable_root: Path | None = None
    disks: tuple = ()
    writable_disks: tuple = ()
    arguments: str = ""
    network: bool = False
    iommu: bool = False
    counted: bool = False  # time is instructions, a nanosecond each
    kernel: Kernel = STOCK


def hardware_virtualization():
    """Whether KVM really runs guests: the device node alone proves nothing inside a guest."""
    return Path("/dev/kvm").exists() and any(
        Path("/sys/module", module).exists() for module in ("kvm_intel", "kvm_amd")
    )


def command(machine, qemu=QEMU, accelerator=None):
    """QEMU's arguments. The console is QEMU's standard output."""
    if machine.counted:
        accelerator = "tcg"
    accelerator = accelerator or ("kvm" if hardware_virtualization() else "tcg")
    arguments = " ".join(filter(None, (KERNEL_ARGUMENTS, machine.arguments)))
    if accelerator == "tcg" and not machine.counted:
        arguments += EMULATED
    memory = machine.memory + machine.kernel.own_memory(machine.memory)
    options = [
        "-accel", accelerator, "-cpu", "max" + (EMULATED_COPIES if accelerator == "tcg" else ""), "-smp", str(machine.processors),
        # The card maps the guest's memory, so it must be shared and have a descriptor.
        "-M", "q35,memory-backend=mem0" + (",kernel-irqchip=split" if machine.iommu else ""),
        "-m", f"{memory}M",
        "-object", f"memory-backend-memfd,id=mem0,size={memory}M,share=on",
        "-nodefaults", "-display", "none", "-no-reboot",
        "-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console",
        "-chardev", f"file,id=report,path={machine.report}", "-serial", "chardev:report",
    ]  # fmt: skip
    if machine.counted:
        options += ["-icount", "shift=0"]
    if machine.iommu:
        options += ["-device", "intel-iommu,intremap=on,caching-mode=on"]
        arguments += " intel_iommu=on iommu.strict=1"
    if machine.kernel.finds_bugs:
        # Lock and DMA checks complain at length; a card that writes to a page nobody gave it spoils the poison.
        # While a CPU is being identified, an interrupt makes KASAN think that page tables have four levels. The 512 terminals
        # of old that Debian's kernels do not have are a third of its boot.
        arguments += " log_buf_len=2M page_poison=1 no5lvl pty.legacy_count=0"
    if machine.card_control:
        options += ["-chardev", f"socket,id=control,path={machine.card_control}", "-serial", "chardev:control"]
    elif machine.monitor:
        options += ["-serial", "null"]
    if machine.monitor:  # QEMU listens there itself
        options += [
            "-chardev", f"socket,id=monitor,path={machine.monitor},server=on,wait=off", "-mon", "chardev=monitor",
            "-chardev", f"socket,id=commands,path={machine.monitor}", "-serial", "chardev:commands",
        ]  # fmt: skip
    root = [(machine.writable_root, "cache=unsafe")] if machine.writable_root else []
    disks = [*root, *((disk, "readonly=on") for disk in machine.disks), *((disk, "cache=unsafe") for disk in machine.writable_disks)]
    for number, (disk, how) in enumerate(disks):
        options += ["-drive", f"if=none,id=disk{number},file={disk},format=raw,{how}", "-device", f"virtio-blk-pci,drive=disk{number}"]
    if machine.network:
        options += ["-netdev", "user,id=network,restrict=on", "-device", "virtio-net-pci,netdev=network,romfile="]
    if machine.card_socket:
        card = {
            "driver": "vfio-user-pci",
            "bus": "card-port",
            "socket": {"type": "unix", "path": str(machine.card_socket)},
            "rombar": 0,
            "x-msg-timeout": CARD_REPLY_MILLISECONDS,
            # A write that is not waited for comes to a card while the processor goes on.
            "x-no-posted-writes": machine.card_instant,
        }
        options += ["-device", "pcie-root-port,id=card-port,chassis=1", "-device", json.dumps(card)]
    options += ["-kernel", str(machine.kernel.image), "-initrd", str(machine.initramfs), "-append", arguments]
    return [str(qemu), *options]
