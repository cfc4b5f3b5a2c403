// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._

/** A place that looks at one queue at a time: `view` is of `queue`, in the same cycle. */
case class QueueLook[T <: Data](config: QueueConfig, viewType: HardType[T]) extends Bundle with IMasterSlave {
  val queue = UInt(config.queueWidth bits)
  val view = viewType()
  override def asMaster(): Unit = {
    out(queue)
    in(view)
  }
}

/** What the fetcher needs of a queue. Indices count entries of the ring; `mask` is the ring's depth less one. */
case class FetchView(config: QueueConfig) extends Bundle {
  val base = UInt(64 bits)
  val mask, tail, issued, completionHead = UInt(config.maxDepthLog2 bits)
  val waiting = UInt(config.waitingWidth bits)
  val running = Bool() // may be fetched from now
}

/** What the push window needs of a queue. `sequence` counts entries whose fetch has begun since the queue was enabled. */
case class PushView() extends Bundle {
  val sequence = UInt(Interface.PUSH_BEGIN_NUMBER_WIDTH bits)
  val settled = Bool() // no entry was on its way from the ring a cycle ago
}

/** What the completion writer needs of a queue. */
case class CompletionView(config: QueueConfig) extends Bundle {
  val base = UInt(64 bits)
  val tail, submissionHead = UInt(config.maxDepthLog2 bits)
  val phase = Bool()
  val discard = Bool() // the ring failed: count completions, write none
}

/** All queue pairs: their registers, their ring indices and the accounts that keep every command in exactly one place. What is of one
  * queue lies in memories; only what must be known of all at once has registers.
  *
  * A command is fetched only when its completion has a place: issued - completionHead never exceeds the ring. It counts as in flight
  * from the fetch's start until its completion is in memory; ACTIVE covers all of that, so when it falls the card touches neither
  * rings nor buffers of this queue any more.
  *
  * A queue's reservation comes two cycles after another at least, as the fetcher looks anew. An access of software comes three after
  * another, as the registers take more for each, and names its queue in the cycle before it, too.
  */
case class QueuePairs(config: QueueConfig) extends Component {
  import Interface._
  import config.{maxDepthLog2 => indexWidth, _}

  val io = new Bundle {
    // registers
    val cardEnabled = in Bool () // CONTROL.ENABLE; low also disables the queues and clears their errors
    val cardStopped = in Bool () // fatal: fetch no more
    val cleared = out Bool () // accesses may come: some cycles after a reset
    val accessed = in UInt (queueWidth bits) // the queue that an access is of
    val write = slave(Flow(RegisterWrite()))
    val submissionDoorbell, completionDoorbell = slave(Flow(Bits(32 bits)))
    val doorbellTaken = out Bool () // a submission doorbell was in range
    val readOffset = in UInt (log2Up(QUEUE_STRIDE) bits)
    val readData = out(Reg(Bits(32 bits))) // two cycles after accessed and readOffset
    // fetch
    val wants = out Bits (queuePairs bits) // there is something to fetch and room for it; lags a reservation by two cycles
    val running = out Bits (queuePairs bits) // entries may be fetched now
    val fetch = slave(QueueLook(config, FetchView(config)))
    val push = slave(QueueLook(config, PushView()))
    val reserve = slave(Flow(OfQueue(config, UInt(fetchWidth bits)))) // entries whose fetch begins
    val arrived = slave(Flow(OfQueue(config, Bool()))) // an entry came; true: unusable, the queue stops
    val fetchFailed = out(Reg(Bits(queuePairs bits)) init 0) // entries that still come are unusable as well
    // dispatch and completion
    val left = Vec.fill(CommandDispatch.exits)(slave(Flow(UInt(queueWidth bits)))) // commands that stopped waiting in the cycle before
    val enabled = out(Reg(Bits(queuePairs bits)) init 0)
    val weights = out(Vec.fill(queuePairs)(Reg(UInt(weightWidth bits)) init DEFAULT_WEIGHT))
    val completion = slave(QueueLook(config, CompletionView(config)))
    val claim = slave(Flow(OfQueue(config, Bool()))) // the next completion entry is used; true: discarded, never written
    val written = slave(Flow(OfQueue(config, Bool()))) // a claimed entry is in memory; true: the bus failed
    // status
    val interrupt = out Bits (queuePairs bits)
    val errors = out(Reg(Bits(queuePairs bits)) init 0)
    val active = out Bool () // of any queue
    val working = out Bool () // commands are in flight
    val busy = out Bool () // something will happen without software doing anything
    val load = Option.when(monitored)(slave(QueueLook(config, QueueLoad(config))))
  }

  private val memories = new QueueMemories(config)
  io.cleared := memories.cleared
  private val setUp = new QueueSetUp(config, memories)
  private val tails, heads = memories.words(UInt(indexWidth bits)) // SUBMISSION_TAIL and COMPLETION_HEAD, as software's doorbells said
  // Where nothing hangs on the cycle, an event counts in the next.
  private val arrived = io.arrived.m2sPipe()
  private val claim = io.claim.m2sPipe()
  private val written = io.written.m2sPipe()
  private val accounts = new QueueAccounts(config, memories, io.reserve, arrived, io.left.toSeq, claim, written)
  private val discard = Reg(Bits(queuePairs bits)) init 0

  /** Why a queue stopped. */
  private object Cause extends SpinalEnum { val FETCH, COMPLETE, DOORBELL, SET_UP = newElement() }
  private val causes = Vec.fill(queuePairs)(Reg(Cause()))

  // Software's access: what there is to know of its queue is looked up before its own cycle, it acts in the next one, and the set-up is
  // judged a cycle behind the look.
  private val access = new Area {
    val queue = RegNext(io.accessed) init 0
    val write = io.write.m2sPipe()
    val submission = io.submissionDoorbell.m2sPipe()
    val completion = io.completionDoorbell.m2sPipe()
    private def look[T <: Data](value: T): T = RegNext(value)
    val mask = look(setUp.mask(io.accessed))
    val head = look(heads.of(io.accessed))
    val submissionHead = look(accounts.submissionHead(io.accessed))
    val completionTail = look(accounts.completionTail(io.accessed).resize(indexWidth))
    val inFlight = look(accounts.inFlight(io.accessed))
    val working = inFlight =/= 0
    val rings = look(setUp(io.accessed))
    val bad = RegNext(rings.isBad)
    val enabled = ofQueue(io.enabled, queue)
    val error = ofQueue(io.errors, queue)
    val active = enabled || working
    setUp.write(queue, write.payload, write.valid && !active)
    def is(index: Int): Bool = queue === index
  }

  // Doorbells: both must name an entry of the ring, and software cannot take completions that are not there.
  private val doorbells = new Area {
    import access._
    val outside = (io.submissionDoorbell.valid ? io.submissionDoorbell.payload | io.completionDoorbell.payload) & ~setUp.mask(io.accessed).resize(32).asBits
    // In parts that fit a LUT each: the mask comes late, out of its memory, and mapping tools would join bit to bit in a row.
    val inRing = RegNext(outside.subdivideIn(3 bits, strict = false).map(part => (part === 0).addAttribute("keep")).reduceBalancedTree(_ && _))
    val taken = (completion.payload.asUInt.resize(indexWidth) - head) & mask
    val untaken = (completionTail - head) & mask
    val ready = io.cardEnabled && !error
    val good = enabled && inRing
    val submitted = ready && submission.valid && good
    val acknowledged = ready && completion.valid && good && taken <= untaken
    val refused = ready && (submission.valid || completion.valid) && !submitted && !acknowledged
  }
  io.doorbellTaken := doorbells.submitted

  // Control. A queue starts afresh, and only once nothing of its former life is in flight.
  private val control = new Area {
    import access._
    val hit = write.valid && write.offset === REGISTER_QUEUE_CONTROL
    val enable = write.data(QUEUE_CONTROL_ENABLE_SHIFT)
    val begins = hit && enable && !active && io.cardEnabled
    val ends = hit && !enable
    tails.write(queue, submission.payload.asUInt.resize(indexWidth).andMask(!begins), begins || doorbells.submitted)
    heads.write(queue, completion.payload.asUInt.resize(indexWidth).andMask(!begins), begins || doorbells.acknowledged)
    accounts.begin(queue, begins)

    require(isPow2(MAX_WEIGHT + 1) && weightWidth <= 5 && DEFAULT_WEIGHT == 1)
    val lower = write.data(weightWidth - 1 downto 0).asUInt
    val weight = write.data(31 downto weightWidth).orR ? U(MAX_WEIGHT, weightWidth bits) | Mux(lower === 0, U(1, weightWidth bits), lower)
  }

  for (index <- 0 until queuePairs) {
    def stop(why: Cause.E): Unit = when(!io.errors(index)) {
      io.errors(index) := True
      causes(index) := why
    }
    when(arrived.valid && arrived.value && arrived.queueIndex === index) {
      io.fetchFailed(index) := True
      when(io.enabled(index))(stop(Cause.FETCH))
    }
    when(written.valid && written.value && written.queueIndex === index) {
      discard(index) := True
      when(io.enabled(index))(stop(Cause.COMPLETE))
    }
    when(doorbells.refused && access.is(index))(stop(Cause.DOORBELL))
    when(control.begins && access.is(index)) {
      io.enabled(index) := True
      io.errors(index) := access.bad
      causes(index) := Cause.SET_UP
      discard(index) := False
      io.fetchFailed(index) := False
    }
    when(control.ends && access.is(index) || !io.cardEnabled) {
      io.enabled(index) := False
      io.errors(index) := False
    }
    when(access.write.valid && access.write.offset === REGISTER_WEIGHT && access.is(index))(io.weights(index) := control.weight)
  }
  private val stopped = RegNext(io.cardStopped) init False // nothing hangs on the cycle
  io.running := io.enabled & ~io.errors & B(queuePairs bits, default -> !stopped)

  // Views.
  private def index(count: UInt, queue: UInt): UInt = count.resize(indexWidth) & setUp.mask(queue)
  io.fetch.view.base := setUp.submissionBase(io.fetch.queue).asUInt
  io.fetch.view.mask := setUp.mask(io.fetch.queue)
  io.fetch.view.tail := tails.of(io.fetch.queue)
  io.fetch.view.issued := index(accounts.issued(io.fetch.queue), io.fetch.queue)
  io.fetch.view.completionHead := heads.of(io.fetch.queue)
  io.fetch.view.waiting := accounts.waiting(io.fetch.queue)
  io.fetch.view.running := ofQueue(io.running, io.fetch.queue)
  io.push.view.sequence := accounts.sequence(io.push.queue)
  io.push.view.settled := RegNext(accounts.issued(io.push.queue)) === RegNext(accounts.submissionHead(io.push.queue))
  private val completions = accounts.completionTail(io.completion.queue)
  io.completion.view.base := setUp.completionBase(io.completion.queue).asUInt
  io.completion.view.tail := index(completions, io.completion.queue)
  io.completion.view.submissionHead := index(accounts.submissionHead(io.completion.queue), io.completion.queue)
  io.completion.view.phase := (completions & (setUp.mask(io.completion.queue) +^ 1)) === 0
  io.completion.view.discard := ofQueue(discard, io.completion.queue)
  for (load <- io.load) {
    val counts = ofQueue(io.running, load.queue)
    val tail = tails.of(load.queue)
    val inRing = index(tail - accounts.issued(load.queue), load.queue)
    load.view.depth := index(tail - accounts.completionTail(load.queue).resize(indexWidth), load.queue).andMask(counts)
    load.view.waiting := (inRing +^ accounts.waiting(load.queue).resize(indexWidth)).andMask(counts)
  }

  // What the card wants to know of all at once.
  private val moderation = Moderation(config)
  moderation.io.enabled := io.enabled
  moderation.io.begin.valid := control.begins || doorbells.acknowledged
  moderation.io.begin.payload := access.queue
  io.interrupt := moderation.io.level
  private def event(valid: Bool, queue: UInt): Flow[UInt] = {
    val flow = Flow(UInt(queueWidth bits))
    flow.valid := valid
    flow.payload := queue
    flow
  }
  private val reserved = event(RegNext(io.reserve.valid) init False, RegNext(io.reserve.queueIndex))
  private val visits = new QueueVisits(config, setUp, accounts, tails, heads, io.running, taken = reserved,
    events = Seq(event(access.submission.valid || access.completion.valid, access.queue), reserved, event(RegNext(written.valid) init False, RegNext(written.queueIndex))), moderation)
  io.wants := visits.wants

  io.working := accounts.total =/= 0
  io.active := io.enabled.orR || io.working

  // After whatever happens every queue is visited, before all may be thought to be at rest.
  private val happens = access.write.valid || access.submission.valid || access.completion.valid || reserved.valid || arrived.valid || claim.valid ||
    written.valid || io.left.map(_.valid).orR || moderation.io.timing
  private val rounds = Reg(UInt(2 bits)) init 0
  when(visits.round && !rounds.andR)(rounds := rounds + 1)
  when(happens)(rounds := 0)
  io.busy := !rounds.andR || io.working || io.wants.orR

  // Read-back.
  private val status = B(0, 32 bits)
  status(QUEUE_STATUS_ACTIVE_SHIFT) := access.active
  status(QUEUE_STATUS_ERROR_SHIFT) := access.error
  private val offset = RegNext(io.readOffset) init 0
  status(QUEUE_STATUS_CAUSE_SHIFT, QUEUE_STATUS_CAUSE_WIDTH bits) := B(FATAL_NONE)
  when(access.error)(status(QUEUE_STATUS_CAUSE_SHIFT, QUEUE_STATUS_CAUSE_WIDTH bits) := ofQueue(causes, access.queue).mux(
    Cause.FETCH -> B(FATAL_RING_FETCH, QUEUE_STATUS_CAUSE_WIDTH bits),
    Cause.COMPLETE -> B(FATAL_RING_COMPLETE, QUEUE_STATUS_CAUSE_WIDTH bits),
    Cause.DOORBELL -> B(FATAL_DOORBELL_RANGE, QUEUE_STATUS_CAUSE_WIDTH bits),
    Cause.SET_UP -> B(FATAL_RING_SETUP, QUEUE_STATUS_CAUSE_WIDTH bits)))
  io.readData := offset.mux(
    U(REGISTER_SUBMISSION_BASE_LOW) -> access.rings.submissionBase(31 downto 0),
    U(REGISTER_SUBMISSION_BASE_HIGH) -> access.rings.submissionBase(63 downto 32),
    U(REGISTER_COMPLETION_BASE_LOW) -> access.rings.completionBase(31 downto 0),
    U(REGISTER_COMPLETION_BASE_HIGH) -> access.rings.completionBase(63 downto 32),
    U(REGISTER_DEPTH_LOG2) -> access.rings.depthLog2.asBits.resize(32),
    U(REGISTER_MODERATION) -> access.rings.moderation,
    U(REGISTER_QUEUE_CONTROL) -> (access.enabled.asBits.resize(32) |<< QUEUE_CONTROL_ENABLE_SHIFT),
    U(REGISTER_QUEUE_STATUS) -> status,
    U(REGISTER_SUBMISSION_HEAD) -> (access.submissionHead & access.mask).asBits.resize(32),
    U(REGISTER_COMPLETION_TAIL) -> (access.completionTail & access.mask).asBits.resize(32),
    U(REGISTER_WEIGHT) -> ofQueue(io.weights, access.queue).asBits.resize(32),
    default -> B(0, 32 bits))
}
