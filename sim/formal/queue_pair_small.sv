// SPDX-License-Identifier: Apache-2.0
// queue_pair_small: whatever software writes, and however commands come and end, no completion overwrites one that software has not
// acknowledged, and no more are in flight than that allows; each of the queue's accounts is the plain count of what happened; doorbells
// beyond the ring, or beyond what is there, change nothing and stop the queue; and ACTIVE is up exactly while there is something.
// A small shape of queue_pair (rings of 2 to 8 entries, 4 commands may wait), the same Scala.
module properties (
  input        clk,
  input        card_enabled, card_stopped,
  // one access of software at a time
  input        accesses,
  input [1:0]  kind,
  input [5:0]  offset,
  input [31:0] data,
  // the fetcher, the dispatcher, the completion writer
  input        reserves,
  input [2:0]  count,
  input        arrives, unusable,
  input        leaves_one, leaves_two,
  input        claims, discarded,
  input        is_written, failed
);
  localparam WAITING = 4, WRITE = 0, SUBMISSION = 1, COMPLETION = 2;
  localparam UNWRITTEN = 8;  // that the completion writer remembers
  localparam APART = 2;      // cycles between accesses, at least: register_file takes three for each, and a write comes a cycle late
  localparam SETTLED = 2;    // cycles from a reservation until it shows in what the fetcher sees

  wire taken, wants, running, enabled, error, active, working, phase, discard, fetch_failed;
  wire [2:0] mask, tail, issued, completion_head, waiting, completion_tail, submission_head;
  reg started = 0;
  always @(posedge clk) started <= 1;

  reg [1:0] since_access = 0, since_reserve = 0;
  wire access = started && accesses && since_access == APART;
  wire write = access && kind == WRITE;
  wire submission = access && kind == SUBMISSION;
  wire completion = access && kind == COMPLETION;

  // Where the commands of this life are: to arrive, to leave for an engine or for their end, to be claimed, to be written.
  reg [3:0] coming = 0, here = 0, out = 0, unwritten = 0;
  reg [3:0] used = 0;        // places of the ring that are reserved or hold what software has not acknowledged
  reg [3:0] untaken = 0;     // completions that it has not
  wire reserve = started && reserves && running && since_reserve == SETTLED && count != 0;
  wire arrive = started && arrives && coming != 0;
  wire [1:0] leave = !started ? 2'd0 : (leaves_two && here > 1) ? 2'd2 : (leaves_one && here != 0) ? 2'd1 : 2'd0;
  wire claim = started && claims && out != 0 && (discarded || unwritten != UNWRITTEN);
  wire written = started && is_written && unwritten != 0;
  wire [3:0] room = {1'b0, (completion_head - issued - 3'd1) & mask};
  always @(posedge clk) begin
    since_access <= access ? 2'd0 : since_access + (since_access != APART);
    since_reserve <= reserve ? 2'd0 : since_reserve + (since_reserve != SETTLED);
  end
  always @* begin
    // Contract: a reservation is no larger than the room and the share of waiting commands that the queue shows.
    assume (!reserve || {1'b0, count} <= room && count <= WAITING - waiting);
  end

  queue_pair_small pair (
    .clk(clk), .reset(!started), .io_cardEnabled(card_enabled), .io_cardStopped(card_stopped),
    .io_write_valid(write), .io_write_payload_offset(offset), .io_write_payload_data(data),
    .io_submissionDoorbell_valid(submission), .io_submissionDoorbell_payload(data),
    .io_completionDoorbell_valid(completion), .io_completionDoorbell_payload(data), .io_doorbellTaken(taken),
    .io_readOffset(6'd0), .io_readData(), .io_wants(wants),
    .io_fetch_base(), .io_fetch_mask(mask), .io_fetch_tail(tail), .io_fetch_issued(issued),
    .io_fetch_completionHead(completion_head), .io_fetch_waiting(waiting), .io_fetch_running(running),
    .io_push_sequence(), .io_push_settled(), .io_push_enabled(), .io_push_running(),
    .io_reserve_valid(reserve), .io_reserve_payload(count), .io_arrived_valid(arrive), .io_arrived_payload(unusable),
    .io_fetchFailed(fetch_failed), .io_left(leave), .io_enabled(enabled),
    .io_completion_base(), .io_completion_tail(completion_tail), .io_completion_submissionHead(submission_head),
    .io_completion_phase(phase), .io_completion_discard(discard),
    .io_claim_valid(claim), .io_claim_payload(discarded), .io_written_valid(written), .io_written_payload(failed),
    .io_interrupt(), .io_error(error), .io_active(active), .io_working(working), .io_busy()
  );

  // Doorbells are judged by what the ring was when they came, and count a cycle later.
  reg submitted = 0, completed = 0, in_ring = 0;
  reg [2:0] value = 0, acknowledged = 0;
  reg [3:0] untaken_then = 0;
  wire judged = card_enabled && enabled && !error;
  wire submits = judged && submitted && in_ring;
  wire acknowledges = judged && completed && in_ring && {1'b0, acknowledged} <= untaken_then;
  wire refuses = judged && (submitted && !submits || completed && !acknowledges);

  // The accounts.
  reg [2:0] tail_due = 0, head_due = 0, arrived = 0;
  reg [3:0] claimed = 0, wasted = 0; // of this life: claims, places whose entry was unusable
  reg [2:0] late_begin = 0;  // reserved in the last cycle
  reg late_drop = 0;         // an entry was unusable in the last cycle
  wire [2:0] begun = reserve ? count : 3'd0;
  wire [5:0] here_or_coming = {2'd0, coming} + {2'd0, here};
  wire [5:0] in_flight = here_or_coming + {2'd0, out} + {2'd0, unwritten};
  wire [5:0] placed = here_or_coming + {2'd0, out} + {2'd0, untaken} + {2'd0, wasted};
  always @(posedge clk) begin
    submitted <= submission;
    completed <= completion;
    value <= data[2:0];
    in_ring <= (data & ~{29'd0, mask}) == 0;
    acknowledged <= (data[2:0] - completion_head) & mask;
    untaken_then <= untaken;
    late_begin <= begun;
    late_drop <= arrive && unusable;
    coming <= coming + begun - arrive;
    here <= here + (arrive && !unusable) - leave;
    out <= out + leave - claim;
    unwritten <= unwritten + (claim && !discarded) - written;
    if (!active) begin       // the next life begins with nothing
      {used, untaken, claimed, wasted} <= 0;
      {tail_due, head_due, arrived} <= 0;
    end else begin
      used <= used + begun - (acknowledges ? acknowledged : 3'd0);
      untaken <= untaken + claim - (acknowledges ? acknowledged : 3'd0);
      claimed <= claimed + claim;
      wasted <= wasted + (arrive && unusable);
      arrived <= arrived + (arrive && !unusable);
      if (submits) tail_due <= value;
      if (acknowledges) head_due <= value;
    end
  end

  // Steps of the proof: what the block's own registers stand for, and that nothing moves between a doorbell and its judgement.
  (* hierconn *) wire [3:0] \pair.inFlight ;
  (* hierconn *) wire [3:0] \pair.unwritten ;
  (* hierconn *) wire [2:0] \pair.untaken ;
  (* hierconn *) wire [4:0] \pair.setUp_depthLog2 ;
  (* hierconn *) wire [2:0] \pair.entries_begun , \pair.doorbells_taken ;
  (* hierconn *) wire \pair.ringFull , \pair.pending , \pair.entries_gone , \pair.doorbells_submission_valid , \pair.doorbells_completion_valid ;
  wire [3:0] in_flight_register = \pair.inFlight , unwritten_register = \pair.unwritten ;
  wire [2:0] untaken_register = \pair.untaken ;
  wire [4:0] depth_register = \pair.setUp_depthLog2 ;
  wire full_register = \pair.ringFull , pending_register = \pair.pending ;
  wire [5:0] late = {\pair.entries_begun , \pair.entries_gone , \pair.doorbells_submission_valid , \pair.doorbells_completion_valid };
  wire [2:0] taken_register = \pair.doorbells_taken ;
  (* hierconn *) wire [31:0] \pair.doorbells_submission_payload , \pair.doorbells_completion_payload ;
  (* hierconn *) wire \pair.doorbells_submissionGood , \pair.doorbells_completionGood ;
  wire [31:0] submission_register = \pair.doorbells_submission_payload , completion_register = \pair.doorbells_completion_payload ;
  wire submission_good = \pair.doorbells_submissionGood , completion_good = \pair.doorbells_completionGood ;
  reg was_active = 0;
  always @(posedge clk) was_active <= started && active;
  always @* begin
    if (started) begin
      step_in_flight: assert ({2'd0, in_flight_register} + late_begin == in_flight + late_drop && unwritten_register == unwritten && unwritten <= UNWRITTEN);
      step_late: assert (late == {late_begin, late_drop, submitted, completed});
      step_submission: assert (!submitted || submission_register[2:0] == value && submission_good == (enabled && in_ring));
      step_completion: assert (!completed || completion_register[2:0] == value && taken_register == acknowledged &&
                               completion_good == (enabled && in_ring && acknowledged <= untaken_register));
      step_untaken: assert (!was_active || untaken_register == untaken_then[2:0]);
      step_full: assert ((!was_active || full_register == full) && pending_register == !empty && (!ran || was_active));
      step_mask: assert (!active || mask == {depth_register > 2, depth_register > 1, depth_register > 0});
      step_apart: assert ((!(submitted || completed) || since_access == 0) && (late_begin == 0 || since_reserve == 0) && !(submitted && completed));
      step_still: assert (!(completed && enabled) || was_active && untaken_then <= untaken && acknowledged == ((value - completion_head) & mask));
    end
  end

  // What was so a cycle ago, and two.
  reg refused = 0, fails = 0, ran = 0, ran_before = 0, crowded = 0, full = 0, full_before = 0, empty = 1, empty_before = 1;
  always @(posedge clk) begin
    refused <= refuses;
    fails <= arrive && unusable || written && failed;
    {ran_before, ran} <= {ran, started && running};
    crowded <= waiting >= WAITING;
    {full_before, full} <= {full, used == {1'b0, mask}};
    {empty_before, empty} <= {empty, !started || tail == issued};
  end
  always @* begin
    if (started) begin
      overwrites: assert (!active || untaken <= {1'b0, mask});
      too_many_in_flight: assert (!active || used <= {1'b0, mask} && placed == used);
      too_many_wait: assert ({1'b0, waiting} + late_begin <= WAITING);
      waiting_account: assert ({3'd0, waiting} + late_begin == here_or_coming + late_drop);
      in_flight_account: assert (working == (in_flight != 0 || late_drop));
      active_account: assert (active == (enabled || working));
      if (active) begin
        ring_account: assert (used[2:0] == ((issued - completion_head) & mask));
        completion_account: assert (untaken[2:0] == ((completion_tail - completion_head) & mask));
        head_account: assert (submission_head == (arrived & mask));
        phase_account: assert (completion_tail == (claimed[2:0] & mask) && phase == ((claimed & ({1'b0, mask} + 4'd1)) == 0));
        doorbell_out_of_range: assert (tail == tail_due && completion_head == head_due);
      end
      doorbell_taken: assert (taken == submits);
      refused_in_silence: assert (!refused || error || !enabled);
      failed_in_silence: assert (!fails || error || !enabled);
      // It lags two cycles: in a life's first it speaks of the former one, and the fetcher finds nothing.
      wants_in_vain: assert (!wants || ran && !crowded && !(ran_before && (full_before || empty_before)));
      wants_nothing: assert (wants || !(ran && ran_before) || crowded || full_before || empty_before);
    end
  end

  // And it begins with nothing.
  always @* begin
    step_begin: assert (started || !{since_access, since_reserve, coming, here, out, unwritten, used, untaken, claimed, wasted, tail_due, head_due,
                                     arrived, late_begin, late_drop, submitted, completed, in_ring, value, acknowledged, untaken_then, was_active,
                                     refused, fails, ran, ran_before, crowded, full, full_before, !empty, !empty_before});
  end
endmodule
