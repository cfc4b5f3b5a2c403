# SPDX-License-Identifier: Apache-2.0
"""Tests that take too long for `make test`: each is marked with the target that runs it, with NIGHTLY=1; or `make test` runs a sample
of it, and `make test-whole` all."""
import os

import pytest

NIGHTLY = bool(os.environ.get("NIGHTLY", "").strip("0"))


def at_night(target):
    """The mark of tests that `make <target>` runs."""
    return pytest.mark.skipif(not NIGHTLY, reason=f"make {target} runs it")


def sampled(whole, sample):
    """How often a test does the same with other numbers: `sample` in `make test`, `whole` in `make test-whole`."""
    return whole if NIGHTLY else sample
