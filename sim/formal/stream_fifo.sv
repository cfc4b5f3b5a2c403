// SPDX-License-Identifier: Apache-2.0
// stream_fifo: what comes out is what went in, in that order, nothing is lost, and never more is in than there is room.
// One item, chosen freely, is followed through the queue; as any item may be the one, all of them are covered.
module properties (
  input       clk,
  input       push_valid,
  input [1:0] push_payload,
  input       pop_ready,
  input       follow // choose the next item pushed, once
);
  parameter PLACES = 4;   // items it holds
  parameter LATENCY = 2;  // cycles after which the oldest item is offered

  wire push_ready, pop_valid;
  wire [1:0] pop_payload;
  reg started = 0;
  always @(posedge clk) started <= 1;

  stream_fifo fifo (
    .clk(clk), .reset(!started), .io_flush(1'b0), .io_occupancy(), .io_availability(),
    .io_push_valid(push_valid), .io_push_ready(push_ready), .io_push_payload(push_payload),
    .io_pop_valid(pop_valid), .io_pop_ready(pop_ready), .io_pop_payload(pop_payload)
  );

  wire push = started && push_valid && push_ready;
  wire pop = started && pop_valid && pop_ready;
  reg [3:0] inside = 0;    // items pushed and not popped
  reg followed = 0, gone = 0;
  reg [3:0] ahead = 0;     // items that leave before the followed one
  reg [1:0] expected = 0;
  reg [2:0] hidden = 0;    // cycles in which something is inside and nothing is offered
  reg stalled = 0;
  reg [1:0] offered = 0;

  always @(posedge clk) begin
    inside <= inside + push - pop;
    if (push && follow && !followed) begin
      followed <= 1;
      ahead <= inside - pop;
      expected <= push_payload;
    end else if (followed && !gone && pop) begin
      ahead <= ahead - 1;
      gone <= ahead == 0;
    end
    hidden <= (inside != 0 && !pop_valid) ? hidden + 1 : 0;
    stalled <= started && pop_valid && !pop_ready;
    offered <= pop_payload;
  end

  always @(posedge clk) if (started) begin
    overflow: assert (inside <= PLACES);
    invented: assert (!pop_valid || inside != 0);
    order: assert (!(pop && followed && !gone && ahead == 0) || pop_payload == expected);
    hides: assert (hidden < LATENCY);
    room: assert (push_ready || inside == PLACES);
    stable: assert (!stalled || pop_valid && pop_payload == offered);
  end
endmodule
