#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write rtl/interface/generated/ from the TOML files beside this program; packages bear the release's version.

    rtl/interface/generate.py           write what differs
    rtl/interface/generate.py --check   write nothing; exit 1 and name each file that differs
    rtl/interface/generate.py --output FOLDER --name small --module my_core --parameter BUS_BYTES=8 --parameter QUEUE_PAIRS=5
                                        the same for a core built with other parameters (core.toml): its IP-XACT and FuseSoC package differ,
                                        and name it core_small; its module is my_core, as made with Generate's `--name my_core`
"""

import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
RELEASES = HERE.parents[1] / "driver/packaging/debian/changelog"  # where the version stands, the newest first
sys.path.insert(0, str(HERE))

from generator import (emit_c, emit_cold, emit_fusesoc, emit_ipxact, emit_kernel, emit_markdown, emit_python, emit_scala,  # noqa: E402
                       emit_svd, emit_systemrdl, emit_verilog)
from generator.cold import load_cold  # noqa: E402
from generator.model import InterfaceError, load, load_management  # noqa: E402

OUTPUTS = {  # what is read → {file that is written: by what}
    load: {
        "PagepressInterface.scala": emit_scala.emit,
        "pagepress_interface.h": emit_c.emit,
        "pagepress_interface.py": emit_python.emit,
        "interface.md": emit_markdown.emit,
        "pagepress_kernel.xml": emit_kernel.emit,
        "pagepress_core.ipxact.xml": emit_ipxact.emit,
        "pagepress_core.core": emit_fusesoc.emit,
        "pagepress_interface.vh": emit_verilog.emit,
        "pagepress.rdl": emit_systemrdl.emit,
        "pagepress.svd": emit_svd.emit,
    },
    load_management: {
        "PagepressManagement.scala": emit_scala.emit,
        "pagepress_management.h": emit_c.emit,
        "pagepress_management.py": emit_python.emit,
        "management.md": emit_markdown.emit,
    },
    load_cold: {
        "pagepress_cold.h": emit_cold.emit_numbers,
        "pagepress_cold_decoder.h": emit_cold.emit_decoder,
        "pagepress_cold_encoder.h": emit_cold.emit_encoder,
        "pagepress_cold.py": emit_cold.emit_python,
        "PagepressCold.scala": emit_cold.emit_scala,
    },
}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare instead of write")
    parser.add_argument("--source", type=pathlib.Path, default=HERE, help="folder with the TOML files")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "generated", help="folder of the generated files")
    parser.add_argument("--parameter", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the core")
    parser.add_argument("--name", default="", help="of such a core among others, core_NAME for tools; default: core")
    parser.add_argument("--module", default="", help="its Verilog module, Generate's --name; default: core")
    options = parser.parse_args(arguments)
    if (options.parameter or options.name or options.module) and options.output.resolve() == HERE / "generated":
        parser.error("--parameter, --name and --module want an --output of their own: generated/ is of the core that `make verilog` writes")
    try:
        parameters = dict(map(named_number, options.parameter))
        release = release_version()
        interfaces = {reader: reader(options.source, parameters=parameters, configuration=options.name, module=options.module, release=release) for reader in OUTPUTS}
    except InterfaceError as error:
        print(f"generate.py: {error}", file=sys.stderr)
        return 2
    drifted = []
    for name, text in ((name, emit(interfaces[reader])) for reader, outputs in OUTPUTS.items() for name, emit in outputs.items()):
        path = options.output / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        drifted.append(name)
        if not options.check:
            try:
                options.output.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            except OSError as error:
                print(f"generate.py: {path} cannot be written: {error.strerror}", file=sys.stderr)
                return 1
    if options.check and drifted:
        print(f"generate.py: {', '.join(drifted)} differ from the TOML files; run: make interface", file=sys.stderr)
        return 1
    verb = "differ" if options.check else "written"
    interface = interfaces[load]
    print(f"interface {interface.version_text} hash {interface.hash:016x}: {len(drifted)} files {verb}")
    return 0


def release_version():
    """Of the release that this is, or becomes."""
    try:
        found = re.match(r"\w+ \((\d+(?:\.\d+)+)\)", RELEASES.read_text(encoding="utf-8"))
    except OSError as error:
        raise InterfaceError(f"no version of the release: {error}") from error
    if not found:
        raise InterfaceError("driver/packaging/debian/changelog does not begin with 'pagepress (VERSION)'")
    return found[1]


def named_number(text):
    """NAME=VALUE as a pair."""
    name, _, value = text.partition("=")
    if not value.isdecimal():
        raise InterfaceError(f"--parameter {text}: write NAME=VALUE, a whole number")
    return name, int(value)


if __name__ == "__main__":
    sys.exit(main())
