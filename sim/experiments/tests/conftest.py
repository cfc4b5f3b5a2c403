# SPDX-License-Identifier: Apache-2.0
"""Make the packages `experiments` and `system` importable."""
import sys
from pathlib import Path

# Last: other rooms below sim/ have names of well-known packages.
sys.path.append(str(Path(__file__).resolve().parents[2]))
