// SPDX-License-Identifier: Apache-2.0
// burst_arbiter: each request is granted once, to its own port and in the port's order; a grant that is not taken stays as it
// is; and no port waits for more than so many bursts of others. The last address bit stands for the whole burst.
module properties (
  input       clk,
  input [3:0] valid,
  input [3:0] tag,
  input       taken,   // granted_ready
  input [1:0] which    // the port to watch
);
  // Bursts of others between a request and its grant: two may have been on their way; an ordinary port then sees the
  // other ordinary port once and each time `patience` urgent bursts before.
  parameter URGENT_BOUND = 5;
  parameter ORDINARY_BOUND = 12;

  wire [3:0] ready;
  wire granted;
  wire [1:0] port;
  wire [63:0] address;
  reg started = 0;
  reg [1:0] watched;
  always @(posedge clk) begin
    started <= 1;
    if (!started) watched <= which;
  end

  burst_arbiter arbiter (
    .clk(clk), .reset(!started),
    .io_requests_0_valid(valid[0]), .io_requests_0_ready(ready[0]),
    .io_requests_0_payload_address({63'd0, tag[0]}), .io_requests_0_payload_beats(6'd1),
    .io_requests_1_valid(valid[1]), .io_requests_1_ready(ready[1]),
    .io_requests_1_payload_address({63'd0, tag[1]}), .io_requests_1_payload_beats(6'd1),
    .io_requests_2_valid(valid[2]), .io_requests_2_ready(ready[2]),
    .io_requests_2_payload_address({63'd0, tag[2]}), .io_requests_2_payload_beats(6'd1),
    .io_requests_3_valid(valid[3]), .io_requests_3_ready(ready[3]),
    .io_requests_3_payload_address({63'd0, tag[3]}), .io_requests_3_payload_beats(6'd1),
    .io_granted_valid(granted), .io_granted_ready(taken),
    .io_granted_payload_burst_address(address), .io_granted_payload_burst_beats(),
    .io_granted_payload_port(port)
  );

  // What the watched port has asked and not been granted: at most one burst waits and one stands granted.
  wire asks = started && valid[watched] && ready[watched];
  wire grant = started && granted && taken;
  wire mine = grant && port == watched;
  reg [1:0] open = 0;
  reg [1:0] tags = 0;      // oldest lowest
  reg [4:0] others = 0;    // granted to others while a request of the watched port waits
  reg stalled = 0;
  reg [2:0] held = 0;
  wire [1:0] left = open - mine;

  always @(posedge clk) begin
    open <= left + asks;
    if (mine) tags <= tags >> 1;
    if (asks) tags[left[0]] <= tag[watched];
    others <= (open == 0 || mine) ? 0 : others + grant;
    stalled <= started && granted && !taken;
    held <= {port, address[0]};
  end

  always @(posedge clk) if (started) begin
    invented: assert (!(granted && port == watched) || open != 0);
    overflow: assert (open <= 2);
    order: assert (!mine || address[0] == tags[0]);
    stable: assert (!stalled || granted && {port, address[0]} == held);
    starves: assert (others <= (watched[0] ? ORDINARY_BOUND : URGENT_BOUND));
  end
endmodule
