// SPDX-License-Identifier: Apache-2.0
// management_flash: once it is locked, whatever the processor writes, a transfer that is the first one after a select begins with a command that
// leaves the version floor's sectors as they are, until the core is reset. What a transfer looks like at the pins is test_management_flash's.
module properties (
  input        clk,
  input        selected, enabled, write, core_reset, data_in,
  input [11:0] address,
  input [31:0] data
);
  localparam FLOOR = 11'd1; // of 8 KiB
  wire select_not, clock, data_out, ready;
  wire [31:0] answer;
  reg started = 0;
  always @(posedge clk) started <= 1;

  management_flash port (
    .clk(clk), .reset(!started),
    .io_apb_PADDR(address), .io_apb_PSEL(selected), .io_apb_PENABLE(enabled), .io_apb_PREADY(ready), .io_apb_PWRITE(write),
    .io_apb_PWDATA(data), .io_apb_PRDATA(answer), .io_coreReset(core_reset),
    .io_pins_selectNot(select_not), .io_pins_clock(clock), .io_pins_dataOut(data_out), .io_pins_dataIn(data_in)
  );
  (* hierconn *) wire \port.locked , \port.opens ;
  (* hierconn *) wire [6:0] \port.halves ;
  (* hierconn *) wire [31:0] \port.shifted , \port.control ;
  wire locked = \port.locked , opens = \port.opens , select = \port.control [0];
  wire [6:0] halves = \port.halves ;
  wire [31:0] word = \port.shifted ;

  // A cycle ago.
  reg was_running = 0, was_locked = 0, was_first = 0, was_idle = 0, was_selected = 0;
  always @(posedge clk) begin
    was_running <= started && !core_reset;
    was_locked <= locked;
    was_first <= opens;
    was_idle <= halves == 0;
    was_selected <= select;
  end

  wire [7:0] command = word[31:24];
  wire alone = command == 8'h05 || command == 8'h06 || command == 8'h9f;
  wire elsewhere = word[23:18] == 0 && word[23:13] != FLOOR;
  wire permitted = halves == 16 && alone || halves == 64 && (command == 8'h03 || (command == 8'h02 || command == 8'h20) && elsewhere);
  wire begins = was_running && was_idle && halves != 0;
  always @(posedge clk) if (was_running) begin
    unlocked_by_itself: assert (!was_locked || locked);
    another_command_begins: assert (!begins || !was_locked || !was_first || permitted);
    a_select_ends_unnoticed: assert (was_selected || opens);
    nothing_has_begun: assert (!was_first || opens || begins && was_selected);
    select_changes_in_a_transfer: assert (was_idle || select == was_selected);
    pin_is_another: assert (select_not == !was_selected);
  end
endmodule
