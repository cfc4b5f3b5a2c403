// SPDX-License-Identifier: Apache-2.0
// token_parsers: every stream of up to ten bytes that a verifier's parser accepts, the parser of any stream accepts, and the two make the same
// tokens of it, in the same cycles; and the verifier's comes to the stream's end. Ten bytes are a first literal, a run behind it and the end mark, or
// a match, another and the end mark: each kind of token behind each other one. Nothing waits, and nothing follows.
module properties (
  input         clk,
  input [127:0] data,
  input [4:0]   count
);
  wire ended, accepted, differs, ready;
  reg [5:0] cycle = 0;
  reg differed = 0, over = 0;
  always @* assume (count <= 10);
  always @(posedge clk) begin
    if (!&cycle) cycle <= cycle + 1;
    if (cycle > 1 && !over) begin
      differed <= differed || differs;
      over <= ended;
      accepted_by_both: assert (!accepted || !differed && !differs);
    end
    comes_to_the_end: assert (cycle < 52 || over);
  end

  token_parsers parsers (
    .clk(clk), .reset(cycle == 0), .io_enable(1'b1),
    .io_source_valid(cycle == 4), .io_source_ready(ready), .io_source_payload_last(1'b1), .io_source_payload_fragment_data(data),
    .io_source_payload_fragment_count(count),
    .io_ended(ended), .io_accepted(accepted), .io_differs(differs)
  );
endmodule
