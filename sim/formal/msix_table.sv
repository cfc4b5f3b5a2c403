// SPDX-License-Identifier: Apache-2.0
// msix_table, one vector watched: whatever levels, masks and the link do, a message of it goes out only while it may - or at
// most so many cycles after - only for a rise of its level since the last one, and its pending bit stays until it does.
module properties (
  input        clk,
  input [4:0]  levels,
  input        enabled, ready,
  input        valid, write,      // of an access to the mask of one vector
  input [2:0]  entry,
  input        mask
);
  parameter LAG = 3;              // from the access to the message's end: a cycle to the table, two in it

  wire message;
  wire [63:0] address;
  wire [31:0] data;
  reg started = 0;
  always @(posedge clk) started <= 1;
  wire access = started && valid && write && entry < 5;

  msix_table table_ (
    .clk(clk), .reset(!started),
    .io_registers_command_valid(access), .io_registers_command_ready(),
    .io_registers_command_payload_address(16'h8000 | {9'd0, entry, 4'd12}), .io_registers_command_payload_write(1'b1),
    .io_registers_command_payload_data({31'd0, mask}), .io_registers_command_payload_strobe(4'hf),
    .io_registers_answer_valid(), .io_registers_answer_payload(),
    .io_levels(levels), .io_enabled(enabled && started),
    .io_message_valid(message), .io_message_ready(ready), .io_message_payload_address(address), .io_message_payload_data(data)
  );

  // Levels that nobody raised send nothing: with one vector's level alone ever up, every message is its own.
  reg masked = 1;                 // vector 0, as software wrote it
  reg [2:0] silenced = 7, disabled = 7;   // cycles for which it has been masked, and all of them
  reg before = 0, owed = 0;
  reg alone = 1;
  wire sends = started && message && ready;
  always @(posedge clk) begin
    if (access && entry == 0) masked <= mask;
    silenced <= (started && !masked) ? 0 : silenced + !(&silenced);
    disabled <= (started && enabled) ? 0 : disabled + !(&disabled);
    before <= started && levels[0];
    owed <= started && levels[0] && (!before || owed && !sends);
    alone <= alone && levels[4:1] == 0;
  end

  always @(posedge clk) if (started && alone && levels[4:1] == 0) begin
    forbidden: assert (!message || silenced <= LAG && disabled <= LAG);
    invented: assert (!sends || owed || !levels[0] || !before);
  end
endmodule
