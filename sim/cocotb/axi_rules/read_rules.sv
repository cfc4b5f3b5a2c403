// SPDX-License-Identifier: Apache-2.0
// The reads of one AXI id: data comes only for what was asked, in order, RLAST on a burst's last beat and on no other.
module read_rules #(
  parameter MOST_READS = 64,        // open at once, a power of two
  parameter MOST_BEATS = 1 << 16,   // asked for and not delivered; the manager's promise
  parameter ASSUME_SUBORDINATE = 0
) (
  input       clk, reset,
  input       asked,                // an address of this id is taken
  input [8:0] beats,                // of that burst
  input       offered, taken,       // a beat of this id
  input       last
);
  localparam PLACE = $clog2(MOST_READS);
  reg [8:0] lengths [0:MOST_READS-1];
  reg [PLACE-1:0] first = 0;
  reg [PLACE:0] open = 0;
  reg [8:0] done = 0;               // beats of the first that have been taken
  reg [16:0] owed = 0;              // beats of all that have not
  wire [PLACE-1:0] free = first + open[PLACE-1:0];
  wire ends = taken && last;

  always @(posedge clk)
    if (reset) begin
      first <= 0;
      open <= 0;
      done <= 0;
      owed <= 0;
    end else begin
      if (asked) lengths[free] <= beats;
      first <= first + ends;
      open <= open + asked - ends;
      owed <= owed + (asked ? beats : 9'd0) - taken;
      if (taken) done <= last ? 9'd0 : done + 9'd1;
    end

  wire was_asked = reset || !offered || open != 0;
  wire last_is_right = reset || !offered || open == 0 || last == (done + 9'd1 == lengths[first]);
  always @(posedge clk) begin
    if (ASSUME_SUBORDINATE) begin
      assume (was_asked);
      assume (last_is_right);
    end else begin
      read_data_that_nobody_asked_for: assert (was_asked);
      rlast_at_the_wrong_beat: assert (last_is_right);
    end
    too_many_reads: assert (reset || !asked || open != MOST_READS);
    too_many_beats_asked_for: assert (reset || !asked || owed + beats <= MOST_BEATS);
  end
endmodule
