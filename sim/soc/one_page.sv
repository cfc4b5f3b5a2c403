// SPDX-License-Identifier: Apache-2.0
// A first simulation for integrators: sets up one ring of a core, has it compress a page and decompress the stream, and compares
// every byte. Fails by $fatal at the first that is wrong, and when the core has not finished in LIMIT cycles.
//
// It knows a core by the parameters of rtl/interface/core.toml, which the FuseSoC package gives it; its page size it reads.
// The core's module is PAGEPRESS_CORE, a macro, `core` without one.
// +spoil=N turns over a bit of byte N of the page on its way back into memory: the bench has to fail then.
`timescale 1ps/1ps
`include "pagepress_interface.vh"
`ifndef PAGEPRESS_CORE
`define PAGEPRESS_CORE core
`endif

module one_page #(
  parameter BUS_BYTES = 16,
  parameter ID_WIDTH = 2,
  parameter ADDRESS_WIDTH = 64,
  parameter USER_WIDTH = 0,
  parameter INTERRUPTS = 5,
  parameter ENGINE_CLOCK = 0,         // kilohertz; the core's own is 250000
  parameter MEMORY_CONTROL = 0,
  parameter LIMIT = 200000            // cycles
);

  localparam MEMORY_BYTES = 'h70000;
  localparam SUBMISSIONS = 'h1000, COMPLETIONS = 'h2000, DEPTH_LOG2 = 2;
  // A page of up to 64 KiB, and room for twice as much; streams and pages may lie at any byte.
  localparam PLAIN = 'h10000, STREAM = 'h30005, BACK = 'h50003;
  localparam GUARD = 64;              // bytes on either side that are to stay as they are
  localparam [7:0] UNTOUCHED = 8'ha5;
  localparam USER_BITS = USER_WIDTH == 0 ? 1 : USER_WIDTH;
  localparam CONTROL_BITS = MEMORY_CONTROL == 0 ? 1 : MEMORY_CONTROL;

  // ---- the core's ports: `.*` connects those that this core has ----

  reg clk = 0, engine_clk = 0, reset = 1;
  wire resetn = !reset, clk_enable = 1;
  wire [CONTROL_BITS-1:0] memory_control = 0;
  wire memory_error;
  wire [INTERRUPTS-1:0] interrupt;
  wire busy;

  reg s_axi_awvalid = 0, s_axi_wvalid = 0, s_axi_arvalid = 0;
  reg [15:0] s_axi_awaddr = 0, s_axi_araddr = 0;
  reg [31:0] s_axi_wdata = 0;
  wire s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_arready, s_axi_rvalid;
  wire [2:0] s_axi_awprot = 0, s_axi_arprot = 0;
  wire [3:0] s_axi_wstrb = 4'hf;
  wire s_axi_bready = 1, s_axi_rready = 1;
  wire [1:0] s_axi_bresp, s_axi_rresp;
  wire [31:0] s_axi_rdata;

  wire m_axi_awvalid, m_axi_wvalid, m_axi_wlast, m_axi_bready, m_axi_arvalid, m_axi_rready;
  wire [ADDRESS_WIDTH-1:0] m_axi_awaddr, m_axi_araddr;
  wire [ID_WIDTH-1:0] m_axi_awid, m_axi_arid;
  wire [7:0] m_axi_awlen, m_axi_arlen;
  wire [2:0] m_axi_awsize, m_axi_awprot, m_axi_arsize, m_axi_arprot;
  wire [1:0] m_axi_awburst, m_axi_arburst;
  wire [3:0] m_axi_awcache, m_axi_arcache;
  wire [USER_BITS-1:0] m_axi_awuser, m_axi_aruser;
  wire [8*BUS_BYTES-1:0] m_axi_wdata;
  wire [BUS_BYTES-1:0] m_axi_wstrb;
  reg m_axi_bvalid = 0, m_axi_rvalid = 0, m_axi_rlast = 0;
  reg [ID_WIDTH-1:0] m_axi_bid = 0, m_axi_rid = 0;
  reg [8*BUS_BYTES-1:0] m_axi_rdata = 0;
  wire [1:0] m_axi_bresp = 0, m_axi_rresp = 0;

  `PAGEPRESS_CORE core (.*);

  always #2000 clk = !clk;
  if (ENGINE_CLOCK != 0) begin : engines
    always #(500_000_000 / ENGINE_CLOCK) engine_clk = !engine_clk;
  end

  // ---- memory: one burst of reads and one of writes at a time ----

  reg [7:0] memory [0:MEMORY_BYTES-1];
  integer spoil = -1;                 // address of the byte that is stored wrong

  wire m_axi_awready, m_axi_wready, m_axi_arready;
  reg writing = 0;
  reg [31:0] write_at = 0, read_at = 0;
  reg [8:0] reads_left = 0;

  assign m_axi_awready = !writing && !m_axi_bvalid;
  assign m_axi_wready = writing;
  assign m_axi_arready = reads_left == 0 && !m_axi_rvalid;

  function automatic [31:0] first_word(input [ADDRESS_WIDTH-1:0] address, input [7:0] length, input [1:0] burst, input [2:0] size);
    if (64'(address) >= MEMORY_BYTES || 32'(address) + BUS_BYTES * (32'(length) + 1) > MEMORY_BYTES) $fatal(1, "the core uses address %h", address);
    if (burst != 1 || 1 << size != BUS_BYTES) $fatal(1, "the core's burst is none of whole words in order: %d, %d", burst, size);
    return 32'(address) / BUS_BYTES * BUS_BYTES;
  endfunction

  always @(posedge clk) begin
    if (m_axi_bvalid && m_axi_bready) m_axi_bvalid <= 0;
    if (m_axi_awvalid && m_axi_awready) begin
      writing <= 1;
      write_at <= first_word(m_axi_awaddr, m_axi_awlen, m_axi_awburst, m_axi_awsize);
      m_axi_bid <= m_axi_awid;
    end
    if (m_axi_wvalid && m_axi_wready) begin
      for (int i = 0; i < BUS_BYTES; i++)
        if (m_axi_wstrb[i]) memory[write_at + i] = m_axi_wdata[8*i +: 8] ^ 8'(write_at + i == spoil);
      write_at <= write_at + BUS_BYTES;
      writing <= !m_axi_wlast;
      m_axi_bvalid <= m_axi_wlast;
    end
  end

  always @(posedge clk) begin
    if (m_axi_arvalid && m_axi_arready) begin
      read_at <= first_word(m_axi_araddr, m_axi_arlen, m_axi_arburst, m_axi_arsize);
      reads_left <= 9'(m_axi_arlen) + 1;
      m_axi_rid <= m_axi_arid;
    end
    if (!m_axi_rvalid || m_axi_rready) begin
      m_axi_rvalid <= reads_left != 0;
      m_axi_rlast <= reads_left == 1;
      if (reads_left != 0) begin
        for (int i = 0; i < BUS_BYTES; i++) m_axi_rdata[8*i +: 8] <= memory[read_at + i];
        read_at <= read_at + BUS_BYTES;
        reads_left <= reads_left - 1;
      end
    end
  end

  // ---- what software does: registers change at the clock's other edge ----

  reg address_taken, data_taken, answered, failed;

  task write_register(input [31:0] address, input [31:0] value);
    @(negedge clk);
    s_axi_awaddr = address[15:0];
    s_axi_wdata = value;
    s_axi_awvalid = 1;
    s_axi_wvalid = 1;
    do begin
      @(posedge clk);
      {address_taken, data_taken, answered, failed} = {s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_bresp != 0};
      @(negedge clk);
      if (address_taken) s_axi_awvalid = 0;
      if (data_taken) s_axi_wvalid = 0;
    end while (!answered);
    if (failed) $fatal(1, "register %h cannot be written", address);
  endtask

  task read_register(input [31:0] address, output [31:0] value);
    @(negedge clk);
    s_axi_araddr = address[15:0];
    s_axi_arvalid = 1;
    do begin
      @(posedge clk);
      {address_taken, answered, failed} = {s_axi_arready, s_axi_rvalid, s_axi_rresp != 0};
      value = s_axi_rdata;
      @(negedge clk);
      if (address_taken) s_axi_arvalid = 0;
    end while (!answered);
    if (failed) $fatal(1, "register %h cannot be read", address);
  endtask

  task store(input [31:0] address, input [63:0] value, input integer bytes);
    for (int i = 0; i < bytes; i++) memory[address + i] = value[8*i +: 8];
  endtask

  function automatic [31:0] word(input [31:0] address);
    return {memory[address + 3], memory[address + 2], memory[address + 1], memory[address]};
  endfunction

  function automatic [31:0] crc32c(input [31:0] address, input [31:0] bytes);
    crc32c = 32'hffffffff;
    for (int i = 0; i < bytes; i++) begin
      crc32c ^= 32'(memory[address + i]);
      for (int bits = 0; bits < 8; bits++) crc32c = crc32c >> 1 ^ (crc32c[0] ? 32'h82f63b78 : 0);
    end
    return ~crc32c;
  endfunction

  integer commands = 0;               // so far; each has an entry of its own

  // Rings the doorbell for one command; returns its completion's place when the command has succeeded.
  task run(input [31:0] opcode, input [31:0] flags, input [31:0] from, input [31:0] bytes, input [31:0] to, input [31:0] capacity,
           input [31:0] crc, output [31:0] completion);
    automatic integer entry = SUBMISSIONS + commands * `PAGEPRESS_SUBMISSION_ENTRY_BYTES;
    completion = COMPLETIONS + commands * `PAGEPRESS_COMPLETION_ENTRY_BYTES;
    for (int i = 0; i < `PAGEPRESS_SUBMISSION_ENTRY_BYTES; i++) memory[entry + i] = 0;
    store(entry + `PAGEPRESS_SUBMISSION_ENTRY_OPCODE_OFFSET, 64'(opcode), 1);
    store(entry + `PAGEPRESS_SUBMISSION_ENTRY_FORMAT_OFFSET, 64'(`PAGEPRESS_FORMAT_LZO1X), 1);
    store(entry + `PAGEPRESS_SUBMISSION_ENTRY_FLAGS_OFFSET, 64'(flags), 2);
    store(entry + `PAGEPRESS_SUBMISSION_ENTRY_TAG_OFFSET, 64'(completion), 4);
    store(entry + `PAGEPRESS_SUBMISSION_ENTRY_SOURCE_ADDRESS_OFFSET, 64'(from), 8);
    store(entry + `PAGEPRESS_SUBMISSION_ENTRY_DESTINATION_ADDRESS_OFFSET, 64'(to), 8);
    store(entry + `PAGEPRESS_SUBMISSION_ENTRY_SOURCE_LENGTH_OFFSET, 64'(bytes), 4);
    store(entry + `PAGEPRESS_SUBMISSION_ENTRY_DESTINATION_CAPACITY_OFFSET, 64'(capacity), 4);
    store(entry + `PAGEPRESS_SUBMISSION_ENTRY_EXPECTED_CRC32C_OFFSET, 64'(crc), 4);
    store(completion + `PAGEPRESS_COMPLETION_ENTRY_PHASE_OFFSET, 0, 1);
    commands++;
    write_register(`PAGEPRESS_DOORBELL_BASE + `PAGEPRESS_REGISTER_SUBMISSION_TAIL, commands);
    while (memory[completion + `PAGEPRESS_COMPLETION_ENTRY_PHASE_OFFSET] != 1) @(posedge clk);
    write_register(`PAGEPRESS_DOORBELL_BASE + `PAGEPRESS_REGISTER_COMPLETION_HEAD, commands);
    if (32'(memory[completion + `PAGEPRESS_COMPLETION_ENTRY_STATUS_OFFSET]) != `PAGEPRESS_STATUS_SUCCESS)
      $fatal(1, "opcode %0d ended with status %0d", opcode, memory[completion + `PAGEPRESS_COMPLETION_ENTRY_STATUS_OFFSET]);
    if (word(completion + `PAGEPRESS_COMPLETION_ENTRY_TAG_OFFSET) != completion) $fatal(1, "opcode %0d: not its tag", opcode);
  endtask

  task check_untouched(input [31:0] address, input [31:0] bytes);
    for (int i = 0; i < bytes; i++)
      if (memory[address + i] != UNTOUCHED) $fatal(1, "the core wrote to %h, which it was not given", address + i);
  endtask

  integer page_bytes, cycles = 0;
  reg [31:0] value, completion, stream_bytes, page_crc, random = 1;

  always @(posedge clk) cycles <= cycles + 1;

  initial begin
    if ($value$plusargs("spoil=%d", spoil)) spoil += BACK;
    repeat (8) @(posedge clk);
    @(negedge clk) reset = 0;
    repeat (8) @(posedge clk);

    read_register(`PAGEPRESS_REGISTER_MAGIC, value);
    if (value != `PAGEPRESS_MAGIC_VALUE) $fatal(1, "no Pagepress core: it calls itself %h", value);
    read_register(`PAGEPRESS_REGISTER_HASH_LOW, value);
    if (value != `PAGEPRESS_HASH_LOW_VALUE) $fatal(1, "the core has another interface than pagepress_interface.vh");
    read_register(`PAGEPRESS_REGISTER_CAPABILITIES, value);
    page_bytes = 1 << ((value & `PAGEPRESS_CAPABILITIES_PAGE_SHIFT_MASK) >> `PAGEPRESS_CAPABILITIES_PAGE_SHIFT_SHIFT);

    // Bytes of any value, then the same again with a new one now and then.
    for (int i = 0; i < MEMORY_BYTES; i++) memory[i] = UNTOUCHED;
    for (int i = 0; i < page_bytes; i++) begin
      random = random * 1664525 + 1013904223;
      memory[PLAIN + i] = i < 300 || random[20:16] == 0 ? random[31:24] : memory[PLAIN + i - 100 - i / 512 * 13 % 200];
    end
    page_crc = crc32c(PLAIN, page_bytes);

    write_register(`PAGEPRESS_REGISTER_CONTROL, `PAGEPRESS_CONTROL_ENABLE_MASK);
    do read_register(`PAGEPRESS_REGISTER_STATUS, value); while ((value & `PAGEPRESS_STATUS_READY_MASK) == 0);
    write_register(`PAGEPRESS_QUEUE_BASE + `PAGEPRESS_REGISTER_SUBMISSION_BASE_LOW, SUBMISSIONS);
    write_register(`PAGEPRESS_QUEUE_BASE + `PAGEPRESS_REGISTER_SUBMISSION_BASE_HIGH, 0);
    write_register(`PAGEPRESS_QUEUE_BASE + `PAGEPRESS_REGISTER_COMPLETION_BASE_LOW, COMPLETIONS);
    write_register(`PAGEPRESS_QUEUE_BASE + `PAGEPRESS_REGISTER_COMPLETION_BASE_HIGH, 0);
    write_register(`PAGEPRESS_QUEUE_BASE + `PAGEPRESS_REGISTER_DEPTH_LOG2, DEPTH_LOG2);
    write_register(`PAGEPRESS_QUEUE_BASE + `PAGEPRESS_REGISTER_QUEUE_CONTROL, `PAGEPRESS_QUEUE_CONTROL_ENABLE_MASK);

    run(`PAGEPRESS_OPCODE_COMPRESS, 0, PLAIN, page_bytes, STREAM, page_bytes, 0, completion);
    stream_bytes = word(completion + `PAGEPRESS_COMPLETION_ENTRY_PRODUCED_LENGTH_OFFSET);
    if (stream_bytes == 0 || stream_bytes >= page_bytes) $fatal(1, "a stream of %0d bytes", stream_bytes);
    if (word(completion + `PAGEPRESS_COMPLETION_ENTRY_CRC32C_OFFSET) != page_crc) $fatal(1, "compress: not the page's CRC32C");
    if (word(completion + `PAGEPRESS_COMPLETION_ENTRY_DETAIL_OFFSET) != crc32c(STREAM, stream_bytes)) $fatal(1, "not the stream's CRC32C");
    check_untouched(STREAM - GUARD, GUARD);
    check_untouched(STREAM + stream_bytes, page_bytes + GUARD - stream_bytes);

    run(`PAGEPRESS_OPCODE_DECOMPRESS, `PAGEPRESS_FLAG_CHECK_CRC, STREAM, stream_bytes, BACK, page_bytes, page_crc, completion);
    for (int i = 0; i < page_bytes; i++)
      if (memory[BACK + i] != memory[PLAIN + i]) $fatal(1, "byte %0d came back as %h, was %h", i, memory[BACK + i], memory[PLAIN + i]);
    if (word(completion + `PAGEPRESS_COMPLETION_ENTRY_CRC32C_OFFSET) != page_crc) $fatal(1, "decompress: not the page's CRC32C");
    check_untouched(BACK - GUARD, GUARD);
    check_untouched(BACK + page_bytes, GUARD);

    $display("PASS: a page of %0d bytes became a stream of %0d and came back, %0d cycles", page_bytes, stream_bytes, cycles);
    $finish;
  end

  initial begin
    repeat (LIMIT) @(posedge clk);
    $fatal(1, "the core has not finished in %0d cycles", LIMIT);
  end

endmodule
