// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.{ColdFormat, Interface}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** What the registers say of the card as a whole. */
case class CardState() extends Bundle {
  val enabled = Bool() // CONTROL.ENABLE
  val ready = Bool() // STATUS.READY
  val stopped = Bool() // STATUS.FATAL
}

/** BAR0: decodes AXI4-Lite, holds the card's own registers, passes the queues' through.
  *
  * One access at a time: a write is answered 3 cycles after address and data, a read 5 cycles after its address. Writes of
  * a PUSH window go through one a cycle, each answered in the next.
  * Writes with a byte strobe missing are ignored (the interface knows 32-bit accesses only); all are answered OKAY.
  * CONTROL.ENABLE can be set only while READY is 0, so that a card always stops fully before it starts again.
  *
  * `quiet`  no queue is active and nothing moves: READY may fall
  * `fatal`  stop the card for this cause
  */
case class RegisterFile(config: QueueConfig) extends Component {
  import Interface._
  import config._

  val io = new Bundle {
    val s_axi = slave(AxiLite4(AxiLite4Config(addressWidth = log2Up(BAR0_BYTES), dataWidth = 32)))
    val card = out(CardState())
    val working = in Bool () // commands are in flight
    val quiet = in Bool ()
    val fatal = slave(Flow(Bits(32 bits)))
    val queuesCleared = in Bool () // accesses may be taken
    val queueAccessed = out UInt (queueWidth bits) // stands from the cycle before the access to one of the queues on
    val queueWrite = master(Flow(RegisterWrite()))
    val submissionDoorbell, completionDoorbell = master(Flow(Bits(32 bits)))
    val push = master(Flow(OfQueue(config, PushWrite())))
    val queueOffset = out UInt (log2Up(QUEUE_STRIDE) bits)
    val queueData = in Bits (32 bits) // two cycles after queueOffset
    val counterWord = out UInt (log2Up(2 * COUNTER_COUNT) bits)
    val counterData = in Bits (32 bits) // two cycles after counterWord
    val busy = out Bool () // an access is being served
  }

  object Step extends SpinalEnum { val IDLE, DECODE, WRITE, LOOK, COLLECT, CHOOSE, READ_DONE, WRITE_DONE = newElement() }
  private val step = RegInit(Step.IDLE)
  private val address = Reg(UInt(log2Up(BAR0_BYTES) bits)) init 0
  private val data = Reg(Bits(32 bits)) init 0
  private val whole = RegInit(False)
  private val preferRead = RegInit(False) // takes turns when both kinds wait

  // Decoding, from the registered address; known one cycle after it.
  /** In one of `count` blocks of `stride` bytes; the space for them is so large that its addresses share their upper bits. */
  private def within(base: Int, stride: Int, count: Int, space: Int): Bool = {
    require(isPow2(space) && isPow2(stride) && base % space == 0 && stride * count <= space)
    val (top, bottom) = (log2Up(space), log2Up(stride))
    val present = if (count * stride == space) True else address(top - 1 downto bottom) < count
    RegNext((address >> top) === base >> top && present) init False
  }
  private val inCard = within(CARD_BASE, stride = 4, count = (COUNTER_BASE - CARD_BASE) / 4, space = COUNTER_BASE - CARD_BASE)
  private val inCounters = within(COUNTER_BASE, stride = 8, count = COUNTER_COUNT, space = COUNTER_BASE)
  private val inQueues = within(QUEUE_BASE, QUEUE_STRIDE, queuePairs, space = QUEUE_STRIDE * MAX_QUEUE_PAIRS)
  private val inDoorbells = within(DOORBELL_BASE, DOORBELL_STRIDE, queuePairs, space = DOORBELL_STRIDE * MAX_QUEUE_PAIRS)
  private val offset = (address(log2Up(QUEUE_STRIDE) - 1 downto 2) @@ U(0, 2 bits))
  private val queue = address(log2Up(QUEUE_STRIDE), log2Up(MAX_QUEUE_PAIRS) bits)
  private val doorbellQueue = address(log2Up(DOORBELL_STRIDE), log2Up(MAX_QUEUE_PAIRS) bits)
  private val doorbellSpace = DOORBELL_STRIDE * MAX_QUEUE_PAIRS
  io.queueAccessed := Mux((address >> log2Up(doorbellSpace)) === DOORBELL_BASE / doorbellSpace, doorbellQueue, queue).resized
  private val doorbellOffset = address(log2Up(DOORBELL_STRIDE) - 1 downto 2) @@ U(0, 2 bits)

  // The card's registers.
  val card = new Area {
    val enable, ready, fatal = RegInit(False)
    val cause = Reg(Bits(32 bits)) init FATAL_NONE
    val quiet = RegNext(io.quiet) init False
    val settled = RegNext(!enable) init False // the queues have seen the disable

    val write = step === Step.WRITE && whole && inCard && address(7 downto 2) === REGISTER_CONTROL / 4
    when(enable)(ready := True)
    when(!enable && settled && quiet)(ready := False)
    when(io.fatal.valid && enable && !fatal) {
      fatal := True
      cause := io.fatal.payload
    }
    when(write) {
      when(!data(CONTROL_ENABLE_SHIFT))(enable := False)
      when(data(CONTROL_ENABLE_SHIFT) && !ready)(enable := True)
    }
    when(!enable) {
      fatal := False
      cause := FATAL_NONE
    }

    val status = B(0, 32 bits)
    status(STATUS_READY_SHIFT) := ready
    status(STATUS_FATAL_SHIFT) := fatal
    status(STATUS_BUSY_SHIFT) := io.working
    val capabilities = (1 << CAPABILITIES_PUSH_SHIFT) | (1 << CAPABILITIES_WEIGHTS_SHIFT) | (pageShift << CAPABILITIES_PAGE_SHIFT_SHIFT) |
      (queuePairs << CAPABILITIES_QUEUE_PAIRS_SHIFT) | (maxDepthLog2 << CAPABILITIES_MAX_DEPTH_LOG2_SHIFT) |
      (if (coldFormat) ColdFormat.TABLES_VERSION << CAPABILITIES_COLD_TABLES_SHIFT else 0)
    val engines = (compressors << ENGINES_COMPRESSORS_SHIFT) |
      (decompressors << ENGINES_DECOMPRESSORS_SHIFT) | (busBytes << ENGINES_STREAM_BYTES_SHIFT)
    def constant(value: BigInt): Bits = B(value & BigInt("ffffffff", 16), 32 bits)
    val word = RegNext((address(7 downto 2) @@ U(0, 2 bits)).mux(
      U(REGISTER_MAGIC) -> constant(MAGIC_VALUE),
      U(REGISTER_VERSION) -> constant(VERSION_VALUE),
      U(REGISTER_HASH_LOW) -> constant(HASH_LOW_VALUE),
      U(REGISTER_HASH_HIGH) -> constant(HASH_HIGH_VALUE),
      U(REGISTER_CAPABILITIES) -> constant(capabilities),
      U(REGISTER_ENGINES) -> constant(engines),
      U(REGISTER_CLOCK) -> constant(clockKilohertz),
      U(REGISTER_CONTROL) -> (enable.asBits.resize(32) |<< CONTROL_ENABLE_SHIFT),
      U(REGISTER_STATUS) -> status,
      U(REGISTER_FATAL_CAUSE) -> cause,
      default -> B(0, 32 bits)))
  }
  io.card.enabled := card.enable
  io.card.ready := card.ready
  io.card.stopped := card.fatal

  // Pass-through.
  private val writing = step === Step.WRITE && whole
  io.queueWrite.valid := writing && inQueues
  io.queueWrite.offset := offset
  io.queueWrite.data := data
  for ((doorbell, at) <- Seq(io.submissionDoorbell -> REGISTER_SUBMISSION_TAIL, io.completionDoorbell -> REGISTER_COMPLETION_HEAD)) {
    doorbell.valid := writing && inDoorbells && doorbellOffset === at
    doorbell.payload := data
  }
  private val pushSpace = PUSH_STRIDE * MAX_QUEUE_PAIRS
  require(PUSH_BASE % pushSpace == 0, "the windows for pushed entries share the upper bits of their addresses")
  require(PUSH_STRIDE == QUEUE_STRIDE, "a window for pushed entries is as large as a queue's block")
  private val forPush = (io.s_axi.aw.addr >> log2Up(pushSpace)) === PUSH_BASE / pushSpace
  private val pushTaken = RegInit(False) // in the last cycle
  private val pushOpen = RegInit(False) // not answered yet
  private val isPresent = if (queuePairs == MAX_QUEUE_PAIRS) True else queue < queuePairs
  io.push.valid := pushTaken && whole && isPresent
  io.push.queueIndex := queue.resized
  io.push.value.offset := offset
  io.push.value.data := data
  io.queueOffset := offset
  io.counterWord := ((address - COUNTER_BASE) >> 2).resized
  private val answer = Reg(Bits(32 bits)) init 0

  // One access at a time.
  private val mayTake = step === Step.IDLE && io.queuesCleared
  private val canWrite = io.s_axi.aw.valid && io.s_axi.w.valid && (!pushOpen || io.s_axi.b.ready)
  private val takeWrite = mayTake && canWrite && !(preferRead && io.s_axi.ar.valid)
  private val takeRead = mayTake && io.s_axi.ar.valid && !takeWrite
  io.s_axi.aw.ready := takeWrite
  io.s_axi.w.ready := takeWrite
  io.s_axi.ar.ready := takeRead
  pushTaken := takeWrite && forPush
  pushOpen := takeWrite && forPush || pushOpen && !io.s_axi.b.ready
  when(takeWrite) {
    address := io.s_axi.aw.addr
    data := io.s_axi.w.data
    whole := io.s_axi.w.strb.andR
    preferRead := True
    when(!forPush)(step := Step.DECODE)
  }
  when(takeRead) {
    address := io.s_axi.ar.addr
    preferRead := False
    step := Step.LOOK
  }
  switch(step) {
    is(Step.DECODE)(step := Step.WRITE)
    is(Step.WRITE)(step := Step.WRITE_DONE)
    is(Step.WRITE_DONE)(when(io.s_axi.b.ready)(step := Step.IDLE))
    is(Step.LOOK)(step := Step.COLLECT) // counters pick one, the queue is looked at
    is(Step.COLLECT)(step := Step.CHOOSE) // one of its registers is picked
    is(Step.CHOOSE) {
      answer := 0
      when(inCard)(answer := card.word)
      when(inCounters)(answer := io.counterData)
      when(inQueues)(answer := io.queueData)
      step := Step.READ_DONE
    }
    is(Step.READ_DONE)(when(io.s_axi.r.ready)(step := Step.IDLE))
  }
  io.s_axi.b.valid := step === Step.WRITE_DONE || pushOpen
  io.s_axi.b.resp := 0
  io.s_axi.r.valid := step === Step.READ_DONE
  io.s_axi.r.data := answer
  io.s_axi.r.resp := 0
  io.busy := step =/= Step.IDLE || pushOpen || pushTaken

  AxiLite4SpecRenamer(io.s_axi)
}
