# SPDX-License-Identifier: Apache-2.0
"""IP-XACT (IEEE 1685-2014): the core as a component, with its ports, buses and memory map, for the parameters it was built with."""

from .markup import document, element
from .words import blocks, fields, reset, size

NAMESPACE = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"
ACCESS = {"ro": "read-only", "rw": "read-write", "wo": "write-only"}
MODES = {"manager": "master", "subordinate": "slave"}  # as this edition of the standard calls them
MEMORY_MAP, ADDRESS_SPACE = "registers", "memory"


def emit(interface):
    core = interface.core
    limits = {constant.name: constant.value for constant in interface.constants}
    return document(element("ipxact:component", [
        element("ipxact:vendor", "pagepress"), element("ipxact:library", "pagepress"), element("ipxact:name", core.package),
        element("ipxact:version", interface.release),
        element("ipxact:busInterfaces", [_bus(bus, core) for bus in core.buses]),
        element("ipxact:addressSpaces", [element("ipxact:addressSpace", [
            # A range has 64 bits itself: the largest one lacks its last byte.
            element("ipxact:name", ADDRESS_SPACE), element("ipxact:range", f"'h{min(1 << core.parameters['ADDRESS_WIDTH'], (1 << 64) - 1):x}"),
            element("ipxact:width", 8 * core.parameters["BUS_BYTES"])])]),
        element("ipxact:memoryMaps", [element("ipxact:memoryMap", [
            element("ipxact:name", MEMORY_MAP), *(_block(block) for block in blocks(interface, core.parameters["QUEUE_PAIRS"])),
            element("ipxact:addressUnitBits", 8)])]),
        element("ipxact:model", [
            element("ipxact:views", [element("ipxact:view", [
                element("ipxact:name", "rtl"), element("ipxact:envIdentifier", "verilogSource:*Simulation:"),
                element("ipxact:componentInstantiationRef", "verilog")])]),
            element("ipxact:instantiations", [element("ipxact:componentInstantiation", [
                element("ipxact:name", "verilog"), element("ipxact:language", "Verilog"), element("ipxact:moduleName", core.module),
                element("ipxact:fileSetRef", [element("ipxact:localName", "verilog")])])]),
            element("ipxact:ports", [_port(port) for port in core.ports])]),
        element("ipxact:fileSets", [element("ipxact:fileSet", [
            element("ipxact:name", "verilog"),
            element("ipxact:file", [element("ipxact:name", f"{core.name}.v"), element("ipxact:fileType", "verilogSource")])])]),
        element("ipxact:description", f"{core.description}; interface {interface.version_text}, BAR0 is {limits['BAR0_BYTES']} bytes"),
        element("ipxact:parameters", [element("ipxact:parameter", [element("ipxact:name", name), element("ipxact:value", value)], parameterId=name, type="int")
                                      for name, value in core.parameters.items()])],
        xmlns__ipxact=NAMESPACE))


def _bus(bus, core):
    def definition(tag, suffix=""):
        return element(tag, vendor="amba.com", library="AMBA4", name=bus.type + suffix, version="r0p0_0")
    # The clock is the bus's ACLK; ARESETn is active-low, as the core's reset is with RESET_LOW alone.
    maps = [(port.name.removeprefix(f"{bus.name}_").upper(), port.name) for port in core.ports if port.name.startswith(f"{bus.name}_")]
    maps.append(("ACLK", "clk"))
    maps += [("ARESETn", port.name) for port in core.ports if port.name == "resetn"]
    reference = element("ipxact:memoryMapRef", memoryMapRef=MEMORY_MAP) if bus.mode == "subordinate" else \
        element("ipxact:addressSpaceRef", addressSpaceRef=ADDRESS_SPACE)
    return element("ipxact:busInterface", [
        element("ipxact:name", bus.name), element("ipxact:description", bus.description), definition("ipxact:busType"),
        element("ipxact:abstractionTypes", [element("ipxact:abstractionType", [
            definition("ipxact:abstractionRef", "_rtl"),
            element("ipxact:portMaps", [element("ipxact:portMap", [
                element("ipxact:logicalPort", [element("ipxact:name", logical)]),
                element("ipxact:physicalPort", [element("ipxact:name", physical)])]) for logical, physical in maps])])]),
        element(f"ipxact:{MODES[bus.mode]}", [reference])])


def _block(block):
    """Where there are copies, they are a register file each."""
    where = [element("ipxact:name", block.name), element("ipxact:description", block.description),
             element("ipxact:baseAddress", f"'h{block.base:x}"), element("ipxact:range", f"'h{size(block) * block.count:x}"),
             element("ipxact:width", 32), element("ipxact:usage", "register")]
    registers = [_register(register) for register in block.registers]
    if block.count > 1:
        registers = [element("ipxact:registerFile", [
            element("ipxact:name", block.name), element("ipxact:dim", block.count), element("ipxact:addressOffset", "'h0"),
            element("ipxact:range", f"'h{size(block):x}"), *registers])]
    return element("ipxact:addressBlock", where + registers)


def _register(register):
    return element("ipxact:register", [
        element("ipxact:name", register.name), element("ipxact:description", register.description),
        element("ipxact:addressOffset", f"'h{register.offset:x}"), element("ipxact:size", 32),
        element("ipxact:access", ACCESS[register.access]), *(_field(register, field) for field in fields(register))])


def _field(register, field):
    start = reset(register, field)
    known = [] if start is None else [element("ipxact:resets", [element("ipxact:reset", [element("ipxact:value", f"'h{start:x}")])])]
    return element("ipxact:field", [
        element("ipxact:name", field.name), element("ipxact:description", field.description), element("ipxact:bitOffset", field.low), *known,
        element("ipxact:bitWidth", field.width)])


def _port(port):
    vector = [element("ipxact:vectors", [element("ipxact:vector", [element("ipxact:left", port.bits - 1), element("ipxact:right", 0)])])] \
        if port.bits > 1 else []
    text = [element("ipxact:description", port.description)] if port.description else []
    return element("ipxact:port", [
        element("ipxact:name", port.name), *text,
        element("ipxact:wire", [element("ipxact:direction", port.direction), *vector])])
