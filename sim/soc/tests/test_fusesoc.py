# SPDX-License-Identifier: Apache-2.0
"""The core as a FuseSoC package: its targets run, on a core that is not the usual one."""
import os
import random
import re
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path += [str(REPOSITORY / "rtl/interface"), str(REPOSITORY / "sim/soc")]

from core_package import BESIDE  # noqa: E402
from fusesoc_target import fusesoc  # noqa: E402
from generator.model import load, parameters_of  # noqa: E402
from generator.emit_verilog import ports_alone  # noqa: E402

PAGE = 4096
RELEASED = tomllib.loads((REPOSITORY / "rtl/top/configurations.toml").read_text())


@pytest.fixture(scope="module")
def package(built):
    """The folder of test_core_parameters' core: five queues, a bus of 8 bytes, three decompressors."""
    built("soc-tools")  # and Yosys's
    sys.path.insert(0, str(REPOSITORY / "sim/cocotb"))
    from test_core_parameters import soc_core
    return soc_core()


def test_fusesoc_says_what_it_wants(tmp_path):
    for words, status, said in ((("--package",), 2, "--package wants a folder"), (("--work", "", "lint"), 2, "--work wants a folder"),
                                (("--work", tmp_path / "work"), 2, "say which target: lint, elaborate, simulate, synthesise"),
                                (("--package", tmp_path / "none/there", "lint"), 1, f"{tmp_path}/none/there is no package of a core: `make verilog` makes build/verilog one")):
        done = subprocess.run([REPOSITORY / "sim/soc/fusesoc", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (status, "", f"fusesoc: {said}\n")


def test_fusesoc_shows_the_end_of_a_failure(package, tmp_path):
    shutil.copytree(package, tmp_path / "package")
    core = tmp_path / "package/core.v"
    core.write_text(core.read_text() + "nonsense\n")
    done = subprocess.run([REPOSITORY / "sim/soc/fusesoc", "--package", tmp_path / "package", "--work", tmp_path / "work", "lint", "elaborate"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "syntax error" in done.stderr and done.stdout.count("\n") == 1, done
    assert done.stderr.endswith(f"\nfusesoc: lint failed: see {tmp_path}/work/lint.log\n") and done.stderr.count("\n") <= 21, done


def test_fusesoc_lint(package):
    _, log = fusesoc(package, "lint")
    assert "%Warning" not in log, log[-3000:]


def test_fusesoc_elaborate(package):
    """Edalize's Tcl through our Yosys: every module is found and every port fits."""
    fusesoc(package, "elaborate")
    netlist = next((REPOSITORY / "build/fusesoc-test/elaborate").glob("*.v")).read_text()
    assert re.search(r"^module core\(", netlist, re.M) and len(re.findall("^module ", netlist, re.M)) > 20


def test_fusesoc_tells_the_release_s_cores_apart(built, tmp_path):
    """With all folders of the archive as one library; their Verilog is not wanted for that."""
    tools = built("soc-tools")
    for name, entry in RELEASED.items():
        parameters = [word for item in parameters_of(REPOSITORY / "rtl/interface", entry["options"]).items() for word in ("--parameter", "{}={}".format(*item))]
        subprocess.run([sys.executable, REPOSITORY / "rtl/interface/generate.py", "--output", tmp_path / "cores" / name, "--name", name, *parameters], check=True, capture_output=True)
    listed = subprocess.run([tools / "fusesoc", "--cores-root", "cores", "core", "list"], cwd=tmp_path, env=dict(os.environ, HOME=str(tmp_path)),
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^pagepress:pagepress:(\S+?):\S+", listed, re.M)
    assert sorted(found) == sorted("core" if name == "default" else f"core_{name}" for name in RELEASED), listed


def test_fusesoc_takes_a_core_by_its_module(built, tmp_path):
    """One with a name of its own, of which the ports alone stand there: `lint` and `simulate` find it. Its folder may be named from where one is."""
    tools, module = built("soc-tools"), "mine"
    folder = tmp_path / "package"
    subprocess.run([sys.executable, REPOSITORY / "rtl/interface/generate.py", "--output", folder, "--module", module], check=True, capture_output=True)
    (folder / "core.v").write_text(ports_alone(load(REPOSITORY / "rtl/interface", module=module).core))
    for beside in BESIDE:
        shutil.copy(REPOSITORY / beside, folder)
    _, log = fusesoc(os.path.relpath(folder), "lint", os.path.relpath(tmp_path / "work"))
    assert "%Warning" not in log and (tmp_path / "work/lint").is_dir(), log[-3000:]
    subprocess.run([tools / "fusesoc", "--cores-root", folder, "run", "--setup", "--work-root", tmp_path / "bench", "--target", "simulate", "pagepress:pagepress:core"],
                   cwd=tmp_path, env=dict(os.environ, HOME=str(tmp_path)), stdin=subprocess.DEVNULL, check=True, capture_output=True)
    words, = (path.read_text().split() for path in (tmp_path / "bench").glob("*.vc"))
    # Ports alone have no time scale.
    done = subprocess.run(["verilator", "--lint-only", "-Wno-TIMESCALEMOD", *(word for word in words if word not in ("--cc", "--exe", "--main", "--binary"))], cwd=tmp_path / "bench",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.night("test-parameters")
def test_fusesoc_simulate(package):
    """A page goes through this core and comes back; a byte that is stored wrong, whichever it is, fails the bench."""
    shown, _ = fusesoc(package, "simulate")
    assert "PASS: a page of 4096 bytes" in shown, shown
    bench = REPOSITORY / "build/fusesoc-test/simulate/Vone_page"
    for byte in (0, random.randrange(1, PAGE - 1), PAGE - 1):
        spoiled = subprocess.run([bench, f"+spoil={byte}"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert spoiled.returncode and f"byte {byte} came back as" in spoiled.stdout + spoiled.stderr and "PASS" not in spoiled.stdout, spoiled


@pytest.mark.night("test-parameters")
@pytest.mark.parametrize("name", RELEASED)
def test_fusesoc_simulate_released(built, name):
    """Each core of the release's Verilog archive, as it stands there: lint, and a page through it."""
    built("soc-tools")
    sys.path.insert(0, str(REPOSITORY / "sim/cocotb"))
    from configured import released
    folder, work, options = released(name), REPOSITORY / "build/fusesoc-released" / name, RELEASED[name]["options"]
    _, log = fusesoc(folder, "lint", work)
    assert "%Warning" not in log, log[-3000:]
    shown, _ = fusesoc(folder, "simulate", work)
    size = options[options.index("--pages") + 1] if "--pages" in options else PAGE
    assert f"PASS: a page of {size} bytes" in shown, shown


def test_fusesoc_synthesise(package, tmp_path):
    """Cells are counted: of one module of the core, since all of it takes minutes (`make fusesoc`)."""
    shutil.copytree(package, tmp_path / "package")
    module = re.search(r"^module (Moderation) \(.*?^endmodule", (package / "core.v").read_text(), re.S | re.M)[0]
    (tmp_path / "package/core.v").write_text(module.replace("module Moderation", "module core", 1))
    total, _ = fusesoc(tmp_path / "package", "synthesise", tmp_path / "work")
    flip_flops = re.findall(r"^\s+(\d+)\s+FD[RSCP]E$", total, re.M)
    netlist = (tmp_path / "work/synthesise/core.netlist.v").read_text()
    assert sum(map(int, flip_flops)) == len(re.findall(r"^\s*FD[RSCP]E ", netlist, re.M)) > 20 and "CARRY" in total, total


def test_ipxact_of_this_core(package):
    """generate.py and Generate, given the same parameters, mean the same ports."""
    heading = re.search(r"^module core \((.*?)\n\);", (package / "core.v").read_text(), re.S | re.M)[1]
    wanted = {name: (direction, int(high or 0) + 1)
              for direction, high, name in re.findall(r"(in|out)put\s+(?:wire|reg)\s+(?:\[(\d+):0\])?\s*(\w+)", heading)}
    name, described = {"ipxact": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}, {}
    for port in xml.etree.ElementTree.parse(package / "pagepress_core.ipxact.xml").findall(".//ipxact:model/ipxact:ports/ipxact:port", name):
        described[port.findtext("ipxact:name", None, name)] = (port.findtext(".//ipxact:direction", None, name),
                                                               int(port.findtext(".//ipxact:left", "0", name)) + 1)
    assert described == wanted
