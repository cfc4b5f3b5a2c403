// SPDX-License-Identifier: Apache-2.0
// queue_pairs_small: whatever software writes, and however the commands of two queues come and end, no completion overwrites one that
// software has not acknowledged, and no more are in flight than that allows; each of a queue's accounts is the plain count of what
// happened to it, whatever happens to the other; doorbells beyond the ring, or beyond what is there, change nothing and stop the queue; and
// ACTIVE is up exactly while there is something. A small shape of queue_pairs (rings of 2 to 8 entries, 4 commands may wait), the same Scala.

// One queue as plain counting knows it, and what the memories of the block have to hold for it.
// `first` is up where a step begins: what is claimed holds there, and is to be shown where it is down.
`define CLAIM(name, condition) if (first) assume (condition); else name: assert (condition);

module life (
  input        first, clk, started,
  // events of this queue; how many entries are reserved, and how many commands leave
  input [2:0]  begun,
  input        arrive, unusable, claim, discarded, written, failed,
  input [1:0]  leave,
  input        submission, completion, // doorbells
  input [31:0] data,
  // the block
  input        card_enabled, enabled, error, taken,
  input [2:0]  mask, tail, head, usable, usable_before,
  input [4:0]  depth,
  input [15:0] sequence, sequence_before,
  input [3:0]  claimed_count, claimed_before,
  input [4:0]  dropped, discarded_count, ended,
  input [2:0]  left,
  input        cleared, swept, empty, // the memories are cleared; this queue's words are; they are all 0
  // what the block has of the last cycle: events of this queue, an access to it, and what was looked up for that
  input        arrived_then, dropped_then, claimed_then, discarded_then, written_then, failed_then,
  input        submission_then, completion_then, write_then, in_ring_then, working_then,
  input [2:0]  value_then, mask_then, head_then, completion_tail_then,
  output [4:0] in_flight,  // as the block counts it
  output [2:0] waiting,
  output [2:0] share,      // that may be reserved
  output       may_arrive, may_leave_one, may_leave_two, may_claim, may_discard, may_be_written
);
  localparam WAITING = 4, UNWRITTEN = 8;  // that the completion writer remembers

  // Where the commands of this life are: to arrive, to leave for an engine or for their end, to be claimed, to be written.
  reg [3:0] coming = 0, here = 0, out = 0, unwritten = 0;
  reg [3:0] used = 0;        // places of the ring that are reserved or hold what software has not acknowledged
  reg [3:0] untaken = 0;     // completions that it has not
  assign may_arrive = coming != 0;
  assign may_leave_one = here != 0;
  assign may_leave_two = here > 1;
  assign may_discard = out != 0;
  assign may_claim = out != 0 && unwritten != UNWRITTEN;
  assign may_be_written = unwritten != 0;

  // As the block counts.
  wire [2:0] issued = sequence[2:0] - sequence_before[2:0];
  wire [3:0] claims = claimed_count - claimed_before;
  assign in_flight = sequence[4:0] - dropped - discarded_count - ended;
  assign waiting = sequence[2:0] - dropped[2:0] - left;
  wire [3:0] unwritten_there = claimed_count - discarded_count[3:0] - ended[3:0];
  wire active = enabled || in_flight != 0;

  // A reservation is no larger than the room and the share of waiting commands that the queue shows.
  wire [3:0] room = {1'b0, (head - issued - 3'd1) & mask};
  wire [3:0] places = WAITING - waiting;
  assign share = room < places ? room[2:0] : places[2:0];

  // Doorbells are judged by what the ring was when they came, and count a cycle later; so do arrivals, claims and what was written.
  reg submitted = 0, completed = 0, in_ring = 0, late_good = 0, late_drop = 0, late_claim = 0, late_discard = 0, late_written = 0;
  reg late_bad_write = 0;
  reg [2:0] value = 0, acknowledged = 0;
  reg [3:0] untaken_then = 0;
  wire judged = card_enabled && enabled && !error;
  wire submits = judged && submitted && in_ring;
  wire acknowledges = judged && completed && in_ring && {1'b0, acknowledged} <= untaken_then;
  wire refuses = judged && (submitted && !submits || completed && !acknowledges);

  reg [2:0] tail_due = 0, head_due = 0, arrived = 0;
  reg [3:0] claimed = 0, wasted = 0; // of this life: claims, places whose entry was unusable
  reg refused = 0, fails = 0;
  wire [5:0] here_or_coming = {2'd0, coming} + {2'd0, here};
  wire [5:0] there = here_or_coming + {2'd0, out} + {2'd0, unwritten};
  wire [5:0] placed = here_or_coming + {2'd0, out} + {2'd0, untaken} + {2'd0, wasted};
  always @(posedge clk) begin
    submitted <= submission;
    completed <= completion;
    value <= data[2:0];
    in_ring <= (data & ~{29'd0, mask}) == 0;
    acknowledged <= (data[2:0] - head) & mask;
    untaken_then <= untaken - late_claim;
    late_good <= arrive && !unusable;
    late_drop <= arrive && unusable;
    late_claim <= claim;
    late_discard <= claim && discarded;
    late_written <= written;
    late_bad_write <= written && failed;
    refused <= refuses;
    fails <= late_drop || late_bad_write;
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

  always @* begin
    if (started && !cleared)
      `CLAIM(step_cleared, (!swept || empty) && !enabled && !error && there == 0 && !{submitted, completed, refused, fails, late_good, late_drop, late_claim,
                            late_discard, late_written, late_bad_write, used, untaken, claimed, wasted, tail_due, head_due, arrived, taken,
                            submission_then, completion_then, write_then, arrived_then, claimed_then, written_then})
    if (started && cleared) begin
      // Steps of the proof: what the memories' words stand for.
      `CLAIM(step_in_flight, {1'b0, in_flight} == there + late_drop + late_discard + late_written && unwritten <= UNWRITTEN)
      `CLAIM(step_unwritten, unwritten_there == unwritten - (late_claim && !late_discard) + late_written)
      `CLAIM(step_mask, mask == {depth > 2, depth > 1, depth > 0})
      `CLAIM(step_late, (!late_discard || late_claim) && !(late_good && late_drop) && (!late_good || here != 0) &&
                         (!late_claim || late_discard || unwritten != 0))
      `CLAIM(step_events, {arrived_then, dropped_then, claimed_then, discarded_then, written_then, failed_then} ==
                           {late_good || late_drop, late_drop, late_claim, late_discard, late_written, late_bad_write})
      `CLAIM(step_doorbells, submission_then == submitted && completion_then == completed && !(submitted && completed))
      `CLAIM(step_looked, !(submitted || completed) || value_then == value && in_ring_then == in_ring && mask_then == mask && head_then == head && (!in_ring || (value & ~mask) == 0))
      `CLAIM(step_acknowledged, !completed || acknowledged == ((value - head) & mask))
      `CLAIM(step_untaken, !(completed && enabled) || ((completion_tail_then - head) & mask) == untaken_then[2:0] && untaken_then <= untaken - late_claim)
      `CLAIM(step_late_claim, !(enabled || there != 0) || untaken >= {3'd0, late_claim})
      `CLAIM(step_working, !write_then || working_then || enabled || in_flight == 0)

      `CLAIM(overwrites, !active || untaken <= {1'b0, mask})
      `CLAIM(too_many_in_flight, !active || used <= {1'b0, mask} && placed == used)
      `CLAIM(too_many_wait, waiting <= WAITING)
      `CLAIM(waiting_account, {3'd0, waiting} == here_or_coming + late_drop)
      if (enabled || there != 0) begin
        `CLAIM(active_account, active)
        `CLAIM(ring_account, used[2:0] == ((issued - head) & mask) && (used != 0 || head == (issued & mask)))
        `CLAIM(completion_account, (untaken[2:0] - late_claim & mask) == ((claims[2:0] - head) & mask))
        `CLAIM(head_account, ((usable - usable_before) & mask) == ((arrived - late_good) & mask))
        `CLAIM(phase_account, claims == claimed - late_claim)
        `CLAIM(doorbell_out_of_range, tail == tail_due && head == head_due && head == (head & mask) && tail == (tail & mask))
      end
      `CLAIM(doorbell_taken, taken == submits)
      `CLAIM(refused_in_silence, !refused || error || !enabled)
      `CLAIM(failed_in_silence, !fails || error || !enabled)
    end
  end

  // And it begins with nothing.
  always @* begin
    `CLAIM(step_begin, started || !{coming, here, out, unwritten, used, untaken, claimed, wasted, tail_due, head_due, arrived, submitted, completed,
                                     in_ring, late_good, late_drop, late_claim, late_discard, late_written, late_bad_write, value,
                                     acknowledged, untaken_then, refused, fails})
  end
endmodule

module properties (
  input        first, clk,
  input        card_enabled, card_stopped,
  // one access of software at a time
  input        accessed, accesses,
  input [1:0]  kind,
  input [5:0]  offset,
  input [31:0] data,
  // the fetcher, the dispatcher, the completion writer, each for one of the queues
  input        reserves, reserver,
  input [2:0]  count,
  input        arrives, arriver, unusable,
  input [2:0]  leaves, leavers,
  input        claims, claimer, discarded,
  input        is_written, writer, failed,
  input        looked
);
  localparam WRITE = 0, SUBMISSION = 1, COMPLETION = 2;
  localparam APART = 2;      // cycles between accesses, at least: register_file takes three for each
  localparam SETTLED = 2;    // cycles from a reservation until the fetcher has looked anew

  wire cleared, taken, working, active;
  wire [1:0] running, enabled, errors;
  wire [2:0] view_mask, view_tail, view_issued, view_head, view_waiting, view_completion_tail, view_submission_head;
  wire [15:0] view_sequence;
  wire view_running, view_phase;
  reg started = 0;
  reg card_before = 0, accessed_before = 0;
  reg [1:0] since_access = 0, since_reserve = 0;
  wire switched = started && card_enabled != card_before;
  wire access = started && cleared && accesses && since_access == APART && accessed == accessed_before;
  wire write = access && kind == WRITE;
  wire submission = access && kind == SUBMISSION;
  wire completion = access && kind == COMPLETION;
  always @(posedge clk) begin
    started <= 1;
    card_before <= started && card_enabled;
    accessed_before <= accessed;
    since_access <= access || switched ? 2'd0 : since_access + (since_access != APART);
    since_reserve <= reserve ? 2'd0 : since_reserve + (since_reserve != SETTLED);
  end
  always @* begin
    // Contract: the card is enabled and disabled by an access of software, too.
    assume (!switched || since_access == APART && !access);
  end

  // Events, as far as they can come of what each queue has in flight.
  wire [1:0] may_arrive, may_leave_one, may_leave_two, may_claim, may_discard, may_be_written;
  wire [2:0] share [1:0];
  wire reserve = started && reserves && running[reserver] && since_reserve == SETTLED && count != 0 && count <= share[reserver];
  wire arrive = started && arrives && may_arrive[arriver];
  wire claim = started && claims && (discarded ? may_discard[claimer] : may_claim[claimer]);
  wire written = started && is_written && may_be_written[writer];
  wire [1:0] leave_0 = !started ? 2'd0 : {1'b0, leaves[0] && !leavers[0]} + {1'b0, leaves[1] && !leavers[1]};
  wire [1:0] leave_1 = !started ? 2'd0 : {1'b0, leaves[0] && leavers[0]} + {1'b0, leaves[1] && leavers[1]};
  always @* begin
    assume (!leaves[2]); // two at once are enough to show that counts add up
    assume (leave_0 == 0 || (leave_0 == 1 ? may_leave_one[0] : may_leave_two[0]));
    assume (leave_1 == 0 || (leave_1 == 1 ? may_leave_one[1] : may_leave_two[1]));
  end

  queue_pairs_small pairs (
    .clk(clk), .reset(!started), .io_cardEnabled(card_enabled), .io_cardStopped(card_stopped), .io_cleared(cleared), .io_accessed(accessed),
    .io_write_valid(write), .io_write_payload_offset(offset), .io_write_payload_data(data),
    .io_submissionDoorbell_valid(submission), .io_submissionDoorbell_payload(data),
    .io_completionDoorbell_valid(completion), .io_completionDoorbell_payload(data), .io_doorbellTaken(taken),
    .io_readOffset(6'd0), .io_readData(), .io_wants(), .io_running(running),
    .io_fetch_queue(looked), .io_fetch_view_base(), .io_fetch_view_mask(view_mask), .io_fetch_view_tail(view_tail),
    .io_fetch_view_issued(view_issued), .io_fetch_view_completionHead(view_head), .io_fetch_view_waiting(view_waiting),
    .io_fetch_view_running(view_running), .io_push_queue(looked), .io_push_view_sequence(view_sequence), .io_push_view_settled(),
    .io_reserve_valid(reserve), .io_reserve_payload_queueIndex(reserver), .io_reserve_payload_value(count),
    .io_arrived_valid(arrive), .io_arrived_payload_queueIndex(arriver), .io_arrived_payload_value(unusable), .io_fetchFailed(),
    .io_left_0_valid(started && leaves[0]), .io_left_0_payload(leavers[0]), .io_left_1_valid(started && leaves[1]), .io_left_1_payload(leavers[1]),
    .io_left_2_valid(1'b0), .io_left_2_payload(1'b0), .io_enabled(enabled), .io_weights_0(), .io_weights_1(),
    .io_completion_queue(looked), .io_completion_view_base(), .io_completion_view_tail(view_completion_tail),
    .io_completion_view_submissionHead(view_submission_head), .io_completion_view_phase(view_phase), .io_completion_view_discard(),
    .io_claim_valid(claim), .io_claim_payload_queueIndex(claimer), .io_claim_payload_value(discarded),
    .io_written_valid(written), .io_written_payload_queueIndex(writer), .io_written_payload_value(failed),
    .io_interrupt(), .io_errors(errors), .io_active(active), .io_working(working), .io_busy()
  );

  // The words of the block's memories, for its steps.
  (* hierconn *) wire [2:0] \pairs.setUp_masks_words[0] , \pairs.setUp_masks_words[1] ;
  wire [2:0] setUp_masks [1:0];
  assign setUp_masks[0] = \pairs.setUp_masks_words[0] , setUp_masks[1] = \pairs.setUp_masks_words[1] ;
  (* hierconn *) wire [4:0] \pairs.setUp_depths_words[0] , \pairs.setUp_depths_words[1] ;
  wire [4:0] setUp_depths [1:0];
  assign setUp_depths[0] = \pairs.setUp_depths_words[0] , setUp_depths[1] = \pairs.setUp_depths_words[1] ;
  (* hierconn *) wire [2:0] \pairs.tails_words[0] , \pairs.tails_words[1] ;
  wire [2:0] tails [1:0];
  assign tails[0] = \pairs.tails_words[0] , tails[1] = \pairs.tails_words[1] ;
  (* hierconn *) wire [2:0] \pairs.heads_words[0] , \pairs.heads_words[1] ;
  wire [2:0] heads [1:0];
  assign heads[0] = \pairs.heads_words[0] , heads[1] = \pairs.heads_words[1] ;
  (* hierconn *) wire [15:0] \pairs.accounts_begun_words[0] , \pairs.accounts_begun_words[1] ;
  wire [15:0] accounts_begun [1:0];
  assign accounts_begun[0] = \pairs.accounts_begun_words[0] , accounts_begun[1] = \pairs.accounts_begun_words[1] ;
  (* hierconn *) wire [15:0] \pairs.accounts_begunBefore_words[0] , \pairs.accounts_begunBefore_words[1] ;
  wire [15:0] accounts_begunBefore [1:0];
  assign accounts_begunBefore[0] = \pairs.accounts_begunBefore_words[0] , accounts_begunBefore[1] = \pairs.accounts_begunBefore_words[1] ;
  (* hierconn *) wire [2:0] \pairs.accounts_usable_words[0] , \pairs.accounts_usable_words[1] ;
  wire [2:0] accounts_usable [1:0];
  assign accounts_usable[0] = \pairs.accounts_usable_words[0] , accounts_usable[1] = \pairs.accounts_usable_words[1] ;
  (* hierconn *) wire [2:0] \pairs.accounts_usableBefore_words[0] , \pairs.accounts_usableBefore_words[1] ;
  wire [2:0] accounts_usableBefore [1:0];
  assign accounts_usableBefore[0] = \pairs.accounts_usableBefore_words[0] , accounts_usableBefore[1] = \pairs.accounts_usableBefore_words[1] ;
  (* hierconn *) wire [3:0] \pairs.accounts_claimed_words[0] , \pairs.accounts_claimed_words[1] ;
  wire [3:0] accounts_claimed [1:0];
  assign accounts_claimed[0] = \pairs.accounts_claimed_words[0] , accounts_claimed[1] = \pairs.accounts_claimed_words[1] ;
  (* hierconn *) wire [3:0] \pairs.accounts_claimedBefore_words[0] , \pairs.accounts_claimedBefore_words[1] ;
  wire [3:0] accounts_claimedBefore [1:0];
  assign accounts_claimedBefore[0] = \pairs.accounts_claimedBefore_words[0] , accounts_claimedBefore[1] = \pairs.accounts_claimedBefore_words[1] ;
  (* hierconn *) wire [4:0] \pairs.accounts_dropped_words[0] , \pairs.accounts_dropped_words[1] ;
  wire [4:0] accounts_dropped [1:0];
  assign accounts_dropped[0] = \pairs.accounts_dropped_words[0] , accounts_dropped[1] = \pairs.accounts_dropped_words[1] ;
  (* hierconn *) wire [4:0] \pairs.accounts_discarded_words[0] , \pairs.accounts_discarded_words[1] ;
  wire [4:0] accounts_discarded [1:0];
  assign accounts_discarded[0] = \pairs.accounts_discarded_words[0] , accounts_discarded[1] = \pairs.accounts_discarded_words[1] ;
  (* hierconn *) wire [4:0] \pairs.accounts_ended_words[0] , \pairs.accounts_ended_words[1] ;
  wire [4:0] accounts_ended [1:0];
  assign accounts_ended[0] = \pairs.accounts_ended_words[0] , accounts_ended[1] = \pairs.accounts_ended_words[1] ;
  (* hierconn *) wire [2:0] \pairs.accounts_leaving_0_words[0] , \pairs.accounts_leaving_0_words[1] ;
  wire [2:0] accounts_leaving_0 [1:0];
  assign accounts_leaving_0[0] = \pairs.accounts_leaving_0_words[0] , accounts_leaving_0[1] = \pairs.accounts_leaving_0_words[1] ;
  (* hierconn *) wire [2:0] \pairs.accounts_leaving_1_words[0] , \pairs.accounts_leaving_1_words[1] ;
  wire [2:0] accounts_leaving_1 [1:0];
  assign accounts_leaving_1[0] = \pairs.accounts_leaving_1_words[0] , accounts_leaving_1[1] = \pairs.accounts_leaving_1_words[1] ;
  (* hierconn *) wire [2:0] \pairs.accounts_leaving_2_words[0] , \pairs.accounts_leaving_2_words[1] ;
  wire [2:0] accounts_leaving_2 [1:0];
  assign accounts_leaving_2[0] = \pairs.accounts_leaving_2_words[0] , accounts_leaving_2[1] = \pairs.accounts_leaving_2_words[1] ;
  // Its registers.
  (* hierconn *) wire \pairs.arrived_valid ;
  wire arrived_valid = \pairs.arrived_valid ;
  (* hierconn *) wire \pairs.arrived_payload_queueIndex ;
  wire arrived_queue = \pairs.arrived_payload_queueIndex ;
  (* hierconn *) wire \pairs.arrived_payload_value ;
  wire arrived_value = \pairs.arrived_payload_value ;
  (* hierconn *) wire \pairs.claim_valid ;
  wire claim_valid = \pairs.claim_valid ;
  (* hierconn *) wire \pairs.claim_payload_queueIndex ;
  wire claim_queue = \pairs.claim_payload_queueIndex ;
  (* hierconn *) wire \pairs.claim_payload_value ;
  wire claim_value = \pairs.claim_payload_value ;
  (* hierconn *) wire \pairs.written_valid ;
  wire written_valid = \pairs.written_valid ;
  (* hierconn *) wire \pairs.written_payload_queueIndex ;
  wire written_queue = \pairs.written_payload_queueIndex ;
  (* hierconn *) wire \pairs.written_payload_value ;
  wire written_value = \pairs.written_payload_value ;
  (* hierconn *) wire \pairs.access_submission_valid ;
  wire access_submission_valid = \pairs.access_submission_valid ;
  (* hierconn *) wire \pairs.access_completion_valid ;
  wire access_completion_valid = \pairs.access_completion_valid ;
  (* hierconn *) wire \pairs.access_write_valid ;
  wire access_write_valid = \pairs.access_write_valid ;
  (* hierconn *) wire \pairs.access_queue ;
  wire access_queue = \pairs.access_queue ;
  (* hierconn *) wire [4:0] \pairs.access_inFlight ;
  wire access_working = \pairs.access_inFlight != 0;
  (* hierconn *) wire \pairs.doorbells_inRing ;
  wire doorbells_inRing = \pairs.doorbells_inRing ;
  (* hierconn *) wire [31:0] \pairs.access_submission_payload ;
  wire [31:0] access_submission_payload = \pairs.access_submission_payload ;
  (* hierconn *) wire [31:0] \pairs.access_completion_payload ;
  wire [31:0] access_completion_payload = \pairs.access_completion_payload ;
  (* hierconn *) wire [2:0] \pairs.access_mask ;
  wire [2:0] access_mask = \pairs.access_mask ;
  (* hierconn *) wire [2:0] \pairs.access_head ;
  wire [2:0] access_head = \pairs.access_head ;
  (* hierconn *) wire [2:0] \pairs.access_completionTail ;
  wire [2:0] access_completionTail = \pairs.access_completionTail ;
  (* hierconn *) wire [1:0] \pairs.memories_next ;
  wire [1:0] next = \pairs.memories_next ;
  wire [1:0] empty;
  assign empty[0] = !{setUp_masks[0], setUp_depths[0], tails[0], heads[0], accounts_begun[0], accounts_begunBefore[0], accounts_usable[0], accounts_usableBefore[0], accounts_claimed[0], accounts_claimedBefore[0], accounts_dropped[0], accounts_discarded[0], accounts_ended[0], accounts_leaving_0[0], accounts_leaving_1[0], accounts_leaving_2[0]};
  assign empty[1] = !{setUp_masks[1], setUp_depths[1], tails[1], heads[1], accounts_begun[1], accounts_begunBefore[1], accounts_usable[1], accounts_usableBefore[1], accounts_claimed[1], accounts_claimedBefore[1], accounts_dropped[1], accounts_discarded[1], accounts_ended[1], accounts_leaving_0[1], accounts_leaving_1[1], accounts_leaving_2[1]};
  (* hierconn *) wire [5:0] \pairs.accounts_total ;
  wire [5:0] total = \pairs.accounts_total ;
  wire [4:0] in_flight [1:0];
  wire [2:0] waiting [1:0];

  genvar q;
  generate for (q = 0; q < 2; q = q + 1) begin : of
    life life (
      .first(first), .clk(clk), .started(started), .begun(reserve && reserver == q ? count : 3'd0), .arrive(arrive && arriver == q), .unusable(unusable),
      .claim(claim && claimer == q), .discarded(discarded), .written(written && writer == q), .failed(failed), .leave(q ? leave_1 : leave_0),
      .submission(submission && accessed == q), .completion(completion && accessed == q), .data(data),
      .card_enabled(card_enabled), .enabled(enabled[q]), .error(errors[q]), .taken(taken && access_queue == q),
      .mask(setUp_masks[q]), .depth(setUp_depths[q]), .tail(tails[q]), .head(heads[q]), .usable(accounts_usable[q]),
      .usable_before(accounts_usableBefore[q]), .sequence(accounts_begun[q]), .sequence_before(accounts_begunBefore[q]),
      .claimed_count(accounts_claimed[q]), .claimed_before(accounts_claimedBefore[q]), .dropped(accounts_dropped[q]),
      .discarded_count(accounts_discarded[q]), .ended(accounts_ended[q]),
      .left(accounts_leaving_0[q] + accounts_leaving_1[q] + accounts_leaving_2[q]),
      .arrived_then(arrived_valid && arrived_queue == q), .dropped_then(arrived_valid && arrived_queue == q && arrived_value),
      .claimed_then(claim_valid && claim_queue == q), .discarded_then(claim_valid && claim_queue == q && claim_value),
      .written_then(written_valid && written_queue == q), .failed_then(written_valid && written_queue == q && written_value),
      .submission_then(access_submission_valid && access_queue == q), .completion_then(access_completion_valid && access_queue == q),
      .write_then(access_write_valid && access_queue == q), .in_ring_then(doorbells_inRing), .working_then(access_working),
      .value_then(access_submission_valid ? access_submission_payload[2:0] : access_completion_payload[2:0]), .mask_then(access_mask),
      .head_then(access_head), .completion_tail_then(access_completionTail),
      .cleared(cleared), .swept(next > q), .empty(empty[q]), .in_flight(in_flight[q]), .waiting(waiting[q]), .share(share[q]),
      .may_arrive(may_arrive[q]), .may_leave_one(may_leave_one[q]), .may_leave_two(may_leave_two[q]), .may_claim(may_claim[q]),
      .may_discard(may_discard[q]), .may_be_written(may_be_written[q])
    );
  end endgenerate

  always @* begin
    if (started) begin
      `CLAIM(step_card, card_before || enabled == 0)
      `CLAIM(step_apart, !(access_submission_valid || access_completion_valid || access_write_valid) || since_access == 0 && card_enabled == card_before)
      `CLAIM(step_one_access, access_submission_valid + access_completion_valid + access_write_valid <= 2'd1)
      `CLAIM(step_since, since_access <= APART && since_reserve <= SETTLED)
      `CLAIM(step_swept, next <= 2 && cleared == next[1] && (cleared || total == 0 && !{enabled, errors}))
    end
    if (started && cleared) begin
      `CLAIM(step_total, total == {1'b0, in_flight[0]} + {1'b0, in_flight[1]})
      `CLAIM(anything_active, active == (enabled != 0 || in_flight[0] != 0 || in_flight[1] != 0) && working == (in_flight[0] != 0 || in_flight[1] != 0))
      `CLAIM(view_ring, view_mask == setUp_masks[looked] && view_tail == tails[looked] && view_head == heads[looked] &&
                         view_issued == (accounts_begun[looked][2:0] - accounts_begunBefore[looked][2:0] & view_mask) && view_waiting == waiting[looked])
      `CLAIM(view_push, view_sequence == accounts_begun[looked] - accounts_begunBefore[looked] && view_running == running[looked])
      `CLAIM(view_completion, view_completion_tail == (accounts_claimed[looked] - accounts_claimedBefore[looked] & {1'b0, view_mask}) &&
                               view_submission_head == (accounts_usable[looked] - accounts_usableBefore[looked] & view_mask) &&
                               view_phase == ((accounts_claimed[looked] - accounts_claimedBefore[looked] & {1'b0, view_mask} + 4'd1) == 0))
    end
  end
endmodule
