# SPDX-License-Identifier: Apache-2.0
"""Make the package `bench` and the reference codecs importable."""
import sys
from pathlib import Path

SIM = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SIM), str(SIM / "reference")]
