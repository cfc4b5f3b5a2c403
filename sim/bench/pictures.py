# SPDX-License-Identifier: Apache-2.0
"""Pictures like photographs, made: skies, hills and grain have the spectrum that codecs and decoders meet."""
import io

import numpy

from . import SEED


def picture(number, width, height):
    """A binary PPM file of one landscape; another `number` gives another."""
    random = numpy.random.default_rng([SEED, number])
    heights, rows = clouds(random, 1, width, 1.6)[0], numpy.arange(height)[:, None]
    sky = numpy.linspace(0.9, 0.45, height)[:, None] + 0.25 * clouds(random, height, width, 1.3)
    colour = sky[:, :, None] * numpy.array([0.55, 0.75, 1.0])
    for layer in range(4):
        horizon = height * (0.35 + 0.15 * layer) + height * 0.12 * numpy.roll(heights, layer * width // 5)
        hill = (rows > horizon[None, :])[:, :, None]
        ground = 0.15 + 0.13 * layer + 0.2 * clouds(random, height, width, 0.8)
        colour = numpy.where(hill, ground[:, :, None] * numpy.roll([0.7, 1.0, 0.4], layer % 2), colour)
    colour += random.normal(0, 0.012, colour.shape)
    pixels = (numpy.clip(colour, 0, 1) * 255).astype(numpy.uint8)
    return b"P6 %d %d 255\n" % (width, height) + pixels.tobytes()


def clouds(random, height, width, steepness):
    """Noise whose amplitude falls with frequency to the power of `steepness`, about 0 ± 1."""
    vertical, horizontal = numpy.fft.fftfreq(height)[:, None], numpy.fft.rfftfreq(width)
    frequency = numpy.hypot(vertical, horizontal)
    frequency[0, 0] = numpy.inf
    phases = numpy.exp(2j * numpy.pi * random.random(frequency.shape))
    noise = numpy.fft.irfft2(phases * frequency ** -steepness, s=(height, width))
    return noise / noise.std() / 2


def portable(ppm):
    """The picture as a PNG file."""
    from PIL import Image
    file = io.BytesIO()
    Image.open(io.BytesIO(ppm)).save(file, "PNG")
    return file.getvalue()
