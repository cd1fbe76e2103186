// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/rows.hpp"
#include "io/stream/routers.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/routers.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace tessera::io {
namespace {

using tests::Routers;

/// Rows made from the number of the cell, 7 x + 3 (1000 at most for uint8 modulo 251); may fail at a row.
class Made final : public RowSource {
 public:
  Made(core::Grid::Shape cells, bool top_down, core::Count fails_at = -1)
      : cells_(cells),
        top_down_(top_down),
        fails_at_(fails_at) {}
  core::Grid::Shape cells() const override { return cells_; }
  core::Element element() const override { return core::Element::int32; }
  bool top_down() const override { return top_down_; }
  std::string name() const override { return "made.file"; }
  bool seek(core::Count row) override {
    at_ = row;
    return true;
  }
  void next(core::Count rows, std::span<std::byte> values) override {
    for (core::Count r = 0; r < rows; ++r, ++at_) {
      if (at_ == fails_at_) throw core::Error(name(), 0, "is truncated");
      core::Count const k = at_ / cells_[1], row = at_ % cells_[1], j = top_down_ ? cells_[1] - 1 - row : row;
      for (core::Count i = 0; i < cells_[0]; ++i) {
        std::int32_t const value = value_at({i, j, k}, cells_);
        std::memcpy(values.data() + static_cast<std::size_t>(r * cells_[0] + i) * sizeof value, &value, sizeof value);
      }
    }
  }
  static std::int32_t value_at(core::Index x, core::Grid::Shape cells) {
    return static_cast<std::int32_t>(((x.k * cells[1] + x.j) * cells[0] + x.i) * 7 % 251);
  }

 private:
  core::Grid::Shape cells_;
  bool top_down_;
  core::Count fails_at_, at_ = 0;
};

/// Rows of the bits of Made's values that are 3 or 5 modulo 7: 20 where it is 0, 70 where it is 1; never as bytes.
class MadeBits final : public RowSource {
 public:
  MadeBits(core::Grid::Shape cells, bool top_down) : cells_(cells), top_down_(top_down) {}
  core::Grid::Shape cells() const override { return cells_; }
  core::Element element() const override { return core::Element::uint8; }
  bool top_down() const override { return top_down_; }
  std::optional<std::array<double, 2>> bits() const override { return std::array{20.0, 70.0}; }
  bool seek(core::Count row) override {
    at_ = row;
    return true;
  }
  void next(core::Count, std::span<std::byte>) override { core::expect(false, "bits are asked for"); }
  void next_bits(core::Count rows, std::span<std::byte> packed) override {
    auto const row_bytes = static_cast<std::size_t>((cells_[0] + 7) / 8);
    ASSERT_EQ(packed.size(), static_cast<std::size_t>(rows) * row_bytes);
    std::fill(packed.begin(), packed.end(), std::byte{0});
    for (core::Count r = 0; r < rows; ++r, ++at_) {
      core::Count const k = at_ / cells_[1], row = at_ % cells_[1], j = top_down_ ? cells_[1] - 1 - row : row;
      auto* const line = packed.data() + static_cast<std::size_t>(r) * row_bytes;
      for (core::Count i = 0; i < cells_[0]; ++i)
        if (value_at({i, j, k}, cells_)) line[i / 8] |= std::byte{128} >> static_cast<int>(i % 8);
      // what lies behind the last value says nothing
      for (core::Count i = cells_[0]; i % 8 != 0; ++i)
        if (at_ % 2 == 0) line[i / 8] |= std::byte{128} >> static_cast<int>(i % 8);
    }
  }
  static bool value_at(core::Index x, core::Grid::Shape cells) {
    auto const m = Made::value_at(x, cells) % 7;
    return m == 3 || m == 5;
  }

 private:
  core::Grid::Shape cells_;
  bool top_down_;
  core::Count at_ = 0;
};

/// Keeps all rows; may fail at a row.
class Kept final : public RowSink {
 public:
  explicit Kept(bool top_down, core::Count fails_at = -1) : top_down_(top_down), fails_at_(fails_at) {}
  bool top_down() const override { return top_down_; }
  void next(core::Count rows, std::span<std::byte const> values) override {
    rows_ += rows;
    if (fails_at_ >= 0 && rows_ > fails_at_) throw core::RunError("no space left");
    bytes.insert(bytes.end(), values.begin(), values.end());
  }
  void finish() override {
    if (fails_at_ == -2) throw core::RunError("cannot be closed");
  }
  std::vector<std::byte> bytes;

 private:
  bool top_down_;
  core::Count fails_at_, rows_ = 0;
};

/// A star, a chain, trees, and nodes of one and two ranks; chunks of all, of some rows, of less than a row, and of a cell.
std::vector<RouterSettings> const all_routers{{},        {1, -1, 1 << 20}, {2, -1, 700},    {1, -1, 64},
                                              {0, 1, 8}, {3, -1, 1},       {1, -1, 500, 2}, {2, -1, 500, 1}};

struct Shapes {
  core::Grid::Shape grid, tile, source;
  core::Index at;
};
std::vector<Shapes> const shapes{{{37, 29, 1}, {8, 8, 1}, {37, 29, 1}, {0, 0, 0}},
                                 {{37, 29, 1}, {37, 5, 1}, {20, 11, 1}, {9, 6, 0}},
                                 {{10, 12, 7}, {4, 5, 3}, {8, 9, 5}, {2, 1, 1}},
                                 {{64, 3, 1}, {1, 1, 1}, {64, 3, 1}, {0, 0, 0}},
                                 {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}}};

template <class T>
void expect_distributed(core::Field<T> const& field, Shapes const& s, T outside) {
  auto const v = field.host();
  core::Layout const& layout = field.layout();
  core::Box const region{s.at, s.at + core::Index{s.source[0], s.source[1], s.source[2]}};
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    auto const& t = layout.info(slot);
    for (int k = 0; k < t.nk; ++k)
      for (int j = 0; j < t.nj; ++j)
        for (int i = 0; i < t.ni; ++i) {
          auto const x = t.global(k, j, i);
          T const expected = region.contains(x) ? static_cast<T>(Made::value_at(x - s.at, s.source)) : outside;
          ASSERT_EQ(v(slot, k, j, i), expected) << x.i << " " << x.j << " " << x.k;
        }
  }
}

/// Whether a rank is one of those that read: the root alone, the root and the last, all.
enum class Reading { root, ends, all };
bool reads(core::Comm const& comm, Reading reading) {
  return comm.root() || reading == Reading::all || (reading == Reading::ends && comm.rank() == comm.size() - 1);
}
constexpr std::array everybody{Reading::root, Reading::ends, Reading::all};

template <class T>
void distribute_everywhere() {
  for (auto const& s : shapes)
    for (bool const top_down : {false, true})
      for (Reading const reading : everybody) {
        auto const layout = tests::shuffled_layout(s.grid, s.tile);
        core::Field<T> field("f", *layout, 2, T{99});
        Made source(s.source, top_down);
        distribute(reads(layout->comm(), reading) ? &source : nullptr, field, s.at);
        expect_distributed<T>(field, s, T{99});
      }
}

struct BitTrial {
  Shapes shapes;
  bool top_down;
  Reading reading;
};
std::vector<BitTrial> bit_trials() {
  std::vector<BitTrial> trials;
  for (auto const& s : shapes)
    for (bool const top_down : {false, true})
      for (Reading const reading : everybody) trials.push_back({s, top_down, reading});
  return trials;
}

template <class T>
void distribute_bits_everywhere(double (*map)(double), T zero, T one) {
  for (auto const& [s, top_down, reading] : bit_trials()) {
    auto const layout = tests::shuffled_layout(s.grid, s.tile);
    bool const here = reads(layout->comm(), reading);
    core::Field<T> field("f", *layout, 1, T{99});
    MadeBits source(s.source, top_down);
    // as with other sources, only who reads knows what is done to the values
    distribute(here ? &source : nullptr, field, s.at, here ? map : nullptr);
    auto const v = field.host();
    core::Box const region{s.at, s.at + core::Index{s.source[0], s.source[1], s.source[2]}};
    for (int slot = 0; slot < layout->tiles(); ++slot) {
      auto const& t = layout->info(slot);
      for (int k = 0; k < t.nk; ++k)
        for (int j = 0; j < t.nj; ++j)
          for (int i = 0; i < t.ni; ++i) {
            auto const x = t.global(k, j, i);
            T const expected = !region.contains(x) ? T{99} : MadeBits::value_at(x - s.at, s.source) ? one : zero;
            ASSERT_EQ(v(slot, k, j, i), expected) << x.i << " " << x.j << " " << x.k;
          }
    }
  }
}

TEST(Rows, OfBitsTravelAsBits) {
  for (auto const& settings : all_routers) {
    Routers const routers(settings);
    distribute_bits_everywhere<std::uint8_t>(nullptr, 20, 70);
    distribute_bits_everywhere<double>([](double v) { return v > 50 ? 0.25 : -1.0; }, -1.0, 0.25);
  }
}

TEST(Rows, OfBitsWhoseValuesDoNotFitAreRefusedOnAllRanks) {
  auto const layout = tests::shuffled_layout({9, 4, 1}, {3, 2, 1});
  core::Field<std::uint8_t> field("f", *layout, 0);
  MadeBits source({9, 4, 1}, true);
  bool const root = layout->comm().root();
  EXPECT_THROW(distribute(root ? &source : nullptr, field, {}, root ? +[](double v) { return -v; } : nullptr),
               core::Error);
}

TEST(Rows, ReachTheirCellsThroughAnyRoutersInChunksOfAnySize) {
  for (auto const& settings : all_routers) {
    Routers const routers(settings);
    distribute_everywhere<std::uint8_t>();
    distribute_everywhere<double>();
  }
}

TEST(Rows, NeedNoMoreThanFiveChunksOnTheirWayOrSixWhereSeveralRead) {
  for (std::size_t const chunk : {4096, 65536}) {
    Routers const routers({1, -1, chunk});
    auto const layout = tests::shuffled_layout({512, 256, 1}, {32, 16, 1});
    core::Field<double> field("f", *layout);
    Made source({512, 256, 1}, true);
    router_counts() = {};
    constexpr std::int64_t headers = 200;
    distribute(layout->comm().root() ? &source : nullptr, field);
    EXPECT_LE(router_counts().largest_hold, static_cast<std::int64_t>(5 * chunk) + headers);
    EXPECT_EQ(router_counts().readers, 1);
    Made again({512, 256, 1}, true);
    distribute(&again, field);
    EXPECT_LE(router_counts().largest_hold, static_cast<std::int64_t>(6 * chunk) + headers);
    EXPECT_EQ(router_counts().readers, layout->comm().size());
    router_counts().largest_hold = 0;
    Kept sink(false);
    gather(field, layout->grid().box(), layout->comm().root() ? &sink : nullptr);
    EXPECT_GT(router_counts().largest_hold, 0);
    EXPECT_LE(router_counts().largest_hold, static_cast<std::int64_t>(5 * chunk) + headers);
    EXPECT_EQ(router_counts().streams, 3);
    EXPECT_EQ(router_counts().chunks, static_cast<std::int64_t>(3 * 512 * 256 * 8 / chunk));
  }
}

TEST(Rows, ReachTheirCellsWhateverTilesOwnersAndElementType) {
  distribute_everywhere<std::uint8_t>();
  distribute_everywhere<std::int32_t>();
  distribute_everywhere<std::int64_t>();
  distribute_everywhere<float>();
  distribute_everywhere<double>();
}

TEST(Rows, AreMappedBeforeTheyAreConverted) {
  auto const layout = tests::shuffled_layout({16, 9, 1}, {4, 4, 1});
  core::Field<std::uint8_t> field("f", *layout);
  Made source({16, 9, 1}, true);
  distribute(layout->comm().root() ? &source : nullptr, field, {}, [](double x) { return x < 100 ? 1.0 : 0.0; });
  auto const v = field.host();
  for (int slot = 0; slot < layout->tiles(); ++slot)
    for (int j = 0; j < layout->info(slot).nj; ++j)
      for (int i = 0; i < layout->info(slot).ni; ++i)
        ASSERT_EQ(v(slot, 0, j, i), Made::value_at(layout->info(slot).global(0, j, i), {16, 9, 1}) < 100 ? 1 : 0);
}

TEST(Rows, OfATruncatedSourceAreTheSameErrorOnAllRanks) {
  auto const layout = tests::shuffled_layout({40, 40, 1}, {8, 8, 1});
  core::Field<double> field("f", *layout);
  for (core::Count const row : {0, 1, 17, 39}) {
    Routers const routers(all_routers[static_cast<std::size_t>(row) % all_routers.size()]);
    Made source({40, 40, 1}, false, row);
    try {
      distribute(layout->comm().root() ? &source : nullptr, field);
      ADD_FAILURE() << "no error";
    } catch (core::Error const& error) {
      EXPECT_STREQ(error.what(), "made.file: is truncated");
    }
  }
  // the ranks still understand each other
  Made source({40, 40, 1}, false);
  distribute(layout->comm().root() ? &source : nullptr, field);
}

TEST(Rows, OfAStretchThatCannotBeReadAreTheSameErrorOnAllRanks) {
  auto const layout = tests::shuffled_layout({40, 40, 1}, {8, 8, 1});
  core::Field<double> field("f", *layout);
  for (core::Count const row : {0, 1, 17, 39}) {
    Routers const routers({1, -1, 1600});
    Made source({40, 40, 1}, false, row);
    try {
      distribute(&source, field);
      ADD_FAILURE() << "no error";
    } catch (core::Error const& error) {
      EXPECT_STREQ(error.what(), "made.file: is truncated");
    }
  }
  Made source({40, 40, 1}, false);
  distribute(&source, field);
}

TEST(Rows, OfFilesThatDifferFromRankToRankAreRefused) {
  auto const layout = tests::shuffled_layout({10, 10, 1}, {4, 4, 1});
  if (layout->comm().size() == 1) return;
  core::Field<double> field("f", *layout);
  Made source({10, layout->comm().root() ? 10 : 9, 1}, false);
  try {
    distribute(&source, field);
    ADD_FAILURE() << "no error";
  } catch (core::Error const& error) {
    EXPECT_STREQ(error.what(), "made.file: is another file on rank 1 than on rank 0");
  }
}

TEST(Rows, ThatDoNotFitAreAnErrorOnAllRanks) {
  auto const layout = tests::shuffled_layout({10, 10, 1}, {4, 4, 1});
  core::Field<double> field("f", *layout);
  Made source({8, 8, 1}, false);
  EXPECT_THROW(distribute(layout->comm().root() ? &source : nullptr, field, {3, 0, 0}), core::Error);
  EXPECT_THROW(distribute(layout->comm().root() ? &source : nullptr, field, {0, -1, 0}), core::Error);
  core::Field<std::uint8_t> small("f", *layout);
  EXPECT_THROW(distribute(layout->comm().root() ? &source : nullptr, small, {}, [](double x) { return x + 100; }),
               core::Error);
}

TEST(Rows, ComeBackAsTheyWereGiven) {
  for (auto const& s : shapes)
    for (std::size_t n = 0; n < 2 * all_routers.size(); ++n) {
      Routers const routers(all_routers[n / 2]);
      bool const top_down = n % 2 == 1;
      auto const layout = tests::shuffled_layout(s.grid, s.tile);
      core::Field<std::int32_t> field("f", *layout, 1, -5);
      Made source(s.source, top_down);
      bool const root = layout->comm().root();
      distribute(root ? &source : nullptr, field, s.at);
      Kept sink(top_down);
      gather(field, {s.at, s.at + core::Index{s.source[0], s.source[1], s.source[2]}}, root ? &sink : nullptr);
      finish(layout->comm(), root ? &sink : nullptr);
      if (!root) continue;
      Made again(s.source, top_down);
      std::vector<std::byte> expected(sink.bytes.size());
      again.next(s.source[1] * s.source[2], expected);
      EXPECT_EQ(sink.bytes, expected);
    }
}

TEST(Rows, ThatCannotBeWrittenAreTheSameErrorOnAllRanks) {
  auto const layout = tests::shuffled_layout({40, 40, 1}, {8, 8, 1});
  core::Field<double> const field("f", *layout);
  bool const root = layout->comm().root();
  for (core::Count const row : {0, 17, 39}) {
    Routers const routers(all_routers[static_cast<std::size_t>(row) % all_routers.size()]);
    Kept sink(true, row);
    EXPECT_THROW(gather(field, layout->grid().box(), root ? &sink : nullptr), core::RunError);
  }
  Kept sink(false, -2);
  gather(field, layout->grid().box(), root ? &sink : nullptr);
  EXPECT_THROW(finish(layout->comm(), root ? &sink : nullptr), core::RunError);
}

TEST(Rows, TurnedComeInTheOtherOrder) {
  Made upwards({5, 4, 3}, false);
  auto const downwards = turned(std::make_unique<Made>(core::Grid::Shape{5, 4, 3}, true));
  ASSERT_FALSE(downwards->top_down());
  std::vector<std::byte> a(5 * 4 * 3 * 4), b(a.size());
  upwards.next(12, a);
  for (core::Count r = 0; r < 12; r += 3)
    downwards->next(3, std::span(b).subspan(static_cast<std::size_t>(r) * 20, 60));
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace tessera::io
