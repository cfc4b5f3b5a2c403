# SPDX-License-Identifier: Apache-2.0
"""management_sensors: the last value of every channel, and how many came."""
import random

import cocotb

from apb_bench import Peripheral
from pagepress_management import *  # noqa: F403
from runner import run


@cocotb.test()
async def values(dut):
    port = await Peripheral(dut, value_valid=0, value_payload_channel=0, value_payload_code=0).start()
    last, counts = [0] * SENSOR_COUNT, [0] * SENSOR_COUNT
    for _ in range(200):
        channel, code = random.randrange(SENSOR_COUNT), random.getrandbits(16)
        port.set(value_payload_channel=channel, value_payload_code=code)
        if random.random() < 0.7:
            last[channel], counts[channel] = code, counts[channel] + 1
            await port.pulse(value_valid=1)
        else:
            await port.step()
    for channel in range(SENSOR_COUNT):
        value = await port.read(REGISTER_SENSOR + channel * CORE_SENSOR_STRIDE)
        assert (value & SENSOR_CODE_MASK, value >> SENSOR_UPDATES_SHIFT) == (last[channel], counts[channel])


def test_management_sensors():
    run("management_sensors", module=__name__)
