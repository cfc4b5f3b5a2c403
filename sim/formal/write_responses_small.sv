// SPDX-License-Identifier: Apache-2.0
// write_responses_small: one answer a burst, in order, with its id; OKAY only for one that was sent whole and whose number has come
// back since it was begun, and SLVERR only for one that was dropped or has waited for a timeout; and none waits longer than that, and
// some cycles a burst before it, where answers are taken. One burst, chosen freely, is followed, so that all are.
// A small shape of write_responses (2 places, a timeout of 3 cycles), the same Scala; 8 numbers stand for 64.
module properties (
  input       clk,
  input       begins, ends, sent, fault, id,
  input       back_0, back_1,
  input [2:0] number_0, number_1,
  input       taken,
  input       follow, // the burst that begins
  input       prompt  // answers are always taken; chosen in the first cycle
);
  parameter NUMBERS = 7;   // more than are ever in use at once
  parameter TIMEOUT = 3;   // cycles that a number may take
  // From a burst's end: the timeout and a third, into the queue and out, and what those before it take, whose answers follow each other.
  parameter WAIT = 13;

  wire end_ready, answer, answer_id, idle;
  wire [1:0] resp;
  reg started = 0, always_taken = 0;
  always @(posedge clk) begin
    started <= 1;
    if (!started) always_taken <= prompt;
  end

  // Contract: a burst begins with the number after the last one's, and ends, in that cycle or later, before the next begins; a burst whose
  // last TLP was not sent has a fault; ends wait until they are taken.
  reg [2:0] number = 1;
  reg begun = 0;
  wire begin_now = started && begins && !begun;
  wire end_now = started && ends && (begun || begin_now);
  wire end_fire = end_now && end_ready;
  reg [2:0] stalled_end = 0;
  reg was_stalled = 0;
  always @(posedge clk) begin
    begun <= (begun || begin_now) && !end_fire;
    if (end_fire) number <= number == NUMBERS ? 3'd1 : number + 3'd1;
    was_stalled <= end_now && !end_ready;
    stalled_end <= {sent, fault, id};
  end
  always @* begin
    assume (!was_stalled || ends && {sent, fault, id} == stalled_end);
    assume (sent || fault);
  end

  write_responses_small responses (
    .clk(clk), .reset(!started),
    .io_begin_valid(begin_now), .io_begin_payload({3'd0, number}),
    .io_end_valid(end_now), .io_end_ready(end_ready), .io_end_payload_id(id), .io_end_payload_number({3'd0, number}),
    .io_end_payload_sent(sent), .io_end_payload_fault(fault),
    .io_returned_0_valid(started && back_0), .io_returned_0_payload({3'd0, number_0}),
    .io_returned_1_valid(started && back_1), .io_returned_1_payload({3'd0, number_1}),
    .io_response_valid(answer), .io_response_ready(taken || always_taken), .io_response_payload_id(answer_id), .io_response_payload_resp(resp), .io_idle(idle)
  );
  wire answered = started && answer && (taken || always_taken);

  // Bursts that have ended and are not answered, and those of them ahead of the followed one.
  reg [3:0] owed = 0, ahead = 0;
  reg following = 0, ended = 0, gone = 0;
  reg [2:0] its_number = 0;
  reg its_id = 0, its_fault = 0, its_sent = 0, came = 0;
  reg [4:0] age = 0;       // cycles since its end
  wire mine = answered && ended && !gone && ahead == 0;
  always @(posedge clk) begin
    owed <= owed + end_fire - answered;
    if (begin_now && follow && !following) begin
      following <= 1;
      its_number <= number;
    end
    if (end_fire && !ended && (following || begin_now && follow)) begin
      ended <= 1;
      ahead <= owed - answered;
      {its_id, its_fault, its_sent} <= {id, fault, sent};
    end else if (ended && !gone && answered) begin
      ahead <= ahead - 1;
      gone <= ahead == 0;
    end
    came <= came || following && (back_0 && number_0 == its_number || back_1 && number_1 == its_number);
    age <= !ended ? 5'd0 : age + !(&age);
  end

  reg offered = 0;
  reg [2:0] offer = 0;
  reg [1:0] calm = 0;
  always @(posedge clk) begin
    offered <= started && answer && !(taken || always_taken);
    offer <= {answer_id, resp};
    calm <= (owed != 0 || end_now) ? 2'd0 : calm + !(&calm);
  end
  always @* begin
    if (started) begin
      invented: assert (!answer || owed != 0);
      stands: assert (!offered || answer && {answer_id, resp} == offer);
      word: assert (!answer || resp == 2'b00 || resp == 2'b10);
      out_of_order: assert (!mine || answer_id == its_id);
      okay_too_early: assert (!mine || resp != 2'b00 || came);
      okay_for_a_dropped_one: assert (!mine || resp != 2'b00 || its_sent && !its_fault);
      failed_too_early: assert (!mine || resp == 2'b00 || !its_sent || its_fault || age >= TIMEOUT);
      waits: assert (!always_taken || !ended || gone || age <= WAIT);
      idle_too_early: assert (!idle || owed == 0);
      idle_too_late: assert (calm < 3 || idle);
    end
  end
endmodule
