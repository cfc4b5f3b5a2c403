# SPDX-License-Identifier: Apache-2.0
"""Make sim/reference and the generated interface importable."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[2] / "rtl" / "interface" / "generated")]
