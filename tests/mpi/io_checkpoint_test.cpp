// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/checkpoint/memory.hpp"
#include "tests/support/layouts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tessera::io {
namespace {

/// Fields on a grid whose edge tiles are smaller, filled by number.
struct Fields {
  std::unique_ptr<core::Layout> layout = tests::shuffled_layout({37, 23, 3}, {8, 5, 2});
  core::Field<double> temperature{"T", *layout};
  core::Field<std::uint8_t> mask{"mask", *layout};
  Fields() { fill(); }
  void fill() {
    tests::fill_by_number(temperature);
    tests::fill_by_number(mask);
  }
  std::array<core::FieldBase const*, 2> saved() const { return {&temperature, &mask}; }
  std::array<core::FieldBase*, 2> restored() { return {&temperature, &mask}; }
  std::array<std::string, 2> hashes() const { return {core::hash(temperature), core::hash(mask)}; }
  void spoil() {
    temperature.fill(-1);
    mask.fill(9);
  }
};

/// Shares of data and parity that this number of ranks allows.
std::vector<std::array<int, 2>> codes(int ranks) {
  std::vector<std::array<int, 2>> result;
  for (int n = 2; n <= ranks; ++n)
    for (int k = 1; k < n && ranks % n == 0; ++k) result.push_back({k, n - k});
  return result;
}

class MemoryCheckpoints : public testing::Test {
 protected:
  void SetUp() override {
    if (!ErasureCodes::contains("reedSolomon")) GTEST_SKIP() << "built without ISA-L";
  }
  core::Comm world;
};

TEST_F(MemoryCheckpoints, StandEveryLossOfUpToMMembersOfAGroup) {
  for (auto const& [k, m] : codes(world.size())) {
    int const groups = world.size() / (k + m);
    for (int lost = 0; lost < 1 << world.size(); ++lost) {
      std::vector<int> losses(static_cast<std::size_t>(groups));
      for (int rank = 0; rank < world.size(); ++rank)
        losses[static_cast<std::size_t>(rank % groups)] += lost >> rank & 1;
      int const worst = *std::max_element(losses.begin(), losses.end());
      SCOPED_TRACE(fmt::format("code ({} {}), lost {:b}", k, m, lost));
      Fields fields;
      auto const before = fields.hashes();
      MemoryCheckpoint checkpoint(world, k, m);
      checkpoint.save(7, 0.5, fields.saved(), {{"residual", "1e-7"}, {"seed", world.root() ? "3" : "other"}});
      fields.spoil();
      if (lost >> world.rank() & 1) checkpoint.forget();
      if (worst > m) {
        EXPECT_THROW(checkpoint.restore(fields.restored()), core::RunError);
        continue;
      }
      auto const saved = checkpoint.restore(fields.restored());
      EXPECT_EQ(fields.hashes(), before);
      EXPECT_EQ(saved.step, 7);
      EXPECT_EQ(saved.time, 0.5);
      EXPECT_EQ(saved.state, (State{{"residual", "1e-7"}, {"seed", "3"}}));
    }
  }
}

TEST_F(MemoryCheckpoints, HoldTheLastOfSeveralSaves) {
  if (world.size() < 2) GTEST_SKIP() << "needs two ranks";
  Fields fields;
  MemoryCheckpoint checkpoint(world, 1, world.size() - 1);
  checkpoint.save(1, 1, fields.saved());
  fields.temperature.fill(3);
  auto const second = fields.hashes();
  // a rank that lost its memory takes part in the next save like all others
  if (world.rank() == 1) checkpoint.forget();
  checkpoint.save(2, 2, fields.saved());
  fields.spoil();
  EXPECT_EQ(checkpoint.restore(fields.restored()).step, 2);
  EXPECT_EQ(fields.hashes(), second);
  // one of them alone
  fields.spoil();
  std::array<core::FieldBase*, 1> const one{&fields.mask};
  EXPECT_EQ(checkpoint.restore(one).found, std::vector<std::string>{"mask"});
  EXPECT_EQ(core::hash(fields.mask), second[1]);
}

TEST_F(MemoryCheckpoints, GoToWhoOwnsTheTilesNow) {
  if (world.size() < 2) GTEST_SKIP() << "needs two ranks";
  Fields fields;
  auto const before = fields.hashes();
  MemoryCheckpoint checkpoint(world, world.size() - 1, 1);
  checkpoint.save(1, 1, fields.saved());
  if (world.rank() == 0) checkpoint.forget();
  core::Layout const all_on_last(
      fields.layout->shared_grid(),
      std::vector<int>(static_cast<std::size_t>(fields.layout->grid().tiles()), world.size() - 1), world);
  core::Field<double> temperature("T", all_on_last);
  core::Field<std::uint8_t> mask("mask", all_on_last, 2);
  std::array<core::FieldBase*, 2> const moved{&temperature, &mask};
  checkpoint.restore(moved);
  EXPECT_EQ(core::hash(temperature), before[0]);
  EXPECT_EQ(core::hash(mask), before[1]);
}

TEST_F(MemoryCheckpoints, HoldTheShareOfMemoryThatTheCodeSays) {
  if (world.size() != 4) GTEST_SKIP() << "four ranks";
  auto const layout = tests::shuffled_layout({256, 256, 1}, {32, 32, 1});
  core::Field<double> field("T", *layout);
  std::array<core::FieldBase const*, 1> const fields{&field};
  MemoryCheckpoint checkpoint(world, 3, 1);
  checkpoint.save(1, 1, fields);
  // the ranks have equal numbers of tiles; names and numbers of tiles take little
  double const own = static_cast<double>(layout->cells() * 8);
  EXPECT_NEAR(static_cast<double>(checkpoint.bytes()), own * 4 / 3, 0.01 * own);
}

TEST_F(MemoryCheckpoints, RefuseWhatCannotBe) {
  EXPECT_THROW(MemoryCheckpoint(world, 0, 1), core::Error);
  EXPECT_THROW(MemoryCheckpoint(world, 2, 0), core::Error);
  EXPECT_THROW(MemoryCheckpoint(world, world.size(), 1), core::Error) << "one rank too few";
  EXPECT_THROW(MemoryCheckpoint(world, 200, 56), core::Error);
  if (world.size() < 2) return;
  Fields fields;
  MemoryCheckpoint checkpoint(world, 1, world.size() - 1);
  EXPECT_THROW(checkpoint.restore(fields.restored()), core::RunError) << "nothing saved";
  checkpoint.save(1, 1, fields.saved());
  core::Field<double> unknown("other", *fields.layout), of_other_type("mask", *fields.layout);
  for (core::FieldBase* const field : {&unknown, &of_other_type}) {
    std::array<core::FieldBase*, 2> const asked{&fields.temperature, field};
    EXPECT_THROW(checkpoint.restore(asked), core::Error) << field->name();
  }
}

}  // namespace
}  // namespace tessera::io
