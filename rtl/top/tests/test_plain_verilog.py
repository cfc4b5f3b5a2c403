# SPDX-License-Identifier: Apache-2.0
"""build/verilog holds tops that others can take as they are: plain, self-contained, clean, with the ports of rtl/README.md."""
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.append(str(REPOSITORY / "rtl/interface"))

from generator.emit_verilog import released_ports

VERILOG = REPOSITORY / "build/verilog"
TOPS = {"core": "Core", "card": "Card", "pagepress_kernel": "Kernel"}  # with the name in their heading in rtl/README.md


def ports(top):
    """The ports of a top, name → (direction, bits), as the Verilog says."""
    text = (VERILOG / f"{top}.v").read_text()
    heading = re.search(rf"^module {top} \((.*?)\n\);", text, re.S | re.M)[1]
    found = re.findall(r"(input|output)\s+(?:wire|reg)\s+(?:\[(\d+):0\])?\s*(\w+)", heading)
    return {name: (direction[:-3], int(high or 0) + 1) for direction, high, name in found}


def documented(top):
    """The names in the table of ports of rtl/README.md; `_ready` stands for the name before it with another end."""
    text = (REPOSITORY / "rtl/README.md").read_text()
    chapter = text.split(f"## {TOPS[top]}: ports\n")[1].split("\n## ")[0]
    names = set()
    for cells in re.findall(r"^\| (`.*?) \|", chapter, re.M):
        for name in re.findall(r"`(\w+)`", cells):
            if name.startswith("_"):
                name = next(known for known in (stem + name for stem in stems(first)) if known in ports(top))
            else:
                first = name
            names.add(name)
    return names


def stems(name):
    """What may stand before another end: m_axis_cq of m_axis_cq_tvalid."""
    parts = name.split("_")
    return ["_".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]


def lint(top, *sources):
    done = subprocess.run(["verilator", "--lint-only", "-Wall", "--top-module", top, REPOSITORY / "rtl/top/lint.vlt", *sources],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "%Warning" not in done.stderr, done.stderr[:4000]


@pytest.mark.parametrize("block", ["kernel_front", "lane_crossing", "pcie_adapter_narrow"])
def test_lint_clean(block):
    """What a kernel, a clock of the engines' own and a link of four lanes add to the card below."""
    lint(block, VERILOG / f"{block}.v")


def test_lint_clean_around_the_core(tmp_path):
    """The example that takes the core into a system, around the ports of the release's `soc` alone: the widths of all are the core's."""
    (tmp_path / "core.v").write_text(released_ports("soc"))
    lint("example_soc", REPOSITORY / "sim/cocotb/example_soc.v", tmp_path / "core.v")


def test_memory_stands_once_beside_several_cores(tmp_path):
    """Each core.v that is made with `--memory-control` ends with it."""
    texts = [tmp_path / f"{name}.v" for name in ("one", "other")]
    for text in texts:
        text.write_bytes((REPOSITORY / "rtl/top/pagepress_memory.v").read_bytes())
    lint("pagepress_memory", *texts)


@pytest.mark.night("test-whole")
@pytest.mark.parametrize("top", TOPS)
def test_lint_clean_alone(top):
    """Each top by itself, most of which is in the card below, too; test_example_soc has the core in the example."""
    lint(top, VERILOG / f"{top}.v")


def test_lint_clean_but_for_the_processor():
    """A card with a management part: VexRiscv, at the end of the file, is somebody else's. A reset that begins with one clock and ends
    with the other is what the crossing of the host's accesses is made with."""
    file = VERILOG / "card_managed.v"
    lint = subprocess.run(["verilator", "--lint-only", "-Wall", "--top-module", "card_managed", REPOSITORY / "rtl/top/lint.vlt", file],
                          capture_output=True, text=True, check=False)
    found = [(rule, int(line), text) for rule, line, text in re.findall(r"^%(?:Warning|Error)-(\w+): \S+?:(\d+):\d+: (.*)", lint.stderr, re.M)]
    processor = file.read_text().split("\nmodule VexRiscv")[0].count("\n") + 1
    assert found and [entry for entry in found if entry[1] < processor and entry[0] != "SYNCASYNCNET"] == []


@pytest.mark.parametrize("top", TOPS)
def test_plain(top):
    text = (VERILOG / f"{top}.v").read_text()
    code = "\n".join(line for line in text.splitlines() if not line.startswith("//")).strip()
    assert code.startswith("`default_nettype none") and code.endswith("`default_nettype wire")
    assert "SPDX-License-Identifier: Apache-2.0" in text[:1000]
    assert not re.search(r"`include|\$readmem", text), "a top needs no other file"


@pytest.mark.parametrize("top", TOPS)
def test_ports_are_those_documented(top):
    assert documented(top) == set(ports(top))


def test_ports_of_a_managed_card_are_those_documented():
    chapter = (REPOSITORY / "rtl/README.md").read_text().split("## Management: ports\n")[1].split("\n## ")[0]
    assert set(ports("card_managed")) - set(ports("card")) == set(re.findall(r"`(management_\w+)`", chapter))


def test_ipxact_has_the_core_s_ports():
    """And each bus all of its ports, under the names that AMBA gives them."""
    namespace = {"ipxact": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}
    component = xml.etree.ElementTree.parse(REPOSITORY / "rtl/interface/generated/pagepress_core.ipxact.xml")
    described = {}
    for port in component.findall(".//ipxact:model/ipxact:ports/ipxact:port", namespace):
        left = port.findtext(".//ipxact:left", "0", namespace)
        described[port.findtext("ipxact:name", None, namespace)] = (port.findtext(".//ipxact:direction", None, namespace), int(left) + 1)
    assert described == {name: (direction, bits) for name, (direction, bits) in ports("core").items()}
    for bus in component.findall(".//ipxact:busInterface", namespace):
        name = bus.findtext("ipxact:name", None, namespace)
        mapped = {item.findtext("ipxact:physicalPort/ipxact:name", None, namespace): item.findtext("ipxact:logicalPort/ipxact:name", None, namespace)
                  for item in bus.findall(".//ipxact:portMap", namespace)}
        assert mapped == {"clk": "ACLK"} | {port: port.removeprefix(f"{name}_").upper() for port in ports("core") if port.startswith(f"{name}_")}


def test_header_is_beside():
    assert (VERILOG / "pagepress_interface.h").read_bytes() == (
        REPOSITORY / "rtl/interface/generated/pagepress_interface.h").read_bytes()


def test_what_to_constrain_is_there():
    """Registers that integrators are told to constrain; renamed ones would be left out unnoticed. `make boards` does more, on a card."""
    paths = tomllib.loads((REPOSITORY / "constraints/boards/lane_crossing.toml").read_text())["path"]
    names = {word for path in paths for end in ("from", "from_clock_of", "to") for word in path.get(end, "").split("/") if word}
    crossing = (VERILOG / "lane_crossing.v").read_text()
    assert len(names) >= 7 and not [name for name in names if not re.search(rf"\b{name}\b", crossing)], names
