// SPDX-License-Identifier: Apache-2.0
// A memory of the core. A chip that has memories of its own, with ECC or self-test, defines PAGEPRESS_MEMORY and brings a module of this name:
//   read_data   the word, a cycle after read_enable, until the next one; of a word that is written in the read's cycle the old one when
//               READ_FIRST is 1, else anything
//   control     the core's memory_control, the same for all: test modes, margins, retention
//   error       becomes the core's memory_error, with that of all others. The core itself does nothing with it
// Of several cores in one design the first brings it.
`ifndef PAGEPRESS_MEMORY
`define PAGEPRESS_MEMORY
module pagepress_memory #(
  parameter WORDS = 2,
  parameter WIDTH = 1,
  parameter ADDRESS_WIDTH = 1,
  parameter READ_FIRST = 1,
  parameter CONTROL = 1
) (
  input  wire                     write_clk,
  input  wire                     write_enable,
  input  wire [ADDRESS_WIDTH-1:0] write_address,
  input  wire [WIDTH-1:0]         write_data,
  input  wire                     read_clk,
  input  wire                     read_enable,
  input  wire [ADDRESS_WIDTH-1:0] read_address,
  output reg  [WIDTH-1:0]         read_data,
  input  wire [CONTROL-1:0]       control,
  output wire                     error
);
  reg [WIDTH-1:0] words [0:WORDS-1];
  always @(posedge write_clk) if (write_enable) words[write_address] <= write_data;
  always @(posedge read_clk) if (read_enable) read_data <= words[read_address];
  assign error = 1'b0;
endmodule
`endif
