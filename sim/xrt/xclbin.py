#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write an xclbin for XRT's hw_emu library: it describes the kernel and contains the simulation, packed.

    xclbin.py --kernel kernel.xml --device PROGRAM [--kernels N] OUTPUT

The same input gives the same bytes.
"""
import argparse
import hashlib
import io
import struct
import sys
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

# axlf_section_kind and other numbers of XRT's xclbin.h.
BITSTREAM, EMBEDDED_METADATA, MEM_TOPOLOGY, CONNECTIVITY, IP_LAYOUT = 0, 2, 6, 7, 8
MODE_HW_EMU = 4
MEM_DDR4, IP_KERNEL = 1, 1
HEAD_BYTES, SECTION_BYTES = 456, 40

PLATFORM = "pagepress_verilated_1"
SIMULATION = "behav_waveform/xsim"  # where the library looks for simulate.sh
FIRST_KERNEL, MEMORY_BASE, MEMORY_KIBIBYTES = 0x1800000, 0x4000000000, 4 << 20

SIMULATE = """#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
exec ./{device} {bases} >simulate.log 2>&1
"""


def simulation(device, bases):
    """The zip that the library unpacks: the device process and the script that starts it."""
    packed = io.BytesIO()
    script = SIMULATE.format(device=device.name, bases=" ".join(map(hex, bases)))
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (("simulate.sh", script.encode()), (device.name, device.read_bytes())):
            entry = zipfile.ZipInfo(f"{SIMULATION}/{name}", (2020, 1, 1, 0, 0, 0))
            entry.external_attr = 0o100755 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return packed.getvalue()


def metadata(kernel, names, bases):
    """What v++ writes about a linked design: of the kernel as packaged, and its instances."""
    project = ElementTree.Element("project", name="pagepress")
    platform = ElementTree.SubElement(project, "platform", vendor="pagepress", boardid="verilated", name=PLATFORM, featureRomTime="0")
    device = ElementTree.SubElement(platform, "device", name="fpga0", fpgaDevice="verilated:verilated:verilated:verilated", addrWidth="0")
    core = ElementTree.SubElement(device, "core", name="OCL_REGION_0", target="hw_em", type="clc_region", clockFreq="0MHz", numComputeUnits=str(len(names)))
    linked = ElementTree.SubElement(core, "kernel", kernel.attrib)
    linked.extend([*kernel.iter("port"), *kernel.iter("arg")])  # without the lists around them
    for name, base in zip(names, bases):
        instance = ElementTree.SubElement(linked, "instance", name=name)
        ElementTree.SubElement(instance, "addrRemap", base=hex(base), port=kernel.find("ports/port[@mode='slave']").get("name"))
    return ElementTree.tostring(project, xml_declaration=True, encoding="UTF-8")


def counted(entries, padding=4):
    return struct.pack(f"<i{padding}x", len(entries)) + b"".join(entries)


def container(sections):
    """An xclbin of (kind, name, data) sections. Its identity follows from their content."""
    identity = hashlib.sha256(b"".join(data for _, _, data in sections)).digest()[:16]
    offset = HEAD_BYTES + SECTION_BYTES * len(sections)
    heads, bodies = b"", b""
    for kind, name, data in sections:
        start = (offset + len(bodies) + 7) // 8 * 8
        bodies = bodies.ljust(start - offset, b"\0") + data
        heads += struct.pack("<I16s4xQQ", kind, name.encode(), start, len(data))
    length = offset + len(bodies)
    head = struct.pack("<8si28s256sQ", b"xclbin2", -1, b"\xff" * 28, b"\xff" * 256, 0)
    head += struct.pack("<QQQHBBHH16s64s16s16sI4x", length, 0, 0, 0, 2, 13, MODE_HW_EMU, 0, bytes(16), PLATFORM.encode(), identity, b"", len(sections))
    return head + heads + bodies


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", type=Path, required=True, help="kernel.xml")
    parser.add_argument("--device", type=Path, required=True, help="the device process")
    parser.add_argument("--kernels", type=int, default=1, help="instances of the kernel (1)")
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    try:
        kernel = ElementTree.parse(options.kernel).getroot().find("kernel")
        if kernel is None:
            raise ValueError(f"{options.kernel} describes no kernel")
        size = int(kernel.find("ports/port[@mode='slave']").get("range"), 0)
        names = [f"{kernel.get('name')}_{index + 1}" for index in range(options.kernels)]
        bases = [FIRST_KERNEL + index * size for index in range(options.kernels)]
        buffers = [int(argument.get("id")) for argument in kernel.iter("arg") if argument.get("addressQualifier") == "1"]
        data = container([
            (BITSTREAM, "simulation", simulation(options.device, bases)),
            (EMBEDDED_METADATA, "metadata", metadata(kernel, names, bases)),
            (MEM_TOPOLOGY, "memories", counted([struct.pack("<BB6xQQ16s", MEM_DDR4, 1, MEMORY_KIBIBYTES, MEMORY_BASE, b"bank0")])),
            (CONNECTIVITY, "connections", counted([struct.pack("<iii", buffer, index, 0) for index in range(len(names)) for buffer in buffers], 0)),
            (IP_LAYOUT, "kernels", counted([struct.pack("<IIQ64s", IP_KERNEL, 0, base, f"{kernel.get('name')}:{name}".encode()) for name, base in zip(names, bases)])),
        ])
        options.output.write_bytes(data)
    except (OSError, ValueError, ElementTree.ParseError) as error:
        print(f"xclbin.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
