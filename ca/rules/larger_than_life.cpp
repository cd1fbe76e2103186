// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/rulestring.hpp"
#include "ca/engine/synchronous.hpp"
#include "ca/rule.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace tessera::ca::rules {

constexpr char const* larger_help = R"(
constant/automatonProperties
    rule      "R5,C0,M1,S34..58,B34..45,NM";
R  range of the neighbourhood, 1 .. 500
C  number of states, 2 .. 256 (0 and 1: 2); cells that do not survive decay through 2, 3 and so on
M  1: the middle cell counts as a neighbour of itself, 0: it does not
S  least and largest number of neighbours in state 1 by which a cell survives
B  the same for a dead cell to be born
N  NM the square of 2 R + 1 cells, NN the diamond, NC the circle of radius R + 1/2
"5,34,45,34,58" is R, least and largest B, least and largest S, with M1 and NM. Grids of one layer: cells (nx ny 1).)";

namespace {

/// Source: K. Evans 1996, Larger than Life: it's so nonlinear, thesis; notation: M. Wojtowicz, MCell; Golly's help.
struct Larger {
  int range = 1, states = 2;
  bool middle = false;
  int survives[2] = {}, born[2] = {};  ///< least and largest counts
  char shape = 'M';

  /// Cells to each side that count, in a row so far above or below.
  int half_width(int row) const {
    if (shape == 'M') return range;
    if (shape == 'N') return range - std::abs(row);
    double const radius = range + 0.5;
    int width = range;
    while (width >= 0 && width * width + row * row >= radius * radius) --width;
    return width;
  }
  int neighbourhood() const {
    int cells = 0;
    for (int row = -range; row <= range; ++row) cells += 2 * half_width(row) + 1;
    return cells;
  }
  std::string text() const {
    return fmt::format("R{},C{},M{},S{}..{},B{}..{},N{}", range, states == 2 ? 0 : states, middle ? 1 : 0, survives[0],
                       survives[1], born[0], born[1], shape);
  }
};

bool take(std::string_view& word, std::string_view what) {
  if (!word.starts_with(what)) return false;
  word.remove_prefix(what.size());
  return true;
}
bool take(std::string_view& word, int& number) {
  auto const [end, code] = std::from_chars(word.data(), word.data() + word.size(), number);
  word.remove_prefix(static_cast<std::size_t>(end - word.data()));
  return code == std::errc() && number >= 0;
}
bool take(std::string_view& word, char const* between, int (&limits)[2]) {
  return take(word, limits[0]) && take(word, between) && take(word, limits[1]);
}

std::optional<Larger> larger(std::string_view word) {
  Larger rule;
  if (take(word, "R")) {
    int middle = 0;
    bool const read = take(word, rule.range) && take(word, ",C") && take(word, rule.states) && take(word, ",M") &&
                      take(word, middle) && take(word, ",S") && take(word, "..", rule.survives) && take(word, ",B") &&
                      take(word, "..", rule.born) && take(word, ",N") && word.size() == 1;
    if (!read || middle > 1) return {};
    rule.middle = middle == 1;
    rule.shape = word[0];
  } else {
    rule.middle = true;
    bool const read = take(word, rule.range) && take(word, ",") && take(word, ",", rule.born) && take(word, ",") &&
                      take(word, ",", rule.survives) && word.empty();
    if (!read) return {};
  }
  rule.states = std::max(rule.states, 2);
  bool const fits = rule.range >= 1 && rule.range <= 500 && rule.states <= 256 &&
                    std::string_view("MNC").find(rule.shape) != std::string_view::npos;
  if (!fits) return {};
  int const all = rule.neighbourhood();
  return rule.survives[1] <= all && rule.born[1] <= all ? std::optional(rule) : std::nullopt;
}

/// Cells in state 1 of a neighbourhood, row by row of a tile, in sums of the type Sum, which must hold the neighbourhood.
/// Of each row the running sum is kept, so a row of the neighbourhood is the difference of two of its values, whatever its
/// width, and rows without are passed over; for the square the sum of all rows goes on from row to row. Cost a cell: 2 (2 R + 1) reads; 4 for the square.
template <class Sum>
class Counts {
 public:
  Counts(Larger const& rule, int cells)
      : rule_(rule),
        cells_(cells),
        length_(static_cast<std::size_t>(cells + 2 * rule.range + 1)),
        running_(length_ * static_cast<std::size_t>(2 * rule.range + 1)),
        alive_(static_cast<std::size_t>(2 * rule.range + 1)),
        total_(static_cast<std::size_t>(cells)) {
    for (int row = -rule.range; row <= rule.range; ++row) half_.push_back(rule.half_width(row));
  }
  /// Takes the next row, from R cells left of the tile to R right of it; with the last 2 R + 1 rows they are a neighbourhood.
  void add(State const* row) {
    Sum* const running = row_of(next_);
    if (rule_.shape == 'M' && next_ > 2 * rule_.range) widen(running, -1);
    Sum sum = 0;
    running[0] = 0;
    for (std::size_t i = 0; i + 1 < length_; ++i) running[i + 1] = sum = static_cast<Sum>(sum + (row[i] == 1));
    alive_[static_cast<std::size_t>(next_) % alive_.size()] =
        std::find(row, row + length_ - 1, State{1}) != row + length_ - 1;
    if (rule_.shape == 'M') widen(running, 1);
    ++next_;
  }
  /// Of each cell of the row R rows before the last one.
  Sum const* counts() {
    if (rule_.shape == 'M') return total_.data();
    std::fill(total_.begin(), total_.end(), Sum{0});
    for (int q = 0; q <= 2 * rule_.range; ++q) {
      int const place = next_ - 1 - 2 * rule_.range + q;
      if (!alive_[static_cast<std::size_t>(place) % alive_.size()]) continue;
      Sum const* const running = row_of(place);
      int const half = half_[static_cast<std::size_t>(q)];
      Sum const *const low = running + rule_.range - half, *const high = running + rule_.range + half + 1;
      Sum* const total = total_.data();
      TESSERA_INDEPENDENT
      for (int i = 0; i < cells_; ++i) total[i] = static_cast<Sum>(total[i] + high[i] - low[i]);
    }
    return total_.data();
  }

 private:
  Sum* row_of(int row) { return running_.data() + static_cast<std::size_t>(row % (2 * rule_.range + 1)) * length_; }
  /// Adds the sums over 2 R + 1 cells of a row, or takes them away.
  void widen(Sum const* running, int sign) {
    Sum const* const high = running + 2 * rule_.range + 1;
    Sum* const total = total_.data();
    TESSERA_INDEPENDENT
    for (int i = 0; i < cells_; ++i) total[i] = static_cast<Sum>(total[i] + sign * (high[i] - running[i]));
  }

  Larger const& rule_;
  int cells_, next_ = 0;
  std::size_t length_;
  std::vector<Sum> running_;
  std::vector<char> alive_;  ///< whether a row has cells that count
  std::vector<Sum> total_;
  std::vector<int> half_;
};

/// A generation at a time, on the host. Memory: two fields of bytes, and 2 R + 3 rows of a tile for each thread.
class LargerThanLife final : public Automaton {
 public:
  LargerThanLife(Larger const& rule, RuleContext& context)
      : Automaton(context.word),
        rule_(rule),
        state_(core::FieldInfo{.name = "state", .description = "state of the cells", .units = "1", .restart = true},
               context.layout, rule.range),
        next_("next state", context.layout, rule.range),
        halo_(context.layout, rule.range, core::Reach::all) {
    detail::check_dimensions(context, 2);
    auto const sides = Boundaries::read(context.properties, context.grid());
    sides.check_states(context.properties, rule.states - 1);
    sides_ = HaloFill(sides, context.layout, context.layout.all(), rule.range);
    short_sums_ = rule.neighbourhood() < 1 << 16;
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
      changed[static_cast<std::size_t>(slot)] =
          short_sums_ ? advance<std::uint16_t>(info, slot, from, to) : advance<std::uint32_t>(info, slot, from, to);
    });
    state_.swap_values(next_);
    ++generation_;
    core::Timed const reduction(core::Part::reduce);
    return layout.comm().sum(std::accumulate(changed.begin(), changed.end(), std::int64_t{0}));
  }

 private:
  template <class Sum, class From, class To>
  std::int64_t advance(core::TileInfo const& tile, int slot, From const& from, To const& to) const {
    int const range = rule_.range;
    Counts<Sum> counts(rule_, tile.ni);
    for (int j = -range; j < range; ++j) counts.add(from.row(slot, 0, j) - range);
    std::int64_t changed = 0;
    for (int j = 0; j < tile.nj; ++j) {
      counts.add(from.row(slot, 0, j + range) - range);
      changed += next_row(counts.counts(), from.row(slot, 0, j), to.row(slot, 0, j), tile.ni);
    }
    return changed;
  }
  template <class Sum>
  std::int64_t next_row(Sum const* counts, State const* old, State* fresh, int cells) const {
    auto const sum = [](int n) { return static_cast<Sum>(n); };
    Sum const survives = sum(rule_.survives[0]), most_survive = sum(rule_.survives[1] - rule_.survives[0]),
              born = sum(rule_.born[0]), most_born = sum(rule_.born[1] - rule_.born[0]);
    // a least number above the largest: none
    bool const none_survive = rule_.survives[1] < rule_.survives[0], none_born = rule_.born[1] < rule_.born[0];
    auto const last = static_cast<State>(rule_.states - 1);
    Sum const self = rule_.middle ? 0 : 1;
    std::int64_t changed = 0;
    TESSERA_INDEPENDENT
    for (int i = 0; i < cells; ++i) {
      State const centre = old[i];
      Sum const n = static_cast<Sum>(counts[i] - (centre == 1 ? self : 0));
      bool const lives = static_cast<Sum>(n - survives) <= most_survive && !none_survive,
                 starts = static_cast<Sum>(n - born) <= most_born && !none_born;
      fresh[i] = aged(centre, centre == 1 ? lives : starts, last);
      changed += fresh[i] != centre;
    }
    return changed;
  }

  Larger rule_;
  core::Field<State> state_, next_;
  core::Halo halo_;
  HaloFill sides_;
  bool short_sums_ = true;
};

bool is_larger(std::string_view word) { return larger(word).has_value(); }
std::string larger_text(std::string_view word) {
  auto const rule = larger(word);
  return rule ? rule->text() : std::string(word);
}
int larger_range(std::string_view word) {
  auto const rule = larger(word);
  return rule ? rule->range : 1;
}
std::unique_ptr<Automaton> make_larger(RuleContext& context) {
  auto const rule = larger(context.word);
  if (!rule)
    context.properties.fail("rule", "is 'largerThanLife', expected a rulestring such as R5,C0,M1,S34..58,B34..45,NM");
  return std::make_unique<LargerThanLife>(*rule, context);
}

[[maybe_unused]] bool const larger_added =
    add_rule_traits("largerThanLife",
                    {.matches = &is_larger, .canonical = &larger_text, .dimensions = 2, .range = &larger_range}) &&
    Rules::add("largerThanLife", "neighbourhoods of any range: rulestrings such as R5,C0,M1,S34..58,B34..45,NM",
               &make_larger, larger_help);

}  // namespace

}  // namespace tessera::ca::rules
