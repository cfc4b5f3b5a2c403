# SPDX-License-Identifier: Apache-2.0
"""SystemRDL, CMSIS-SVD and IP-XACT say what the other generated files say, as other people's tools read them."""

import json
import pathlib
import subprocess
import tomllib

import pagepress_interface as interface
import pytest

HERE = pathlib.Path(__file__).resolve().parent
GENERATED = HERE.parent / "generated"
COPIES = {"systemrdl": interface.MAX_QUEUE_PAIRS, "svd": interface.MAX_QUEUE_PAIRS, "ipxact": 4}  # the core that `make verilog` writes


@pytest.fixture(scope="module")
def found(built):
    run = subprocess.run([built("soc-tools") / "python3", HERE / "read_descriptions.py", GENERATED], capture_output=True, text=True, check=False)
    assert run.returncode == 0 and not run.stderr, run.stderr
    return json.loads(run.stdout)


def expected(copies):
    """Every 32-bit word of BAR0 that has a name, by the constants of Python; access and reset are of the TOML files alone."""
    words = {}
    for block in tomllib.loads((HERE.parent / "registers.toml").read_text(encoding="utf-8"))["block"]:
        name, shared = block["name"], isinstance(block["count"], str)
        for register in block["registers"]:
            fields = {field["name"]: [getattr(interface, f"{register['name']}_{field['name']}_SHIFT"),
                                      getattr(interface, f"{register['name']}_{field['name']}_WIDTH")] for field in register.get("fields", ())}
            reset = register.get("reset")
            for copy in range(copies if shared else 1):
                stride = getattr(interface, f"{name}_STRIDE") if shared else 0
                words[f"{name}{f'[{copy}]' if shared else ''}.{register['name']}"] = {
                    "address": getattr(interface, f"{name}_BASE") + copy * stride + getattr(interface, f"REGISTER_{register['name']}"),
                    "access": register["access"], "reset": getattr(interface, reset) if isinstance(reset, str) else reset,
                    "fields": fields or {"VALUE": [0, 32]}}
    for index, counter in enumerate(interface.COUNTER_NAMES):
        for half, part in enumerate(("LOW", "HIGH")):
            words[f"COUNTER.{counter.upper()}_{part}"] = {"address": interface.COUNTER_BASE + 8 * index + 4 * half, "access": "ro", "reset": 0,
                                                          "fields": {"VALUE": [0, 32]}}
    return words


@pytest.mark.parametrize("language", COPIES)
def test_registers_are_the_interface_s(found, language):
    wanted = expected(COPIES[language])
    assert sorted(found[language]) == sorted(wanted)
    wrong = {name: (found[language][name], word) for name, word in wanted.items() if found[language][name] != word}
    assert not wrong, dict(list(wrong.items())[:3])
