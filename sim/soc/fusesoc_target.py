# SPDX-License-Identifier: Apache-2.0
"""A target of a core's FuseSoC package, for tests."""
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def fusesoc(package, target, work=REPOSITORY / "build/fusesoc-test"):
    """Runs a target, which passes; what it showed, and all that its tools said. The work stays, so a second run is short."""
    done = subprocess.run([REPOSITORY / "sim/soc/fusesoc", "--package", package, "--work", work, target], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout, Path(work, f"{target}.log").read_text()
