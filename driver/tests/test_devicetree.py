# SPDX-License-Identifier: GPL-2.0-only
"""The device-tree binding, and trees that keep to it or do not, under dt-schema."""
import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BINDING = REPOSITORY / "driver/devicetree/pagepress,swap.yaml"
TOOLS = REPOSITORY / "build/tools/devicetree/venv/bin"
TREE = """/dts-v1/;
/ {
	compatible = "pagepress,test";
	model = "test";
	#address-cells = <1>;
	#size-cells = <1>;
	interrupt-parent = <&controller>;
	controller: interrupt-controller { interrupt-controller; #interrupt-cells = <3>; };
	clock: clock { #clock-cells = <0>; };
	reset: reset { #reset-cells = <0>; };
	accelerator@a0010000 { %s };
};
"""
SOUND = {
    "compatible": '"pagepress,swap"',
    "reg": "<0xa0010000 0x10000>",
    "interrupts": "<0 89 4>",
    "clocks": "<&clock>, <&clock>",
    "resets": "<&reset>",
    "dma-coherent": None,
}
# What is changed, None where it is left out, and what dt-schema says of it.
WRONG = {
    "no registers": ({"reg": ...}, "'reg' is a required property"),
    "two ranges of registers": ({"reg": "<0xa0010000 0x10000>, <0xa0020000 0x10000>"}, "is too long"),
    "no interrupt": ({"interrupts": ...}, "'interrupts' is a required property"),
    "too many interrupts": ({"interrupts": ", ".join(f"<0 {number} 4>" for number in range(66))}, "is too long"),
    "two resets": ({"resets": "<&reset>, <&reset>"}, "is too long"),
    "a property that nobody knows": ({"colour": '"red"'}, "'colour' does not match"),
    "coherence with a value": ({"dma-coherent": "<1>"}, "error for type flag"),
}


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    subprocess.run(["make", "devicetree-tools"], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
    path = tmp_path_factory.mktemp("schema") / "processed.json"
    path.write_bytes(run("dt-mk-schema", "-j", BINDING).encode())
    return path


def run(tool, *words):
    done = subprocess.run([TOOLS / tool, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    return done.stdout


def complaints(schema, text, folder):
    (folder / "tree.dts").write_text(text)
    subprocess.run(["dtc", "-q", "-o", folder / "tree.dtb", folder / "tree.dts"], check=True)
    done = subprocess.run([TOOLS / "dt-validate", "-s", schema, "-l", "pagepress,swap", folder / "tree.dtb"], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def node(changes):
    properties = {name: value for name, value in {**SOUND, **changes}.items() if value is not ...}
    return TREE % " ".join(f"{name};" if value is None else f"{name} = {value};" for name, value in properties.items())


def test_binding_is_sound(schema):
    run("dt-doc-validate", BINDING)


def test_examples_keep_to_the_binding(schema, tmp_path):
    text = run("dt-extract-example", BINDING)
    assert text.count('compatible = "pagepress,swap"') == 2
    assert not complaints(schema, text, tmp_path)


def test_sound_tree_is_taken(schema, tmp_path):
    assert not complaints(schema, node({}), tmp_path)


@pytest.mark.parametrize("what", WRONG)
def test_wrong_tree_is_refused(schema, tmp_path, what):
    changes, words = WRONG[what]
    assert words in complaints(schema, node(changes), tmp_path)


def test_binding_has_the_driver_s_names_and_the_hardware_s_limits():
    text, driver = BINDING.read_text(), (REPOSITORY / "driver/card/platform.c").read_text()
    interface = (REPOSITORY / "rtl/interface/generated/pagepress_interface.h").read_text()
    number = lambda name: int(re.search(rf"#define PAGEPRESS_{name}\t(\w+?)u?\t", interface)[1], 0)  # noqa: E731
    compatible = re.search(r"const: (\S+)", text)[1]
    assert f'.compatible = "{compatible}"' in driver
    lines = int(re.search(r"interrupts:\n    minItems: 1\n    maxItems: (\d+)", text)[1])
    assert lines == number("FIRST_QUEUE_VECTOR") + number("MAX_QUEUE_PAIRS")
    assert f"All {number('BAR0_BYTES') >> 10} KiB" in text
