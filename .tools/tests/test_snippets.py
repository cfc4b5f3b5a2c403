# SPDX-License-Identifier: Apache-2.0
"""What the documentation shows is run, compiled or read by what it is for: each fenced block by its language, each `make` target that any page names,
and the example in the header of the driver for systems on chip.

Shell is parsed, and each command that is the tree's must exist with its target, file or subcommand: most of it needs root, a card or a guest.
"""
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / ".tools"))

from tree_files import tree_files  # noqa: E402

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
COMMANDS = {"pagepressctl": "host/pagepressctl.8", "pagepress-xrt": "host/xrt/pagepress-xrt.1"}  # whose subcommands a manual page lists
# Parts of these run elsewhere: `make xrt`, and the tests that a cocotb module holds.
PARSED_ONLY = {"host/python/README.md", "sim/cocotb/README.md"}


FILES = set(tree_files(REPOSITORY))
FOLDERS = {str(parent) for name in FILES for parent in Path(name).parents} - {"."}
MAKEFILE = (REPOSITORY / "Makefile").read_text()
TARGETS = {name for line in re.findall(r"^([a-z][a-z -]*):(?!=)", MAKEFILE, re.M) for name in line.split()}
VARIABLES = set(re.findall(r"^([A-Z]+) *[:?]=#", MAKEFILE, re.M))
BLOCKS = [(name, number, language, text) for name in sorted(FILES) if name.endswith(".md")
          for number, (language, text) in enumerate(FENCE.findall((REPOSITORY / name).read_text()), 1)]


def make_trouble(words):
    """What is wrong with the words after `make`: a target or variable that there is not."""
    if "-C" in words:
        return None if words[words.index("-C") + 1] in FOLDERS else f"make -C {words[words.index('-C') + 1]}"
    for word in words:
        name, equals, _ = word.partition("=")
        if not word.startswith("-") and name not in (VARIABLES if equals else TARGETS):
            return f"make {word}"
    return None


def shell_trouble(text):
    """What is wrong with a block of shell, None if nothing is."""
    parsed = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
    if parsed.returncode:
        return parsed.stderr
    for line in re.split(r"\n|&&|;|\|", re.sub(r"(^|\s)#.*", "", text, flags=re.M)):
        words = shlex.split(line)
        while words and re.fullmatch(r"[A-Z]+=\S*", words[0]):
            del words[0]
        if not words:
            continue
        if words[0] == "make" and (trouble := make_trouble(words[1:])):
            return trouble
        name = Path(words[0]).name
        if name in COMMANDS and not re.search(rf"^\.(?:BR?|TP|SS) *\"?{words[1]}\b", (REPOSITORY / COMMANDS[name]).read_text(), re.M):
            return f"{name} has no {words[1]}"
        for word in words:
            if word.partition("/")[0] in FOLDERS and "/" in word and word not in FILES | FOLDERS:
                return f"no {word}"
    return None


def device_tree(text):
    """A whole source around a node; its references get what they lead to."""
    labels = "".join(f"{label}: {label} {{ #clock-cells = <1>; #reset-cells = <1>; }};" for label in sorted(set(re.findall(r"&(\w+)", text))))
    return f"/dts-v1/; / {{ #address-cells = <1>; #size-cells = <1>; {labels} {text} }};"


def check(name, language, text):
    if language == "sh":
        assert shell_trouble(text) is None
    elif language == "python":
        code = compile(text, name, "exec")
        if name not in PARSED_ONLY:
            done = subprocess.run([sys.executable, "-c", text], cwd=REPOSITORY, capture_output=True, text=True, check=False)
            assert code and done.returncode == 0, done.stderr
    elif language == "dts":
        done = subprocess.run(["dtc", "-I", "dts", "-O", "dtb", "-o", "/dev/null"], input=device_tree(text), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    else:
        assert language == "text", f"{name}: a block of '{language}': say sh, python, dts, or text for what is only to be read"


@pytest.mark.parametrize("name,number,language,text", BLOCKS, ids=[f"{name}-{number}" for name, number, _, _ in BLOCKS])
def test_snippet(name, number, language, text, built):
    del number
    if language == "dts":
        built("devicetree-tools")
    check(name, language, text)


def test_snippets_name_targets_that_there_are():
    """Every `make …` of every page but one of somebody else's Makefile."""
    wrong = [f"{name}: {trouble}" for name in sorted(FILES) if name.endswith(".md") and name != "CHANGELOG.md"
             for line in re.findall(r"`make ([^`…]+)`", FENCE.sub("", (REPOSITORY / name).read_text()))
             if line != "install" and (trouble := make_trouble(shlex.split(line)))]
    assert wrong == []


def test_snippet_of_the_header_compiles(tmp_path):
    """The example that the driver for systems on chip begins with."""
    header = (REPOSITORY / "firmware/soc/pagepress_soc.h").read_text()
    lines = [line.removeprefix(" *\t") for line in header.split("*/")[1].splitlines() if line.startswith(" *\t")]
    at = next(number for number, line in enumerate(lines) if line.startswith("if ("))
    # Whoever keeps streams is the reader's.
    (tmp_path / "example.c").write_text("\n".join([
        '#include "pagepress_soc.h"', "void keep(const void *stream, uint32_t length, uint32_t crc32c);",
        "void example(const void *page, void *stream, uint32_t capacity);", *lines[:at],
        "void example(const void *page, void *stream, uint32_t capacity)", "{", "struct pagepress_outcome outcome;", *lines[at:], "}"]))
    done = subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{REPOSITORY / 'firmware/soc'}", f"-I{REPOSITORY / 'rtl/interface/generated'}",
                           "-c", tmp_path / "example.c", "-o", tmp_path / "example.o"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_snippets_that_are_wrong_are_noticed():
    for text in ("make dmeo", "make demo CRAD=model", "make -C drivers", "pagepressctl stats", "sim/system/gust", "if true", "true && make tset"):
        assert shell_trouble(text), text
    for language, text in (("python", "for"), ("dts", "a { b = <1> };"), ("", "")):
        with pytest.raises((AssertionError, SyntaxError)):
            check("README.md", language, text)
