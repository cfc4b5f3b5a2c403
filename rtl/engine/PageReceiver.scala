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
  * `page` carries at most pageBytes, a cycle behind the source: what comes beyond is taken and dropped. `limit` is the
  * page's own from its first word on until the next page's. One `received` a page, after its last word; pages may follow
  * each other without a gap. Where there are two formats, `cold` is the page's as `limit` is.
  */
class PageReceiver(config: EngineConfig) extends Component {
  private val width = config.streamBytes
  private val words = config.pageBytes / width
  val io = new Bundle {
    val command = slave(Stream(CompressCommand(config)))
    val source = slave(ByteStream(width))
    val page = master(ByteStream(width))
    val limit = out UInt (config.lengthWidth bits)
    val cold = Option.when(config.coldFormat)(out Bool ())
    val received = master(Stream(ReceivedPage(config)))
  }

  /** What the words alone say. */
  case class Shape() extends Bundle {
    val limit = UInt(config.lengthWidth bits)
    val wholePage = Bool()
  }
  private val shapes = StreamFifo(Shape(), 2, latency = 1)

  // A page's command waits here until the source's last word.
  private val index = Reg(UInt(log2Up(words) bits)) init 0
  private val full = RegInit(False) // the next word is the last that belongs to a page
  private val dropping = RegInit(False) // past the page's end, until the source's last
  private val taken = EmptyLast.merge(io.source).s2mPipe() // `ready` comes from the whole fork
  private val shape = Stream(Shape())
  private val source = taken.haltWhen(!io.command.valid || !shape.ready)
  private val page = source.throwWhen(dropping)
  private val cut = cloneOf(page)
  cut.arbitrationFrom(page)
  cut.fragment := page.fragment
  cut.last := page.last || full
  io.command.ready := source.fire && source.last
  when(source.fire && source.last) { dropping := False }
  when(cut.fire) {
    index := cut.last ? U(0) | index + 1
    full := !cut.last && index === words - 2
    when(cut.last) { dropping := !page.last }
  }
  shape.valid := cut.fire && cut.last
  shape.limit := io.command.limit
  shape.wholePage := full && page.last && page.fragment.count === width
  shapes.io.push << shape.m2sPipe() // `fire` comes late in its cycle

  private val crc = new Crc32c(width)
  private val sameFilled = new SameFilled(width)
  private val copies = StreamFork(cut.m2sPipe(), 3)
  io.page << copies(0)
  crc.io.source << copies(1)
  sameFilled.io.source << copies(2)
  io.limit := RegNextWhen(io.command.limit, cut.fire)
  for (cold <- io.cold) cold := RegNextWhen(io.command.cold.get, cut.fire)

  io.received.arbitrationFrom(StreamJoin(Seq(shapes.io.pop, crc.io.result, sameFilled.io.result)))
  io.received.limit := shapes.io.pop.limit
  io.received.wholePage := shapes.io.pop.wholePage
  io.received.crc32c := crc.io.result.payload
  io.received.fill := sameFilled.io.result.payload
}
