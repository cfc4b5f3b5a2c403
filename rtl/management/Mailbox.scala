// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb._

/** A word that the host writes into the request buffer. */
case class BufferWrite() extends Bundle {
  val word = UInt(log2Up(MAILBOX_BYTES / 4) bits)
  val data = Bits(32 bits)
}

/** One request at a time: the host writes the request buffer and sends, the firmware reads it, writes the response buffer and answers.
  *
  * While a request is open the request buffer takes no writes and nothing can be sent. A reset of the core answers an open request
  * with length 0, so that the host never waits for a core that forgot.
  *
  * `responseData` follows `responseWord` by a cycle.
  */
case class Mailbox() extends Component {
  val io = new Bundle {
    val apb = slave(Apb3(CoreBus.apb))
    val coreReset = in Bool ()
    val write = slave(Flow(BufferWrite()))
    val send = slave(Flow(Bits(32 bits))) // bytes of the request
    val state = out(Reg(Bits(MAILBOX_STATUS_STATE_WIDTH bits)) init MAILBOX_STATE_IDLE)
    val responseLength = out(Reg(UInt(MAILBOX_STATUS_LENGTH_WIDTH bits)) init 0)
    val responseWord = in UInt (log2Up(MAILBOX_BYTES / 4) bits)
    val responseData = out Bits (32 bits)
  }
  private val open = io.state === MAILBOX_STATE_REQUESTED
  private val requestLength = Reg(UInt(log2Up(MAILBOX_BYTES + 1) bits)) init 0
  private val request, response = Mem(Bits(32 bits), MAILBOX_BYTES / 4).addAttribute("ram_style", "block")
  request.write(io.write.word, io.write.data, io.write.valid && !open)
  io.responseData := response.readSync(io.responseWord)

  private val bus = Apb3SlaveFactory(io.apb)
  bus.read(open ? requestLength | U(0), REGISTER_MAILBOX_REQUEST)
  bus.readSyncMemWordAligned(request, MAILBOX_REQUEST_OFFSET)
  bus.writeMemWordAligned(response, MAILBOX_RESPONSE_OFFSET)

  private val length = io.send.payload.asUInt
  when(io.send.valid && !open && length =/= 0 && length <= MAILBOX_BYTES) {
    io.state := MAILBOX_STATE_REQUESTED
    requestLength := length.resized
  }
  private def answer(bytes: UInt): Unit = {
    io.state := MAILBOX_STATE_ANSWERED
    io.responseLength := bytes.resized
  }
  bus.onWrite(REGISTER_MAILBOX_ANSWER)(when(open)(answer(Mux(io.apb.PWDATA.asUInt > MAILBOX_BYTES, U(MAILBOX_BYTES, 32 bits), io.apb.PWDATA.asUInt))))
  when(io.coreReset && open)(answer(U(0)))
}
