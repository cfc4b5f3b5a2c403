# SPDX-License-Identifier: Apache-2.0
"""Tests that take too long for `make test`: each is marked with the target that runs it, with NIGHTLY=1."""
import os

import pytest


def at_night(target):
    """The mark of tests that `make <target>` runs."""
    return pytest.mark.skipif(not os.environ.get("NIGHTLY", "").strip("0"), reason=f"make {target} runs it")
