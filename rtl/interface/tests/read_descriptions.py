# SPDX-License-Identifier: Apache-2.0
"""Read the generated SystemRDL, CMSIS-SVD and IP-XACT with other people's readers and print what these found, as JSON.

usage: read_descriptions.py FOLDER   (by the Python of build/tools/soc/venv)
{"systemrdl" | "svd" | "ipxact": {"BLOCK[n].REGISTER": {"address", "access", "reset" or null, "fields": {name: [low, width]}}}};
exit 1 and a line for each thing that a reader or a schema refuses.
"""
import json
import sys
import sysconfig
from pathlib import Path

from cmsis_svd.parser import SVDParser
from lxml import etree
from systemrdl import RDLCompiler
from systemrdl.messages import MessagePrinter
from systemrdl.node import RegNode

SITE = Path(sysconfig.get_path("purelib"))
NAMESPACE = "{http://www.accellera.org/XMLSchema/IPXACT/1685-2014}"
WORDS = {"read-only": "ro", "read-write": "rw", "write-only": "wo"}


REFUSED = []  # what readers and schemas complain of


class Strict(MessagePrinter):
    """A warning is wrong, too."""

    def print_message(self, severity, text, src_ref):
        REFUSED.append(f"SystemRDL: {severity.name}: {text}")


def systemrdl(path):
    compiler = RDLCompiler(message_printer=Strict())
    compiler.compile_file(str(path))
    registers = {}
    for node in compiler.elaborate().top.descendants(unroll=True):
        if isinstance(node, RegNode):
            fields = list(node.fields())
            resets = [field.get_property("reset") for field in fields]
            software = {(field.is_sw_readable, field.is_sw_writable) for field in fields}
            registers[node.get_path().partition(".")[2]] = {
                "address": node.absolute_address, "access": {(True, False): "ro", (True, True): "rw", (False, True): "wo"}[software.pop()],
                "reset": None if None in resets else sum(value << field.low for value, field in zip(resets, fields)),
                "fields": {field.inst_name: [field.low, field.width] for field in fields}}
    return registers


def svd(path):
    validate(path, SITE / "cmsis_svd/schemas/CMSIS-SVD_1_3_11.xsd")
    registers = {}
    peripheral, = SVDParser.for_xml_file(str(path)).get_device().peripherals
    for group in peripheral.registers:
        for cluster in getattr(group, "clusters", None) or [group]:
            for register in cluster.registers:
                name = register.name.removeprefix(f"{cluster.name}_")  # which this reader has put before it
                registers[f"{cluster.name}.{name}"] = {
                    "address": peripheral.base_address + register.address_offset, "access": WORDS[register.access.value],
                    "reset": register.reset_value if register.reset_mask else None,
                    "fields": {field.name: [field.bit_offset, field.bit_width] for field in register.fields}}
    return registers


def ipxact(path):
    validate(path, SITE / "pyEDAA/IPXACT/Schema/ieee-1685-2014/index.xsd")
    root = etree.parse(str(path))
    registers = {}
    for block in root.iter(f"{NAMESPACE}addressBlock"):
        base, file = number(text(block, "baseAddress")), block.find(f"{NAMESPACE}registerFile")
        copies = 1 if file is None else int(text(file, "dim"))
        stride = 0 if file is None else number(text(file, "range"))
        if number(text(block, "range")) < stride * copies:
            REFUSED.append(f"IP-XACT: {text(block, 'name')} does not hold its copies")
        for copy in range(copies):
            for register in block.iter(f"{NAMESPACE}register"):
                fields = list(register.iter(f"{NAMESPACE}field"))
                resets = [(field.findtext(f"{NAMESPACE}resets/{NAMESPACE}reset/{NAMESPACE}value"), int(text(field, "bitOffset"))) for field in fields]
                registers[f"{text(block, 'name')}{'' if file is None else f'[{copy}]'}.{text(register, 'name')}"] = {
                    "address": base + copy * stride + number(text(register, "addressOffset")), "access": WORDS[text(register, "access")],
                    "reset": None if None in [value for value, _ in resets] else sum(number(value) << low for value, low in resets),
                    "fields": {text(field, "name"): [int(text(field, "bitOffset")), int(text(field, "bitWidth"))] for field in fields}}
    return registers


def text(element, name):
    return element.findtext(NAMESPACE + name)


def number(words):
    return int(words.removeprefix("'h"), 16) if words.startswith("'h") else int(words, 0)


def validate(path, schema):
    checker = etree.XMLSchema(etree.parse(str(schema)))
    if not checker.validate(etree.parse(str(path))):
        REFUSED.extend(f"{path.name}: {error.line}: {error.message}" for error in checker.error_log)


def main(folder):
    print(json.dumps({"systemrdl": systemrdl(folder / "pagepress.rdl"), "svd": svd(folder / "pagepress.svd"),
                      "ipxact": ipxact(folder / "pagepress_core.ipxact.xml")}))
    print("\n".join(REFUSED[:20]), end="", file=sys.stderr)
    return 1 if REFUSED else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
