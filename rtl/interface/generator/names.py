# SPDX-License-Identifier: Apache-2.0
"""The interface's numbers as one ordered list of (section, NAME, value, description), the same in every language."""


def constants(interface):
    """Yield (section, name, value, description) for each number; names are upper case with a group prefix."""
    prefix = interface.prefix
    version = "VERSION" if not prefix else "MANAGEMENT_VERSION"
    yield "Version", f"{prefix}VERSION_MAJOR", interface.major, "interface version, major"
    yield "Version", f"{prefix}VERSION_MINOR", interface.minor, "interface version, minor"
    yield "Version", f"{prefix}VERSION_VALUE", interface.major << 16 | interface.minor, f"what {version} reads as"
    yield "Version", f"{prefix}HASH_LOW_VALUE", interface.hash & 0xFFFFFFFF, "what HASH_LOW reads as"
    yield "Version", f"{prefix}HASH_HIGH_VALUE", interface.hash >> 32, "what HASH_HIGH reads as"
    for number in interface.constants:
        yield "Identity and limits", number.name, number.value, number.description
    for section, prefix, numbers in (
            ("Opcodes", "OPCODE", interface.opcodes), ("Formats", "FORMAT", interface.formats),
            ("Submission flags", "FLAG", interface.flags), ("Fatal causes", "FATAL", interface.fatal_causes),
            ("Statuses", "STATUS", interface.statuses), *interface.groups):
        for number in numbers:
            yield section, f"{prefix}_{number.name}", number.value, number.description
    yield from _registers(interface.blocks)
    if interface.counters:
        yield from _counters(interface)
    for descriptor in interface.descriptors:
        name = upper(descriptor.name)
        yield "Descriptors", f"{name}_BYTES", descriptor.bytes, descriptor.description
        for field in descriptor.fields:
            yield ("Descriptors", f"{name}_{field.name.upper()}_OFFSET", field.offset, f"byte offset of {field.name}")
    if interface.kernel:
        yield from _registers([interface.kernel.block])
        yield from _kernel(interface.kernel)


def _counters(interface):
    yield "Counters", "COUNTER_BASE", interface.counter_base, "byte offset of counter 0 in BAR0"
    yield "Counters", "COUNTER_COUNT", len(interface.counters), "counters present"
    for counter in interface.counters:
        yield "Counters", f"COUNTER_{counter.name}", counter.value, f"{counter.description} ({counter.unit})"


def _kernel(kernel):
    section = "Kernel for XRT"
    yield section, "KERNEL_ADDRESS_BYTES", kernel.address_bytes, "size of its control port's address space"
    yield section, "KERNEL_CORE_WINDOW", kernel.core_window, "byte offset there of the core's registers, the lower half of BAR0"
    yield section, "KERNEL_MEMORY_BITS", kernel.memory_bits, "data width of its memory port"
    for index, argument in enumerate(kernel.arguments):
        name = f"KERNEL_ARGUMENT_{argument.name.upper()}"
        yield section, name, index, argument.description
        yield section, f"{name}_OFFSET", argument.offset, f"byte offset of {argument.name} on the control port"


def _registers(blocks):
    for block in blocks:
        section = f"Registers: {block.name}"
        yield section, f"{block.name}_BASE", block.base, block.description
        if block.count > 1:
            yield section, f"{block.name}_STRIDE", block.stride, "bytes from one copy to the next"
            yield section, f"{block.name}_COUNT", block.count, "copies"
        for register in block.registers:
            yield section, f"REGISTER_{register.name}", register.offset, f"{register.access}: {register.description}"
            for field in register.fields:
                name = f"{register.name}_{field.name}"
                yield section, f"{name}_SHIFT", field.low, field.description
                yield section, f"{name}_WIDTH", field.width, f"bits of {name}"
                yield section, f"{name}_MASK", field.mask, f"{name} in place"


def is_decimal(name):
    """Counts, shifts and small codes read better in decimal, addresses and masks in hexadecimal."""
    return name.startswith(("OPCODE_", "FORMAT_", "FATAL_", "STATUS_", "VERSION_M", "COUNTER_", "MAX_", "MIN_", "EVENT_",
                            "FIRST_")) and name != "COUNTER_BASE" and not name.endswith("_MASK") \
        or name.endswith(("_SHIFT", "_WIDTH", "_COUNT", "_BYTES", "_ALIGNMENT")) and name != "BAR0_BYTES"


def literal(name, value):
    return str(value) if is_decimal(name) else f"0x{value:x}"


def upper(camel):
    """SubmissionEntry → SUBMISSION_ENTRY"""
    return "".join(f"_{letter}" if letter.isupper() and index else letter for index, letter in enumerate(camel)).upper()
