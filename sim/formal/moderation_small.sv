// SPDX-License-Identifier: Apache-2.0
// moderation_small: for every limit, every coming and going of completions and every order of visits to two queues: the level of each
// rises only behind a visit that found some, it stays until the acknowledgement, an acknowledgement lowers it, and when a visit finds enough it
// is up. `count` and `cycles` stay as they are while the queue is enabled, as the queue's set-up does. A small shape of moderation, the same Scala.
module properties (
  input        clk,
  input        enable, enable_other, begins, begun_queue, visited, visited_queue,
  input [2:0]  waiting,
  input [15:0] count_chosen, cycles_chosen, count_other, cycles_other
);
  wire [1:0] levels;
  wire level = levels[0], timing;
  reg started = 0;
  reg [15:0] count, cycles;
  always @(posedge clk) begin
    started <= 1;
    if (!started || !enable) {count, cycles} <= {count_chosen, cycles_chosen};
  end

  moderation_small moderation (
    .clk(clk), .reset(!started), .io_enabled({enable_other && started, enable && started}),
    .io_visit_valid(visited && started), .io_visit_payload_queueIndex(visited_queue), .io_visit_payload_waiting(waiting),
    .io_visit_payload_count(visited_queue ? count_other : count), .io_visit_payload_cycles(visited_queue ? cycles_other : cycles),
    .io_begin_valid(begins && started), .io_begin_payload(begun_queue), .io_level(levels), .io_timing(timing)
  );

  // Of queue 0; the other one may do what it likes.
  wire begun = started && begins && !begun_queue;
  wire visit = started && visited && !visited_queue;
  reg was = 0, lowered = 0, stopped = 1, found = 0, enough = 0, stirs = 0;
  always @(posedge clk) begin
    was <= level;
    lowered <= begun;
    stopped <= !started || !enable;
    found <= visit && waiting != 0 && !begun;
    enough <= visit && waiting != 0 && {13'd0, waiting} >= count && enable && !begun;
    stirs <= visit && waiting != 0 && enable && !level;
  end
  reg found_before = 0, told = 0;
  always @(posedge clk) begin
    found_before <= found && !begun;
    told <= enough && started && enable && !begun;
  end

  always @(posedge clk) if (started) begin
    acknowledged: assert (!(lowered || stopped) || !level);
    stays: assert (!was || level || lowered || stopped);
    reason: assert (!level || was || found_before);
    tells: assert (!told || level);
    ticks: assert (!stirs || timing);
  end
endmodule
