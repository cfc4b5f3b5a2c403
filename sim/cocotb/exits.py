# SPDX-License-Identifier: Apache-2.0
"""The ways on which a command stops waiting, one a cycle each: the flows `left` between queues/CommandDispatch and who counts."""
from itertools import count, takewhile


def exits(dut):
    """The prefixes of their ports: io_left_0, io_left_1 and so on, as many as the block has."""
    return list(takewhile(lambda name: hasattr(dut, f"{name}_valid"), (f"io_left_{index}" for index in count())))
