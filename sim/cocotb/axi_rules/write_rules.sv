// SPDX-License-Identifier: Apache-2.0
// The writes of an AXI4 port: data in the order of the addresses, WLAST on a burst's last beat and on no other, whichever of
// address and data comes first. When all of a burst is there a response is owed (`response_rules`).
module write_rules #(
  parameter ID_BITS = 1,
  parameter MOST_WRITES = 64,       // of an id without a response, and bursts that address and data may be apart; a power of two
  parameter ASSUME_SUBORDINATE = 0
) (
  input               clk, reset,
  input               address_taken,
  input [8:0]         beats,        // of that burst
  input [ID_BITS-1:0] id,
  input               data_offered, data_taken, last,
  input               response_offered, response_taken,
  input [ID_BITS-1:0] response_id
);
  localparam PLACE = $clog2(MOST_WRITES);
  localparam IDS = 1 << ID_BITS;

  // What came first waits here: addresses without all of their data (`ahead` 0), or whole bursts of data without an address.
  reg [8:0] lengths [0:MOST_WRITES-1];
  reg [ID_BITS-1:0] ids [0:MOST_WRITES-1];
  reg [PLACE-1:0] first = 0;
  reg [PLACE:0] waiting = 0;
  reg ahead = 0;
  reg [8:0] done = 0;               // beats taken of the burst that is coming
  wire [PLACE-1:0] free = first + waiting[PLACE-1:0];
  wire [8:0] with_this = done + 9'd1;
  wire ends = data_taken && last;
  wire address_waits = waiting != 0 && !ahead, data_waits = waiting != 0 && ahead;
  wire meet = waiting == 0 && address_taken && ends;
  wire push = !meet && (address_waits ? address_taken : data_waits ? ends : address_taken || ends);
  wire pop = address_waits ? ends : data_waits && address_taken;
  wire whole = meet || pop;
  wire [ID_BITS-1:0] whole_id = address_waits ? ids[first] : id;

  always @(posedge clk)
    if (reset) begin
      first <= 0;
      waiting <= 0;
      done <= 0;
    end else begin
      if (push) begin
        lengths[free] <= address_waits || waiting == 0 && address_taken ? beats : with_this;
        ids[free] <= id;
      end
      if (waiting == 0) ahead <= !address_taken;
      first <= first + pop;
      waiting <= waiting + push - pop;
      if (data_taken) done <= last ? 9'd0 : with_this;
    end

  always @(posedge clk) if (!reset) begin
    wlast_at_the_wrong_beat: assert (!data_offered || !address_waits || last == (with_this == lengths[first]));
    wlast_at_the_wrong_beat_before_its_address: assert (!(data_waits && address_taken) || beats == lengths[first]);
    wlast_at_the_wrong_beat_beside_its_address: assert (!meet || beats == with_this);
    too_few_beats_in_a_burst: assert (waiting != 0 || ends || !address_taken || beats > done + data_taken);
    address_and_data_too_far_apart: assert (!push || waiting != MOST_WRITES);
  end

  genvar which;
  generate
    for (which = 0; which < IDS; which = which + 1) begin : of_id
      response_rules #(.MOST_WRITES(MOST_WRITES), .ASSUME_SUBORDINATE(ASSUME_SUBORDINATE))
        responses (.clk(clk), .reset(reset), .begun(address_taken && id == which), .whole(whole && whole_id == which),
          .offered(response_offered && response_id == which), .taken(response_taken && response_id == which));
    end
  endgenerate
endmodule
