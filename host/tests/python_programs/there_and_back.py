# SPDX-License-Identifier: Apache-2.0
"""there_and_back.py SEED PAGES [XCLBIN]: random pages there and back by the module, each stream by liblzo2 as well, whose streams the module takes.
With an xclbin all of them by its kernels."""
import ctypes
import sys

import numpy
import pagepress

PAGE = 4096
STATUS = pagepress.STATUSES
lzo = ctypes.CDLL("liblzo2.so.2")


def pages(random, count):
    """Pages of a few words; some of one value, some noise."""
    made = numpy.empty((count, PAGE), numpy.uint8)
    for index in range(count):
        words = random.integers(0, 256, (random.integers(2, 60), 5), numpy.uint8)
        made[index] = words[random.integers(0, len(words), PAGE // 5 + 1)].reshape(-1)[:PAGE]
        if index % 20 == 7:
            made[index] = random.integers(0, 256)
        if index % 20 == 13:
            made[index] = random.integers(0, 256, PAGE)
    return made


def by_lzo(stream):
    output, length = ctypes.create_string_buffer(PAGE), ctypes.c_size_t(PAGE)
    assert lzo.lzo1x_decompress_safe(stream, ctypes.c_size_t(len(stream)), output, ctypes.byref(length), None) == 0
    return output.raw[: length.value]


def lzo_stream(page):
    output, length, memory = ctypes.create_string_buffer(2 * PAGE), ctypes.c_size_t(2 * PAGE), ctypes.create_string_buffer(1 << 18)
    assert lzo.lzo1x_1_compress(page, ctypes.c_size_t(PAGE), output, ctypes.byref(length), memory) == 0
    return output.raw[: length.value]


def main(seed, count, xclbin=None):
    device = pagepress.Device(xclbin=xclbin, software=xclbin is None, timeout=600)
    plain = pages(numpy.random.default_rng(int(seed)), int(count))
    result = device.compress(plain)
    good = result.statuses == STATUS["SUCCESS"]
    same, noise = plain.min(axis=1) == plain.max(axis=1), numpy.arange(len(plain)) % 20 == 13
    assert (result.statuses[same] == STATUS["SAME_FILLED"]).all() and (result.statuses[noise] == STATUS["INCOMPRESSIBLE"]).all()
    assert (good == ~(same | noise)).all() and good.any() and result.by_software.all() == (xclbin is None)
    assert (result.details[same] == numpy.ascontiguousarray(plain[same, :8]).view("<u8")[:, 0]).all()
    for page, row, length, crc, detail in zip(plain[good], result.data[good], result.lengths[good], result.crcs[good], result.details[good]):
        assert by_lzo(row[:length].tobytes()) == page.tobytes()
        assert crc == pagepress.crc32c(page) and detail == pagepress.crc32c(numpy.ascontiguousarray(row[:length]))
    back = device.decompress(result.data[good], result.lengths[good], result.crcs[good])
    assert (back.statuses == STATUS["SUCCESS"]).all() and (back.lengths == PAGE).all() and (back.data == plain[good]).all()
    assert (back.cycles > 0).all() == (xclbin is not None)
    # liblzo2's streams, too long ones among them.
    streams = [lzo_stream(page.tobytes()) for page in plain]
    rows = numpy.zeros((len(plain), 2 * PAGE), numpy.uint8)
    for row, stream in zip(rows, streams):
        row[: len(stream)] = numpy.frombuffer(stream, numpy.uint8)
    back = device.decompress(rows, numpy.array([len(stream) for stream in streams]))
    assert (back.data == plain).all() and (back.lengths == PAGE).all()
    # One bit of a page's CRC32C.
    wrong = device.decompress(result.data[good], result.lengths[good], result.crcs[good] ^ 1)
    assert (wrong.statuses == STATUS["CRC_MISMATCH"]).all() and not wrong.lengths.any()
    information = device.information
    assert information["card_pages"] + information["software_pages"] == 2 * len(plain) + 2 * good.sum() and information["mismatches"] == 0
    print(f"{len(plain)} pages there and back by {information['name']}")


main(*sys.argv[1:])
