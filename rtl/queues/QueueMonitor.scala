// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._

/** How much a queue has to do: commands that software has submitted and whose completion is not begun, and those of them that no engine
  * has taken. Both 0 while the queue is disabled or stopped.
  */
case class QueueLoad(config: QueueConfig) extends Bundle {
  val depth = UInt(config.maxDepthLog2 bits)
  val waiting = UInt(config.maxDepthLog2 + 1 bits)
}

/** What a queue has done since power-on. `depthPeak` is since it was last told. */
case class QueueReport() extends Bundle {
  val cycles = UInt(64 bits)
  val depth, depthPeak = UInt(16 bits)
  val commands = UInt(32 bits)
  val depthCycles, waitingCycles = UInt(64 bits)
}

/** Sums up how deep queues are and how long commands wait, beside their way: it looks at one queue after the other and counts what it finds
  * for all cycles until it comes back, `sampleCycles` later; commands it counts exactly. One adder and one memory serve all queues.
  *
  * Counts stand from power-on, through every reset of the core.
  *
  * `look`   at the queue that is visited
  * `left`   of these queues a command stopped waiting
  * `ask`    a queue; `report` answers each once, within two rounds, of one that there is not with 0. Nothing is asked before that
  * `busy`   a report is to come
  */
case class QueueMonitor(config: QueueConfig) extends Component {
  import config._
  val io = new Bundle {
    val look = master(QueueLook(config, QueueLoad(config)))
    val left = Vec.fill(CommandDispatch.exits)(slave(Flow(UInt(queueWidth bits))))
    val ask = slave(Flow(UInt(6 bits)))
    val report = master(Flow(QueueReport()))
    val busy = out Bool ()
  }

  private val counted = ClockDomain.current.withBootReset()(new Area {
    /** What is remembered of a queue. */
    case class Account() extends Bundle {
      val counted = UInt(QueueMonitor.leftWidth bits) // `left` as it was seen
      val peak = UInt(maxDepthLog2 bits)
      val commands = UInt(32 bits)
      val depthCycles, waitingCycles = UInt(64 bits)
    }
    val accounts = Mem(Account(), 1 << queueWidth)

    val step = Reg(UInt(log2Up(QueueMonitor.visitCycles) bits)) init 0 // of a visit
    val turn = Reg(UInt(queueWidth bits)) init 0 // the queue
    val first = RegInit(True) // nothing is remembered yet
    step := step + 1
    when(step.andR) {
      turn := turn + 1
      when(turn.andR)(first := False)
    }

    val left = Vec((0 until queuePairs).map { index =>
      val sum = Reg(UInt(QueueMonitor.leftWidth bits)) init 0
      sum := sum + CountOne(io.left.map(left => left.valid && left.payload === index))
      sum
    })
    val cycles = Reg(UInt(64 bits)) init 0
    cycles := cycles + 1

    // Step 0: what the queue is like; a place of the round that is nobody's is as one with nothing to do.
    def mine[T <: Data](all: Vec[T]): Bits =
      all.zipWithIndex.map { case (value, index) => value.asBits.andMask(turn === index) }.reduceBalancedTree(_ | _)
    io.look.queue := turn
    private val present = if (isPow2(queuePairs) && queuePairs > 1) True else turn < queuePairs
    val load = RegNext(io.look.view.asBits.andMask(present))
    val seen = RegNext(mine(left).asUInt)
    val before = Account()
    before.assignFromBits(accounts.readSync(turn).asBits.andMask(!first))
    // Step 1: what is remembered of it grows. Written in step 2, long before the next visit reads.
    val now = QueueLoad(config)
    now.assignFromBits(load)
    val grown = Account()
    grown.counted := seen
    grown.commands := before.commands + (seen - before.counted)
    grown.depthCycles := before.depthCycles + (now.depth << log2Up(sampleCycles))
    grown.waitingCycles := before.waitingCycles + (now.waiting << log2Up(sampleCycles))
    grown.peak := Mux(now.depth > before.peak, now.depth, before.peak)
    val after = RegNext(grown)
    val nowAfter = RegNext(now)

    val asked = Reg(UInt(6 bits)) init 0
    val pending = RegInit(False)
    when(io.ask.valid) {
      pending := True
      asked := io.ask.payload
    }
    // A queue that there is not is answered at once, at the next visit's end.
    val stranger = if (queuePairs == Interface.MAX_QUEUE_PAIRS) False else asked >= queuePairs
    val told = step === 2 && pending && (stranger || asked === turn)
    when(told)(pending := False)
    val kept = Account()
    kept := after
    when(told && !stranger)(kept.peak := nowAfter.depth)
    accounts.write(turn, kept, enable = step === 2)
    io.report.valid := told
    io.report.cycles := cycles
    io.report.depth := nowAfter.depth.resized
    io.report.depthPeak := after.peak.resized
    io.report.commands := after.commands
    io.report.depthCycles := after.depthCycles
    io.report.waitingCycles := after.waitingCycles
    when(stranger)(io.report.payload.assignFromBits(B(0, io.report.payload.getBitsWidth bits)))
    io.busy := pending
  })
}

object QueueMonitor {
  val visitCycles = 4
  /** Commands of a queue that leave in a round, three a cycle, are fewer than this counts. */
  val leftWidth = 10
}
