# SPDX-License-Identifier: Apache-2.0
"""What a completion must say besides its status, as rtl/interface/statuses.toml states it; of every card, hardware or model."""
import pagepress_interface as interface
from crc32c import crc32c

NOTHING = {"produced_length": "0", "crc32c": "0", "detail": "0"}


def check_fields(entry, completion, page, destination):
    """Fail unless every field is right that the status decides.

    page         the plain page of a COMPRESS; of DECOMPRESS it is what has been written
    destination  the bytes that are at the destination now, produced_length or more; None where nobody can look
    """
    about = f"{interface.STATUS_NAMES[completion.status]}: {entry}, {completion}"
    is_nop, compresses = entry.opcode == interface.OPCODE_NOP, entry.opcode == interface.OPCODE_COMPRESS
    leaves = NOTHING if is_nop else interface.STATUS_LEAVES[completion.status]
    length = completion.produced_length
    assert length <= (0 if leaves["produced_length"] == "0" else entry.destination_capacity), f"produced_length {about}"
    if destination is None and length:
        return
    output = b"" if not length else bytes(destination[:length])
    plain = page if compresses else output
    for name, value in (("crc32c", {"0": lambda: 0, "page": lambda: crc32c(plain), "output": lambda: crc32c(output), "any": lambda: completion.crc32c}),
                        ("detail", {"0": lambda: 0, "fill": lambda: int.from_bytes(plain[:8], "little"),
                                    "stream": lambda: crc32c(output) if compresses else 0})):
        assert getattr(completion, name) == value[leaves[name]](), f"{name} {about}"
    assert completion.tag == entry.tag and not any(completion.reserved) and not any(completion.reserved2), about
    if is_nop or interface.STATUS_KINDS[completion.status] == "refused":
        assert completion.engine_cycles == 0, f"engine_cycles {about}"
