// SPDX-License-Identifier: Apache-2.0
// Any rule of the plane, by its own automaton on a small grid.
#include "ca/unbounded/stepper.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace tessera::ca::unbounded {
namespace {

using core::Count;

/// Tiles of a byte a cell. Each is laid with the cells round it into a block of a grid, as far as its generations look; what
/// comes in from beyond the block's sides does not reach the tile meanwhile.
class ByAutomaton final : public Stepper {
 public:
  ByAutomaton(std::string rule, core::Dictionary& properties)
      : rule_(std::move(rule)),
        range_(known_rule(rule_)->range),
        depth_(std::max(1, 8 / range_)),
        side_((Count{range_} * depth_ + 63) / 64 * 64) {
    auto const fail = [&](std::string const& why) {
      properties.fail("rule", fmt::format("is '{}', {}: not for an unbounded plane", rule_, why));
    };
    Bench& bench = bench_of(1);
    auto const fields = bench.automaton->fields();
    states_ = static_cast<int>(bench.automaton->states());
    bool const finite = fields.size() == 1 && fields[0]->element() == core::Element::uint8 && states_ >= 2;
    if (!finite) fail("a rule whose states are not 0 .. 255 at most");
    if (bench.automaton->seed()) fail("a rule that draws random numbers");
    // nothing comes of nothing
    std::vector<Word> tile(static_cast<std::size_t>(words()));
    Nine const none{};
    advance(std::span(&none, 1), 1, tile.data());
    if (std::any_of(tile.begin(), tile.end(), [](Word w) { return w != 0; }))
      fail("of which cells are born where nothing lives (B0)");
  }

  Count side() const override { return side_; }
  int words() const override { return static_cast<int>(side_ * side_ / 8); }
  int depth() const override { return depth_; }
  int states() const override { return states_; }
  std::uint8_t get(Word const* tile, int i, int j) const override { return bytes(tile)[j * side_ + i]; }
  void set(Word* tile, int i, int j, std::uint8_t state) const override {
    reinterpret_cast<std::uint8_t*>(tile)[j * side_ + i] = state;
  }

  void advance(std::span<Nine const> nines, int generations, Word* next) override {
    while (!nines.empty()) {
      auto const n = std::min(std::bit_ceil(nines.size()), most_blocks), used = std::min(n, nines.size());
      Bench& bench = bench_of(static_cast<int>(n));
      lay(bench, nines.first(used));
      for (int g = 0; g < generations; ++g) bench.automaton->step();
      take(bench, used, next);
      nines = nines.subspan(used);
      next += used * static_cast<std::size_t>(words());
    }
  }

 private:
  static constexpr std::size_t most_blocks = 16;
  struct Bench {
    core::Dictionary properties;
    std::unique_ptr<core::Layout> layout;
    std::unique_ptr<Automaton> automaton;
  };

  static std::uint8_t const* bytes(Word const* tile) { return reinterpret_cast<std::uint8_t const*>(tile); }
  Count reach() const { return Count{range_} * depth_; }

  /// Grids of 1, 2, 4 .. blocks are kept.
  Bench& bench_of(int blocks) {
    Bench& bench = benches_[static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(blocks)) - 1)];
    if (bench.automaton) return bench;
    Count const width = side_ + 2 * reach();
    bench.properties = core::Dictionary::parse("storage bytes;", "an unbounded plane");
    bench.layout = std::make_unique<core::Layout>(
        std::make_shared<core::Grid const>(core::Grid::unit({width * blocks, width, 1}, {width, width, 1})),
        std::vector<int>(static_cast<std::size_t>(blocks), 0), core::Comm(MPI_COMM_SELF));
    bench.automaton = make_automaton(rule_, bench.properties, *bench.layout);
    return bench;
  }

  void lay(Bench& bench, std::span<Nine const> nines) const {
    auto const view = static_cast<core::Field<std::uint8_t>&>(bench.automaton->state()).host();
    Count const reach = this->reach(), width = side_ + 2 * reach;
    for (int b = 0; b < bench.layout->tiles(); ++b)
      for (Count r = 0; r < width; ++r) {
        std::uint8_t* const row = view.row(b, 0, static_cast<int>(r));
        std::fill_n(row, width, std::uint8_t{0});
        if (static_cast<std::size_t>(b) >= nines.size()) continue;
        Count const j = r - reach, up = j < 0 ? 0 : j < side_ ? 1 : 2, from = (j - (up - 1) * side_) * side_;
        Nine const& nine = nines[static_cast<std::size_t>(b)];
        auto const copy = [&](Count n, Count first, Count cells, Count to) {
          if (auto const* const tile = nine[static_cast<std::size_t>(3 * up + n)])
            std::memcpy(row + to, bytes(tile) + from + first, static_cast<std::size_t>(cells));
        };
        copy(0, side_ - reach, reach, 0);
        copy(1, 0, side_, reach);
        copy(2, 0, reach, reach + side_);
      }
  }
  void take(Bench& bench, std::size_t used, Word* next) const {
    auto const view = static_cast<core::Field<std::uint8_t> const&>(bench.automaton->look()).host();
    for (std::size_t b = 0; b < used; ++b)
      for (Count j = 0; j < side_; ++j)
        std::memcpy(reinterpret_cast<std::uint8_t*>(next) + (static_cast<Count>(b) * side_ + j) * side_,
                    view.row(static_cast<int>(b), 0, static_cast<int>(j + reach())) + reach(),
                    static_cast<std::size_t>(side_));
  }

  std::string rule_;
  int range_, depth_, states_ = 0;
  Count side_;
  std::array<Bench, 5> benches_;
};

}  // namespace

std::unique_ptr<Stepper> make_automaton_stepper(std::string const& rule, core::Dictionary& properties) {
  auto const known = known_rule(rule);
  if (!known) properties.fail("rule", core::unknown_name("rule", rule, Rules::names()));
  if (known->dimensions != 2)
    properties.fail("rule", fmt::format("is '{}', which is not for planes alone: not for an unbounded plane", rule));
  return std::make_unique<ByAutomaton>(rule, properties);
}

std::unique_ptr<Stepper> make_stepper(std::string const& rule, core::Dictionary& properties) {
  if (auto words = make_word_stepper(rule)) return words;
  return make_automaton_stepper(rule, properties);
}

}  // namespace tessera::ca::unbounded
