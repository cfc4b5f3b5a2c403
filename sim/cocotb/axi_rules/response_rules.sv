// SPDX-License-Identifier: Apache-2.0
// The write responses of one AXI id: one a burst, and none before the burst's address and its last beat were taken.
module response_rules #(
  parameter MOST_WRITES = 64,       // without a response; the manager's promise
  parameter ASSUME_SUBORDINATE = 0
) (
  input clk, reset,
  input begun,                      // an address of this id is taken
  input whole,                      // and now all of a burst of this id
  input offered, taken              // a response of this id
);
  localparam BITS = $clog2(MOST_WRITES) + 1;
  reg [BITS-1:0] open = 0, owed = 0;
  always @(posedge clk)
    if (reset) begin
      open <= 0;
      owed <= 0;
    end else begin
      open <= open + begun - taken;
      owed <= owed + whole - taken;
    end

  wire due = reset || !offered || owed != 0;
  always @(posedge clk) begin
    if (ASSUME_SUBORDINATE) begin
      assume (due);
    end else begin
      response_before_the_last_beat: assert (due);
    end
    too_many_writes: assert (reset || !begun || open != MOST_WRITES);
  end
endmodule
