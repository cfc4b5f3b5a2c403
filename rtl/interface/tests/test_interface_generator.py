# SPDX-License-Identifier: Apache-2.0
"""The committed files are what the TOML files say, and what is wrong in a TOML file is refused."""

import pathlib
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import pytest

import pagepress_interface as interface

INTERFACE = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(INTERFACE))

from generator import model


def generate(*arguments):
    return subprocess.run([sys.executable, INTERFACE / "generate.py", *map(str, arguments)], capture_output=True, text=True,
                          check=False)


@pytest.fixture
def copy(tmp_path):
    """A copy of the TOML files and of what was generated from them."""
    for path in INTERFACE.glob("*.toml"):
        shutil.copy(path, tmp_path)
    shutil.copytree(INTERFACE / "generated", tmp_path / "generated")
    return tmp_path


def edit(folder, name, old, new):
    text = (folder / name).read_text(encoding="utf-8")
    assert old in text, f"{name} no longer contains {old}: change this test"
    (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")


def check(folder):
    return generate("--check", "--source", folder, "--output", folder / "generated")


def test_committed_files_are_up_to_date():
    run = generate("--check")
    assert run.returncode == 0, run.stderr


def test_untouched_copy_agrees(copy):
    assert check(copy).returncode == 0


@pytest.mark.parametrize("name, old, new", [
    ("interface.toml", "value = 0x5047", "value = 0x5048"), ("registers.toml", "offset = 0x18", "offset = 0x1C"),
    ("statuses.toml", 'kind = "done"', 'kind = "failed"'), ("statuses.toml", 'crc32c = "any"', 'crc32c = "0"'), ("counters.toml", 'unit = "commands"', 'unit = "pages"'),
    ("descriptors.toml", '"opcode"', '"operation"'), ("interface.toml", "minor = 4", "minor = 5"),
    ("cold.toml", "tables = 1", "tables = 2"), ("cold.toml", "value = 256", "value = 512"),
    ("core.toml", 'bits = "16"', 'bits = "15"'), ("core.toml", '"--bus", value = 16', '"--bus", value = 32'),
    ("kernel.toml", "core_window = 0x8000", "core_window = 0x4000"), ("kernel.toml", "bits = 32, buffer = false", "bits = 64, buffer = false")])
def test_drift_is_found(copy, name, old, new):
    before = {path.name: path.read_bytes() for path in (copy / "generated").iterdir() if path.is_file()}
    edit(copy, name, old, new)
    run = check(copy)
    if run.returncode == 2:     # the edit also made the file invalid
        edit(copy, name, new, old)
        pytest.fail(f"the edit is no drift but an error: {run.stderr}")
    assert run.returncode == 1 and "make interface" in run.stderr and len(run.stderr.splitlines()) == 1
    assert before == {path.name: path.read_bytes() for path in (copy / "generated").iterdir() if path.is_file()}
    assert generate("--source", copy, "--output", copy / "generated").returncode == 0
    assert check(copy).returncode == 0


def test_edited_output_is_found(copy):
    header = copy / "generated" / "pagepress_interface.h"
    header.write_text(header.read_text(encoding="utf-8").replace("0x5047", "0x5048"), encoding="utf-8")
    run = check(copy)
    assert run.returncode == 1 and "pagepress_interface.h" in run.stderr
    (copy / "generated" / "interface.md").unlink()
    assert "interface.md" in check(copy).stderr


def test_wording_keeps_the_hash(copy):
    def the_hash():
        return [word for word in generate("--source", copy, "--output", copy / "new").stdout.split() if len(word) == 17]
    first = the_hash()
    edit(copy, "statuses.toml", "output written", "the output is written")
    edit(copy, "statuses.toml", 'crc32c = "any"', 'crc32c = "page"')
    assert the_hash() == first
    edit(copy, "statuses.toml", "value = 1\n", "value = 77\n")
    assert the_hash() != first


@pytest.mark.parametrize("name, old, new, message", [
    ("statuses.toml", 'name = "SAME_FILLED"', 'name = "SUCCESS"', "SUCCESS is defined twice"),
    ("statuses.toml", "value = 1\n", "value = 0\n", "already taken"),
    ("statuses.toml", "value = 16", "value = 256", "out of range"),
    ("statuses.toml", 'kind = "refused"', 'kind = "maybe"', "kind must be one of"),
    ("statuses.toml", 'detail = "stream"', 'detail = "some"', "SUCCESS: leaves must say"),
    ("interface.toml", "DECOMPRESS = { value = 2", "DECOMPRESS = { value = 1", "already taken"),
    ("interface.toml", "value = 0x0002", "value = 0x10000", "out of range"),
    ("interface.toml", "[version]", "[version", "interface.toml"),
    ("counters.toml", 'name = "COMMANDS"', 'name = "CYCLES"', "CYCLES is defined twice"),
    ("registers.toml", 'name = "QUEUE_PAIRS",    low = 8', 'name = "QUEUE_PAIRS",    low = 4', "overlaps another field"),
    ("registers.toml", 'name = "MAJOR", low = 16', 'name = "MAJOR", low = 17', "past bit 31"),
    ("registers.toml", 'name = "VERSION",       offset = 0x04', 'name = "VERSION",       offset = 0x00', "share an offset"),
    ("registers.toml", 'name = "VERSION",       offset = 0x04', 'name = "VERSION",       offset = 0x06', "multiple of 4"),
    ("registers.toml", 'name = "COMPLETION_TAIL",      offset = 0x24', 'name = "COMPLETION_TAIL",      offset = 0x40', "outside the stride"),
    ("registers.toml", 'access = "ro"', 'access = "rx"', "access must be one of"),
    ("registers.toml", '"MAX_QUEUE_PAIRS"', '"MANY"', "unknown constant MANY"),
    ("kernel.toml", "offset = 0x1C, bits = 64", "offset = 0x14, bits = 64", "completions overlaps a register or an argument"),
    ("kernel.toml", "offset = 0x28, bits = 32", "offset = 0x30, bits = 32", "count overlaps a register"),
    ("kernel.toml", "offset = 0x10, bits = 64", "offset = 0x10, bits = 32", "an address has 64 bits"),
    ("kernel.toml", "core_window = 0x8000", "core_window = 0x20", "core_window is not behind the registers"),
    ("core.toml", 'bits = "8 * BUS_BYTES"', 'bits = "8 * BYTES"', "m_axi_wdata: cannot count 'BYTES'"),
    ("core.toml", 'bits = "8 * BUS_BYTES"', 'bits = "8 *"', "m_axi_wdata: cannot read '8 *'"),
    ("core.toml", 'bits = "16"', 'bits = "0 - 1"', "s_axi_awaddr has -1 bits"),
    ("core.toml", 'direction = "in"', 'direction = "inout"', "clk: direction must be in or out"),
    ("core.toml", 'type = "AXI4"', 'type = "AXI5"', "m_axi: type must be one of"),
    ("core.toml", 'mode = "manager"', 'mode = "both"', "m_axi: mode must be one of"),
    ("registers.toml", 'name = "CONTROL",       offset', 'name = "STATUS",        offset', "REGISTER_STATUS is defined twice"),
    ("registers.toml", 'name = "FATAL", low = 1', 'name = "READY", low = 1', "STATUS_READY_SHIFT is defined twice"),
    ("registers.toml", 'name = "MINOR", low = 0,  width = 16', 'name = "MINOR", low = 0,  width = 0', "VERSION.MINOR has no bits"),
    ("registers.toml", 'name = "MINOR", low = 0', 'name = "MINOR", low = -1', "VERSION.MINOR has no bits"),
    ("registers.toml", "base = 0x2000", "base = 0x1800", "DOORBELL begins at 0x1800, QUEUE ends at 0x2000"),
    ("registers.toml", "base = 0x4000", "base = 0x7100", "PUSH ends at 0x8100, behind MSIX_TABLE_OFFSET"),
    ("registers.toml", "stride = 0x40", "stride = 0x42", "QUEUE: base, stride or count is out of range"),
    ("registers.toml", 'offset = 0x20, access = "rw", reset = 0', 'offset = 0x20, access = "rw", reset = 0x100000000', "CONTROL: reset does not fit 32 bits"),
    ("registers.toml", 'access = "ro", reset = "MAGIC_VALUE"', 'reset = "MAGIC_VALUE"', "CARD.MAGIC: access is missing"),
    ("registers.toml", "base = 0x0000", 'base = "0x0000"', "CARD: base = 0x0000 is of the wrong kind"),
    ("registers.toml", 'access = "ro", reset = "MAGIC_VALUE"', 'access = "ro", rest = "MAGIC_VALUE"', "CARD.MAGIC: no such field: rest"),
    ("counters.toml", "base = 0x0100", "base = 0x0010", "the counters begins at 0x10, CARD ends at 0x2c"),
    ("counters.toml", 'unit = "cycles"\n', "", "CYCLES: unit is missing"),
    ("descriptors.toml", '"opcode"', '"format"', "SUBMISSION_ENTRY_FORMAT_OFFSET is defined twice"),
    ("descriptors.toml", 'name = "opcode",               bits = 8', 'name = "opcode",               bits = 0', "opcode: width is not whole bytes"),
    ("interface.toml", "value = 0x5047\n", "", "constants: PCI_VENDOR_ID: value is missing"),
    ("interface.toml", "value = 0x5047\n", "value = true\n", "constants: PCI_VENDOR_ID: value = True is of the wrong kind"),
    ("interface.toml", "minor = 4", "minr = 4", "version: minor is missing"),
    ("kernel.toml", 'name = "completions"', 'name = "submissions"', "KERNEL_ARGUMENT_SUBMISSIONS is defined twice"),
    ("kernel.toml", "buffer = false", "buffer = 0", "count: buffer = 0 is of the wrong kind"),
    ("management.toml", "base = 0x80001000", "base = 0x80000004", "CORE_TIMER begins at 0x80000004"),
    ("core.toml", 'direction = "in",  bits = "1", description = "clock of all ports"', 'bits = "1"', "clk: direction is missing"),
    ("cold.toml", "tables = 1", "tables = 70000", "COLD_TABLES_VERSION = 70000 is out of range"),
    ("cold.toml", 'digest = "', 'digest = "1', "other tables want another version"),
    ("cold_tables.toml", "literal_bits = [\n    ", "literal_bits = [\n    1", "the tables are not those of version 1"),
    ("descriptors.toml", "bits = 224", "bits = 216", "fields fill 63 of 64 bytes"),
    ("descriptors.toml", 'name = "flags",                bits = 16', 'name = "flags",                bits = 12', "not whole bytes"),
    ("descriptors.toml", 'name = "format",               bits = 8', 'name = "format",               bits = 16', "not aligned")])
def test_bad_description_is_refused(copy, name, old, new, message):
    """One line that names the entry, status 2, and nothing is written."""
    edit(copy, name, old, new)
    run = generate("--source", copy, "--output", copy / "new")
    assert run.returncode == 2 and message in run.stderr and len(run.stderr.splitlines()) == 1, run.stderr
    assert not (copy / "new").exists()


@pytest.mark.parametrize("old, new, message", [
    ("literal_bits = [\n    ", "literal_bits = [\n    1", "literal_bits are not"), ("offset_counts", "offsets", "'offset_counts'"),
    ("offset_counts = [\n    ", "offset_counts = [\n    1, ", "are not one or more each, 256 in all")])
def test_bad_tables_are_refused(copy, old, new, message):
    """Also when their version and digest are new."""
    edit(copy, "cold_tables.toml", old, new)
    digest = generate("--source", copy, "--output", copy / "new").stderr.split('"')[1]
    text = (copy / "cold.toml").read_text(encoding="utf-8")
    (copy / "cold.toml").write_text(re.sub('digest = ".*"', f'digest = "{digest}"', text), encoding="utf-8")
    run = generate("--source", copy, "--output", copy / "new")
    assert run.returncode == 2 and message in run.stderr and len(run.stderr.splitlines()) == 1, run.stderr
    assert not (copy / "new").exists()


def test_a_core_of_other_parameters(copy):
    """Only its IP-XACT and what its FuseSoC bench has to know of its ports differ."""
    run = generate("--source", copy, "--output", copy / "generated", "--parameter", "QUEUE_PAIRS=5", "--parameter", "USER_WIDTH=4")
    assert run.returncode == 0, run.stderr
    differ = {path.name for path in (copy / "generated").iterdir() if path.is_file() and path.read_bytes() != (INTERFACE / "generated" / path.name).read_bytes()}
    assert differ == {"pagepress_core.ipxact.xml", "pagepress_core.core"}
    text = (copy / "generated/pagepress_core.ipxact.xml").read_text(encoding="utf-8")
    assert "<ipxact:name>m_axi_awuser</ipxact:name>" in text and "<ipxact:dim>5</ipxact:dim>" in text


def test_a_core_of_another_name(copy):
    """It and the release's version are what tells packages apart; the file keeps its own, and the module, unless it is given one. `default` is the core without a name."""
    release = re.search(r"\((.*?)\)", (INTERFACE.parents[1] / "driver/packaging/debian/changelog").read_text(encoding="utf-8"))[1]
    for name, package in (("pages-16k", "core_pages-16k"), ("default", "core")):
        assert generate("--source", copy, "--output", copy / name, "--name", name).returncode == 0
        assert f"\nname: pagepress:pagepress:{package}:{release}\n" in (copy / name / "pagepress_core.core").read_text(encoding="utf-8")
        text = (copy / name / "pagepress_core.ipxact.xml").read_text(encoding="utf-8")
        assert f"<ipxact:name>{package}</ipxact:name>\n  <ipxact:version>{release}</ipxact:version>" in text and "<ipxact:moduleName>core<" in text
        assert f":pagepress_kernel:{release}\"" in (copy / name / "pagepress_kernel.xml").read_text(encoding="utf-8")
    assert generate("--source", copy, "--output", copy / "mine", "--name", "small", "--module", "mine").returncode == 0
    text = {name: (copy / "mine" / name).read_text(encoding="utf-8") for name in ("pagepress_core.core", "pagepress_core.ipxact.xml")}
    assert "<ipxact:moduleName>mine<" in text["pagepress_core.ipxact.xml"] and "<ipxact:name>core.v<" in text["pagepress_core.ipxact.xml"]
    assert "\n    toplevel: mine\n" in text["pagepress_core.core"] and "files: [core.v]" in text["pagepress_core.core"] and "toplevel: core\n" not in text["pagepress_core.core"]
    run = generate("--output", copy / "new", "--module", "pages-16k")
    assert run.returncode == 2 and "'pages-16k' is no name of a module" in run.stderr and len(run.stderr.splitlines()) == 1 and not (copy / "new").exists()
    assert generate("--module", "mine").returncode == 2
    run = generate("--output", copy / "new", "--name", "pages:16k")
    assert run.returncode == 2 and "the name 'pages:16k'" in run.stderr and len(run.stderr.splitlines()) == 1 and not (copy / "new").exists()
    assert generate("--name", "small").returncode == 2  # generated/ is of the usual core
    assert generate("--parameter", "QUEUE_PAIRS=4", "--output", INTERFACE / "generator/../generated").returncode == 2  # by whatever path


def test_folder_that_cannot_be_written(copy):
    run = generate("--output", copy / "core.toml")
    assert (run.returncode, len(run.stderr.splitlines())) == (1, 1) and "core.toml/" in run.stderr and "cannot be written" in run.stderr, run.stderr


@pytest.mark.parametrize("parameter, message", [
    ("QUEUES=5", "no parameter QUEUES"), ("QUEUE_PAIRS", "write NAME=VALUE"), ("QUEUE_PAIRS=many", "write NAME=VALUE"), ("QUEUE_PAIRS=65", "QUEUE_PAIRS = 65: use 1 to 64"),
    ("QUEUE_PAIRS=0", "use 1 to 64"), ("BUS_BYTES=12", "BUS_BYTES = 12: use 8, 16, 32, 64"), ("BUS_BYTES=0", "use 8, 16, 32, 64"), ("CLOCK_ENABLE=2", "use 0 to 1"), ("ADDRESS_WIDTH=31", "use 32 to 64")])
def test_bad_parameter_is_refused(copy, parameter, message):
    run = generate("--output", copy / "new", "--parameter", parameter)
    assert run.returncode == 2 and message in run.stderr and len(run.stderr.splitlines()) == 1, run.stderr
    assert not (copy / "new").exists()


def test_parameters_that_generate_refuses_together(copy):
    """With its own words."""
    run = generate("--output", copy / "new", "--parameter", "ENGINE_CLOCK=300000", "--parameter", "CLOCK_ENABLE=1")
    assert run.returncode == 2 and len(run.stderr.splitlines()) == 1 and not (copy / "new").exists()
    refusal = run.stderr.removeprefix("generate.py: ").strip()
    assert "do not go together" in refusal and f'"{refusal}"' in (INTERFACE.parent / "top/Generate.scala").read_text(encoding="utf-8")


@pytest.mark.parametrize("low, wanted", [(0, set()), (1, {("s_axi", "resetn"), ("m_axi", "resetn")})])
def test_ipxact_has_a_reset_of_its_buses_where_it_is_active_low(copy, low, wanted):
    """ARESETn is: a port that is active-high is none."""
    assert generate("--output", copy / "new", "--parameter", f"RESET_LOW={low}").returncode == 0
    name = "{http://www.accellera.org/XMLSchema/IPXACT/1685-2014}"
    root = ElementTree.parse(copy / "new/pagepress_core.ipxact.xml").getroot()
    assert wanted == {(bus.findtext(f"{name}name"), one.findtext(f"{name}physicalPort/{name}name")) for bus in root.iter(f"{name}busInterface")
                      for one in bus.iter(f"{name}portMap") if one.findtext(f"{name}logicalPort/{name}name") == "ARESETn"}


def test_ipxact_wires_the_core():
    """Ports, buses and address space of a component, held against the core's own description."""
    core = model.load(INTERFACE).core
    name = "{http://www.accellera.org/XMLSchema/IPXACT/1685-2014}"
    root = ElementTree.parse(INTERFACE / "generated/pagepress_core.ipxact.xml").getroot()
    ports = {}
    for port in root.iter(f"{name}port"):
        vector = port.find(f".//{name}vector")
        bits = 1 if vector is None else int(vector.findtext(f"{name}left")) - int(vector.findtext(f"{name}right")) + 1
        ports[port.findtext(f"{name}name")] = (port.findtext(f".//{name}direction"), bits)
    assert ports == {port.name: (port.direction, port.bits) for port in core.ports}
    buses = {}
    for bus in root.iter(f"{name}busInterface"):
        mode = next(found for found in ("master", "slave") if bus.find(f"{name}{found}") is not None)
        to = next(iter(bus.find(f"{name}{mode}")))
        maps = {one.findtext(f".//{name}logicalPort/{name}name"): one.findtext(f".//{name}physicalPort/{name}name") for one in bus.iter(f"{name}portMap")}
        buses[bus.findtext(f"{name}name")] = (bus.find(f"{name}busType").get("name"), mode, to.tag.removeprefix(name), maps)
    for bus, kind, mode, to in (("s_axi", "AXI4Lite", "slave", "memoryMapRef"), ("m_axi", "AXI4", "master", "addressSpaceRef")):
        signals = [port for port in ports if port.startswith(f"{bus}_")]
        assert buses.pop(bus) == (kind, mode, to, {port.removeprefix(f"{bus}_").upper(): port for port in signals} | {"ACLK": "clk"})
    assert not buses
    space = root.find(f".//{name}addressSpace")
    assert (space.findtext(f"{name}range"), space.findtext(f"{name}width")) == ("'hffffffffffffffff", "128")
    assert root.findtext(f".//{name}file/{name}name") == "core.v" and root.findtext(f".//{name}moduleName") == "core"


def test_svd_is_as_large_as_the_window():
    assert ElementTree.parse(INTERFACE / "generated/pagepress.svd").findtext(".//addressBlock/size") == f"0x{interface.BAR0_BYTES:x}"


def test_kernel_s_arguments_are_where_its_registers_are():
    kernel = ElementTree.parse(INTERFACE / "generated/pagepress_kernel.xml").find("kernel")
    assert (kernel.get("hwControlProtocol"), kernel.get("interrupt")) == ("ap_ctrl_hs", "true")
    assert {port.get("name"): (port.get("mode"), int(port.get("range"), 0), int(port.get("dataWidth"))) for port in kernel.iter("port")} == {
        "s_axi_control": ("slave", interface.KERNEL_ADDRESS_BYTES, 32), "m_axi": ("master", (1 << 64) - 1, interface.KERNEL_MEMORY_BITS)}
    kinds = {"submissions": ("1", "m_axi", "0x8", "void*"), "completions": ("1", "m_axi", "0x8", "void*"), "count": ("0", "s_axi_control", "0x4", "uint")}
    for place, argument in enumerate(kernel.iter("arg")):
        name = argument.get("name")
        assert int(argument.get("id")) == place == getattr(interface, f"KERNEL_ARGUMENT_{name.upper()}")
        assert int(argument.get("offset"), 0) == getattr(interface, f"KERNEL_ARGUMENT_{name.upper()}_OFFSET")
        assert (argument.get("addressQualifier"), argument.get("port"), argument.get("size"), argument.get("type")) == kinds.pop(name)
    assert not kinds


def test_verilog_has_every_number():
    found = re.findall(r"^`define PAGEPRESS_(\w+) 32'h([0-9a-f]{1,8}) //", (INTERFACE / "generated/pagepress_interface.vh").read_text(encoding="utf-8"), re.M)
    assert len(found) > 200 and [name for name, value in found if getattr(interface, name) != int(value, 16)] == []
