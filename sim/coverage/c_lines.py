# SPDX-License-Identifier: Apache-2.0
"""Lines of C and C++ that ran, from lcov's tracefile."""


def by_folder(text):
    """{folder: (lines met, lines)} of a tracefile's text, by the folder of each source file."""
    found, folder = {}, None
    for line in text.splitlines():
        if line.startswith("SF:"):
            folder = line[3:].rpartition("/")[0]
        elif line.startswith("DA:"):
            met, lines = found.get(folder, (0, 0))
            found[folder] = (met + (line.split(",")[1] != "0"), lines + 1)
    return found
