#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write rtl/interface/generated/ from the TOML files beside this program.

    rtl/interface/generate.py           write what differs
    rtl/interface/generate.py --check   write nothing; exit 1 and name each file that differs
"""

import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from generator import emit_c, emit_markdown, emit_python, emit_scala  # noqa: E402
from generator.model import InterfaceError, load  # noqa: E402

OUTPUTS = {
    "PagepressInterface.scala": emit_scala.emit,
    "pagepress_interface.h": emit_c.emit,
    "pagepress_interface.py": emit_python.emit,
    "interface.md": emit_markdown.emit,
}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare instead of write")
    parser.add_argument("--source", type=pathlib.Path, default=HERE, help="folder with the TOML files")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "generated", help="folder of the generated files")
    options = parser.parse_args(arguments)
    try:
        interface = load(options.source)
    except InterfaceError as error:
        print(f"generate.py: {error}", file=sys.stderr)
        return 2
    drifted = []
    for name, emit in OUTPUTS.items():
        path, text = options.output / name, emit(interface)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        drifted.append(name)
        if not options.check:
            options.output.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if options.check and drifted:
        print(f"generate.py: {', '.join(drifted)} differ from the TOML files; run: make interface", file=sys.stderr)
        return 1
    verb = "differ" if options.check else "written"
    print(f"interface {interface.version_text} hash {interface.hash:016x}: {len(drifted)} files {verb}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
