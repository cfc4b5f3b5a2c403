// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core.Component
import pagepress.engine.decompressor.PageDecompressor

/** Blocks of this room that are generated and tested alone, by module name. */
object EngineBlocks {
  def all: Seq[(String, () => Component)] = Seq(
    "page_decompressor" -> (() => new PageDecompressor)
  )
}
