// SPDX-License-Identifier: Apache-2.0
// lane_gate: whatever the test's side does, nothing of it reaches the host's reader, writer or completion, and nothing of the host's
// reaches the test; what passes passes unchanged, in the same cycle. The lane is the test's from the cycle after `testing` on, and for two
// cycles behind it, in which the lane's reset comes into force.
module properties (
  input        clk,
  input        testing,
  // the host's side and the test's, without any rule
  input        host_command_valid, test_command_valid, host_source_valid, test_source_valid,
  input        host_result_ready, test_result_ready, host_sink_ready, test_sink_ready,
  input [32:0] host_command, test_command,
  input        host_source_last, test_source_last,
  input [63:0] host_source, test_source,
  input [3:0]  host_source_count, test_source_count,
  // the lane, without any rule
  input        command_ready, source_ready, result_valid, sink_valid, sink_last,
  input [63:0] sink,
  input [3:0]  sink_count,
  input [7:0]  status,
  input [13:0] length,
  input [31:0] crc32c,
  input [63:0] detail
);
  wire host_command_ready, test_command_ready, host_source_ready, test_source_ready;
  wire host_result_valid, test_result_valid, host_sink_valid, test_sink_valid;
  wire command_valid, source_valid, result_ready, sink_ready, source_last;
  wire [31:0] command_crc;
  wire command_check;
  wire [63:0] source;
  wire [3:0] source_count;
  wire [7:0] host_status;
  wire [63:0] host_sink;
  wire [3:0] host_sink_count;
  wire host_sink_last;
  reg started = 0;
  reg [1:0] tested = 0;      // one cycle ago, two cycles ago
  always @(posedge clk) begin
    started <= 1;
    tested <= started ? {tested[0], testing} : 0;
  end

  lane_gate gate (
    .clk(clk), .reset(!started),
    .io_testing(testing),
    .io_host_command_valid(host_command_valid), .io_host_command_ready(host_command_ready),
    .io_host_command_payload_expectedCrc32c(host_command[31:0]), .io_host_command_payload_checkCrc(host_command[32]),
    .io_host_source_valid(host_source_valid), .io_host_source_ready(host_source_ready), .io_host_source_payload_last(host_source_last),
    .io_host_source_payload_fragment_data(host_source), .io_host_source_payload_fragment_count(host_source_count),
    .io_host_result_valid(host_result_valid), .io_host_result_ready(host_result_ready), .io_host_result_payload_status(host_status),
    .io_host_sink_valid(host_sink_valid), .io_host_sink_ready(host_sink_ready), .io_host_sink_payload_last(host_sink_last),
    .io_host_sink_payload_fragment_data(host_sink), .io_host_sink_payload_fragment_count(host_sink_count),
    .io_test_command_valid(test_command_valid), .io_test_command_ready(test_command_ready),
    .io_test_command_payload_expectedCrc32c(test_command[31:0]), .io_test_command_payload_checkCrc(test_command[32]),
    .io_test_source_valid(test_source_valid), .io_test_source_ready(test_source_ready), .io_test_source_payload_last(test_source_last),
    .io_test_source_payload_fragment_data(test_source), .io_test_source_payload_fragment_count(test_source_count),
    .io_test_result_valid(test_result_valid), .io_test_result_ready(test_result_ready),
    .io_test_sink_valid(test_sink_valid), .io_test_sink_ready(test_sink_ready),
    .io_lane_command_valid(command_valid), .io_lane_command_ready(command_ready),
    .io_lane_command_payload_expectedCrc32c(command_crc), .io_lane_command_payload_checkCrc(command_check),
    .io_lane_source_valid(source_valid), .io_lane_source_ready(source_ready), .io_lane_source_payload_last(source_last),
    .io_lane_source_payload_fragment_data(source), .io_lane_source_payload_fragment_count(source_count),
    .io_lane_result_valid(result_valid), .io_lane_result_ready(result_ready), .io_lane_result_payload_status(status),
    .io_lane_result_payload_length(length), .io_lane_result_payload_crc32c(crc32c), .io_lane_result_payload_detail(detail),
    .io_lane_sink_valid(sink_valid), .io_lane_sink_ready(sink_ready), .io_lane_sink_payload_last(sink_last),
    .io_lane_sink_payload_fragment_data(sink), .io_lane_sink_payload_fragment_count(sink_count)
  );

  always @(posedge clk) if (started) begin
    if (tested != 0) begin
      host_sees_a_test: assert (!host_result_valid && !host_sink_valid && !host_command_ready && !host_source_ready);
      test_is_given_what_is_its: assert (command_valid == test_command_valid && source_valid == test_source_valid);
      test_answers: assert (result_ready == test_result_ready && sink_ready == test_sink_ready);
      test_source_passes: assert (!source_valid || {source, source_count, source_last} == {test_source, test_source_count, test_source_last});
      test_command_passes: assert (!command_valid || {command_check, command_crc} == test_command);
    end else begin
      test_sees_the_host: assert (!test_result_valid && !test_sink_valid && !test_command_ready && !test_source_ready);
      host_is_given_what_is_its: assert (command_valid == host_command_valid && source_valid == host_source_valid);
      host_answers: assert (result_ready == host_result_ready && sink_ready == host_sink_ready);
      host_is_taken: assert (host_command_ready == command_ready && host_source_ready == source_ready);
      host_is_told: assert (host_result_valid == result_valid && host_sink_valid == sink_valid);
      host_source_passes: assert (!source_valid || {source, source_count, source_last} == {host_source, host_source_count, host_source_last});
      host_command_passes: assert (!command_valid || {command_check, command_crc} == host_command);
      host_result_passes: assert (!host_result_valid || host_status == status);
      host_sink_passes: assert (!host_sink_valid || {host_sink, host_sink_count, host_sink_last} == {sink, sink_count, sink_last});
    end
  end
endmodule
