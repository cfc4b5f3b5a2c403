// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._

object MixedStreams {
  /** `streams`, each of which waits to be told whether it is of the cold format, by one element of `formats`; `cold` says it with its words. */
  def told(streams: Stream[Fragment[PackedBytes]], formats: Stream[Bool], cold: Bool): Stream[Fragment[PackedBytes]] = {
    val told = streams.continueWhen(formats.valid)
    formats.ready := told.fire && told.last
    cold := formats.payload
    told
  }
}
