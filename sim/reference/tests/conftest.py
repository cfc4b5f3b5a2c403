# SPDX-License-Identifier: Apache-2.0
"""Make sim/reference and the generated interface importable; a file's tests again on the build with sanitizers."""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
INTERFACE = HERE.parents[2] / "rtl" / "interface"
sys.path[:0] = [str(HERE.parent), str(INTERFACE / "generated"), str(INTERFACE / "vectors")]


@pytest.fixture
def again_with_sanitizers():
    """A function: again_with_sanitizers(file, seed) runs its tests on the build with address and undefined-behaviour sanitizers; the finished run."""

    def run(file, seed):
        asan = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
        environment = dict(os.environ, REFERENCE_LIBRARY="libreference_checked.so", LD_PRELOAD=asan.stdout.strip(),
                           ASAN_OPTIONS="detect_leaks=0", UBSAN_OPTIONS="halt_on_error=1", SEED=str(seed), MUTATIONS="1500")
        return subprocess.run([sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", file],
                              env=environment, capture_output=True, text=True, check=False)

    return run
