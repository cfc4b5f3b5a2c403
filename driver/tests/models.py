# SPDX-License-Identifier: GPL-2.0-only
"""Models of the driver's parts: programs of the driver's own files, on kernel_arithmetic/ in place of the kernel's headers."""
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
INTERFACE = HERE.parents[1] / "rtl/interface/generated"


def built_model(name, folder, sanitizers="address,undefined", beside=()):
    """The program of NAME.c, in `folder`; sanitizers: gcc's names of them, "" for none where a model is to be quick; beside: gcc's further words."""
    program = folder / name
    watched = [f"-fsanitize={sanitizers}", "-fno-sanitize-recover"] if sanitizers else []
    subprocess.run(["gcc", "-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-sign-compare", *watched, f"-I{HERE / 'kernel_arithmetic'}",
                    f"-I{HERE.parent}", f"-I{INTERFACE}", HERE / f"{name}.c", *beside, "-o", program], check=True)
    return program
