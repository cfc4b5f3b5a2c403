# SPDX-License-Identifier: Apache-2.0
"""What software writes to a queue's PUSH window."""
import struct

import pagepress_interface as interface


def push_writes(queue, entry, number):
    """The copy of `entry` (a SubmissionEntry), before which the queue has had `number` since it was enabled: [(offset in BAR0, dword)]."""
    ends = struct.pack("<I", number & interface.PUSH_BEGIN_NUMBER_MASK)
    copy = ends + entry.pack()[:interface.PUSH_ENTRY_BYTES] + ends
    base = interface.PUSH_BASE + queue * interface.PUSH_STRIDE
    return [(base + 4 * at, dword) for at, (dword,) in enumerate(struct.iter_unpack("<I", copy))]
