// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** Half a beat of RQ. */
case class RequestHalf() extends Bundle {
  val data = Bits(Tlp.HALF_BITS bits)
  val starts, ends = Bool() // a TLP does
  val lastDword = UInt(3 bits) // if it ends
  val firstEnables, lastEnables = Bits(4 bits) // these and the next: if it starts
  val sequence = UInt(6 bits)
}

/** Puts requests onto the RQ of a block of 64 bytes a cycle: two halves of 32 bytes a beat.
  *
  * A TLP's first half holds its descriptor and four dwords of payload, each other one eight. So a line brings two halves,
  * the last of a TLP up to three; a half too many waits for the next line, and two too many make the line wait. No half
  * stays empty while requests stand in a row. Latency 1 cycle.
  */
case class RequestStraddler(count: Int) extends RequestSender(count, Tlp.BEAT_BYTES) {
  private val line = turns.out
  private val areMore = CountOne(io.requests.map(_.valid)) > 1
  private val isFirst = RegNextWhen(line.last, line.fire) init True
  private val carried = RegNextWhen(line.data(511 downto 384), line.fire)

  // The halves of this line.
  private val fresh = Vec(RequestHalf(), 3)
  private val reaches = Seq(True, turns.ofChosen(_.dwords > 4), turns.ofChosen(_.dwords > 12)) // if it is the last
  fresh(0).data := line.data(127 downto 0) ## (isFirst ? line.descriptor | carried)
  fresh(1).data := line.data(383 downto 128)
  fresh(2).data := line.data(511 downto 384).resized
  for ((half, index) <- fresh.zipWithIndex) {
    half.starts := (if (index == 0) isFirst else False)
    half.ends := line.last && reaches(index) && (if (index == 2) True else !reaches(index + 1))
    half.lastDword := (line.dwords + 3).resized
    half.firstEnables := line.firstEnables
    half.lastEnables := line.lastEnables
    half.sequence := line.sequence
  }
  private val isOne = turns.ofChosen(line => line.last && line.dwords <= 4)
  private val isThree = turns.ofChosen(line => line.last && line.dwords > 12)

  // Those that were too many before.
  private val kept = Vec.fill(2)(Reg(RequestHalf()))
  private val keptOne, keptTwo = RegInit(False)
  private val anyKept = keptOne || keptTwo

  // A TLP of one half waits for company that is already there.
  private val holds = areMore && !anyKept && isOne && isFirst
  private val paired = Stream(Vec(Flow(RequestHalf()), 2))
  paired.valid := !holds && (keptTwo || line.valid || keptOne && kept(0).ends)
  paired.payload(0).valid := True
  paired.payload(0).payload := anyKept ? kept(0) | fresh(0)
  paired.payload(1).valid := keptTwo || line.valid && (keptOne || !isOne)
  paired.payload(1).payload := keptTwo ? kept(1) | (keptOne ? fresh(0) | fresh(1))
  line.ready := !keptTwo && (paired.ready || holds)

  when(line.fire) {
    keptOne := Mux(keptOne, !isOne && !isThree, isThree || holds)
    keptTwo := keptOne && isThree
    kept(0) := keptOne ? fresh(1) | (isThree ? fresh(2) | fresh(0))
    kept(1) := fresh(2)
  } elsewhen (paired.fire) {
    keptOne := False
    keptTwo := False
  }

  private val staged = paired.s2mPipe()
  private val beat = staged.m2sPipe()
  stalled := beat.isStall
  io.idle := !anyKept && !staged.valid && !beat.valid
  private val low = beat.payload(0).payload
  private val high = beat.payload(1).payload
  private val highStarts = beat.payload(1).valid && high.starts
  private val highEnds = beat.payload(1).valid && high.ends
  io.block.tvalid := beat.valid
  beat.ready := io.block.tready
  io.block.tdata := high.data ## low.data
  io.block.tkeep.setAll()
  io.block.tlast := False
  // Marks and what goes with them: of the TLP that starts or ends first, then of the second one.
  io.block.tuser := 0
  private def pair[T <: Data](isLow: Bool, value: RequestHalf => T): Bits = value(high).asBits ## (isLow ? value(low) | value(high)).asBits
  io.block.tuser(7 downto 0) := pair(low.starts, _.firstEnables)
  io.block.tuser(15 downto 8) := pair(low.starts, _.lastEnables)
  io.block.tuser(21 downto 20) := (low.starts && highStarts) ## (low.starts || highStarts)
  io.block.tuser(25 downto 22) := B"10" ## !low.starts ## B"0" // dword / 4
  io.block.tuser(27 downto 26) := (low.ends && highEnds) ## (low.ends || highEnds)
  io.block.tuser(35 downto 28) := (B"1" ## high.lastDword) ## (low.ends ? (B"0" ## low.lastDword) | (B"1" ## high.lastDword))
  io.block.tuser(72 downto 61) := pair(low.starts, _.sequence)
}
