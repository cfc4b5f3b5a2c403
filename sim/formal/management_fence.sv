// SPDX-License-Identifier: Apache-2.0
// management_fence: whatever the management part does with its side of the host's window - answers unasked, late, never, takes
// nothing - the core and the MSI-X table are accessed as the host says and not otherwise, the host reads of them what they answer,
// and an access to the window holds up those behind it for a bounded time.
module properties (
  input        clk,
  // the host
  input        valid, write,
  input [15:0] address,
  input [31:0] data,
  input [3:0]  strobe,
  // the core, within AXI4-Lite's rules, and the MSI-X table
  input        awready, wready, bvalid, arready, rvalid,
  input [31:0] rdata,
  input        table_ready, table_answers,
  input [31:0] table_data,
  // the management part, without any rule
  input        access_ready, answer_valid,
  input [31:0] answer_data,
  // what is looked for, chosen in the first cycle
  input [15:0] any_place,
  input [31:0] any_value,
  input        any_kind, any_prompt
);
  localparam PATIENCE = 2, WINDOW = 4'h3;
  wire ready, answered, awvalid, wvalid, bready, arvalid, rready, table_valid, table_write, access_valid, access_write, answer_ready;
  wire [15:0] awaddr, araddr, table_address;
  wire [2:0] awprot, arprot;
  wire [31:0] answer, wdata, table_wdata, access_data;
  wire [3:0] wstrb, table_strobe;
  wire [11:0] access_address;
  reg started = 0;
  always @(posedge clk) started <= 1;

  // The host waits for a read's answer before it goes on.
  reg reading = 0, of_table = 0, of_window = 0;
  wire asks = started && valid && !reading;
  wire taken = asks && ready;
  management_fence fence (
    .clk(clk), .reset(!started),
    .io_registers_command_valid(asks), .io_registers_command_ready(ready), .io_registers_command_payload_address(address),
    .io_registers_command_payload_write(write), .io_registers_command_payload_data(data), .io_registers_command_payload_strobe(strobe),
    .io_registers_answer_valid(answered), .io_registers_answer_payload(answer),
    .io_core_aw_valid(awvalid), .io_core_aw_ready(awready), .io_core_aw_payload_addr(awaddr), .io_core_aw_payload_prot(awprot),
    .io_core_w_valid(wvalid), .io_core_w_ready(wready), .io_core_w_payload_data(wdata), .io_core_w_payload_strb(wstrb),
    .io_core_b_valid(bvalid), .io_core_b_ready(bready), .io_core_b_payload_resp(2'd0),
    .io_core_ar_valid(arvalid), .io_core_ar_ready(arready), .io_core_ar_payload_addr(araddr), .io_core_ar_payload_prot(arprot),
    .io_core_r_valid(rvalid), .io_core_r_ready(rready), .io_core_r_payload_data(rdata), .io_core_r_payload_resp(2'd0),
    .io_msix_command_valid(table_valid), .io_msix_command_ready(table_ready), .io_msix_command_payload_address(table_address),
    .io_msix_command_payload_write(table_write), .io_msix_command_payload_data(table_wdata),
    .io_msix_command_payload_strobe(table_strobe), .io_msix_answer_valid(table_answers), .io_msix_answer_payload(table_data),
    .io_host_access_valid(access_valid), .io_host_access_ready(access_ready), .io_host_access_payload_write(access_write),
    .io_host_access_payload_address(access_address), .io_host_access_payload_data(access_data),
    .io_host_answer_valid(answer_valid), .io_host_answer_ready(answer_ready), .io_host_answer_payload(answer_data)
  );
  axi4_lite_rules #(.ASSUME_SUBORDINATE(1)) core (
    .clk(clk), .reset(!started),
    .awvalid(awvalid), .awready(awready), .awaddr(awaddr), .awprot(awprot),
    .wvalid(wvalid), .wready(wready), .wdata(wdata), .wstrb(wstrb),
    .bvalid(bvalid), .bready(bready), .bresp(2'd0),
    .arvalid(arvalid), .arready(arready), .araddr(araddr), .arprot(arprot),
    .rvalid(rvalid), .rready(rready), .rdata(rdata), .rresp(2'd0)
  );

  // An offer of the host stands.
  reg waits = 0;
  reg [52:0] offer = 0;
  always @(posedge clk) begin
    waits <= asks && !ready;
    offer <= {write, address, data, strobe};
    assume (!waits || valid && offer == {write, address, data, strobe});
  end

  // One place, and one value, of which the host never speaks: whichever they are, nobody else does.
  reg [15:0] place;
  reg [31:0] value;
  reg kind, prompt;
  always @(posedge clk) if (!started) {place, value, kind, prompt} <= {any_place, any_value, any_kind, any_prompt};
  always @(posedge clk) begin
    assume (!asks || write != kind || address != place);
    assume (!asks || !write || data != value);
    if (started) begin
      core_accessed_by_nobody: assert (!(awvalid && kind && awaddr == place) && !(arvalid && !kind && araddr == place));
      core_written_with_nobodys_value: assert (!wvalid || wdata != value);
      table_accessed_by_nobody: assert (!table_valid || table_write != kind || table_address != place);
      table_written_with_nobodys_value: assert (!table_valid || !table_write || table_wdata != value);
      window_accessed_by_nobody: assert (!access_valid || access_write != kind || {WINDOW, access_address} != place);
      beyond_the_window: assert (!(awvalid && awaddr[15:12] == WINDOW) && !(arvalid && araddr[15:12] == WINDOW));
    end
  end

  // A read has one answer, and it is that of the part that was asked.
  reg asked_table = 0, core_answered = 0, table_answered = 0;
  reg [31:0] core_said = 0, table_said = 0;
  always @(posedge clk) begin
    reading <= taken && !write || reading && !answered;
    if (taken) begin
      of_table <= address[15];
      of_window <= address[15:12] == WINDOW;
    end
    // Before its reset it offers anything.
    asked_table <= started && table_valid && table_ready && !table_write || asked_table && !table_answers;
    assume (!table_answers || asked_table);
    core_answered <= started && rvalid && rready;
    core_said <= rdata;
    table_answered <= started && table_answers;
    table_said <= table_data;
    if (started && answered) begin
      answer_to_no_read: assert (reading);
      answer_of_another_part: assert (of_window || (of_table ? table_answered && answer == table_said : core_answered && answer == core_said));
    end
  end

  // Where core and table are prompt the host never waits for longer than the window's patience, and some cycles on the way.
  reg writes_address = 0, writes_data = 0, reads = 0;
  reg [4:0] waited = 0;
  always @(posedge clk) begin
    writes_address <= started && awvalid && awready || writes_address && !bvalid;
    writes_data <= started && wvalid && wready || writes_data && !bvalid;
    reads <= started && arvalid && arready || reads && !rvalid;
    if (started && prompt) begin
      assume (awready && wready && arready && table_ready);
      assume (bvalid == (writes_address && writes_data));
      assume (rvalid == reads && table_answers == asked_table);
    end
    waited <= (asks && !ready || reading && !answered) ? waited + !(&waited) : 5'd0;
    waits_for_ever: assert (!started || !prompt || waited < 2 * PATIENCE + 8);
  end
endmodule
