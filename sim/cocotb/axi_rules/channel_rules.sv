// SPDX-License-Identifier: Apache-2.0
// One channel of AXI: nothing is offered during a reset, and what is offered stands, valid and payload, until it is taken.
// ASSUME: the side that offers is not under test (in proofs).
module channel_rules #(
  parameter BITS = 1,
  parameter ASSUME = 0
) (
  input            clk, reset,
  input            valid, ready,
  input [BITS-1:0] payload
);
  reg known = 0;  // there was a reset
  reg was_reset = 0, waits = 0;
  reg [BITS-1:0] offered = 0;
  always @(posedge clk) begin
    known <= known || reset;
    was_reset <= reset;
    waits <= known && !reset && valid && !ready;
    offered <= payload;
  end

  wire quiet = !was_reset || !reset || !valid; // from its second cycle on
  wire stands = reset || !waits || valid;
  wire same = reset || !waits || payload == offered;
  always @(posedge clk)
    if (ASSUME) begin
      assume (quiet);
      assume (stands);
      assume (same);
    end else begin
      offered_during_a_reset: assert (quiet);
      valid_fell_before_ready: assert (stands);
      payload_changed_before_ready: assert (same);
    end
endmodule
