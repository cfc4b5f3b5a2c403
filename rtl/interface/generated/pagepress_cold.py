# SPDX-License-Identifier: Apache-2.0
# Made by rtl/interface/generate.py. Do not edit: change cold.toml and cold_tables.toml there and run it again.
"""The cold format's numbers, and the dictionary with which zstd reads its streams."""

COLD_TABLES_VERSION = 0x1  # of the trained tables
COLD_DICTIONARY_ID = 0x50500001  # of the dictionary that gives zstd these tables; frames do not name it
COLD_LARGEST_PAGE = 0x10000  # most bytes of a page
COLD_FRAME_START = 0x3000fd2fb528  # the first COLD_FRAME_START_BYTES of every stream, as a little-endian number: magic number, no optional field, a window of 64 KiB
COLD_FRAME_START_BYTES = 0x6  # bytes before the block header
COLD_BLOCK_START_BYTES = 0x3  # bytes of the block header
COLD_BLOCK_RAW = 0x1  # low bits of the block header: the last block, the page as it is
COLD_BLOCK_COMPRESSED = 0x5  # low bits of the block header: the last block, compressed
COLD_LITERALS_RAW = 0x0  # low bits of the literals' header: as they are
COLD_LITERALS_TREELESS = 0x3  # low bits of the literals' header: Huffman codes of the dictionary
COLD_FOUR_STREAMS = 0x100  # coded literals from which on they are four streams; fewer are one
COLD_SEQUENCE_MODES = 0xfc  # the byte behind the number of sequences: all three tables are the dictionary's

DICTIONARY = bytes.fromhex(
    "37a430ec0100505052210cd254c90ee513b0cadf9d0036cecdc9297a91730f6d60add76b5b9ce94cae413eb704dedb2a66b2"
    "889ee674a5e2324beae22537010cfb1034767b3dfc9f4934f3b53323828bb8534677b75ad0cc3455013393411c18144ca7eb"
    "aa4a3ac4a248ce0b8d48c3c158241e2208522dc440081148083186104288232233332349920eb448afa7746985cc29858c21"
    "33233233224992a4030100000004000000080000000000000000000000"
)
