// SPDX-License-Identifier: Apache-2.0
// page_reader_small: it never asks for more than its buffer has room for, so that no beat is ever refused; each burst stays
// within its border; and each job, beginning at any byte, gives exactly its words, the last one marked and as long as the job's length says.
// A small shape of page_reader (8 bytes a beat, bursts of 8 beats, 16 beats of buffer), the same Scala.
module properties (
  input        clk,
  input        job_valid,
  input [7:0]  address,
  input [6:0]  length,
  input        request_ready,
  input        beat_valid, beat_fault,
  input        sink_ready
);
  parameter BUFFER = 16;

  wire job_ready, request, sink_valid, sink_last, idle;
  wire [63:0] request_address;
  wire [3:0] request_beats;
  wire [3:0] count;
  reg started = 0;
  always @(posedge clk) started <= 1;

  // The memory answers only what was asked.
  reg [7:0] owed = 0;
  wire beat = beat_valid && owed != 0;

  page_reader_small reader (
    .clk(clk), .reset(!started),
    .io_job_valid(job_valid && length != 0), .io_job_ready(job_ready),
    .io_job_payload_address({56'd0, address}), .io_job_payload_length(length),
    .io_port_request_valid(request), .io_port_request_ready(request_ready),
    .io_port_request_payload_address(request_address), .io_port_request_payload_beats(request_beats),
    .io_port_data_valid(beat), .io_port_data_payload_data(64'd0), .io_port_data_payload_fault(beat_fault),
    .io_sink_valid(sink_valid), .io_sink_ready(sink_ready), .io_sink_payload_last(sink_last),
    .io_sink_payload_fragment_data(), .io_sink_payload_fragment_count(count), .io_sink_payload_fragment_fault(),
    .io_idle(idle)
  );

  wire asked = started && request && request_ready;
  wire word = started && sink_valid && sink_ready;
  reg [7:0] open = 0;      // beats asked for, less words that have left: at most one beat a job more than it has words
  reg [7:0] jobs = 0;
  reg [7:0] here = 0;      // beats that have come, less words that have left
  reg [7:0] promised = 0;  // beats of the jobs offered, not yet asked for
  reg [7:0] due = 0;       // words of the jobs offered that have not left
  reg waits = 0;           // a job offered and not taken stays as it is
  reg [7:0] waiting_address = 0;
  reg [6:0] waiting_length = 0;
  wire offered = started && job_valid && length != 0;
  wire job = offered && job_ready;
  assume property (!waits || job_valid && address == waiting_address && length == waiting_length);
  wire [7:0] beats = (address[2:0] + length + 8'd7) >> 3;
  wire [7:0] words = (length + 8'd7) >> 3;

  always @(posedge clk) begin
    owed <= owed + (asked ? request_beats : 0) - (started && beat);
    open <= open + (asked ? request_beats : 0) - word;
    jobs <= jobs + job;
    here <= here + (started && beat) - word;
    due <= due + (offered && !waits ? words : 0) - word;
    promised <= promised + (offered && !waits ? beats : 0) - (asked ? request_beats : 0);
    waits <= offered && !job;
    waiting_address <= address;
    waiting_length <= length;
  end

  always @(posedge clk) if (started) begin
    too_much: assert (open <= BUFFER + 3 + jobs); // three words may be on their way out of the buffer
    invented: assert (!word || here != 0 && due != 0);
    unasked: assert (!asked || request_beats != 0 && promised >= request_beats);
    border: assert (!asked || request_address[5:3] + request_beats <= 8);
    full_words: assert (!sink_valid || (sink_last ? count >= 1 && count <= 8 : count == 8));
    idle_is_idle: assert (!idle || owed == 0 && (due == 0 && promised == 0 || waits));
  end
endmodule
