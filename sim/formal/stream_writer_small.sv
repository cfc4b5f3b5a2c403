// SPDX-License-Identifier: Apache-2.0
// stream_writer_small: of one job, chosen freely and beginning at any byte, nothing is written outside the destination, never more bytes than the limit
// nor than the stream held, and the result comes once, when every burst has been answered.
// A small shape of stream_writer (8 bytes a beat, bursts of 8 beats), the same Scala.
module properties (
  input        clk,
  input        job_valid,
  input [6:0]  address,
  input [6:0]  length,
  input        source_valid, source_last,
  input [3:0]  source_count,
  input        request_ready, data_ready,
  input        response_valid, response_fault,
  input        result_ready
);
  wire job_ready, source_ready, request, data, data_last, result, fault, overrun;
  wire [63:0] request_address;
  wire [3:0] request_beats;
  wire [7:0] strobe;
  reg started = 0;
  always @(posedge clk) started <= 1;

  // One job is enough: every figure below is that job's.
  reg given = 0;
  reg [6:0] first = 0;    // its address
  reg [6:0] limit = 0;
  reg ended = 0;          // its stream is taken
  reg [7:0] unanswered = 0, unsent = 0;  // bursts; beats of bursts asked for
  reg [7:0] sent_last = 0;               // bursts whose data has gone and whose answer has not come
  wire respond = response_valid && sent_last != 0;

  stream_writer_small writer (
    .clk(clk), .reset(!started),
    .io_job_valid(job_valid && !given), .io_job_ready(job_ready),
    .io_job_payload_address({57'd0, address}), .io_job_payload_length(length),
    .io_source_valid(source_valid && !ended), .io_source_ready(source_ready), .io_source_payload_last(source_last),
    .io_source_payload_fragment_data(64'd0), .io_source_payload_fragment_count(source_last ? source_count : 4'd8),
    .io_source_payload_fragment_fault(1'b0),
    .io_port_request_valid(request), .io_port_request_ready(request_ready),
    .io_port_request_payload_address(request_address), .io_port_request_payload_beats(request_beats),
    .io_port_data_valid(data), .io_port_data_ready(data_ready), .io_port_data_payload_data(),
    .io_port_data_payload_strobe(strobe), .io_port_data_payload_last(data_last),
    .io_port_response_valid(respond), .io_port_response_payload(response_fault),
    .io_result_valid(result), .io_result_ready(result_ready),
    .io_result_payload_fault(fault), .io_result_payload_overrun(overrun),
    .io_idle()
  );
  assume property (!source_last || source_count <= 8);

  wire job = started && job_valid && !given && job_ready;
  wire word = started && source_valid && !ended && source_ready;
  wire asked = started && request && request_ready;
  wire beat = started && data && data_ready;
  wire done = started && result && result_ready;
  reg [7:0] held = 0;     // bytes the stream had
  reg [7:0] written = 0;
  reg answered = 0;       // the result has been taken
  reg faulted = 0;
  wire [3:0] bytes = strobe[0] + strobe[1] + strobe[2] + strobe[3] + strobe[4] + strobe[5] + strobe[6] + strobe[7];
  wire [7:0] past = first + limit; // first byte that is not the destination's
  reg [4:0] beats = 0;    // sent: one job's follow each other
  wire [7:0] at = {first[6:3] + beats, 3'd0};
  wire [7:0] upward = strobe | (strobe - 8'd1); // with all bytes below
  wire [7:0] inside;
  genvar byte_index;
  generate for (byte_index = 0; byte_index < 8; byte_index = byte_index + 1)
    assign inside[byte_index] = at + byte_index >= first && at + byte_index < past;
  endgenerate

  always @(posedge clk) begin
    if (job) begin given <= 1; first <= address; limit <= length; end
    if (word) begin held <= held[7:6] == 3 ? held : held + (source_last ? source_count : 8); ended <= source_last; end
    if (beat) begin written <= written + bytes; beats <= beats + 1; end
    if (done) answered <= 1;
    if (started && respond && response_fault) faulted <= 1;
    unanswered <= unanswered + asked - (started && respond);
    unsent <= unsent + (asked ? request_beats : 0) - beat;
    sent_last <= sent_last + (beat && data_last) - (started && respond);
  end

  always @(posedge clk) if (started) begin
    outside: assert (!asked || request_address >= first[6:3] * 8 && request_address + request_beats * 8 <= past + 7);
    border: assert (!asked || request_beats != 0 && request_address[5:3] + request_beats <= 8);
    limit_kept: assert (!beat || written + bytes <= limit);
    bytes_outside: assert (!beat || (strobe & ~inside) == 0);
    one_run: assert (!beat || strobe != 0 && (upward & (upward + 8'd1)) == 0);
    complete: assert (!result || ended && unanswered == 0 && unsent == 0 && written == (held < limit ? held : limit));
    truth: assert (!result || fault == faulted && overrun == (held > limit));
    once: assert (!(done && answered));
  end
endmodule
