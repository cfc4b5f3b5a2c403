# SPDX-License-Identifier: Apache-2.0
"""Runs yosys and nextpnr of build/tools/synth, with the phase they are in as a progress line now and then."""
import os
import re
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
TOOLS = REPOSITORY / "build/tools/synth"
EVERY_SECONDS = 20
PHASE = re.compile(r"^(?:\d+(?:\.\d+)*\. (?:Executing|Running) (.*?)\.?|Info: (\S.{,70}).*)$", re.MULTILINE)


class ToolError(Exception):
    """A tool failed; the text says which and why."""


def say(text):
    print(f"[synth] {text}", file=sys.stderr, flush=True)


def versions():
    """{package: version} of the tools, as pinned."""
    pins = (REPOSITORY / ".tools/requirements-synth.txt").read_text()
    return dict(re.findall(r"^yowasp-(yosys|nextpnr-[\w-]+)==(\S+)", pins, re.MULTILINE))


def run(what, program, arguments, folder):
    """Run `program` (yosys, nextpnr-ecp5) in `folder`; return its log. It sees only files below `folder`."""
    log = folder / f"{program}.log"
    environment = dict(os.environ, YOWASP_CACHE_DIR=str(TOOLS / "cache"))
    began = reported = time.monotonic()
    with open(log, "w") as file:
        process = subprocess.Popen([TOOLS / "venv/bin" / f"yowasp-{program}", *arguments], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
        try:
            while process.poll() is None:
                time.sleep(0.2)
                if time.monotonic() - reported >= EVERY_SECONDS:
                    reported = time.monotonic()
                    say(f"{what}: {reported - began:.0f} s, {phase(log)}")
        finally:
            if process.poll() is None:
                process.kill()
    text = log.read_text(errors="replace")
    if process.returncode:
        errors = re.findall(r"^ERROR: (.*)$", text, re.MULTILINE) or text.strip().splitlines()[-1:] or ["no message"]
        raise ToolError(f"{what}: {program} failed: {errors[0]} (see {log.relative_to(REPOSITORY)})")
    say(f"{what}: done in {time.monotonic() - began:.0f} s")
    return text


def phase(log):
    """What the tool said last that it was doing, or else just the last that it said."""
    with open(log, "rb") as file:
        file.seek(max(0, log.stat().st_size - 100_000))
        text = file.read().decode(errors="replace")
    found = [a or b for a, b in PHASE.findall(text)] or [line[:70] for line in text.splitlines() if line.strip()]
    return found[-1] if found else "starting"
