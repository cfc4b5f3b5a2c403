# SPDX-License-Identifier: Apache-2.0
"""How a guest's end is told, with shell scripts in QEMU's place."""
import io
import time
from functools import partial

import pytest

from system import Trouble, session
from system.boot import Machine, command
from system.kernels import DEBUG_NAME, Kernel
from system.run import BOOTS, booted
from system.session import FailedBoot, Session, complaints


def run(tmp_path, script, seconds=300, counted=False, **options):
    machine = Machine(initramfs=tmp_path / "initramfs", report=tmp_path / "report", counted=counted)
    shell = ["sh", "-c", script, "qemu", str(machine.report)]
    return Session(machine, tmp_path, qemu_command=shell, **options).run(seconds)


def test_session_that_falls_silent_while_booting_starts_once_more(tmp_path, capsys):
    begun = []

    def attempt(seconds):
        assert 0 < seconds <= 500
        begun.append(seconds)
        silent = len(begun) != 2  # the one that is not may be slow to begin
        return run(tmp_path, "exec sleep 1000" if silent else 'echo exit 3 >"$1"', seconds, silence=1 if silent else 300)

    assert booted(attempt, 500).status == 3
    assert "said nothing for 1 s while it booted" in capsys.readouterr().out
    assert begun[1] <= begun[0] - 1  # what is left of its time
    begun[:] = [0, 0]
    with pytest.raises(FailedBoot, match="said nothing for 1 s"):
        booted(attempt, 500)
    assert len(begun) == 2 + BOOTS


def test_session_with_a_wrong_clock_starts_once_more(tmp_path, capsys):
    """Nothing is measured by it; of what a script prints later no boot is judged."""
    scripts = iter(['echo "[ 0.1] tsc: PIT calibration deviates from HPET: 399350 2299969"; sleep 1000',
                    'echo booted >"$1"; sleep 0.5; echo "[ 9.1] tsc: PIT calibration deviates from HPET: 1 2"; sleep 0.5; echo exit 6 >>"$1"'])
    assert booted(lambda seconds: run(tmp_path, next(scripts), seconds), 500).status == 6
    assert "measured its clock wrongly" in capsys.readouterr().out


def test_session_out_of_time_names_all_that_it_had(tmp_path):
    """A boot that failed has taken some of it."""
    scripts = iter(["sleep 1000", 'echo booted >"$1"; exec sleep 1000'])
    with pytest.raises(Trouble, match="did not end within 4 s: allow more with TIMEOUT=seconds"):
        booted(lambda seconds: run(tmp_path, next(scripts), seconds, silence=1), 4)


def test_session_that_falls_silent_after_it_has_booted_goes_on(tmp_path, monkeypatch):
    passed, now = [0], time.monotonic

    def on_report(name, value):
        passed[0] += 1000  # seconds, by this session's clock

    monkeypatch.setattr(session.time, "monotonic", lambda: now() + passed[0])
    assert run(tmp_path, 'echo booted >"$1"; sleep 0.5; echo exit 4 >>"$1"', seconds=1e6, silence=300, on_report=on_report).status == 4


@pytest.mark.parametrize(("counts", "ends"), [("1 2 3 4", True), ("1 1 1 1", False)])
def test_session_waits_while_the_guest_gets_further(tmp_path, monkeypatch, counts, ends):
    passed, now = [0], time.monotonic

    def on_report(name, value):
        passed[0] += 1000 * (name == "progress")  # seconds, by this session's clock

    monkeypatch.setattr(session.time, "monotonic", lambda: now() + passed[0])
    script = f'for i in {counts}; do echo progress filling $i $(date +%N) 0 >>"$1"; sleep 0.3; done; {"echo exit 5" if ends else "exec sleep 20"} >>"$1"'
    session_ends = partial(run, tmp_path, script, seconds=1500, on_report=on_report, steps="progress")
    if ends:
        assert session_ends().status == 5
    else:
        with pytest.raises(Trouble, match="did not get any further within 1500 s"):
            session_ends()


def test_session_wakes_a_qemu_that_counts_instructions(tmp_path):
    """Again and again, once the guest has said something."""
    heard = "import signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM}); print(flush=True); " \
            "heard = [signal.sigtimedwait({signal.SIGALRM}, 100) for _ in range(3)]"
    script = f"""sleep 0.5; exec python3 -c '{heard}; open(sys.argv[1], "w").write(f"exit {{sum(map(bool, heard))}}\\n")' "$1" """
    assert run(tmp_path, script, counted=True).status == 3


@pytest.mark.parametrize("status", [0, 7, 255])
def test_session_hands_on_the_status(tmp_path, status):
    assert run(tmp_path, f'echo "exit {status}" >"$1"').status == status


def test_session_hands_on_reports_in_order(tmp_path):
    seen = []
    outcome = run(
        tmp_path,
        'for i in 1 2 3; do printf "pro" >>"$1"; sleep 0.1; printf "gress %d x\\r\\n" $i >>"$1"; done; echo exit 0 >>"$1"',
        on_report=lambda *report: seen.append(report),
    )
    assert seen == [("progress", "1 x"), ("progress", "2 x"), ("progress", "3 x"), ("exit", "0")]
    assert outcome.reports["progress"] == "3 x"


def test_session_shows_and_logs_the_console(tmp_path):
    shown = io.BytesIO()
    run(tmp_path, 'printf "one\\r\\ntwo"; echo exit 0 >"$1"', show=shown)
    assert shown.getvalue() == b"one\ntwo"
    assert (tmp_path / "console.log").read_bytes() == b"one\r\ntwo"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo '[1.0] Kernel panic - not syncing: Out of memory'; exit 0", "Kernel panic - not syncing: Out of memory"),
        ("echo first >&2; echo 'no such device' >&2; exit 1", "QEMU died with status 1: no such device"),
        ("kill -9 $$", "QEMU died with status -9"),
        ("exit 0", "ended without a status"),
        ('echo trouble the disk is gone >"$1"', "the disk is gone"),
        ('echo exit soon >"$1"', "the guest ended with no status but 'soon'"),
    ],
)
def test_session_tells_why(tmp_path, script, words):
    with pytest.raises(Trouble, match=words):
        run(tmp_path, script)


def test_session_time_out_ends_qemu(tmp_path):
    with pytest.raises(Trouble, match="did not end within 1 s: allow more with TIMEOUT=seconds"):
        run(tmp_path, 'echo $$ >"$1"; exec sleep 100', seconds=1)


def test_session_collects_kernel_complaints(tmp_path):
    outcome = run(tmp_path, 'echo "[1.0] WARNING: CPU: 0 PID: 1 at x"; echo exit 0 >"$1"')
    assert outcome.splats == ["WARNING: CPU: 0 PID: 1 at x"]


@pytest.mark.parametrize("said", [b"some pages invoked oom-killer: gfp_mask=0xcc0", b"kworker/u4:1: page allocation failure: order:0",
                                  b"sh: vmalloc error: size 4096, vm_struct allocation failed",
                                  b"kmem_cache_create_usercopy(zs_handle) failed with error -22"])
def test_lack_of_memory_is_no_complaint(said):
    out = b"[ 1.0] " + said + b"\r\n[ 1.1] CPU: 0 PID: 1\r\n[ 1.2] Call Trace:\r\n[ 1.3]  <TASK>\r\n"
    other = b"[ 2.0] sysfs: cannot create\r\n[ 2.1] Call Trace:\r\nWARNING: not the kernel's\r\n"
    assert list(complaints(out)) == []
    assert list(complaints(out + other)) == list(complaints(other)) == ["Call Trace:"]


def test_session_missing_qemu(tmp_path):
    machine = Machine(initramfs=tmp_path / "i", report=tmp_path / "report")
    with pytest.raises(Trouble, match="cannot start /no/qemu"):
        Session(machine, tmp_path, qemu_command=["/no/qemu"]).run(5)


def test_session_command_line(tmp_path):
    machine = Machine(
        initramfs=tmp_path / "i", report=tmp_path / "r", memory=124, processors=2,
        card_socket=tmp_path / "socket", disks=("a", "b"), iommu=True,
    )  # fmt: skip
    text = " ".join(command(machine, accelerator="tcg"))
    for part in ("share=on", "-m 124M", "-smp 2", "vfio-user-pci", str(tmp_path / "socket"), "file=a,format=raw,readonly=on", "file=b", "intel_iommu=on", "iommu.strict=1"):
        assert part in text
    bare = " ".join(command(Machine(initramfs=tmp_path / "i", report=tmp_path / "r"), accelerator="tcg"))
    assert "tsc=reliable" in bare and "tsc=reliable" not in " ".join(command(machine, accelerator="kvm"))
    assert "vfio" not in bare and "iommu" not in bare
    assert "loglevel=5" in bare and "page_poison" not in bare and "-m 256M" in bare
    watching = Machine(initramfs=tmp_path / "i", report=tmp_path / "r", kernel=Kernel(DEBUG_NAME))
    watched = " ".join(command(watching, accelerator="tcg"))
    assert "page_poison=1" in watched and "-m 256M" not in watched
