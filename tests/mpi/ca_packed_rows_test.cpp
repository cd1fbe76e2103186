// SPDX-License-Identifier: Apache-2.0
#include "ca/automaton.hpp"
#include "ca/engine/initial.hpp"
#include "core/grid/migrate.hpp"
#include "core/grid/rows.hpp"
#include "io/rows.hpp"
#include "tests/support/automata.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace tessera::tests {

using Bytes = core::Field<std::uint8_t>;

/// A rule on one layout, a bit or several a cell and a byte a cell.
struct Twins {
  std::unique_ptr<core::Layout> layout;
  core::Dictionary bits_words = core::Dictionary::parse("storage bits;", "bits"),
                   bytes_words = core::Dictionary::parse("storage bytes;", "bytes");
  std::unique_ptr<ca::Automaton> bits, bytes;

  explicit Twins(std::unique_ptr<core::Layout> on, std::string const& rule = "life") : layout(std::move(on)) {
    bits = ca::make_automaton(rule, bits_words, *layout);
    bytes = ca::make_automaton(rule, bytes_words, *layout);
    EXPECT_FALSE(bits->words().empty());
    EXPECT_TRUE(bytes->words().empty());
    EXPECT_EQ(bits->states(), bytes->states());
  }
  /// Does the same to both.
  template <class F>
  void both(F const& f) {
    for (auto* automaton : {&*bits, &*bytes}) f(static_cast<Bytes&>(automaton->state()));
  }
  /// All that goes by rows finds the same in both, and nobody made bytes of the bits.
  void expect_same(std::string const& what) {
    auto const& of_bits = dynamic_cast<Bytes const&>(bits->look());
    auto const& of_bytes = dynamic_cast<Bytes const&>(bytes->look());
    EXPECT_EQ(core::hash(of_bits), core::hash(of_bytes)) << what;
    core::Box const all = layout->grid().box(), part{{all.hi.i / 3, 0, 0}, all.hi};
    EXPECT_EQ(core::hash(of_bits, part), core::hash(of_bytes, part)) << what;
    EXPECT_EQ(gathered(of_bits, part), gathered(of_bytes, part)) << what;
    core::RowReader left(of_bits), right(of_bytes);
    core::for_own_rows(*layout, [&](int slot, int k, int j) {
      int const n = layout->info(slot).ni;
      std::vector const row(left.row(slot, k, j), left.row(slot, k, j) + n);
      ASSERT_EQ(row, std::vector(right.row(slot, k, j), right.row(slot, k, j) + n)) << what;
      core::RowPiece const piece{slot, k, j, n / 4, n - n / 4 - n / 5};
      ASSERT_TRUE(std::equal(left(piece), left(piece) + piece.n, row.begin() + piece.i)) << what;
    });
    EXPECT_NE(of_bits.store(), nullptr) << what;
    EXPECT_EQ(of_bits.bytes(), 0) << what;
  }
  static std::vector<std::byte> gathered(Bytes const& field, core::Box const& region) {
    bool const root = core::Comm().root();
    std::vector<std::byte> values(root ? static_cast<std::size_t>(region.cells()) : 0);
    io::IntoMemory sink(values.data());
    io::gather(field, region, root ? &sink : nullptr);
    return values;
  }
};

/// Rows of random states.
class RandomRows final : public io::RowSource {
 public:
  RandomRows(core::Grid::Shape cells, unsigned seed, std::int64_t states)
      : cells_(cells),
        random_(seed),
        states_(static_cast<unsigned>(states)) {}
  core::Grid::Shape cells() const override { return cells_; }
  core::Element element() const override { return core::Element::uint8; }
  void next(core::Count, std::span<std::byte> values) override {
    for (auto& value : values) value = static_cast<std::byte>(random_() / 8 % states_);
  }

 private:
  core::Grid::Shape cells_;
  std::mt19937 random_;
  unsigned states_;
};

/// Grids whose rows end within a word and with one, on tiles of words or as wide as the grid.
std::vector<std::unique_ptr<core::Layout>> layouts() {
  std::vector<std::unique_ptr<core::Layout>> all;
  for (core::Count const nx : {7, 64, 65, 200, 4200})
    for (core::Count const ny : {2, 37})
      for (core::Grid::Shape const tile : {core::Grid::Shape{8192, 16, 1}, {64, 5, 1}, {128, 16, 1}})
        if (tile[0] >= nx || tile[0] % 64 == 0) all.push_back(shuffled_layout({nx, ny, 1}, tile));
  return all;
}

/// On each layout one of the rules after the other.
void expect_rows_of_bytes(std::vector<std::string> const& rules) {
  unsigned seed = 0;
  for (auto& layout : layouts()) {
    auto const box = layout->grid().box();
    std::string const rule = rules[seed++ % rules.size()], what = fmt::format("{}, {} x {}", rule, box.hi.i, box.hi.j);
    Twins twins(std::move(layout), rule);
    twins.expect_same("dead, " + what);
    twins.both([&](Bytes& field) { ca::fill_random(field, 0.4, {seed, 3}); });
    twins.expect_same("random, " + what);
    core::Box const inner{{box.hi.i / 4, box.hi.j / 3, 0}, {box.hi.i - box.hi.i / 5, box.hi.j, 1}};
    twins.both([&](Bytes& field) { ca::fill_random(field, 0.9, {7, 0}, inner); });
    twins.expect_same("random in a box, " + what);
    core::Index const n = inner.shape();
    twins.both([&](Bytes& field) {
      RandomRows rows({n.i, n.j, n.k}, 5, twins.bits->states());
      io::distribute(core::Comm().root() ? &rows : nullptr, field, inner.lo);
    });
    twins.expect_same("rows of a file, " + what);
    for (int step = 0; step < 3; ++step) {
      EXPECT_EQ(twins.bits->step(), twins.bytes->step()) << what;
      twins.expect_same("later, " + what);
    }
  }
}

TEST(PackedRows, AreTheStatesThatBytesAre) { expect_rows_of_bytes({"life"}); }

TEST(PackedRows, OfSeveralPlanesAreTheStatesThatBytesAre) {
  expect_rows_of_bytes({"345/2/4", "23/3/2", "3/2/7", "34/2/16", "/2/3"});
}

/// All states that a rule has.
void set_states(Bytes& field, std::int64_t states) {
  for_each_cell(field, [&](core::Index x, std::uint8_t& value) {
    if (x.i % 7 == 0) value = static_cast<std::uint8_t>((x.i / 7 + x.j) % states);
  });
}

TEST(PackedRows, SurviveACopyOfAllThatIsWritten) {
  for (std::string const rule : {"life", "345/2/4", "345/2/11"}) {
    Twins twins(shuffled_layout({150, 40, 1}, {64, 16, 1}), rule);
    twins.both([](Bytes& field) { ca::fill_random(field, 0.3, {4, 0}); });
    // rows after the copy go to the copy
    twins.both([&](Bytes& field) {
      set_states(field, twins.bits->states());
      ca::fill_random(field, 0.5, {6, 0}, {{20, 3, 0}, {90, 30, 1}});
    });
    EXPECT_EQ(static_cast<Bytes&>(twins.bits->state()).store(), nullptr);
    EXPECT_EQ(core::hash(twins.bits->look()), core::hash(twins.bytes->look()));
    EXPECT_EQ(twins.bits->step(), twins.bytes->step());
    twins.expect_same("after a step of " + rule);
  }
}

TEST(PackedRows, MoveToOtherTilesAndRanks) {
  for (core::Grid::Shape const tile : {core::Grid::Shape{64, 7, 1}, {192, 40, 1}, {256, 9, 1}})
    for (std::string const rule : {"life", "345/2/11"}) {
      Twins from(shuffled_layout({200, 40, 1}, {64, 16, 1}), rule), to(shuffled_layout({200, 40, 1}, tile), rule);
      from.both([&](Bytes& field) {
        ca::fill_random(field, 0.3, {4, 0});
        set_states(field, from.bits->states());
      });
      from.bits->step();
      from.bytes->step();
      core::migrate(from.bits->look(), to.bits->state(), 100);
      core::migrate(from.bytes->look(), to.bytes->state());
      to.expect_same("moved");
      from.expect_same("where it was");
      EXPECT_EQ(core::hash(from.bits->look()), core::hash(to.bits->look()));
    }
}

TEST(PackedRows, TakeStatesThatTheRuleHasNotAsDead) {
  for (auto const& [rule, states] : {std::pair{"life", 2}, {"345/2/4", 4}, {"/2/3", 3}, {"34/2/9", 9}}) {
    Twins twins(shuffled_layout({150, 40, 1}, {64, 16, 1}), rule);
    auto& bits = static_cast<Bytes&>(twins.bits->state());
    core::set_rows("states", bits, bits.layout().grid().box(), [](core::Index, std::span<std::uint8_t> cells) {
      for (std::size_t n = 0; n < cells.size(); ++n) cells[n] = static_cast<std::uint8_t>(n);
    });
    core::RowReader read(bits);
    core::for_own_rows(*twins.layout, [&](int slot, int k, int j) {
      for (int i = 0; i < twins.layout->info(slot).ni; ++i) EXPECT_EQ(read.row(slot, k, j)[i], i < states ? i : 0);
    });
  }
}

/// Tiles that rest are worked on again when rows of theirs are set.
TEST(PackedRows, WakeTilesThatRest) {
  Twins twins(shuffled_layout({256, 64, 1}, {64, 16, 1}));
  EXPECT_EQ(twins.bits->work_ahead(4), 4);
  for (int n = 0; n < 16; ++n) twins.bits->step();
  twins.bits->set_generation(0);
  twins.both([](Bytes& field) { ca::fill_random(field, 0.3, {4, 0}, {{100, 20, 0}, {140, 30, 1}}); });
  for (int n = 0; n < 16; ++n) {
    twins.bits->step();
    twins.bytes->step();
  }
  twins.expect_same("woken");
}

TEST(RandomStates, AreTheDrawsOfTheirCells) {
  auto const layout = shuffled_layout({300, 21, 1}, {128, 10, 1});
  Bytes field("state", *layout);
  for (double const p : {0.0, 0x1p-60, 1e-9, 0.25, 0.3, 0.5, 0.592746, 1 - 0x1p-53, 1.0})
    for (core::Random const random : {core::Random{1, 0}, {0xfedcba9876543210u, 77}}) {
      ca::fill_random(field, p, random);
      for_each_cell(field, [&](core::Index x, std::uint8_t value) {
        ASSERT_EQ(value, random.uniform(static_cast<std::uint64_t>(layout->grid().number(x))) < p) << p;
      });
    }
}

}  // namespace tessera::tests
