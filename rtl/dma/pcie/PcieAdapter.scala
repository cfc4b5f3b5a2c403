// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._
import spinal.lib.bus.amba4.axilite._

/** The ports of the UltraScale+ PCIE4 integrated block that a card uses, with the block's own names: wires of the same name
  * belong together. rtl/README.md says how the block is to be configured.
  *
  * @param bytes a cycle of its four streams
  */
case class BlockPorts(bytes: Int) extends Bundle with IMasterSlave {
  val m_axis_cq = BlockStream.cq(bytes)
  val s_axis_cc = BlockStream.cc(bytes)
  val s_axis_rq = BlockStream.rq(bytes)
  val m_axis_rc = BlockStream.rc(bytes)
  val pcie_cq_np_req = Bits(2 bits)
  val pcie_rq_seq_num0, pcie_rq_seq_num1 = UInt(6 bits)
  val pcie_rq_seq_num_vld0, pcie_rq_seq_num_vld1 = Bool()
  val pcie_tfc_nph_av = UInt(4 bits)
  val cfg_max_payload = UInt(2 bits)
  val cfg_max_read_req = UInt(3 bits)
  val cfg_function_status = Bits(16 bits)
  val cfg_interrupt_msix_enable, cfg_interrupt_msix_mask = Bits(4 bits)
  val cfg_flr_in_process, cfg_flr_done = Bits(4 bits)
  val cfg_mgmt = ConfigurationPort()

  /** As the card sees it. */
  override def asMaster(): Unit = {
    slave(m_axis_cq, m_axis_rc)
    master(s_axis_cc, s_axis_rq, cfg_mgmt)
    out(pcie_cq_np_req, cfg_flr_done)
    in(pcie_rq_seq_num0, pcie_rq_seq_num1, pcie_rq_seq_num_vld0, pcie_rq_seq_num_vld1, pcie_tfc_nph_av, cfg_max_payload,
      cfg_max_read_req, cfg_function_status, cfg_interrupt_msix_enable, cfg_interrupt_msix_mask, cfg_flr_in_process)
  }
}

/** Between a core and the PCIe block: BAR0 to the core's registers and the MSI-X table, AXI bursts to memory requests,
  * interrupt levels to messages.
  *
  * While bus mastering is off, and during a function-level reset, nothing new goes out: AXI bursts are answered SLVERR.
  * `restart` resets the core in the last part of a function-level reset, when no transfer is open.
  */
case class PcieAdapter(config: PcieConfig) extends Component {
  import config._

  val io = new Bundle {
    val block = master(BlockPorts(config.blockBytes))
    val m_axi = slave(Axi4(axi))
    val s_axi = master(AxiLite4(AxiLite4Config(addressWidth = log2Up(Interface.BAR0_BYTES), dataWidth = 32)))
    val interrupt = in Bits (vectors bits)
    val restart = out Bool ()
    val linkErrors = Option.when(counted)(out(LinkErrors()))
    val window = config.window.map(_ => master(RegisterPort())) // not reset by `restart`, which comes when no read of it is open
  }
  noIoPrefix()
  import io.block
  private val streams = BlockStreams.of(config.blockBytes)

  // The block's answers to one function; a reset or bus mastering off stops whatever has not begun.
  private val busMaster = RegNext(block.cfg_function_status(2)) init False
  private val functionReset = FunctionReset()
  functionReset.io.inProcess := block.cfg_flr_in_process(0)
  block.cfg_flr_done := functionReset.io.done.asBits.resized
  io.restart := functionReset.io.restart
  private val stop = RegNext(functionReset.io.stop || !busMaster) init True

  // Registers.
  private val access = CompleterAccess()
  access.io.request << streams.completerRequests(block.m_axis_cq)
  streams.completerCompletions(access.io.completion, block.s_axis_cc)
  access.io.hold := functionReset.io.hold
  functionReset.io.accessIdle := access.io.idle
  block.pcie_cq_np_req := 1
  private val extendedTags = ExtendedTags()
  block.cfg_mgmt <> extendedTags.io.configuration

  private val requests = new ResetArea(functionReset.io.restart, cumulative = true) {
    val router = RegisterRouter(window)
    router.io.registers <> access.io.registers
    router.io.core <> io.s_axi
    for ((port, inside) <- io.window.zip(router.io.window)) port <> inside
    val msix = MsixTable(vectors)
    msix.io.registers <> router.io.msix
    msix.io.levels := io.interrupt
    msix.io.enabled := RegNext(block.cfg_interrupt_msix_enable(0) && !block.cfg_interrupt_msix_mask(0) && !stop) init False

    // Reads.
    val tags = TagTable(config)
    tags.io.extended := extendedTags.io.enabled
    val reader = ReadRequester(config)
    reader.io.address << io.m_axi.ar
    reader.io.maximum := block.cfg_max_read_req
    reader.io.stop := stop
    reader.io.exhausted := tags.io.exhausted
    val credits = CompletionCredits(config)
    credits.io.asked << reader.io.asked
    credits.io.answer << tags.io.answer
    credits.io.answered := tags.io.answered
    reader.io.credit := (RegNext(block.pcie_tfc_nph_av =/= 0) init False) && credits.io.available
    reader.io.tag << tags.io.allocate
    val intake = CompletionIntake(config)
    val splitter = CompletionSplitter()
    splitter.io.block << streams.requesterCompletions(block.m_axis_rc)
    intake.io.completion << splitter.io.beat
    intake.io.asked << reader.io.asked
    intake.io.outstanding := tags.io.outstanding
    tags.io.ended << intake.io.ended
    val buffer = ReadBuffer(config)
    buffer.io.write << intake.io.write
    val returns = ReadReturn(config)
    returns.io.order << reader.io.order
    returns.io.answered := tags.io.answered
    returns.io.faulted := tags.io.faulted
    returns.io.answer << tags.io.answer
    buffer.io.read << returns.io.read
    returns.io.data := buffer.io.data
    tags.io.release << returns.io.release
    io.m_axi.r << returns.io.beat

    // Writes.
    val gather = WriteGather(config)
    gather.io.address << io.m_axi.aw
    gather.io.data << io.m_axi.w
    val writer = WriteRequester(config)
    writer.io.line << gather.io.line
    writer.io.maximum := block.cfg_max_payload
    writer.io.stop := stop
    val responses = WriteResponses(config)
    responses.io.begin << writer.io.begin
    responses.io.end << writer.io.end
    for ((flow, (number, valid)) <- responses.io.returned.zip(Seq(
           block.pcie_rq_seq_num0 -> block.pcie_rq_seq_num_vld0, block.pcie_rq_seq_num1 -> block.pcie_rq_seq_num_vld1))) {
      flow.valid := valid
      flow.payload := number
    }
    io.m_axi.b << responses.io.response
  }

  for (errors <- io.linkErrors; unexpected <- requests.intake.io.unexpected; overdue <- requests.tags.io.overdue)
    errors := LinkErrors.counting(
      completionFaulted = requests.intake.io.ended.valid && requests.intake.io.ended.fault && !requests.intake.io.ended.givenUp,
      readOverdue = overdue,
      writeFailed = io.m_axi.b.fire && io.m_axi.b.resp === Axi4.resp.SLVERR,
      completionUnexpected = unexpected)

  // One stream to the block. Its order is that of the link, so an interrupt comes after the entry it is about.
  private val sender = streams.requestSender(count = 3)
  private val message = Stream(Fragment(RequesterRequestLine()))
  // While the link stands still it waits where it can be withdrawn.
  message.arbitrationFrom(requests.msix.io.message.haltWhen(sender.io.stands))
  message.last := True
  message.descriptor := RequestDescriptor(requests.msix.io.message.address, U(1, 11 bits), write = true, tag = U(0, 8 bits))
  message.firstEnables := 0xf
  message.lastEnables := 0
  message.sequence := 0
  message.data := requests.msix.io.message.data.resized
  message.dwords := 1
  private val requesters = Seq(requests.writer.io.request, requests.reader.io.request, message)
  for ((port, requester) <- sender.io.requests.zip(requesters)) port << requester
  block.s_axis_rq <> sender.io.block
  functionReset.io.quiet := requests.returns.io.idle && requests.writer.io.idle && requests.responses.io.idle && sender.io.idle

  Axi4SpecRenamer(io.m_axi)
  AxiLite4SpecRenamer(io.s_axi)
}
