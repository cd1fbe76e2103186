// SPDX-License-Identifier: Apache-2.0
#include "ca/blocks/piece_record.hpp"

namespace tessera::ca::blocks {
namespace {

bool holds(std::vector<Word> const& rows, Id cell) { return (rows[cell >> 6] >> (cell & 63) & 1) != 0; }
void add(std::vector<Word>& rows, Id cell) { rows[cell >> 6] |= Word{1} << (cell & 63); }

}  // namespace

void mark_cells(PieceRecord const& record, Answers const& answers, std::span<Word const> occupied, PieceMarks& marks) {
  for (auto* rows : {&marks.backbone, &marks.articulation, &marks.red}) rows->assign(occupied.size(), 0);
  // labels by runs: bits from..to of the rows
  auto const fill = [&](Id from, Id to, std::uint8_t answer) {
    if ((answer & (in_backbone | is_connecting)) == 0) return;
    for (Id r = from >> 6; r <= to >> 6; ++r) {
      Word word = occupied[r];
      if (r == from >> 6) word &= ~Word{0} << (from & 63);
      if (r == to >> 6) word &= parts::through(static_cast<int>(to & 63));
      if ((answer & in_backbone) != 0) marks.backbone[r] |= word;
      if ((answer & is_connecting) != 0 && !record.cuts.empty()) marks.articulation[r] |= word & record.cuts[r];
    }
  };
  for (std::size_t n = 0; n < record.run_begin.size(); ++n) {
    Id const label = record.run_label[n];
    if (label == none) continue;
    Id const end =
        n + 1 < record.run_begin.size() ? record.run_begin[n + 1] - 1 : static_cast<Id>(64 * occupied.size()) - 1;
    fill(record.run_begin[n], end,
         (label & dead) != 0 ? answers.vertices[number_of(label)] & is_connecting : answers.elements[label]);
  }
  for (std::size_t n = 0; n < record.cells.size(); ++n) {
    Id const cell = record.cells[n];
    std::uint8_t const answer = answers.vertices[n];
    if ((answer & in_backbone) != 0) add(marks.backbone, cell);
    if ((answer & is_red) != 0) add(marks.red, cell);
    bool const cut = !record.cuts.empty() && holds(record.cuts, cell) && (answer & is_connecting) != 0;
    if (cut || (answer & is_articulation) != 0) add(marks.articulation, cell);
  }
  for (std::size_t n = 0; n < record.swallowed.size(); ++n) {
    std::uint8_t const answer = answers.elements[record.into[n]];
    if ((answer & is_red) != 0) add(marks.red, record.swallowed[n]);
    if ((answer & is_articulation) != 0) add(marks.articulation, record.swallowed[n]);
  }
}

}  // namespace tessera::ca::blocks
