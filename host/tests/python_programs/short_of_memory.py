# SPDX-License-Identifier: Apache-2.0
"""short_of_memory.py SEED: a submission ends while there is no memory for its results."""
import ctypes
import os
import resource
import threading

# Blocks that large are mapped and unmapped each, and there is no other arena to take them from: what the limit refuses is not to be had.
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
for setting, value in {M_MMAP_THRESHOLD: 64 << 10, M_ARENA_MAX: 1}.items():
    assert ctypes.CDLL(None).mallopt(setting, value) == 1
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy
import pagepress

ROWS = 200_000  # of which each array of results takes 200 kB to 1.6 MB
device = pagepress.Device(kernels=1)
under_way, go_on = threading.Event(), threading.Event()


def hold(future):
    if threading.current_thread() is not threading.main_thread():  # else it was done before it was asked to call
        under_way.set()
        assert go_on.wait(600)


# The device's only thread waits in a callback, with the submission behind it.
while not under_way.wait(0.1):
    device.submit_compress(numpy.zeros((1, 4096), numpy.uint8)).add_done_callback(hold)
future = device.submit_decompress(numpy.zeros((ROWS, 1), numpy.uint8), numpy.ones(ROWS, numpy.uint32))
with open("/proc/self/statm") as file:
    taken = int(file.read().split()[0]) * resource.getpagesize()
limits = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (taken + (256 << 10), limits[1]))
go_on.set()
trouble = future.exception(60)
resource.setrlimit(resource.RLIMIT_AS, limits)
assert isinstance(trouble, MemoryError), trouble
assert device.submit_compress(numpy.zeros((1, 4096), numpy.uint8)).result(600).statuses == pagepress.STATUSES["SAME_FILLED"]
print("done")
