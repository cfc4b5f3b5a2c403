// SPDX-License-Identifier: Apache-2.0
// Clock and reset for LiteX's system, and its console on the screen, until the program writes a 0 there.
`default_nettype none
`timescale 1ns/1ps

module bench;
  localparam PATIENCE = 5_000_000; // cycles; the program takes about a million

  logic clk = 0, reset = 1;
  always #2 clk = ~clk;

  wire       console_valid, ended;
  wire [7:0] console_character;
  soc soc (.sys_clk(clk), .sys_rst(reset), .sim_trace(1'b0), .console_valid(console_valid), .console_character(console_character), .ended(ended));

  int cycles = 0;
  always @(posedge clk) begin
    cycles <= cycles + 1;
    reset <= cycles < 20;
    if (console_valid && !ended) $write("%c", console_character);
    if (ended) begin
      $display("%0d cycles", cycles);
      $finish;
    end
    if (cycles == PATIENCE) $fatal(1, "litex: the program has not ended in %0d cycles", PATIENCE);
  end
endmodule
`default_nettype wire
