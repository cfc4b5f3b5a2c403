// SPDX-License-Identifier: Apache-2.0
// engine_guard: whatever the engine does - every output of it is free here - each page that begins on the source is ended
// once on the sink and answered once, in that order; and an engine that stands still is out of service in bounded time, and
// none that waits for others or keeps the rules, after which everything begun and ended on the source is ended and answered.
module properties (
  input         clk,
  input         source_valid, source_last,
  input         sink_ready, result_ready,
  input         engine_source_ready,
  input         engine_sink_valid, engine_sink_last,
  input [4:0]   engine_sink_count,
  input         engine_result_valid,
  input [7:0]   engine_result_status
);
  parameter WATCHDOG = 50;   // as the block is generated
  parameter PAGES = 15;      // that may be open

  wire source_ready, sink_valid, sink_last, result_valid, out_of_service;
  wire [4:0] sink_count;
  wire [7:0] status;
  reg started = 0;
  always @(posedge clk) started <= 1;

  engine_guard guard (
    .clk(clk), .reset(!started),
    .io_source_valid(source_valid), .io_source_ready(source_ready), .io_source_payload_last(source_last),
    .io_source_payload_fragment_data(128'd0), .io_source_payload_fragment_count(5'd16),
    .io_sink_valid(sink_valid), .io_sink_ready(sink_ready), .io_sink_payload_last(sink_last),
    .io_sink_payload_fragment_data(), .io_sink_payload_fragment_count(sink_count),
    .io_result_valid(result_valid), .io_result_ready(result_ready),
    .io_result_payload_status(status), .io_result_payload_length(),
    .io_outOfService(out_of_service),
    .io_engineSource_valid(), .io_engineSource_ready(engine_source_ready), .io_engineSource_payload_last(),
    .io_engineSource_payload_fragment_data(), .io_engineSource_payload_fragment_count(),
    .io_engineSink_valid(engine_sink_valid), .io_engineSink_ready(), .io_engineSink_payload_last(engine_sink_last),
    .io_engineSink_payload_fragment_data(128'd0), .io_engineSink_payload_fragment_count(engine_sink_count),
    .io_engineResult_valid(engine_result_valid), .io_engineResult_ready(),
    .io_engineResult_payload_status(engine_result_status), .io_engineResult_payload_length(14'd0)
  );

  wire word = started && source_valid && source_ready;
  wire sunk = started && sink_valid && sink_ready && sink_last;
  wire answered = started && result_valid && result_ready;
  reg open = 0;              // inside a page on the source
  wire begun = word && !open;
  reg [4:0] unended = 0;     // begun, not ended on the sink
  reg [4:0] unanswered = 0;  // ended on the sink, not answered
  reg [6:0] still = 0;       // cycles in which only the engine could have moved, and did not
  reg noticed = 0;           // in the last cycle, that the engine stood still or broke a rule
  reg was_out = 0;           // out of service then already
  reg [6:0] draining = 0;    // cycles out of service with every side taking what comes

  wire moves = word || started && sink_valid && sink_ready || answered;
  wire waits = sink_valid && !sink_ready || result_valid && !result_ready || open && !source_valid;
  wire unruly = engine_sink_valid && (unended == 0 || sink_ready && (engine_sink_last ? engine_sink_count > 16 : engine_sink_count != 16));
  wire holds = unended != 0 || unanswered != 0 || source_valid;

  always @(posedge clk) if (started) begin
    if (word) open <= !source_last;
    unended <= unended + begun - sunk;
    unanswered <= unanswered + sunk - answered;
    still <= (moves || waits || !holds || out_of_service) ? 0 : still + 1;
    noticed <= unruly || still >= WATCHDOG;
    was_out <= out_of_service;
    draining <= (out_of_service && !open && !source_valid && sink_ready && result_ready) ? draining + (draining != 127) : 0;
  end

  always @(posedge clk) if (started) begin
    sink_without_page: assert (!sunk || unended != 0);
    answer_before_end: assert (!answered || unanswered != 0);
    too_many: assert (unended + unanswered <= PAGES);
    full_words: assert (!sink_valid || (sink_last ? sink_count <= 16 : sink_count == 16));
    good_from_the_engine: assert (!(result_valid && out_of_service) || status != 8'd0);
    watches: assert (still <= WATCHDOG + 1);
    patient: assert (!out_of_service || was_out || noticed);
    drains: assert (draining <= 2 * PAGES || unended + unanswered == 0);
  end
endmodule
