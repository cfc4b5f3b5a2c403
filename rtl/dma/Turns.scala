// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import spinal.core._
import spinal.lib._

object Turns {
  /** One hot: the first of those `asking`, from the place on that `turn` says, one hot as well. Written out, as its carry
    * chain would be slower than all the rest.
    */
  def first(asking: Bits, turn: Bits): Bits = {
    val count = asking.getWidth
    (0 until count).map { port =>
      def before(places: Int): Int = (port - places + count) % count
      asking(port) && (0 until count).map(places => turn(before(places)) && !(1 to places).map(place => asking(before(place))).orR).orR
    }.asBits()
  }
}

/** One stream of several that take turns. A payload that `stays` keeps the turn for its stream, which must have the next one
  * at once. Nobody is held to what was offered and not taken. No latency.
  *
  * What is known of each payload can be looked up beside the choice, by `ofChosen`.
  */
case class Turns[T <: Data](requests: Seq[Stream[T]], stays: T => Bool) extends Area {
  private val count = requests.length
  private val asking = requests.map(_.valid).asBits()
  private val turn = Reg(Bits(count bits)) init 1 // one hot: who is asked first

  /** One hot: the first who asks, from the turn on. */
  val chosen: Bits = Turns.first(asking, turn)

  def ofChosen[U <: Data](value: T => U): U = MuxOH(chosen, requests.map(request => value(request.payload)))

  val out: Stream[T] = cloneOf(requests.head)
  out.valid := asking.orR
  out.payload := ofChosen(payload => payload)
  for ((request, index) <- requests.zipWithIndex) request.ready := out.ready && chosen(index)
  when(out.fire)(turn := stays(out.payload) ? chosen | chosen.rotateLeft(1))
}
