// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._

/** What is known of a page once all of it has been received. */
case class ReceivedPage(config: EngineConfig) extends Bundle {
  val limit = UInt(config.lengthWidth bits) // of its command
  val wholePage = Bool() // exactly pageBytes came
  val crc32c = Bits(32 bits)
  val fill = FillResult()
}

/** Takes a command and its page, hands the page on, and meanwhile works out its CRC32C and whether it is same-filled.
  *
  * `page` carries at most pageBytes: what comes beyond is taken and dropped. `limit` is the page's own from its first
  * word on until the next page's. One `received` a page, after its last word.
  */
class PageReceiver(config: EngineConfig) extends Component {
  private val width = config.streamBytes
  private val words = config.pageBytes / width
  val io = new Bundle {
    val command = slave(Stream(CompressCommand(config)))
    val source = slave(ByteStream(width))
    val page = master(ByteStream(width))
    val limit = out UInt (config.lengthWidth bits)
    val received = master(Stream(ReceivedPage(config)))
  }
  private val index = Reg(UInt(log2Up(words) bits)) init 0
  private val dropping = RegInit(False) // past the page's end, until the source's last
  private val full = index.andR
  private val wholePage = Reg(Bool())
  io.limit := io.command.limit

  // A page is open while its command waits here; the command leaves with the page's facts.
  private val ended = RegInit(False)
  private val source = EmptyLast.merge(io.source).haltWhen(!io.command.valid || ended)
  private val page = source.throwWhen(dropping)
  private val cut = cloneOf(page)
  cut.arbitrationFrom(page)
  cut.fragment := page.fragment
  cut.last := page.last || full

  private val crc = new Crc32c(width)
  private val sameFilled = new SameFilled(width)
  private val copies = StreamFork(cut, 3)
  io.page << copies(0)
  crc.io.source << copies(1)
  sameFilled.io.source << copies(2)

  when(cut.fire) {
    index := index + 1
    when(cut.last) {
      index := 0
      wholePage := full && page.last && page.fragment.count === width
      dropping := !page.last
      ended := page.last
    }
  }
  when(dropping && source.fire && source.last) {
    dropping := False
    ended := True
  }

  io.received.valid := ended && crc.io.result.valid && sameFilled.io.result.valid
  io.received.limit := io.command.limit
  io.received.wholePage := wholePage
  io.received.crc32c := crc.io.result.payload
  io.received.fill := sameFilled.io.result.payload
  io.command.ready := io.received.fire
  crc.io.result.ready := io.received.fire
  sameFilled.io.result.ready := io.received.fire
  when(io.received.fire) { ended := False }
}
