# SPDX-License-Identifier: Apache-2.0
"""Make sim/soc importable."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
