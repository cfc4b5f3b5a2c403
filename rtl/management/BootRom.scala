// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface.CORE_ROM_BYTES
import spinal.core._

/** The boot ROM: what `file` holds when the Verilog is read, a word a line; nothing if it has no name. `data` follows `address`
  * by a cycle, `fetched` `fetchAddress`.
  */
class BootRom(file: String) extends BlackBox {
  setDefinitionName("boot_rom")
  addGeneric("FILE", file)
  val io = new Bundle {
    val clk = in Bool ()
    val address, fetchAddress = in UInt (log2Up(CORE_ROM_BYTES / 4) bits)
    val data, fetched = out Bits (32 bits)
  }
  noIoPrefix()
  mapClockDomain(clock = io.clk)
  setInlineVerilog(
    s"""module boot_rom #(parameter FILE = "boot_rom.hex") (
       |  input wire clk, input wire [${log2Up(CORE_ROM_BYTES / 4) - 1}:0] address, fetchAddress, output reg [31:0] data, fetched);
       |  reg [31:0] words [0:${CORE_ROM_BYTES / 4 - 1}];
       |  generate if (FILE != "") begin : contents initial $$readmemh(FILE, words); end endgenerate
       |  always @(posedge clk) data <= words[address];
       |  always @(posedge clk) fetched <= words[fetchAddress];
       |endmodule
       |""".stripMargin)
}
