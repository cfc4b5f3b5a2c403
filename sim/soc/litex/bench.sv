// SPDX-License-Identifier: Apache-2.0
// A clock for LiteX's system, and what leaves by its serial line on the screen, until the program sends a 0. Its reset is its own, as on a board.
`default_nettype none
`timescale 1ns/1ps

module bench #(parameter BIT = 4); // cycles of a bit on the serial line
  localparam PATIENCE = 10_000_000; // cycles; the program takes one to four millions

  logic clk = 0;
  always #2 clk = ~clk;

  wire line;
  soc soc (.clock(clk), .restart(1'b0), .transmit(line));

  int         cycles = 0, left = 0, bits = 0; // bits that are to come of a character, its stop bit the last
  logic [7:0] character;
  always @(posedge clk) begin
    cycles <= cycles + 1;
    if (bits == 0) begin
      if (!line) begin
        bits <= 9;
        left <= BIT + BIT / 2 - 1;
      end
    end else if (left != 0) left <= left - 1;
    else begin
      bits <= bits - 1;
      left <= BIT - 1;
      if (bits != 1) character <= {line, character[7:1]};
      else if (!line) $fatal(1, "litex: a character without a stop bit");
      else if (character != 0) $write("%c", character);
      else begin
        $display("%0d cycles", cycles);
        $finish;
      end
    end
    if (cycles == PATIENCE) $fatal(1, "litex: the program has not ended in %0d cycles", PATIENCE);
  end
endmodule
`default_nettype wire
