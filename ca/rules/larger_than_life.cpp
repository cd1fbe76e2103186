// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/higher_range.hpp"
#include "ca/engine/rulestring.hpp"
#include "ca/engine/synchronous.hpp"
#include "ca/rule.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tessera::ca::rules {

constexpr char const* larger_help = R"(
constant/automatonProperties
    rule      "R5,C0,M1,S34..58,B34..45,NM";
              "R2,C2,S2-3,5,B3,N+"
R  range of the neighbourhood, 1 .. 500
C  number of states, 2 .. 256 (0 and 1: 2); cells that do not survive decay through 2, 3 and so on
M  1: the middle cell counts as a neighbour of itself, 0: it does not (default)
S  least and largest number of neighbours in state 1 by which a cell survives; or numbers and ranges, with commas between
   (no number of neighbours is in a range that ends below its begin)
B  the same for a dead cell to be born
N  form of the neighbourhood (default M), of the cells up to R away along both axes:
     M the square                N the diamond             C the circle of radius R + 1/2    2 of radius R
     + row and column            X both diagonals          * these four lines                # the rows and columns next to the cell
     B every other cell, as the squares of the other colour of a chessboard                  D those of its own colour
     H the hexagon of a lattice of six neighbours          A its three lines                 3 its three arms
     G all, with weights that fall to the sides: (R + 1 - |x|) (R + 1 - |y|); the cell's own 1 more with M1
     @ and a bit a cell, in hexadecimal: row by row from the upper left, without the middle cell
     W and a weight a cell, row by row from the upper left, of one hexadecimal digit (8 .. f: 0 .. -7) or of two (80 .. ff:
       0 .. -127); M does not matter
"5,34,45,34,58" is R, least and largest B, least and largest S, with M1 and NM. Grids of one layer: cells (nx ny 1).
Triangular lattices (NL), corners and edges (NF) and weights of states are not read.)";

namespace {

/// Cells of a row of a neighbourhood that count the same: from the first to before the last, from R cells left of the middle.
struct Run {
  int first, last, weight;
};
using Runs = std::vector<Run>;

/// Of each row, from the lowest.
std::vector<Runs> runs_of(HigherRange const& rule) {
  std::vector<Runs> rows;
  for (int y = -rule.range; y <= rule.range; ++y) {
    Runs& runs = rows.emplace_back();
    for (int at = 0; at <= 2 * rule.range; ++at) {
      int const weight = rule.weight(at - rule.range, y);
      if (!runs.empty() && runs.back().last == at && runs.back().weight == weight)
        runs.back().last = at + 1;
      else if (weight != 0)
        runs.push_back({at, at + 1, weight});
    }
  }
  return rows;
}

/// What the live cells of a neighbourhood count, the cell itself among them, row by row of a tile, in sums of an unsigned type that
/// hold the largest (below 0 they wrap). Of each row the running sum is kept, so that a run of equal weights is the difference of two of
/// its values, whatever its length, and rows without life are passed over. Cost a cell: 2 reads for each run.
template <class Sum>
class Sums {
 public:
  Sums(HigherRange const& rule, std::vector<Runs> const& runs, int cells)
      : runs_(runs),
        range_(rule.range),
        cells_(cells),
        length_(static_cast<std::size_t>(cells + 2 * rule.range + 1)),
        running_(length_ * static_cast<std::size_t>(2 * rule.range + 1)),
        alive_(static_cast<std::size_t>(2 * rule.range + 1)),
        total_(static_cast<std::size_t>(cells)) {}
  /// Takes the next row, from R cells left of the tile to R right of it; with the last 2 R + 1 rows they are a neighbourhood. `leaving`: the
  /// row below these, nullptr where there is none.
  void add(State const* row, State const* /*leaving*/) {
    Sum* const running = row_of(next_);
    Sum sum = 0;
    running[0] = 0;
    for (std::size_t i = 0; i + 1 < length_; ++i) running[i + 1] = sum = static_cast<Sum>(sum + (row[i] == 1));
    alive_[static_cast<std::size_t>(next_) % alive_.size()] =
        std::find(row, row + length_ - 1, State{1}) != row + length_ - 1;
    ++next_;
  }
  /// Of each cell of the row R rows before the last one.
  Sum const* row() {
    std::fill(total_.begin(), total_.end(), Sum{0});
    for (int q = 0; q <= 2 * range_; ++q) {
      int const place = next_ - 1 - 2 * range_ + q;
      if (!alive_[static_cast<std::size_t>(place) % alive_.size()]) continue;
      for (Run const& run : runs_[static_cast<std::size_t>(q)]) add_run(row_of(place), run);
    }
    return total_.data();
  }

 private:
  Sum* row_of(int row) { return running_.data() + static_cast<std::size_t>(row % (2 * range_ + 1)) * length_; }
  void add_run(Sum const* running, Run const& run) {
    Sum const *const low = running + run.first, *const high = running + run.last;
    auto const weight = static_cast<Sum>(run.weight);
    Sum* const total = total_.data();
    if (weight == 1) {
      TESSERA_INDEPENDENT
      for (int i = 0; i < cells_; ++i) total[i] = static_cast<Sum>(total[i] + high[i] - low[i]);
      return;
    }
    TESSERA_INDEPENDENT
    for (int i = 0; i < cells_; ++i)
      total[i] = static_cast<Sum>(total[i] + weight * static_cast<Sum>(high[i] - low[i]));
  }

  std::vector<Runs> const& runs_;
  int range_;
  int cells_, next_ = 0;
  std::size_t length_;
  std::vector<Sum> running_;
  std::vector<char> alive_;  ///< whether a row has cells that count
  std::vector<Sum> total_;
};

/// The same for the square. The sums of columns go on from row to row; those over 1, 2, 4 ... of them that follow each other are found from
/// those over half as many, and a row's are made of these, by the bits of 2 R + 1. No cell waits for the one before it, so that all of
/// it is vector code.
template <class Sum>
class SquareSums {
 public:
  SquareSums(HigherRange const& rule, std::vector<Runs> const&, int cells)
      : across_(2 * rule.range + 1),
        cells_(cells),
        columns_(static_cast<std::size_t>(cells + 2 * rule.range)),
        half_(columns_.size()),
        twice_(columns_.size()),
        total_(static_cast<std::size_t>(cells)) {}
  void add(State const* row, State const* leaving) {
    Sum* const columns = columns_.data();
    auto const count = static_cast<int>(columns_.size());
    if (leaving == nullptr) {
      TESSERA_INDEPENDENT
      for (int i = 0; i < count; ++i) columns[i] = static_cast<Sum>(columns[i] + (row[i] == 1));
    } else {
      TESSERA_INDEPENDENT
      for (int i = 0; i < count; ++i) columns[i] = static_cast<Sum>(columns[i] + (row[i] == 1) - (leaving[i] == 1));
    }
  }
  Sum const* row() {
    std::copy_n(columns_.begin(), cells_, total_.begin());  // 2 R + 1 is odd
    Sum const* from = columns_.data();
    int done = 1;
    for (int width = 1; 2 * width <= across_; width *= 2) {
      Sum* const to = twice_.data();
      int const count = static_cast<int>(columns_.size()) - 2 * width + 1;
      TESSERA_INDEPENDENT
      for (int i = 0; i < count; ++i) to[i] = static_cast<Sum>(from[i] + from[i + width]);
      std::swap(half_, twice_);
      from = half_.data();
      if ((across_ & 2 * width) == 0) continue;
      Sum* const total = total_.data();
      Sum const* const more = from + done;
      TESSERA_INDEPENDENT
      for (int i = 0; i < cells_; ++i) total[i] = static_cast<Sum>(total[i] + more[i]);
      done += 2 * width;
    }
    return total_.data();
  }

 private:
  int across_, cells_;
  std::vector<Sum> columns_, half_, twice_, total_;
};

/// Which cells of a row have one of the counts.
template <class Sum>
void mark(Counts const& counts, Sum const* sums, int cells, State* within) {
  std::fill_n(within, cells, State{0});
  for (auto const& [first, last] : counts) {
    auto const least = static_cast<Sum>(first), width = static_cast<Sum>(last - first);
    TESSERA_INDEPENDENT
    for (int i = 0; i < cells; ++i) within[i] |= static_cast<Sum>(sums[i] - least) <= width;
  }
}

/// A generation at a time, on the host. Memory: two fields of bytes, and 2 R + 3 rows of a tile for each thread.
class LargerThanLife final : public Automaton {
 public:
  LargerThanLife(HigherRange rule, RuleContext& context)
      : Automaton(context.word),
        rule_(std::move(rule)),
        runs_(runs_of(rule_)),
        state_(
            core::FieldInfo{.name = context.field, .description = "state of the cells", .units = "1", .restart = true},
            context.layout, rule_.range),
        next_("next state", context.layout, rule_.range),
        halo_(context.layout, rule_.range, core::Reach::all) {
    detail::check_dimensions(context, 2);
    auto const sides = Boundaries::read(context.properties, context.grid());
    sides.check_states(context.properties, rule_.states - 1);
    sides_ = HaloFill(sides, context.layout, context.layout.all(), rule_.range);
    auto const [most, none_below] = rule_.total();
    short_sums_ = most < 1 << 16 && none_below;
  }
  std::int64_t states() const override { return rule_.states; }
  core::FieldBase& state() override { return state_; }

  std::int64_t step() override {
    core::Timed const timed(core::Part::compute);
    halo_.exchange(state_);
    sides_.apply(state_);
    core::Layout const& layout = state_.layout();
    std::vector<std::int64_t> changed(static_cast<std::size_t>(layout.tiles()));
    auto const from = std::as_const(state_).host();
    auto const to = next_.host();
    core::for_each_tile_on_host("larger than life", layout, [&](int slot) {
      auto const& info = layout.info(slot);
      auto const by = [&]<template <class> class How>() {
        return short_sums_ ? advance<How<std::uint16_t>, std::uint16_t>(info, slot, from, to)
                           : advance<How<std::uint32_t>, std::uint32_t>(info, slot, from, to);
      };
      changed[static_cast<std::size_t>(slot)] =
          rule_.form == 'M' ? by.template operator()<SquareSums>() : by.template operator()<Sums>();
    });
    state_.swap_values(next_);
    ++generation_;
    core::Timed const reduction(core::Part::reduce);
    return layout.comm().sum(std::accumulate(changed.begin(), changed.end(), std::int64_t{0}));
  }

 private:
  template <class How, class Sum, class From, class To>
  std::int64_t advance(core::TileInfo const& tile, int slot, From const& from, To const& to) const {
    int const range = rule_.range, cells = tile.ni;  // on the stack: bytes that are written are no parts of them
    How sums(rule_, runs_, cells);
    for (int j = -range; j < range; ++j) sums.add(from.row(slot, 0, j) - range, nullptr);
    auto const width = static_cast<std::size_t>(cells);
    std::vector<Sum> others(width);
    std::vector<State> lives(width), starts(width);
    auto const self = static_cast<Sum>(rule_.middle ? 0 : 1);
    auto const last = static_cast<State>(rule_.states - 1);
    std::int64_t changed = 0;
    for (int j = 0; j < tile.nj; ++j) {
      sums.add(from.row(slot, 0, j + range) - range, j > 0 ? from.row(slot, 0, j - range - 1) - range : nullptr);
      Sum const* const all = sums.row();
      State const* const old = from.row(slot, 0, j);
      State* const fresh = to.row(slot, 0, j);
      TESSERA_INDEPENDENT
      for (int i = 0; i < cells; ++i) others[i] = static_cast<Sum>(all[i] - (old[i] == 1 ? self : 0));
      mark(rule_.survives, others.data(), cells, lives.data());
      mark(rule_.born, others.data(), cells, starts.data());
      State const *const live = lives.data(), *const born = starts.data();
      int changed_here = 0;
      TESSERA_INDEPENDENT
      for (int i = 0; i < cells; ++i) {
        State const centre = old[i], stays = live[i], comes = born[i];
        fresh[i] = aged(centre, (centre == 1 ? stays : comes) != 0, last);
        changed_here += fresh[i] != centre;
      }
      changed += changed_here;
    }
    return changed;
  }

  HigherRange rule_;
  std::vector<Runs> runs_;
  core::Field<State> state_, next_;
  core::Halo halo_;
  HaloFill sides_;
  bool short_sums_ = true;
};

bool is_larger(std::string_view word) { return HigherRange::parse(word).has_value(); }
std::string larger_text(std::string_view word) {
  auto const rule = HigherRange::parse(word);
  return rule ? rule->text() : std::string(word);
}
int larger_range(std::string_view word) {
  auto const rule = HigherRange::parse(word);
  return rule ? rule->range : 1;
}
std::unique_ptr<Automaton> make_larger(RuleContext& context) {
  auto rule = HigherRange::parse(context.word);
  if (!rule)
    context.properties.fail("rule", "is 'largerThanLife', expected a rulestring such as R5,C0,M1,S34..58,B34..45,NM");
  return std::make_unique<LargerThanLife>(std::move(*rule), context);
}

[[maybe_unused]] bool const larger_added =
    add_rule_traits("largerThanLife",
                    {.matches = &is_larger, .canonical = &larger_text, .dimensions = 2, .range = &larger_range}) &&
    Rules::add("largerThanLife",
               "neighbourhoods of any range and form: rulestrings such as R5,C0,M1,S34..58,B34..45,NM", &make_larger,
               larger_help);

}  // namespace

}  // namespace tessera::ca::rules
