// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core.Component
import pagepress.engine.cold.{ColdCompressor, ColdDecompressor, ColdEncoder}
import pagepress.engine.compressor.{CompressorParameter, PageCompressor, StreamEncoder}
import pagepress.engine.decompressor.{DecompressorConfig, PageCopier, PageDecompressor, TokenParsers}

/** Blocks of this room that are generated and tested alone, by module name. */
object EngineBlocks {
  def all: Seq[(String, () => Component)] = Seq(
    "page_compressor" -> (() => new PageCompressor),
    // As lanes have them that are made with smaller engines.
    "page_compressor_w4" -> (() => new PageCompressor(CompressorParameter.of(EngineConfig(compressorBytes = 4)))),
    "page_compressor_w8" -> (() => new PageCompressor(CompressorParameter.of(EngineConfig(compressorBytes = 8)))),
    "page_compressor_64k" -> (() => new PageCompressor(
      CompressorParameter(EngineConfig(pageBytes = 65536), windowBytes = 8, banks = 16, rows = 64, tableOffsets = 2))),
    "stream_encoder" -> (() => new StreamEncoder(CompressorParameter())),
    "stream_encoder_w4" -> (() => new StreamEncoder(CompressorParameter(windowBytes = 4))),
    "page_decompressor" -> (() => new PageDecompressor(DecompressorConfig(EngineConfig(streamBytes = 32)))),
    "page_decompressor_d1x16" -> (() => new PageDecompressor(DecompressorConfig.of(EngineConfig(decompressorTokens = 1)))),
    "page_decompressor_64k" -> (() =>
      new PageDecompressor(DecompressorConfig(EngineConfig(pageBytes = 65536, streamBytes = 64)))),
    "page_copier" -> (() => new PageCopier(DecompressorConfig(EngineConfig(streamBytes = 32)))
      .setDefinitionName("page_copier")),
    "page_copier_tampered" -> (() => Tampered.pageCopier()),
    "page_copier_d1x16" -> (() => new PageCopier(DecompressorConfig(copyBytes = 16, tokens = 1)).setDefinitionName("page_copier_d1x16")),
    // For a proof.
    "token_parsers" -> (() => new TokenParsers(DecompressorConfig()).setDefinitionName("token_parsers")),
    "cold_compressor" -> (() => new ColdCompressor),
    "cold_encoder" -> (() => new ColdEncoder(CompressorParameter())),
    "cold_encoder_8k" -> (() => new ColdEncoder(CompressorParameter(EngineConfig(pageBytes = EngineConfig.COLD_PAGE_BYTES)))),
    "cold_decompressor" -> (() => new ColdDecompressor),
    "cold_decompressor_p1" -> (() => new ColdDecompressor(parsers = 1)),
    "crc32c" -> (() => new Crc32c(EngineConfig().streamBytes)),
    "compress_lane" -> (() => new CompressLane),
    "compress_lane_tampered" -> (() => Tampered.compressLane()),
    "compress_lane_tampered_w4" -> (() => Tampered.compressLane(compressorBytes = 4)),
    "compress_lane_cold" -> (() => new CompressLane(EngineConfig(coldFormat = true))),
    "compress_lane_cold_tampered" -> (() => Tampered.compressLane(coldFormat = true)),
    "decompress_lane" -> (() => new DecompressLane),
    "decompress_lane_tampered" -> (() => Tampered.decompressLane()),
    "decompress_lane_cold" -> (() => new DecompressLane(EngineConfig(coldFormat = true))),
    "decompress_lane_cold_tampered" -> (() => Tampered.decompressLane(coldFormat = true)),
    "stream_verifier" -> (() => new StreamVerifier(EngineConfig(), DecompressorConfig.of(EngineConfig()).copy(verifies = true))),
    "stream_verifier_tampered" -> (() => Tampered.streamVerifier()),
    "engine_guard" -> (() => new EngineGuard(EngineConfig(watchdogCycles = 50)))
  )
}
