// SPDX-License-Identifier: Apache-2.0
// tag_table_small: whenever completions come, early, late or never, no tag is dealt that a reader has or that a completion is still
// to come for; one that comes back, in whichever cycle, is there again once; and the table's words about tags are true.
// A small shape of tag_table (4 tags, 2 of them ordinary), the same Scala.
module properties (
  input       clk,
  input       extended,
  input       take,          // a tag that is offered
  input       ended, fault, complete, given_up,
  input [1:0] ended_tag,
  input       releases,
  input [1:0] release_tag
);
  localparam ORDINARY = 4'b0011;
  parameter SETTLING = 8;    // cycles in which the table and the account below come to agree on `extended`
  parameter LATENCY = 6;     // cycles from a tag's return to its offer, from the last one's loss to `exhausted`
  parameter HELD = 3;        // cycles that a release may wait: each frees another tag

  wire offered, exhausted, answers, release_ready, idle;
  wire [1:0] tag, answer_tag;
  wire [3:0] outstanding, answered, faulted;
  reg started = 0;
  always @(posedge clk) started <= 1;

  tag_table_small table_ (
    .clk(clk), .reset(!started), .io_extended(extended && started),
    .io_allocate_valid(offered), .io_allocate_ready(take), .io_allocate_payload(tag), .io_exhausted(exhausted),
    .io_ended_valid(started && ended), .io_ended_payload_tag(ended_tag), .io_ended_payload_fault(fault), .io_ended_payload_complete(complete),
    .io_ended_payload_givenUp(given_up),
    .io_outstanding(outstanding), .io_answered(answered), .io_faulted(faulted),
    .io_answer_valid(answers), .io_answer_payload(answer_tag),
    .io_release_valid(started && releases), .io_release_ready(release_ready), .io_release_payload(release_tag), .io_idle(idle)
  );

  wire dealt = started && offered && take;
  wire completes = started && ended && complete;
  wire gives_up = started && ended && given_up; // as if its completion were overdue: no more than the answer is changed
  wire overdue = started && answers && !completes && !gives_up;
  wire released = started && releases && release_ready;
  function [3:0] only(input counts, input [1:0] which);
    only = counts ? 4'd1 << which : 4'd0;
  endfunction

  // The account of both sides: tags that a reader has, those that completions are to come for, what has been said of each.
  reg [3:0] open = 0, expected = 0, told = 0, bad = 0;
  wire [3:0] away = expected & ~open;
  always @(posedge clk) begin
    open <= (open | only(dealt, tag)) & ~only(released, release_tag);
    expected <= (expected | only(dealt, tag)) & ~only(completes, ended_tag);
    told <= (told | only(started && answers, answer_tag)) & ~only(dealt, tag);
    bad <= (bad | only(started && ended && fault, ended_tag) | only(overdue, answer_tag)) & ~only(dealt, tag);
  end

  // Contract: completions are for outstanding tags; the reader releases what it has and was answered, and a release stands until it is taken.
  reg held = 0;
  reg [1:0] held_tag = 0;
  always @(posedge clk) begin
    held <= started && releases && !release_ready;
    held_tag <= release_tag;
  end
  always @* begin
    assume (!ended || expected[ended_tag]);
    assume (!releases || open[release_tag] && answered[release_tag]);
    assume (!held || releases && release_tag == held_tag);
  end

  always @* if (started) begin
    dealt_twice: assert (!offered || !open[tag]);
    dealt_before_its_completion: assert (!offered || !expected[tag]);
    told_of_outstanding: assert (outstanding == expected);
    told_of_answered: assert (answered == told);
    told_of_faulted: assert (faulted == bad);
    answered_unasked: assert (!answers || expected[answer_tag]);
    answered_at_once: assert (!completes && !gives_up || answers && answer_tag == ended_tag);
    overdue_twice: assert (!overdue || open[answer_tag] && !told[answer_tag]);
  end

  // Offers stand, unless `extended` changes.
  reg extended_then = 0, extended_earlier = 0, offered_then = 0;
  reg [1:0] tag_then = 0;
  always @(posedge clk) begin
    extended_then <= started && extended;
    extended_earlier <= extended_then;
    offered_then <= started && offered && !take;
    tag_then <= tag;
  end
  always @* begin
    if (started) begin
      beyond_the_ordinary: assert (!offered || tag < 2 || extended_then);
      stands: assert (!offered_then || offered && tag == tag_then || extended_then != extended_earlier);
    end
  end

  // Which tags there are: a change of `extended` counts when no tag is open or away.
  reg mode = 0;
  reg [3:0] steady = 0;
  wire settled = steady == SETTLING;
  always @(posedge clk) begin
    if (open == 0 && away == 0 && extended_then != mode) mode <= extended_then;
    steady <= (started && extended == mode && extended_then == mode) ? steady + !settled : 4'd0;
  end
  wire [3:0] all = mode ? 4'b1111 : ORDINARY;
  wire [3:0] unused = all & ~open & ~expected;

  // None gets lost, and when all are the table says so.
  reg [2:0] hidden = 0, silent = 0, waits = 0;
  reg [3:0] away_1 = 0, away_2 = 0, away_3 = 0;
  reg [1:0] closed = 0;
  wire [3:0] recently = away | away_1 | away_2 | away_3;
  always @(posedge clk) begin
    hidden <= (started && settled && unused != 0 && !offered) ? hidden + !(&hidden) : 3'd0;
    silent <= (started && settled && away == all && !exhausted) ? silent + !(&silent) : 3'd0;
    waits <= (started && releases && !release_ready) ? waits + !(&waits) : 3'd0;
    {away_3, away_2, away_1} <= {away_2, away_1, away};
    closed <= (open != 0) ? 2'd0 : closed + !(&closed);
  end
  always @* begin
    if (started) begin
      lost: assert (hidden < LATENCY);
      exhausted_in_silence: assert (silent < LATENCY);
      exhausted_for_nothing: assert (!exhausted || recently != 0);
      exhausted_too_early: assert (!exhausted || !settled || recently == all);
      release_waits: assert (waits <= HELD);
      idle_while_open: assert (!idle || open == 0);
      open_while_idle: assert (open != 0 || closed < 2 || idle);
    end
  end

  // Steps of the proof, of the block's own registers: each tag is in one place, and the counts are those of the tags there.
  (* hierconn *) wire [3:0] \table_.abandoned ;
  (* hierconn *) wire [2:0] \table_.open_1 , \table_.lost , \table_.limit , \table_.dealt ;
  (* hierconn *) wire \table_.dealtExtended , \table_.changing , \table_.completed , \table_.found , \table_.stillOut ;
  (* hierconn *) wire \table_.released_valid , \table_.free_rValid ;
  (* hierconn *) wire [1:0] \table_.later , \table_.foundTag , \table_.released_payload , \table_.free_rData ;
  (* hierconn *) wire [1:0] \table_.returned.logic_ram[0] , \table_.returned.logic_ram[1] , \table_.returned.logic_ram[2] , \table_.returned.logic_ram[3] ;
  (* hierconn *) wire [2:0] \table_.returned.logic_ptr_push , \table_.returned.logic_ptr_pop ;
  wire [3:0] abandoned = \table_.abandoned ;
  wire [2:0] open_count = \table_.open_1 , lost_count = \table_.lost , limit = \table_.limit , undealt = \table_.dealt ;
  wire dealt_extended = \table_.dealtExtended , changing = \table_.changing ;
  wire completed = \table_.completed , found = \table_.found , still_out = \table_.stillOut , leaving = \table_.released_valid , ready = \table_.free_rValid ;
  wire [1:0] completed_tag = \table_.later , found_tag = \table_.foundTag , leaving_tag = \table_.released_payload , ready_tag = \table_.free_rData ;
  wire [2:0] push = \table_.returned.logic_ptr_push , pop = \table_.returned.logic_ptr_pop , queued = push - pop;
  wire [1:0] queue [0:3];    // returned tags
  assign queue[0] = \table_.returned.logic_ram[0] , queue[1] = \table_.returned.logic_ram[1] ;
  assign queue[2] = \table_.returned.logic_ram[2] , queue[3] = \table_.returned.logic_ram[3] ;
  wire [3:0] inside;
  wire [1:0] distance [0:3];
  wire [3:0] good_one_place, good_expected, good_leaving, good_away, good_found, good_told, good_told_away, good_open; // by tag
  genvar place, which;
  generate
    for (place = 0; place < 4; place = place + 1) begin : places
      assign distance[place] = place - pop[1:0];
      assign inside[place] = {1'b0, distance[place]} < queued;
    end
    for (which = 0; which < 4; which = which + 1) begin : tags
      wire [3:0] here;
      for (place = 0; place < 4; place = place + 1) begin : slots
        assign here[place] = inside[place] && queue[place] == which;
      end
      wire [2:0] places_of_it = {2'd0, open[which]} + (leaving && leaving_tag == which) + abandoned[which] + here[0] + here[1] + here[2] + here[3]
        + (ready && ready_tag == which) + (undealt <= which);
      wire leaving_out = leaving && leaving_tag == which && still_out;
      wire coming_back = completed && completed_tag == which || found && found_tag == which;
      assign good_one_place[which] = places_of_it == 1;
      assign good_expected[which] = !expected[which] || open[which] || leaving_out || abandoned[which];
      assign good_leaving[which] = !leaving_out || expected[which];
      assign good_away[which] = !abandoned[which] || expected[which] != coming_back && !(completed && completed_tag == which && found && found_tag == which);
      assign good_found[which] = !(found && found_tag == which) || abandoned[which] && !expected[which];
      assign good_told[which] = !leaving || leaving_tag != which || told[which];
      assign good_told_away[which] = !abandoned[which] || told[which];
      assign good_open[which] = !open[which] || expected[which] || told[which];
    end
  endgenerate
  always @* if (started) begin
    step_one_place: assert (&good_one_place);
    step_expected: assert (&good_expected);
    step_leaving: assert (&good_leaving);
    step_away: assert (&good_away);
    step_found: assert (&good_found);
    step_told: assert (&good_told);
    step_told_away: assert (&good_told_away);
    step_open: assert (&good_open);
    step_counts: assert (open_count == open[0] + open[1] + open[2] + open[3] + {2'd0, leaving} &&
                         lost_count == {2'd0, abandoned[0]} + abandoned[1] + abandoned[2] + abandoned[3]);
    step_limit: assert (undealt <= limit && queued <= 4 && (changing || limit == (dealt_extended ? 4 : 2)) && (limit == 2 || limit == 4));
  end
endmodule
