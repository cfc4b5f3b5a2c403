# SPDX-License-Identifier: Apache-2.0
"""Poppler rendering a manual with diagrams, some thirty pages in."""
import subprocess

from ..workplace import unpacked

TITLE = "Poppler rendering a manual"
RESOLUTION = 150
PICTURE_BYTES = 1275 * 1650 * 3  # of a Letter page at that resolution
PAGES = 30


def at_work(place):
    manual = unpacked("gnuplot-doc", "usr/share/doc/gnuplot/gnuplot.pdf")
    process = place.start(unpacked("poppler-utils", "usr/bin/pdftoppm"), "-r", RESOLUTION, "-f", 20, manual,
                          stdout=subprocess.PIPE)
    place.read(process, PAGES * PICTURE_BYTES + PICTURE_BYTES // 3, "rendering thirty pages")
    return [process.pid]
