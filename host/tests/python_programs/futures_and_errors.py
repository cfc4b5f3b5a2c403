# SPDX-License-Identifier: Apache-2.0
"""futures_and_errors.py SEED: submissions from several threads, a device nobody holds any more, arguments that are refused."""
import concurrent.futures
import gc
import os
import sys
import threading
import time

import numpy
import pagepress

PAGE = 4096
threads_before = len(os.listdir("/proc/self/task"))
random = numpy.random.default_rng(int(sys.argv[1]))
device = pagepress.Device(kernels=2)
batches = [numpy.repeat(random.integers(0, 256, (9, PAGE // 8), numpy.uint8), 8, axis=1) for _ in range(24)]
wanted = [device.compress(batch) for batch in batches]

futures = [None] * len(batches)


def submit(number):
    futures[number] = device.submit_compress(batches[number])


threads = [threading.Thread(target=submit, args=(number,)) for number in range(len(batches))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
done, late = concurrent.futures.wait(futures, timeout=600)
assert not late and all(isinstance(future, concurrent.futures.Future) for future in done)
for future, expected in zip(futures, wanted):
    result = future.result()
    assert (result.lengths == expected.lengths).all() and (result.crcs == expected.crcs).all()
    for row, other, length in zip(result.data, expected.data, result.lengths):
        assert (row[:length] == other[:length]).all()
back = [device.submit_decompress(result.data, result.lengths, result.crcs) for result in wanted]
for future, batch in zip(back, batches):
    assert (future.result(600).data == batch).all()
# Nothing to do is done at once.
assert len(device.submit_compress(batches[0][:0]).result(600).lengths) == 0

# What a submission asks Python about the device it asks with Python's lock, of a class too that it has not met before.
class Chameleon(pagepress.Device):
    pass


class Future(concurrent.futures.Future):
    def __init__(self):
        super().__init__()
        chameleon.__class__ = type("Unmet", (pagepress.Device,), {})


chameleon, usual = Chameleon(), concurrent.futures.Future
concurrent.futures.Future = Future
future = chameleon.submit_compress(batches[0])
concurrent.futures.Future = usual
assert (future.result(600).crcs == wanted[0].crcs).all()
del chameleon, future

# The last reference to the device goes with its submission.
future = device.submit_compress(batches[0])
del device
gc.collect()
assert (future.result(600).crcs == wanted[0].crcs).all()



def closes_itself(keep):
    """A device that `keep` has alone, called in one of the library's threads."""
    other = pagepress.Device()
    kept_alone = threading.Event()

    def called(future, other=other):
        assert kept_alone.wait(600)
        keep(future, other)

    other.submit_compress(numpy.concatenate(batches * 20)).add_done_callback(called)
    del other, called
    kept_alone.set()


# The last reference to the device goes in a thread of its own: with its future's callbacks, or with what the thread itself keeps.
of_thread = threading.local()
for keep in (lambda future, other: None, lambda future, other: setattr(of_thread, "device", other)):
    closes_itself(keep)
    end = time.monotonic() + 600
    while len(os.listdir("/proc/self/task")) > threads_before:
        assert time.monotonic() < end, "the device is not closed"
        time.sleep(0.01)

device = pagepress.Device()
page = batches[0]
for phrase, call in {
    "pages: not an array of rows of 4096 bytes": lambda: device.compress(page[:, :100].copy()),
    "rows of 1 to 8192 bytes": lambda: device.decompress(numpy.zeros((1, 8193), numpy.uint8), [1]),
    "lengths: not one number for each of the 9 rows": lambda: device.decompress(page, [1]),
    "lengths: that of row 2 is beyond its end": lambda: device.decompress(page, [1, 1, PAGE + 1, 1, 1, 1, 1, 1, 1]),
    "crcs: not one number": lambda: device.decompress(page, [1] * 9, [1]),
    "lengths: that of row 0 is no number of 32 bits": lambda: device.decompress(page, numpy.full(9, (1 << 32) + 1)),
    "lengths: that of row 8 is no number of 32 bits": lambda: device.decompress(page, [1] * 8 + [-1]),
    "crcs: that of row 0 is no number of 32 bits": lambda: device.decompress(page, [1] * 9, numpy.full(9, 1 << 63, numpy.uint64)),
    "timeout": lambda: pagepress.Device(timeout=0),
}.items():
    try:
        call()
    except ValueError as error:
        assert phrase in str(error), error
    else:
        raise AssertionError(phrase)
for call in (lambda: device.compress(page.astype(numpy.uint16)), lambda: device.compress(page[:, ::-1]), lambda: device.compress(b"page")):
    try:
        call()
    except TypeError:
        pass
    else:
        raise AssertionError("an array that would have been copied was taken")
for numbers in (numpy.full(9, 1.5), [1.0] * 9, ["1"] * 9, [True] * 9, None, object()):
    try:
        device.decompress(page, numbers)
    except TypeError as error:
        assert "lengths: not whole numbers" in str(error), error
    else:
        raise AssertionError(f"{numbers} passed for lengths")
assert len(device.decompress(page[:0], []).lengths) == 0 and (device.decompress(page, numpy.ones(18, numpy.int16)[::2]).statuses != 0).all()
try:
    pagepress.Device(xclbin="/nowhere/kernel.xclbin")
except pagepress.Error as error:
    assert "/nowhere/kernel.xclbin" in str(error)
else:
    raise AssertionError("there is no such xclbin")
print("done")
