# SPDX-License-Identifier: Apache-2.0
"""What the benches' commands share: page counts, progress, one bench at a time, JSON or text, exit status."""
import argparse
import contextlib
import fcntl
import json
import sys
import time

from . import RESULTS, Trouble

PAGES = 1000  # of each captured set: with nine sets three to four minutes of simulation


def positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of pages from 1")
    return int(text)


class Progress:
    """Lines of what is going on, and a counter that stays in one line where there is a terminal."""

    def __init__(self, stream):
        self.stream, self.terminal, self.begun, self.shown = stream, stream.isatty(), time.monotonic(), 0.0

    def line(self, text):
        print(f"[bench {time.monotonic() - self.begun:4.0f} s] {text}", file=self.stream, flush=True)

    def count(self, what, total, done):
        pause = 0.2 if self.terminal else 10
        if time.monotonic() - self.shown < pause and done < total:
            return
        self.shown = time.monotonic()
        if self.terminal:
            print(f"\r[bench {time.monotonic() - self.begun:4.0f} s] {what}: {done} of {total} pages ",
                  end="\n" if done >= total else "", file=self.stream, flush=True)
        else:
            self.line(f"{what}: {done} of {total} pages")


@contextlib.contextmanager
def alone():
    """Two benches would write the same files and spoil each other's software rate."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    with open(RESULTS / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Trouble("another bench is running in this checkout; wait for it") from None
        yield


def run(name, options, bench, report):
    """Run `bench(options, progress)` and print its result: as JSON with options.json, else as `report` words it.

    Returns the exit status. An error is one line that begins with `name`.
    """
    progress = Progress(sys.stderr if options.json else sys.stdout)
    try:
        with alone():
            result = bench(options, progress)
    except Trouble as trouble:
        print(f"{name}: {trouble}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        raise
    except OSError as error:  # a disk that is full, a folder that cannot be written to
        print(f"{name}: {error.strerror}: {error.filename}" if error.filename else f"{name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        return 130
    print(json.dumps(result, indent=1) if options.json else report(result))
    return 0
