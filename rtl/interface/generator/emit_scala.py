# SPDX-License-Identifier: Apache-2.0
"""Scala constants and SpinalHDL bundles; a bundle's first field is in its lowest bits, as in memory."""

from .model import GENERATED_BY
from .names import constants, literal


def emit(interface):
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             f"// Made by {GENERATED_BY}. Do not edit: change the TOML files there and run it again.",
             "package pagepress.interface", "", "import spinal.core._", "",
             f"/** Every number of the {interface.title}. */" if interface.prefix else "/** Every number shared by hardware and software. */",
             f"object {interface.module} {{"]
    section = None
    for where, name, value, description in constants(interface):
        if where != section:
            lines.append(f"  // {where}")
            section = where
        suffix = "L" if value > 0x7FFFFFFF else ""
        lines.append(f"  val {name} = {literal(name, value)}{suffix} // {description}")
    if interface.statuses:
        lines.extend(_lists(interface))
    lines.append("}")
    for descriptor in interface.descriptors:
        lines.extend(["", f"/** {descriptor.description} */", f"case class {descriptor.name}() extends Bundle {{"])
        for field in descriptor.fields:
            lines.append(f"  val {camel(field.name)} = Bits({field.bits} bits) // {field.description}")
        lines.append(f"  assert(getBitsWidth == {descriptor.bytes} * 8)")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _lists(interface):
    """Counter names and statuses by kind."""
    lines = []
    names = ", ".join(f'"{counter.name.lower()}"' for counter in interface.counters)
    lines.extend(["  /** Counter names in index order. */", f"  val counterNames: Seq[String] = Seq({names})"])
    for kind in ("done", "refused", "failed"):
        values = ", ".join(str(status.value) for status in interface.statuses if status.kind == kind)
        lines.append(f"  /** Statuses of kind {kind}. */")
        lines.append(f"  val {kind}Statuses: Seq[Int] = Seq({values})")
    return lines


def camel(name):
    """source_address → sourceAddress"""
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)
