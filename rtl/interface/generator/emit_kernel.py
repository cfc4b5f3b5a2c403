# SPDX-License-Identifier: Apache-2.0
"""kernel.xml: the kernel's ports and arguments, as AMD's packager and XRT read them."""

from xml.sax.saxutils import quoteattr

from .model import GENERATED_BY

CONTROL, MEMORY = "s_axi_control", "m_axi"


def emit(interface):
    kernel = interface.kernel
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             "<!-- SPDX-License-Identifier: Apache-2.0 -->",
             f"<!-- Made by {GENERATED_BY}. Do not edit: change the TOML files there and run it again. -->",
             '<root versionMajor="1" versionMinor="9">',
             "  " + element("kernel", name=kernel.name, language="ip_c", vlnv=f"pagepress:kernel:{kernel.name}:{interface.release}",
                            attributes="", preferredWorkGroupSizeMultiple="0", workGroupSize="1", interrupt="true",
                            hwControlProtocol="ap_ctrl_hs"),
             "    <ports>",
             "      " + element("port", end="/", name=CONTROL, mode="slave", range=hex(kernel.address_bytes), dataWidth="32",
                                portType="addressable", base="0x0"),
             "      " + element("port", end="/", name=MEMORY, mode="master", range=hex((1 << 64) - 1), dataWidth=str(kernel.memory_bits),
                                portType="addressable", base="0x0"),
             "    </ports>", "    <args>"]
    for index, argument in enumerate(kernel.arguments):
        size = hex(argument.bits // 8)
        lines.append("      " + element(
            "arg", end="/", name=argument.name, addressQualifier=str(int(argument.buffer)), id=str(index),
            port=MEMORY if argument.buffer else CONTROL, size=size, offset=hex(argument.offset), hostOffset="0x0", hostSize=size,
            type="void*" if argument.buffer else "uint"))
    return "\n".join([*lines, "    </args>", "  </kernel>", "</root>", ""])


def element(tag, end="", **attributes):
    """An opening tag; with end="/" all of the element."""
    return f"<{tag} " + " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items()) + f"{end}>"
