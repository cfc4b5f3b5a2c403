# SPDX-License-Identifier: Apache-2.0
"""`make guest`, from outside: status, files, console, and everything that may go wrong."""
import os
import random
import re
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from system import BUILD
from system.contents import stripped
from system.kernels import STOCK

GUEST = Path(__file__).resolve().parents[1] / "guest"
# Far beyond what a boot takes on a busy machine.
SECONDS = 900


def script(tmp_path, text):
    path = tmp_path / "script.sh"
    path.write_text(text)
    return path


def guest(*words):
    return subprocess.run([GUEST, *words], capture_output=True, text=True, errors="replace", timeout=SECONDS)


def refused(done, *phrases):
    assert done.returncode not in (0, None), done
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("guest: "), done
    for phrase in phrases:
        assert phrase in done.stderr


def test_guest_runs_a_script_beside_its_files(products, tmp_path):
    (tmp_path / "data with words").write_text("one two\n")
    (tmp_path / "plain").write_text("three\n")
    run = script(
        tmp_path,
        """
        [ "$(cat plain)" = three ] || exit 1
        [ -b /dev/pagepress0 ] || exit 2
        # Unformatted: reads as zeros all over.
        head -c 65536 /dev/pagepress0 | cmp -n 65536 - /dev/zero || exit 3
        [ "$(cat /sys/block/pagepress0/card/present)" = 1 ] || exit 4
        [ "$(nproc)" = 2 ] || exit 5
        memory=$(sed -n 's/^MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo)
        [ $memory -gt 100000 ] && [ $memory -lt 163840 ] || exit 6
        echo seen-from-outside
        exit 7
        """,
    )
    done = guest(f"RUN={run}", f"FILES={tmp_path / 'plain'}", "CARD=model", "MEM=160M", "SMP=2")
    assert done.returncode == 7, done
    assert "seen-from-outside\n" in done.stdout
    assert done.stdout.splitlines()[-1] == "guest: the script ended with status 7"
    assert done.stderr == ""


def test_guest_writes_to_a_disk_and_has_a_network(products, tmp_path):
    (tmp_path / "read").write_bytes(b"r" * 4096)
    (tmp_path / "written").write_bytes(b"w" * 4096)
    run = script(
        tmp_path,
        """
        [ "$(head -c 1 /dev/vda)$(head -c 1 /dev/vdb)" = rw ] || exit 1
        ! echo x 2>/dev/null | dd of=/dev/vda conv=fsync 2>/dev/null || exit 2
        echo seen | dd of=/dev/vdb conv=notrunc,fsync 2>/dev/null || exit 3
        grep -q ' pagepress_test=5' /proc/cmdline || exit 4
        modprobe virtio_net && ifconfig eth0 10.0.2.15 up && ping -c 1 -W 20 10.0.2.2 >/dev/null || exit 5
        """,
    )
    done = guest(f"RUN={run}", f"DISKS={tmp_path / 'read'}", f"WRITABLE={tmp_path / 'written'}", "NETWORK=1", "MODULES=virtio_net",
                 "ARGUMENTS=pagepress_test=5", "CARD=none")  # fmt: skip
    assert done.returncode == 0, done
    assert (tmp_path / "written").read_bytes()[:5] == b"seen\n" and (tmp_path / "read").read_bytes() == b"r" * 4096


def test_guest_moves_data_through_the_disk(products, tmp_path):
    """At LEVEL=axi; the driver's `keeps_every_byte` does it at LEVEL=pcie and without a card."""
    (tmp_path / "data").write_bytes(bytes(range(256)) * 2048 + random.randbytes(65536))
    run = script(
        tmp_path,
        """
        size=$(stat -c %s data)
        dd if=data of=/dev/pagepress0 bs=64k oflag=direct conv=fsync 2>/dev/null || exit 1
        echo 3 >/proc/sys/vm/drop_caches
        dd if=/dev/pagepress0 bs=64k count=9 iflag=direct 2>/dev/null | head -c $size | cmp - data || exit 2
        way=/sys/block/pagepress0/pagepress
        [ "$(cat $way/card_pages_out)" -gt 0 ] || exit 3
        """,
    )
    done = guest(f"RUN={run}", f"FILES={tmp_path / 'data'}", "CARD=rtl", "LEVEL=axi")
    assert done.returncode == 0, done
    assert done.stdout.splitlines()[-1] == "guest: the script ended with status 0"


def test_guest_shows_all_of_a_long_console(products, tmp_path):
    """Power goes off right after the last word, with far more written than a serial port takes at once."""
    run = script(tmp_path, "i=0; while [ $i -lt 400 ]; do echo line $i; i=$((i + 1)); done; seq 1000 1399")
    done = guest(f"RUN={run}", "CARD=none", "SMP=2")
    assert done.returncode == 0, done
    for wanted in [*(f"line {i}" for i in range(400)), *map(str, range(1000, 1400))]:
        assert f"{wanted}\n" in done.stdout


def test_guest_names_what_it_cannot_bring(products, tmp_path):
    run = script(tmp_path, "true")
    refused(guest(f"RUN={run}", "PROGRAMS=nothing"), "there is no program nothing", "guest-programs.toml")
    refused(guest(f"RUN={run}", "MODULES=nothing", "CARD=none"), "the kernel 6.1 has no module nothing")


def test_guest_takes_modules_by_either_name(products, tmp_path):
    done = guest(f"RUN={script(tmp_path, 'modprobe null_blk && ls /dev/nullb0')}", "MODULES=null-blk", "CARD=none")
    assert done.returncode == 0 and "/dev/nullb0\n" in done.stdout, done


def test_guest_gets_modules_without_debug_information(products):
    """It is twenty times what the rest is, and a guest's memory is small."""
    assert b".debug_info" in STOCK.driver.read_bytes()
    assert b".debug_info" not in stripped(STOCK.driver)


def test_guest_that_panics(products, tmp_path):
    done = guest(f"RUN={script(tmp_path, 'echo c >/proc/sysrq-trigger')}", "CARD=model")
    assert "sysrq triggered crash" in done.stderr.lower(), done
    assert done.returncode != 0 and len(done.stderr.strip().splitlines()) == 1


def test_guest_that_does_not_end(products, tmp_path):
    refused(guest(f"RUN={script(tmp_path, 'sleep 1000')}", "CARD=none", "TIMEOUT=5"), "did not end within 5 s", "TIMEOUT")


@pytest.fixture
def standing(products, tmp_path):
    """A guest whose script is up and does not end: (process, its children's ids, its folder)."""
    folder = tmp_path / "standing"
    folder.mkdir()
    run = script(folder, "echo up-and-running; sleep 1000")
    process = subprocess.Popen([GUEST, f"RUN={run}", "CARD=model"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in process.stdout:
        if "up-and-running" in line:
            break
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) == 2  # QEMU and the card
    commands = "".join(Path(f"/proc/{child}/cmdline").read_text() for child in children)
    yield process, children, BUILD / "system" / re.search(r"/(guest-[^/]+)/report", commands)[1]
    process.terminate()
    process.communicate(timeout=600)


def test_guest_interrupted(standing):
    process, children, folder = standing
    assert folder.is_dir()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    assert (process.returncode, errors) == (130, "guest: interrupted\n")
    for child in children:
        assert not Path(f"/proc/{child}").exists()
    assert not folder.exists()


def test_guest_beside_another(standing, tmp_path):
    """A second one comes and goes, well or not; the first keeps its card, its folder and its QEMU."""
    process, children, folder = standing
    before = {path.name for path in folder.iterdir()}
    (tmp_path / "noise").write_bytes(random.randbytes(8 << 16))
    run = script(tmp_path, "dd if=noise of=/dev/pagepress0 bs=64k count=8 oflag=direct 2>/dev/null || exit 1; exit 9")
    assert guest(f"RUN={run}", f"FILES={tmp_path / 'noise'}", "CARD=model").returncode == 9
    refused(guest(f"RUN={script(tmp_path, 'sleep 1000')}", "CARD=model", "TIMEOUT=10"), "did not end within 10 s")
    assert process.poll() is None
    assert all(Path(f"/proc/{child}").exists() for child in children)
    assert {path.name for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("words", "phrases"),
    [
        ([], ["RUN=script.sh"]),
        (["RUN="], ["RUN=script.sh"]),
        (["RUN=/no/script.sh"], ["/no/script.sh", "No such file"]),
        (["RUN={script}", "FILES=/no/file"], ["/no/file", "No such file"]),
        (["RUN={script}", "FILES={script}"], ["same place"]),
        (["RUN={script}", "MEM=lots"], ["MEM=lots", "256M"]),
        (["RUN={script}", "MEM=8M"], ["at least"]),
        (["RUN={script}", "SMP=0"], ["SMP=0"]),
        (["RUN={script}", "CARD=gold"], ["CARD=gold", "rtl, model, none"]),
        (["RUN={script}", "LEVEL=wire"], ["LEVEL=wire", "pcie, axi"]),
        (["RUN={script}", "CARD=none", "LEVEL=axi"], ["LEVEL=axi", "CARD=rtl"]),
        (["RUN={script}", "DISKS=/no/disk"], ["/no/disk"]),
        (["RUN={script}", "SYSTEMD=1", "PROGRAMS=fio"], ["SYSTEMD=1", "leave out PROGRAMS"]),
        (["RUN={script}", "COLOUR=red"], ["COLOUR=red"]),
    ],
)
def test_guest_bad_input(tmp_path, words, phrases):
    path = script(tmp_path, "exit 0")
    refused(guest(*(word.format(script=path) for word in words)), *phrases)


def test_guest_socket_in_use(products, tmp_path):
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        done = guest(f"RUN={script(tmp_path, 'exit 0')}", "CARD=model", f"SOCKET={path}")
    refused(done, str(path), "in use")


def test_guest_help_that_nobody_reads():
    help_closed = subprocess.run(["bash", "-c", f"{GUEST} --help | true; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True)
    assert (help_closed.stdout.strip() in ("0", "141"), help_closed.stderr) == (True, "")


def test_guest_help():
    done = guest("--help")
    assert done.returncode == 0
    for word in ("RUN=", "FILES=", "CARD=", "MEM=", "SMP=", "TIMEOUT="):
        assert word in done.stdout
