// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._

/** A write to one of a queue's registers; `offset` counts bytes from the queue's block. */
case class RegisterWrite() extends Bundle {
  val offset = UInt(log2Up(Interface.QUEUE_STRIDE) bits)
  val data = Bits(32 bits)
}

/** What the fetcher needs of a queue. Indices count entries of the ring; `mask` is the ring's depth less one. */
case class FetchView(config: QueueConfig) extends Bundle {
  val base = UInt(64 bits)
  val mask, tail, issued, completionHead = UInt(config.maxDepthLog2 bits)
  val waiting = UInt(config.waitingWidth bits)
  val running = Bool() // may be fetched from now
}

/** What the push window needs of a queue. `sequence` counts entries whose fetch has begun since the queue was enabled. */
case class PushView(config: QueueConfig) extends Bundle {
  val sequence = UInt(Interface.PUSH_BEGIN_NUMBER_WIDTH bits)
  val settled = Bool() // no entry is on its way from the ring
  val enabled = Bool()
  val running = Bool() // entries may be taken from now
}

/** What the completion writer needs of a queue. */
case class CompletionView(config: QueueConfig) extends Bundle {
  val base = UInt(64 bits)
  val tail, submissionHead = UInt(config.maxDepthLog2 bits)
  val phase = Bool()
  val discard = Bool() // the ring failed: count completions, write none
}

/** One queue pair: its registers, its ring indices and the accounts that keep every command in exactly one place.
  *
  * A command is fetched only when its completion has a place: issued - completionHead never exceeds the ring. It counts
  * as in flight from the fetch's start until its completion is in memory; ACTIVE covers all of that, so when it falls
  * the card touches neither rings nor buffers of this queue any more.
  *
  * A reservation comes two cycles after another at least, as the fetcher looks anew, and an access of software two after
  * another, as the registers take more for each.
  */
case class QueuePair(config: QueueConfig) extends Component {
  import Interface._
  private val indexWidth = config.maxDepthLog2

  val io = new Bundle {
    // registers
    val cardEnabled = in Bool () // CONTROL.ENABLE; low also disables the queue and clears its error
    val cardStopped = in Bool () // fatal: fetch no more
    val write = slave(Flow(RegisterWrite()))
    val submissionDoorbell = slave(Flow(Bits(32 bits)))
    val completionDoorbell = slave(Flow(Bits(32 bits)))
    val doorbellTaken = out Bool () // a submission doorbell was in range
    val readOffset = in UInt (log2Up(QUEUE_STRIDE) bits)
    val readData = out(Reg(Bits(32 bits))) // one cycle after readOffset
    // fetch
    val wants = out(RegInit(False)) // there is something to fetch and room for it; lags two cycles
    val fetch = out(FetchView(config))
    val push = out(PushView(config))
    val reserve = slave(Flow(UInt(config.fetchWidth bits))) // entries whose fetch begins
    val arrived = slave(Flow(Bool())) // an entry came; true: unusable, the queue stops
    val fetchFailed = out(RegInit(False)) // entries that still come are unusable as well
    // dispatch and completion
    val left = in UInt (2 bits) // commands that stopped waiting in this cycle
    val enabled = out(RegInit(False))
    val weight = out(Reg(UInt(config.weightWidth bits)) init DEFAULT_WEIGHT)
    val completion = out(CompletionView(config))
    val claim = slave(Flow(Bool())) // the next completion entry is used; true: discarded, never written
    val written = slave(Flow(Bool())) // a claimed entry is in memory; true: the bus failed
    // status
    val interrupt = out Bool ()
    val error = out(RegInit(False))
    val active = out Bool ()
    val working = out Bool () // commands are in flight
    val busy = out Bool () // something will happen without software doing anything
    val load = Option.when(config.monitored)(out(Reg(QueueLoad(config)))) // three cycles late
  }

  // Set-up, as written; all but the weight is frozen while the queue is active.
  val setUp = new Area {
    val submissionBase, completionBase = Reg(Bits(64 bits)) init 0
    val depthLog2 = Reg(UInt(5 bits)) init 0
    val moderation = Reg(Bits(32 bits)) init 0

    val offset = io.write.offset
    val data = io.write.data
    val large = data(31 downto 5).orR
    when(io.write.valid && !io.active) {
      when(offset === REGISTER_SUBMISSION_BASE_LOW)(submissionBase(31 downto 0) := data)
      when(offset === REGISTER_SUBMISSION_BASE_HIGH)(submissionBase(63 downto 32) := data)
      when(offset === REGISTER_COMPLETION_BASE_LOW)(completionBase(31 downto 0) := data)
      when(offset === REGISTER_COMPLETION_BASE_HIGH)(completionBase(63 downto 32) := data)
      when(offset === REGISTER_DEPTH_LOG2)(depthLog2 := large ? U(31) | data(4 downto 0).asUInt)
      when(offset === REGISTER_MODERATION)(moderation := data)
    }
    require(isPow2(MAX_WEIGHT + 1) && config.weightWidth <= 5 && DEFAULT_WEIGHT == 1)
    when(io.write.valid && offset === REGISTER_WEIGHT) {
      io.weight := data(config.weightWidth - 1 downto 0).asUInt
      when(data(config.weightWidth - 1 downto 0) === 0)(io.weight := 1)
      when(large || data(4 downto config.weightWidth).orR)(io.weight := MAX_WEIGHT)
    }
    val bad = RegNext(Seq(submissionBase -> config.submissionShift, completionBase -> config.completionShift).map { case (base, shift) =>
      config.isBadAddress(base, config.ringBytes(depthLog2, shift)) || base(log2Up(RING_ALIGNMENT) - 1 downto 0) =/= 0 }.orR ||
      depthLog2 < MIN_DEPTH_LOG2 || depthLog2 > config.maxDepthLog2) init True
    val mask = RegNext((0 until indexWidth).map(bit => depthLog2 > bit).asBits().asUInt) init 0
  }

  // Indices.
  val tail, submissionHead, completionTail, completionHead = Reg(UInt(indexWidth bits)) init 0
  val sequence = Reg(UInt(PUSH_BEGIN_NUMBER_WIDTH bits)) init 0
  val issued = sequence.resize(indexWidth) & setUp.mask
  val phase = RegInit(False)
  // Software may see a completion, and take it, before the bus has said that it is in memory: its place may have been reserved anew.
  private val accountWidth = indexWidth + 1
  require(CompletionWriter.unwritten <= (1 << indexWidth), "a full ring, and as many acknowledged as may be unwritten, are one account")
  val inFlight = Reg(UInt(accountWidth bits)) init 0 // fetch begun, completion not in memory yet
  val waiting = Reg(UInt(config.waitingWidth bits)) init 0 // fetch begun, no engine and no completion yet
  val unwritten = Reg(UInt(accountWidth bits)) init 0 // completions claimed, not in memory yet
  val discard = RegInit(False)
  val cause = Reg(Bits(QUEUE_STATUS_CAUSE_WIDTH bits)) init FATAL_NONE

  private def stop(why: Int): Unit = when(!io.error) {
    io.error := True
    cause := why
  }
  private def next(index: UInt): UInt = (index + 1) & setUp.mask

  /** Completions that software has not taken; a cycle late, long before software can see the newest. */
  private val untaken = RegNext((completionTail - completionHead) & setUp.mask) init 0

  // Entries: fetch, completion and their accounts.
  val entries = new Area {
    /** In the accounts a cycle later, as it comes late in its own; until then it keeps the queue active by itself. */
    val reserved = io.reserve.m2sPipe()
    val begun = reserved.payload.andMask(reserved.valid)
    val dropped = io.arrived.valid && io.arrived.payload
    when(io.reserve.valid)(sequence := sequence + io.reserve.payload)
    when(io.arrived.valid && !io.arrived.payload)(submissionHead := next(submissionHead))
    when(dropped) {
      io.fetchFailed := True
      when(io.enabled)(stop(FATAL_RING_FETCH))
    }
    when(io.claim.valid) {
      completionTail := next(completionTail)
      when(completionTail === setUp.mask)(phase := !phase)
    }
    when(io.written.valid && io.written.payload) {
      discard := True
      when(io.enabled)(stop(FATAL_RING_COMPLETE))
    }
    val gone = RegNext(dropped) init False // its account may be late: it keeps the queue active so much longer
    inFlight := inFlight + begun - U(gone) - U(io.claim.valid && io.claim.payload) - U(io.written.valid)
    waiting := waiting + begun - U(gone) - io.left
    unwritten := unwritten + U(io.claim.valid && !io.claim.payload) - U(io.written.valid)
  }

  // Doorbells: both must name an entry of the ring, and software cannot take completions that are not there. They count a
  // cycle after they come.
  val doorbells = new Area {
    val submission = io.submissionDoorbell.m2sPipe()
    val completion = io.completionDoorbell.m2sPipe()
    val submitted = submission.payload.asUInt
    val consumed = completion.payload.asUInt
    def inRing(doorbell: Flow[Bits]): Bool = RegNext((doorbell.payload.asUInt & ~setUp.mask.resize(32)) === 0)
    val taken = RegNext((io.completionDoorbell.payload.asUInt.resize(indexWidth) - completionHead) & setUp.mask)
    val ready = io.cardEnabled && !io.error
    val submissionGood = io.enabled && inRing(io.submissionDoorbell)
    val completionGood = io.enabled && inRing(io.completionDoorbell) && taken <= untaken

    io.doorbellTaken := ready && submission.valid && submissionGood
    val acknowledge = ready && completion.valid && completionGood
    when(io.doorbellTaken)(tail := submitted.resized)
    when(acknowledge)(completionHead := consumed.resized)
    when(ready && (submission.valid && !submissionGood || completion.valid && !completionGood)) {
      stop(FATAL_DOORBELL_RANGE)
    }
  }

  // Control. A queue starts afresh, and only once nothing of its former life is in flight.
  val control = new Area {
    val hit = io.write.valid && io.write.offset === REGISTER_QUEUE_CONTROL
    val enable = io.write.data(QUEUE_CONTROL_ENABLE_SHIFT)
    when(hit && enable && !io.active && io.cardEnabled) {
      io.enabled := True
      io.error := setUp.bad
      cause := Mux(setUp.bad, B(FATAL_RING_SETUP, 8 bits), B(FATAL_NONE, 8 bits))
      for (index <- Seq(tail, sequence, submissionHead, completionTail, completionHead)) index := 0
      phase := True
      discard := False
      io.fetchFailed := False
    }
    when((hit && !enable) || !io.cardEnabled) {
      io.enabled := False
      io.error := False
      cause := FATAL_NONE
    }
    io.working := inFlight =/= 0 || entries.reserved.valid
    io.active := io.enabled || io.working
  }

  io.fetch.base := setUp.submissionBase.asUInt
  io.fetch.mask := setUp.mask
  io.fetch.tail := tail
  io.fetch.issued := issued
  io.fetch.completionHead := completionHead
  io.fetch.waiting := waiting
  private val stopped = RegNext(io.cardStopped) init False // nothing hangs on the cycle
  io.fetch.running := io.enabled && !io.error && !stopped
  io.push.sequence := sequence
  io.push.settled := RegNext(issued === submissionHead) init False
  io.push.enabled := io.enabled
  io.push.running := io.fetch.running
  private val ringFull = RegNext(((issued - completionHead) & setUp.mask) === setUp.mask) init True
  private val pending = RegNext(tail =/= issued) init False
  io.wants := io.fetch.running && pending && !ringFull && waiting < config.waitingEntries

  io.completion.base := setUp.completionBase.asUInt
  io.completion.tail := completionTail
  io.completion.submissionHead := submissionHead
  io.completion.phase := phase
  io.completion.discard := discard

  // Interrupt: completions count once they are in memory, though software polling the ring may be ahead of that.
  val moderation = Moderation(indexWidth, settling = 4)
  private val unwrittenThen = RegNext(unwritten) init 0
  moderation.io.waiting := RegNext(Mux(untaken > unwrittenThen, (untaken - unwrittenThen).resize(indexWidth), U(0))) init 0
  moderation.io.enable := io.enabled
  moderation.io.count := setUp.moderation(MODERATION_COUNT_SHIFT, MODERATION_COUNT_WIDTH bits).asUInt
  moderation.io.cycles := setUp.moderation(MODERATION_CYCLES_SHIFT, MODERATION_CYCLES_WIDTH bits).asUInt
  moderation.io.acknowledge := doorbells.acknowledge
  io.interrupt := moderation.io.level
  io.busy := io.wants || io.working || moderation.io.timing
  for (load <- io.load) {
    val counts = RegNext(io.fetch.running) init False
    val inRing = RegNext((tail - issued) & setUp.mask) init 0
    val depth = RegNext((tail - completionTail) & setUp.mask) init 0
    load.depth := depth.andMask(counts)
    load.waiting := (inRing +^ RegNext(waiting).init(0).resize(indexWidth)).andMask(counts)
  }

  // Read-back.
  private val status = B(0, 32 bits)
  status(QUEUE_STATUS_ACTIVE_SHIFT) := io.active
  status(QUEUE_STATUS_ERROR_SHIFT) := io.error
  status(QUEUE_STATUS_CAUSE_SHIFT, QUEUE_STATUS_CAUSE_WIDTH bits) := cause
  io.readData := io.readOffset.mux(
    U(REGISTER_SUBMISSION_BASE_LOW) -> setUp.submissionBase(31 downto 0),
    U(REGISTER_SUBMISSION_BASE_HIGH) -> setUp.submissionBase(63 downto 32),
    U(REGISTER_COMPLETION_BASE_LOW) -> setUp.completionBase(31 downto 0),
    U(REGISTER_COMPLETION_BASE_HIGH) -> setUp.completionBase(63 downto 32),
    U(REGISTER_DEPTH_LOG2) -> setUp.depthLog2.asBits.resize(32),
    U(REGISTER_MODERATION) -> setUp.moderation,
    U(REGISTER_QUEUE_CONTROL) -> (io.enabled.asBits.resize(32) |<< QUEUE_CONTROL_ENABLE_SHIFT),
    U(REGISTER_QUEUE_STATUS) -> status,
    U(REGISTER_SUBMISSION_HEAD) -> submissionHead.asBits.resize(32),
    U(REGISTER_COMPLETION_TAIL) -> completionTail.asBits.resize(32),
    U(REGISTER_WEIGHT) -> io.weight.asBits.resize(32),
    default -> B(0, 32 bits))
}
