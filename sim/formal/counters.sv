// SPDX-License-Identifier: Apache-2.0
// counters: each is the sum of all that was added to it, to its 64th bit: the lower half two cycles after an addition, the upper half,
// as the carry takes one, a cycle later. That is what reading high, low, and high again relies on. Whatever word is asked for comes
// two cycles later.
`define COUNTERS 19 // io_add_N of the block; another number of ports does not elaborate

module properties (
  input clk,
  input [14 * `COUNTERS - 1:0] adds,
  input [5:0] word
);
  wire [31:0] data;
  reg started = 0;
  always @(posedge clk) started <= 1;

  wire [13:0] add [0:`COUNTERS - 1];
  wire [31:0] halves [0:2 * `COUNTERS - 1];
  genvar index;
  generate
    for (index = 0; index < `COUNTERS; index = index + 1) begin : each
      assign add[index] = started ? adds[14 * index +: 14] : 14'd0;
      reg [13:0] step = 0;
      reg [63:0] total = 0;
      reg [31:0] high = 0;
      always @(posedge clk) begin
        step <= add[index];
        total <= total + step;
        high <= total[63:32];
      end
      assign halves[2 * index] = total[31:0];
      assign halves[2 * index + 1] = high;
    end
  endgenerate

  counters counters (
    .clk(clk), .reset(!started), .io_word(word), .io_data(data),
    .io_add_0(add[0]), .io_add_1(add[1]), .io_add_2(add[2]), .io_add_3(add[3]), .io_add_4(add[4]), .io_add_5(add[5]),
    .io_add_6(add[6]), .io_add_7(add[7]), .io_add_8(add[8]), .io_add_9(add[9]), .io_add_10(add[10]), .io_add_11(add[11]),
    .io_add_12(add[12]), .io_add_13(add[13]), .io_add_14(add[14]), .io_add_15(add[15]), .io_add_16(add[16]), .io_add_17(add[17]),
    .io_add_18(add[18])
  );

  reg [5:0] asked = 0;
  reg [31:0] expected = 0;
  always @(posedge clk) begin
    asked <= started ? word : 6'd0;
    expected <= (started && asked < 2 * `COUNTERS) ? halves[asked] : 32'd0;
  end

  always @(posedge clk) if (started) begin
    sums: assert (data == expected);
  end
endmodule
