# SPDX-License-Identifier: Apache-2.0
"""`make core`: what describes a core of one's own follows from Generate's options; what it refuses. test_fusesoc.py and test_core_parameters.py have one made and run."""
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.append(str(REPOSITORY / "rtl/interface"))

from core_package import lint  # noqa: E402
from generator.model import load, parameters_of  # noqa: E402

INTERFACE = REPOSITORY / "rtl/interface"
# Generate's options that change no port of a core: what others of its folders read does not tell of them.
OF_NO_PORT = {"--pages", "--depth", "--burst", "--clock", "--compressor-bytes", "--decompressor-tokens", "--arcache", "--awcache", "--axprot", "--user", "--gate-lanes",
              "--cold-format", "--async-reset", "--name"}
OF_NO_CORE = {"--list", "--only", "--without", "--link", "--management-clock"}


def test_core_package_knows_every_option():
    options = set(re.findall(r'case "(--[a-z-]+)" ::', (REPOSITORY / "rtl/top/Generate.scala").read_text()))
    parameters = tomllib.loads((INTERFACE / "core.toml").read_text())["parameters"]
    described = {parameter["option"] for parameter in parameters.values()}
    assert len(described) == len(parameters)
    assert options == described | OF_NO_PORT | OF_NO_CORE and not described & (OF_NO_PORT | OF_NO_CORE)


def test_core_package_takes_parameters_from_options():
    words = ["--queues", 5, "--pages", 16384, "--one-interrupt", "--bus", "8", "--async-reset", "--name", "mine", "--decompressors", 3]
    parameters = parameters_of(INTERFACE, words)
    assert parameters == {"QUEUE_PAIRS": 5, "ONE_INTERRUPT": 1, "BUS_BYTES": 8, "DECOMPRESSORS": 3}
    ports = {port.name: port.bits for port in load(INTERFACE, parameters).core.ports}
    assert (ports["interrupt"], ports["m_axi_wdata"], ports["m_axi_awid"]) == (1, 64, 3)


@pytest.mark.parametrize(("words", "status", "said"), [
    (("five",), 2, "say which core: make core NAME=five"),
    (("five", "--queues"), 2, "say which core: make core NAME=five"),
    (("five", "two words"), 1, "the name 'two words': use letters, digits, _ and -"),
    (("five", "five", "--only", "card"), 1, "--only is none of a core's options"),
    (("five", "five", "-h"), 1, "-h is none of a core's options"),
    (("five", "five", "--link", "16"), 1, "--link is none of a core's options"),
])
def test_core_package_refuses(tmp_path, words, status, said):
    done = subprocess.run([sys.executable, REPOSITORY / "rtl/interface/core_package.py", tmp_path / words[0], *words[1:]], capture_output=True, text=True, check=False)
    assert done.returncode == status and said in done.stderr and done.stderr.count("\n") == 1 and not list(tmp_path.iterdir()), done


def test_core_package_helps():
    done = subprocess.run([sys.executable, REPOSITORY / "rtl/interface/core_package.py", "--help"], capture_output=True, text=True, check=True)
    assert "make core NAME=five" in done.stdout and not done.stderr


@pytest.mark.parametrize(("ends", "said"), [("exit 0", ""), ("exit 139", "verilator ended with 139"), ("echo %Warning >&2; exit 1", "%Warning\n")])
def test_core_package_lint_is_well_only_where_verilator_says_so(tmp_path, monkeypatch, ends, said):
    (tmp_path / "verilator").write_text(f"#!/bin/sh\n{ends}\n")
    (tmp_path / "verilator").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert lint(tmp_path, []) == said
