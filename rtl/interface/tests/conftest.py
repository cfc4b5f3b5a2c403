# SPDX-License-Identifier: Apache-2.0
"""Make the reader of the vectors importable."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "vectors"))
