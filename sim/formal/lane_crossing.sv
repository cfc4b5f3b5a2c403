// SPDX-License-Identifier: Apache-2.0
// lane_crossing: whatever its two clocks do - each of their edges is free here, as are stops and resets - words are let in
// only beside a lane that is out of reset, and has been in reset since the last word of before the last stop.
module properties (
  input clk, engine_clk,
  input stop, restart, // wished for the cycle to come
  input command_valid, source_valid,
  input lane_command_ready, lane_source_ready
);
  reg started = 0, stopped = 1, restarted = 0;
  always @(posedge clk) begin
    started <= 1;
    restarted <= restart;
    stopped <= stop || reset; // low at the first edge behind a reset at the earliest
  end
  wire reset = !started || restarted;
  wire lane_reset, command_ready, source_ready;

  lane_crossing crossing (
    .clk(clk), .reset(reset), .engine_clk(engine_clk), .io_stopped(stopped), .io_laneReset(lane_reset),
    .io_bus_command_valid(command_valid), .io_bus_command_ready(command_ready),
    .io_bus_command_payload_limit(14'd0), .io_bus_command_payload_skipVerify(1'b0),
    .io_bus_source_valid(source_valid), .io_bus_source_ready(source_ready), .io_bus_source_payload_last(1'b0),
    .io_bus_source_payload_fragment_data(128'd0), .io_bus_source_payload_fragment_count(5'd0),
    .io_bus_result_valid(), .io_bus_result_ready(1'b0), .io_bus_result_payload_status(), .io_bus_result_payload_length(),
    .io_bus_result_payload_crc32c(), .io_bus_result_payload_detail(),
    .io_bus_sink_valid(), .io_bus_sink_ready(1'b0), .io_bus_sink_payload_last(),
    .io_bus_sink_payload_fragment_data(), .io_bus_sink_payload_fragment_count(),
    .io_lane_command_valid(), .io_lane_command_ready(lane_command_ready),
    .io_lane_command_payload_limit(), .io_lane_command_payload_skipVerify(),
    .io_lane_source_valid(), .io_lane_source_ready(lane_source_ready), .io_lane_source_payload_last(),
    .io_lane_source_payload_fragment_data(), .io_lane_source_payload_fragment_count(),
    .io_lane_result_valid(1'b0), .io_lane_result_ready(), .io_lane_result_payload_status(8'd0),
    .io_lane_result_payload_length(14'd0), .io_lane_result_payload_crc32c(32'd0), .io_lane_result_payload_detail(64'd0),
    .io_lane_sink_valid(1'b0), .io_lane_sink_ready(), .io_lane_sink_payload_last(1'b0),
    .io_lane_sink_payload_fragment_data(128'd0), .io_lane_sink_payload_fragment_count(5'd0)
  );

  wire open = started && !reset && !stopped && (command_ready || source_ready);
  wire enters = command_ready && command_valid || source_ready && source_valid;
  reg dirty = 0;    // a word has entered since the last stop
  reg stopping = 0; // turns over with each stop that finds words
  reg wiped = 0;    // which of them the lane has forgotten
  reg unmade = 1;   // it has not been reset at all

  always @(posedge clk) begin
    if (reset || stopped) begin
      dirty <= 0;
      if (dirty) stopping <= !stopping;
    end else if (started && enters) dirty <= 1;
    if (open) begin
      assert (!lane_reset);
      assert (!unmade && wiped == stopping);
    end
  end
  always @(posedge engine_clk) if (lane_reset) begin
    wiped <= stopping;
    unmade <= 0;
  end
endmodule
