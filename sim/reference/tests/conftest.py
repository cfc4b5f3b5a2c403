# SPDX-License-Identifier: Apache-2.0
"""Make sim/reference and the generated interface importable."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
INTERFACE = HERE.parents[2] / "rtl" / "interface"
sys.path[:0] = [str(HERE.parent), str(INTERFACE / "generated"), str(INTERFACE / "vectors")]
