// SPDX-License-Identifier: Apache-2.0
// moderation: for every limit and every coming and going of completions: the level rises only while some wait and only for a
// reason, it stays until the acknowledgement, an acknowledgement lowers it for some cycles, and when enough wait for long
// enough it is up. `count` and `cycles` stay as they are while the queue is enabled, as the queue's set-up does.
module properties (
  input        clk,
  input        enable, acknowledge,
  input [9:0]  waiting,
  input [15:0] count_chosen, cycles_chosen
);
  parameter SETTLING = 4;
  parameter LATENCY = 2;

  wire level, timing;
  reg started = 0;
  reg [15:0] count, cycles;
  always @(posedge clk) begin
    started <= 1;
    if (!started || !enable) {count, cycles} <= {count_chosen, cycles_chosen};
  end

  moderation moderation (
    .clk(clk), .reset(!started), .io_enable(enable && started), .io_count(count), .io_cycles(cycles), .io_waiting(waiting),
    .io_acknowledge(acknowledge), .io_level(level), .io_timing(timing)
  );

  reg was = 0, lowered = 0, stopped = 0;
  reg [2:0] since = 7;         // cycles since the level was lowered from outside, or the queue disabled
  reg [2:0] enough = 0;        // cycles for which as many have waited as the limit says
  wire reached = waiting != 0 && {6'd0, waiting} >= count;
  always @(posedge clk) begin
    was <= level;
    lowered <= started && acknowledge;
    stopped <= !started || !enable;
    since <= !started ? 7 : (!enable || acknowledge) ? 0 : since + !(&since);
    enough <= (started && enable && !acknowledge && reached) ? enough + !(&enough) : 0;
  end

  always @(posedge clk) if (started) begin
    acknowledged: assert (!(lowered || stopped) || !level);
    stays: assert (!was || level || lowered || stopped);
    rests: assert (!level || was || since >= SETTLING);
    tells: assert (!(enough > SETTLING + LATENCY) || level);
    ticks: assert (!(enable && waiting != 0 && !level) || timing);
  end
endmodule
