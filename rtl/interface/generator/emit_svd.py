# SPDX-License-Identifier: Apache-2.0
"""CMSIS-SVD: the registers of BAR0 as debuggers show them, with as many queue pairs as a core may have at most."""

from .markup import document, element
from .words import blocks, fields, size

ACCESS = {"ro": "read-only", "rw": "read-write", "wo": "write-only"}


def emit(interface):
    limits = {constant.name: constant.value for constant in interface.constants}
    peripheral = element("peripheral", [
        element("name", "PAGEPRESS"), element("version", interface.version_text), element("description", f"{interface.title}, hash {interface.hash:016x}"),
        element("baseAddress", "0x0"),
        element("addressBlock", [element("offset", "0x0"), element("size", f"0x{limits['BAR0_BYTES']:x}"), element("usage", "registers")]),
        element("registers", [_cluster(block) for block in blocks(interface)])])
    return document(element("device", [
        element("vendor", "Pagepress"), element("name", "pagepress"), element("version", interface.version_text),
        element("description", "A core or card; its base address is 0 here, and the system's there"),
        element("addressUnitBits", 8), element("width", 32), element("size", 32), element("access", "read-write"),
        element("resetValue", "0x0"), element("resetMask", "0x0"), element("peripherals", [peripheral])],
        schemaVersion="1.3", xmlns__xs="http://www.w3.org/2001/XMLSchema-instance", xs__noNamespaceSchemaLocation="CMSIS-SVD.xsd"))


def _cluster(block):
    copies = [element("dim", block.count), element("dimIncrement", f"0x{size(block):x}")] if block.count > 1 else []
    return element("cluster", [*copies, element("name", f"{block.name}[%s]" if copies else block.name), element("description", block.description),
                               element("addressOffset", f"0x{block.base:x}"), *map(_register, block.registers)])


def _register(register):
    known = [] if register.reset is None else [element("resetValue", f"0x{register.reset:x}"), element("resetMask", "0xffffffff")]
    return element("register", [
        element("name", register.name), element("description", register.description), element("addressOffset", f"0x{register.offset:x}"),
        element("access", ACCESS[register.access]), *known,
        element("fields", [element("field", [element("name", field.name), element("description", field.description),
                                             element("bitOffset", field.low), element("bitWidth", field.width)])
                           for field in fields(register)])])
