# SPDX-License-Identifier: Apache-2.0
"""How much `make test` does of what takes long: a sample, and `make test-whole` all."""
import os

NIGHTLY = bool(os.environ.get("NIGHTLY", "").strip("0"))


def sampled(whole, sample):
    """How often a test does the same with other numbers: `sample` in `make test`, `whole` in `make test-whole`."""
    return whole if NIGHTLY else sample
