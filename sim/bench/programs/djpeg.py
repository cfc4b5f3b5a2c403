# SPDX-License-Identifier: Apache-2.0
"""Several JPEG decoders, each stopped a different way through a picture of its own."""
import subprocess

from ..pictures import picture
from ..workplace import unpacked

TITLE = "libjpeg-turbo decoding six pictures"
WIDTH, HEIGHT = 1600, 1200


def at_work(place):
    encoder, decoder = (unpacked("libjpeg-turbo-progs", f"usr/bin/{name}") for name in ("cjpeg", "djpeg"))
    decoders = []
    for number in range(6):
        plain = place.write(f"{number}.ppm", picture(number, WIDTH, HEIGHT))
        options = ["-progressive"] if number % 2 else ["-optimize"]
        encoding = place.start(encoder, *options, "-quality", 80 + 3 * number, "-outfile", f"{number}.jpg", plain)
        encoding.wait()
        # Smoothing and the two-pass colour map keep whole pictures in memory, as viewers do.
        options = ["-colors", 256, "-gif"] if number % 3 == 0 else []
        process = place.start(decoder, *options, f"{number}.jpg", stdout=subprocess.PIPE)
        place.read(process, 100_000 if options else (number + 1) * WIDTH * HEIGHT * 3 // 8, "decoding its picture")
        decoders.append(process.pid)
    return decoders
