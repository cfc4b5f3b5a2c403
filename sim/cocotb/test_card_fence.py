# SPDX-License-Identifier: Apache-2.0
"""What the management part of a card is wired to, in the Verilog: the host's window and the board's pins, the port of the lanes' keeper, and questions to the queues' monitor. Behind the window stands
what sim/formal/management_fence.sv proves. A card without it has none of it."""
import re

import pytest

from runner import VERILOG

MANAGED = "card_managed"
INSTANCE = re.compile(r"^  (\w+) (?:#\([^;]*?\) )?(\w+) \(\n(.*?)^  \);$", re.M | re.S)
CONNECTION = re.compile(r"^\s*\.(\w+)\s*\((.*?)\s*\),?\s*//(i|o)$", re.M)
ASSIGNMENT = re.compile(r"^  assign (\w+) = ([^;]*);$", re.M)
# Who may read what the left side drives, and by which ports.
READERS = {"manager": {"window": r"io_host_\w+", "pin": r"management_\w+", "core_1": r"(lanes_(action_\w+|sourceData)|monitor_ask_\w+)"}, "window": {"manager": r"io_host_\w+", "adapter": r"window_\w+"}}


def module(text, name):
    return re.search(rf"^module {name} \(.*?^endmodule", text, re.M | re.S)[0]


def strangers(text):
    """Each reader of a net that the management part, or its window, drives in the card's top, which may not read it."""
    top = module(text, MANAGED)
    instances = {name: CONNECTION.findall(ports) for _, name, ports in INSTANCE.findall(top)}
    uses = [(name, port, net) for name, ports in instances.items() for port, net, way in ports if way == "i"]
    uses += [("pin", target, source) for target, source in ASSIGNMENT.findall(top)]
    found = []
    for driver, readers in READERS.items():
        nets = {re.match(r"\w+", net)[0] for _, net, way in instances[driver] if way == "o"}
        assert nets, f"{driver} drives nothing: has it another name?"
        found += [f"{name}.{port} reads {net}" for name, port, net in uses if nets & set(re.findall(r"\w+", net))
                  and not (name in readers and re.fullmatch(readers[name], port))]
    # In the adapter the window's port leads to the router.
    adapter = module(text, "PcieAdapter")
    inner = {(name, port): net for _, name, ports in INSTANCE.findall(adapter) for port, net, way in CONNECTION.findall(ports) if way == "i"}
    found += [f"{name}.{port} reads {net}" for (name, port), net in inner.items()
              if re.search(r"\bwindow_(command_ready|answer_)", net) and name != "requests_router"]
    found += [f"{target} reads {source}" for target, source in ASSIGNMENT.findall(adapter) if re.search(r"\bwindow_(command_ready|answer_)", source)]
    return found


@pytest.fixture(scope="module")
def managed():
    return (VERILOG / f"{MANAGED}.v").read_text()


def test_card_fence_leaves_the_window_alone(managed):
    assert strangers(managed) == []


@pytest.mark.parametrize("net, port", [("manager_io_throttle[0]", "s_axi_wvalid"), ("manager_io_host_answer_payload", "m_axi_rdata"),
                                       ("window_io_host_access_valid && 1'b1", "m_axi_bvalid")])
def test_card_fence_notices_a_wire(managed, net, port):
    broken, count = re.subn(rf"(Core core_1 \(.*?\.{port}\s*\()[^)]*\)", rf"\g<1>{net})", managed, count=1, flags=re.S)
    assert count == 1 and strangers(broken) == [f"core_1.{port} reads {net}"]


def test_card_without_management_has_nothing_of_it():
    plain = (VERILOG / "card.v").read_text()
    assert not re.search(r"management|VexRiscv|boot_rom|window_command", plain)
