// SPDX-License-Identifier: Apache-2.0
// weighted_turns_small: three queues, whatever waits, is enabled or not, and whatever weights they have and however these change: one
// queue at most is chosen, one that waits and whose turn it may be; none is chosen for two cycles at most while one waits; and a queue
// that waits is chosen after (MAX_WEIGHT + 1) x 2 commands of enabled queues beside it at most, MAX_WEIGHT + 1 of each.
module properties (
  input       clk,
  input [2:0] arrives,     // a queue has something to wait for
  input [2:0] emptied,     // what was taken from it was its last
  input [2:0] enabled_now,
  input [3:0] weight_0, weight_1, weight_2,
  input       room,        // somebody takes what is chosen
  input [1:0] which        // the queue to watch
);
  parameter MAX_WEIGHT = 15;

  reg started = 0;
  reg [1:0] watched;
  always @(posedge clk) begin
    started <= 1;
    if (!started) watched <= which == 3 ? 0 : which;
  end

  // As WaitingCommands has it: what is taken may have been the last, which is known a cycle later, and nothing is taken then.
  reg [2:0] waiting = 0, taken = 0;
  wire [2:0] chosen;
  wire take = started && chosen != 0 && taken == 0 && room;
  always @(posedge clk) begin
    waiting <= waiting & ~(emptied & taken) | arrives;
    taken <= take ? chosen : 0;
  end
  wire [2:0] enabled = enabled_now | (3'd1 << watched);
  wire [2:0] asks = waiting & ~taken;

  // Registers keep weights within 1 to MAX_WEIGHT.
  weighted_turns_small turns (
    .clk(clk), .reset(!started), .io_waiting(waiting), .io_enabled(enabled),
    .io_weights_0(weight_0 == 0 ? 4'd1 : weight_0), .io_weights_1(weight_1 == 0 ? 4'd1 : weight_1),
    .io_weights_2(weight_2 == 0 ? 4'd1 : weight_2), .io_take(take), .io_chosen(chosen)
  );

  // Turns of each enabled queue since the watched one waits and has not been chosen.
  reg [4:0] turns_0 = 0, turns_1 = 0, turns_2 = 0;
  wire served = take && chosen[watched] || !asks[watched];
  reg [1:0] idle = 0;   // cycles for which one waits and none is chosen
  always @(posedge clk) begin
    turns_0 <= served ? 0 : turns_0 + (take && chosen[0] && enabled[0]);
    turns_1 <= served ? 0 : turns_1 + (take && chosen[1] && enabled[1]);
    turns_2 <= served ? 0 : turns_2 + (take && chosen[2] && enabled[2]);
    idle <= asks != 0 && chosen == 0 ? idle + 1 : 0;
  end

  always @(posedge clk) if (started) begin
    one: assert ((chosen & (chosen - 1)) == 0);
    waits: assert ((chosen & ~waiting) == 0);
    works: assert (idle <= 2);
    starves: assert (turns_0 <= MAX_WEIGHT + 1 && turns_1 <= MAX_WEIGHT + 1 && turns_2 <= MAX_WEIGHT + 1);
  end
endmodule
