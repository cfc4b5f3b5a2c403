// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb._

/** A value of a system monitor: 16 bits, left-aligned, as its data registers hold them. */
case class SensorValue() extends Bundle {
  val channel = UInt(3 bits) // sensors
  val code = Bits(16 bits)
}

/** Keeps the last value of each channel and counts how many came, so that the firmware sees a sensor that has gone silent. */
case class SensorPort() extends Component {
  val io = new Bundle {
    val apb = slave(Apb3(CoreBus.apb))
    val value = slave(Flow(SensorValue()))
  }
  private val bus = Apb3SlaveFactory(io.apb)
  for (channel <- 0 until SENSOR_COUNT) {
    val code = Reg(Bits(16 bits)) init 0
    val updates = Reg(UInt(16 bits)) init 0
    when(io.value.valid && io.value.channel === channel) {
      code := io.value.code
      updates := updates + 1
    }
    bus.read(updates ## code, REGISTER_SENSOR + channel * CORE_SENSOR_STRIDE)
  }
}
