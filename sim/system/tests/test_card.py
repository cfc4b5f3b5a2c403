# SPDX-License-Identifier: Apache-2.0
"""Starting and ending the card process, with shell scripts in its place."""
import socket
import threading

import pytest

from system import Trouble
from system.card import Card, check_socket, level_of

GOOD = """
while [ $# -gt 0 ]; do case $1 in --counters) counters=$2;; esac; shift; done
write() { echo "{\\"engine\\": \\"${engine:-model}\\", \\"level\\": \\"${level:-none}\\", \\"cycles\\": $1, \\"commands\\": 7}" >"$counters.new"; mv "$counters.new" "$counters"; }
trap 'write 1' USR2
trap 'write 2; exit 0' TERM
echo ready
while :; do sleep 0.02; done
"""


def program(tmp_path, text):
    path = tmp_path / "card"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def card(tmp_path, text=GOOD, **options):
    return Card("model", "none", tmp_path / "socket", tmp_path, program(tmp_path, text), **options)


@pytest.mark.parametrize(("engine", "asked", "level"), [("rtl", None, "pcie"), ("rtl", "axi", "axi"), ("model", None, "none"), ("none", None, "none")])
def test_card_level_of(engine, asked, level):
    assert level_of({"CARD": engine, "LEVEL": asked}) == level
    if engine != "rtl":
        with pytest.raises(Trouble, match="LEVEL=axi: only the hardware has levels"):
            level_of({"CARD": engine, "LEVEL": "axi"})


def test_card_counters(tmp_path):
    running = card(tmp_path)
    assert running.running
    assert running.freeze() == {"cycles": 1, "commands": 7}
    assert running.freeze()["cycles"] == 1
    assert running.stop() == {"cycles": 2, "commands": 7}
    assert not running.running


def test_card_killed(tmp_path):
    running = card(tmp_path)
    running.kill()
    assert running.process.returncode == -9
    assert running.counters is None


def test_card_of_another_engine(tmp_path):
    running = card(tmp_path, "engine=rtl level=pcie" + GOOD)
    with pytest.raises(Trouble, match="ran its engine rtl at level pcie, not model at none"):
        running.stop()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("echo 'no such engine' >&2; exit 2", "did not start: no such engine"),
        ("exit 0", "did not start: it said nothing"),
        ("echo hello; exec sleep 1000", "did not start: hello"),
        ("exec sleep 1000", "did not say `ready` within 0.2 s"),
    ],
)
def test_card_that_does_not_start(tmp_path, text, words):
    with pytest.raises(Trouble, match=words):
        card(tmp_path, text, ready_seconds=0.2 if text.startswith("exec") else 60)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("echo ready; exec sleep 1000", "ended with status -15"),
        ("trap 'echo broken >&2; exit 3' TERM; echo ready; while :; do sleep 0.02; done", "ended with status 3: broken"),
        ("trap 'exit 0' TERM; echo ready; while :; do sleep 0.02; done", "counters cannot be read"),
    ],
)
def test_card_that_does_not_stop_well(tmp_path, text, words):
    with pytest.raises(Trouble, match=words):
        card(tmp_path, text).stop()


def test_card_that_does_not_stop_is_ended(tmp_path):
    running = card(tmp_path, "trap '' TERM; echo ready; while :; do sleep 0.02; done")
    with pytest.raises(Trouble, match="did not stop within 0.2 s"):
        running.stop(seconds=0.2)
    assert not running.running and not running.crashed


@pytest.mark.parametrize(("answer", "words"), [("3 beats", None), ("error: no such lane", "does not take `lane 9`: error: no such lane"),
                                               ("", "does not take `lane 9`: it said nothing"), (None, "control socket does not answer")])  # fmt: skip
def test_card_asked_through_its_control_socket(tmp_path, answer, words):
    running, heard = card(tmp_path, controlled=True), []

    def listen(listener):
        with listener.accept()[0] as connection:
            heard.append(connection.makefile().readline())
            connection.sendall(f"{answer}\n".encode() if answer else b"")

    with socket.socket(socket.AF_UNIX) as listener:
        if answer is not None:
            listener.bind(str(running.control))
            listener.listen()
            threading.Thread(target=listen, args=(listener,)).start()
        if words is None:
            assert running.ask("lane 9") == answer and heard == ["lane 9\n"]
        else:
            with pytest.raises(Trouble, match=words):
                running.ask("lane 9")
    running.kill()


def test_card_that_dies_when_asked(tmp_path):
    with pytest.raises(Trouble, match="died while asked for its counters"):
        card(tmp_path, "echo ready; exec sleep 1000").freeze()


def test_card_missing_program(tmp_path):
    with pytest.raises(Trouble, match="make card"):
        Card("rtl", "axi", tmp_path / "socket", tmp_path, tmp_path / "absent")


def test_card_socket_in_use(tmp_path):
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        with pytest.raises(Trouble, match="in use: another process listens"):
            check_socket(path)
    with pytest.raises(Trouble, match="in use: a file of that name"):
        check_socket(path)
    with pytest.raises(Trouble, match="does not exist"):
        check_socket(tmp_path / "absent/socket")
    with pytest.raises(Trouble, match="too long"):
        check_socket(tmp_path / ("x" * 120))
