# SPDX-License-Identifier: Apache-2.0
"""One cell: a guest booted, a scenario's script run in it, what it reports collected."""
import re
import resource
import time

from system import Trouble, arguments, contents, run
from system.boot import Machine
from system.card import LEVELS
from system.fault import kill_in_flight
from system.session import Session

from . import ROOM, data
from .engines import ENGINES

# Found by the guest's modprobe in every scenario: disks are delayed, or lie behind a slow link.
MODULES = ("dm_delay", "nbd")
ALWAYS = ("measure",)
ROOT_DISKS = 2  # the same image: /dev/vda to set up from, /dev/vdb to be delayed
SWAP_DISK = "vdc"


def settings_text(scenario, cell, settings):
    """Shell assignments for the guest's scripts."""
    engine = ENGINES[cell.engine]
    values = {
        "engine": engine.name, "swap_kind": engine.swap, "point": cell.point, "run": cell.run, "root_delay_ms": scenario.root_delay_ms,
        "swap_mb": scenario.swap_mb, "swap_delay_ms": scenario.swap_delay_ms, "swap_seek_ms": scenario.swap_seek_ms,
        "swap_mb_a_second": scenario.swap_mb_a_second, **scenario.settings, **settings,
    }  # fmt: skip
    return "".join(f"{name}='{value}'\n" for name, value in values.items())


class Reports:
    """What the guest says while it runs: `metric NAME NUMBER`, `sample STEP NAME=NUMBER ...`, `output SUM NAME` of what a program made, `line TEXT` of a
    table, `say WORDS`, and `kill-card`, upon which the card dies with pages in flight. `booted` is its first word: boot_seconds after this was made."""

    def __init__(self, say, card=None):
        self.metrics, self.samples, self.outputs, self.table, self.say, self.card = {}, [], [], [], say, card
        self.began, self.boot_seconds = time.monotonic(), None

    def __call__(self, name, value):
        if name == "metric":
            key, _, number = value.partition(" ")
            self.metrics[key] = parsed(number)
        elif name == "sample":
            step, *pairs = value.split()
            self.samples.append({"step": step} | {key: parsed(number) for key, _, number in (pair.partition("=") for pair in pairs)})
        elif name == "output":
            sum, _, what = value.partition(" ")
            if not sum or not what:
                raise Trouble(f"the guest reported the output '{value}': a sum and a name belong there")
            self.outputs.append([what, sum])
        elif name == "kill-card" and self.card and not self.card.killed:
            self.metrics["commands_before_death"] = kill_in_flight(self.card)["commands"]
            self.say("killed the card")
        elif name == "line":
            self.table.append(value)
        elif name == "say":
            self.say(value)
        elif name == "booted":
            self.boot_seconds = round(time.monotonic() - self.began, 1)


def parsed(number):
    if not re.fullmatch(r"-?\d+(\.\d+)?", number):
        raise Trouble(f"the guest reported '{number}' where a number belongs")
    return float(number) if "." in number else int(number)


def programs_of(scenario):
    """Names of the static programs that its guests get."""
    return [*(path[:-2] for path in scenario.files if path.endswith(".c")), *ALWAYS]


def processor_seconds():
    """Of what this process has started and seen end: QEMU and card, where it is a cell's own."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_cell(scenario, cell, settings, say):
    """{"metrics", "samples", "outputs", "table", "seconds", "boot_seconds", "processor_seconds", "complaints"}; Trouble where the guest did not get to its end."""
    engine = ENGINES[cell.engine]
    memory, kernel = settings.get("memory", scenario.memory), engine.kernel_of(settings)
    root = data.root_image(say)
    programs = data.programs(programs_of(scenario))
    if scenario.swap_seek_ms:
        programs = [*programs, data.disk_with_arm(kernel)]
    scripts = [ROOM / "guest" / name for name in ("common.sh", *scenario.files) if not name.endswith(".c")]
    with run.folder("experiment") as folder:
        (folder / "settings").write_text(settings_text(scenario, cell, settings))
        initramfs, swap = folder / "initramfs", folder / "swap.img"
        contents.write(
            initramfs, ROOM / "guest" / scenario.script, [*scripts, folder / "settings", *programs],
            modules=(*MODULES, *engine.modules(kernel)), kernel=kernel, driver=engine.has_driver,
            parameters="disksize_mb=64" if engine.has_driver else "",
        )  # fmt: skip
        with open(swap, "wb") as file:
            file.truncate(max(settings.get("swap_mb", scenario.swap_mb), 1) << 20)

        def attempt(seconds):
            with run.card(engine.card, LEVELS[0] if engine.card == "rtl" else "none", folder, cold=scenario.cold, program=engine.card_program) as card:
                reports = Reports(say, card)
                machine = Machine(
                    initramfs=initramfs, report=folder / "report", memory=arguments.memory(memory), card_socket=card and card.socket,
                    disks=(root,) * ROOT_DISKS, writable_disks=(swap,), kernel=kernel,
                    # Disks are delayed by the guest's own clock, which a busy host must not turn.
                    counted=True,
                )  # fmt: skip
                outcome = Session(machine, folder, on_report=reports, more=f"`seconds` in sim/experiments/scenarios/{scenario.name}.toml").run(seconds)
                if card and not card.killed:
                    card.stop()
            return reports, outcome

        reports, outcome = run.booted(attempt, scenario.seconds)
        if outcome.status:
            tail = (folder / "console.log").read_text(errors="replace").strip().splitlines()[-1:]
            raise Trouble(f"the guest's script ended with status {outcome.status}: {' '.join(tail)}")
    return {
        "metrics": reports.metrics, "samples": reports.samples, "outputs": reports.outputs, "table": reports.table,
        "seconds": round(outcome.seconds, 1), "boot_seconds": reports.boot_seconds, "processor_seconds": round(processor_seconds(), 1), "complaints": outcome.splats,
    }  # fmt: skip
