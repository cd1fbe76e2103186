// SPDX-License-Identifier: Apache-2.0
// The loop over steps, with a model that counts: what it is asked for, and when.
#include "core/comm/runtime.hpp"
#include "core/grid/migrate.hpp"
#include "core/grid/sweep.hpp"
#include "io/foam/mesh.hpp"
#include "run/balance/decompose.hpp"
#include "run/driver.hpp"
#include "run/restart/restart.hpp"
#include "tests/support/written_case.hpp"

#include <cmath>

namespace tessera::tests {
namespace {

/// Adds one to each cell in each step, to 8; tells what it was asked in a line of words.
class Counting final : public run::SteppedModel {
 public:
  static inline std::string told;
  static inline int moves = 0;

  using SteppedModel::SteppedModel;
  void prepare() override {
    schedule_.read_control(session_, {.time_step = false, .functions = {}});
    auto const mesh = io::foam::read_grid_dict(session_.files.open("system/gridDict"));
    parts_ = run::decompose(session_, std::make_shared<core::Grid const>(mesh.grid));
    count_.emplace("count", *parts_.layout);
    schedule_.read_in_situ(session_);
    told.clear();
  }
  run::Memory memory() const override { return {}; }
  run::Start begin() override {
    std::array<core::FieldBase*, 1> const fields{&*count_};
    count_->fill(0);
    auto const from = run::restart(session_, schedule_.control, true, *schedule_.checkpoints, fields);
    if (from) told += from->state.at("word") + " ";
    return {.moment = at(from ? from->step : 0), .goes_on = from.has_value(), .is_state = is_state};
  }
  run::Moment step(run::Moment const& now, run::Stepping& stepping) override {
    told += std::to_string(now.step + 1);
    if (move_at == now.step) {
      // every tile to the next rank
      auto owners = parts_.layout->owners();
      for (int& owner : owners) owner = (owner + 1) % session_.comm.size();
      move_to(std::make_unique<core::Layout>(parts_.layout->shared_grid(), owners, session_.comm));
    }
    (void)stepping;
    auto const values = count_->host();
    for (int slot = 0; slot < parts_.layout->tiles(); ++slot)
      for (int j = 0; j < parts_.layout->info(slot).nj; ++j)
        for (int i = 0; i < parts_.layout->info(slot).ni; ++i) ++values(slot, 0, j, i);
    return at(now.step + 1);
  }
  void after_step(run::Moment const&, bool writes, bool stops, bool) override {
    told += std::string(writes ? "w" : "") + (stops ? "s" : "") + " ";
  }
  double steps_to_come(run::Moment const& now) const override { return static_cast<double>(8 - now.step); }
  std::vector<core::FieldBase const*> saved(bool) const override { return {&*count_}; }
  io::State state() const override { return {{"word", "resumed"}}; }
  std::vector<io::insitu::Shown> shown() const override { return {io::insitu::Shown(*count_)}; }
  std::string name(run::Moment const& now) const override { return fmt::format("step {}", now.step); }
  run::Decomposition const& parts() const override { return parts_; }
  void move_to(std::unique_ptr<core::Layout> layout) override {
    ++moves;
    core::migrate_to(*layout, *count_);
    parts_.layout = std::move(layout);
  }
  Outcome finish(run::Moment const& now, std::string const& reason, core::Report& report) override {
    report.results()["reason"] = reason;
    report.hash("count", core::hash(*count_));
    return {core::Exit::done, now.step, 0};
  }

  static inline bool is_state = true;
  static inline long move_at = -1;

 private:
  run::Moment at(std::int64_t step) const { return {step, static_cast<double>(step), step >= 8}; }
  run::Decomposition parts_;
  std::optional<core::Field<std::int32_t>> count_;
};

[[maybe_unused]] bool const added = run::Models::add<Counting>("counting", "counts");

class Driver : public testing::Test {
 protected:
  void TearDown() override {
    Counting::is_state = true;
    Counting::move_at = -1;
  }
  WrittenCase files_{{{"system/controlDict", "application counting; writeControl timeStep; writeInterval 3;"},
                      {"system/gridDict", "cells (12 10 1); tile (4 5 1);"}}};
};

TEST_F(Driver, WritesEveryThirdStepAndTheLast) {
  auto const report = files_.run();
  EXPECT_EQ(Counting::told, "1 2 3w 4 5 6w 7 8ws ");
  EXPECT_EQ(report["results"]["reason"], "");
  EXPECT_EQ(report["steps"], 8);
  for (int const step : {3, 6, 8})
    EXPECT_TRUE(std::filesystem::exists(files_.path(fmt::format("results/{:06d}.h5", step)))) << step;
  EXPECT_FALSE(std::filesystem::exists(files_.path("results/000000.h5")));
}

TEST_F(Driver, WritesNothingWhereTheCaseWantsNothing) {
  files_.run({"controlDict:writeControl=none"});
  EXPECT_EQ(Counting::told, "1 2 3 4 5 6 7 8s ");
  EXPECT_FALSE(std::filesystem::exists(files_.path("results/000008.h5")));
}

TEST_F(Driver, GoesOnFromASnapshotWithTheSameValues) {
  auto const whole = files_.run();
  auto const report = files_.run({"controlDict:startFrom=startTime", "controlDict:startTime=3"});
  EXPECT_EQ(Counting::told, "resumed 4 5 6w 7 8ws ");
  EXPECT_EQ(report["hash"]["count"], whole["hash"]["count"]);
}

TEST_F(Driver, StopsAtTheNextSnapshotWhereItIsAsked) {
  auto const report = files_.run({"controlDict:stopAt=nextWrite"});
  EXPECT_EQ(Counting::told, "1 2 3ws ");
  EXPECT_EQ(report["results"]["reason"], "stopAt nextWrite");
  files_.run({"controlDict:stopAt=noWriteNow"});
  EXPECT_EQ(Counting::told, "1s ");
}

TEST_F(Driver, WritesABeginningThatIsTheEndWhereItIsAState) {
  files_.run();
  files_.run({"controlDict:startFrom=latestTime"});
  EXPECT_EQ(Counting::told, "resumed ");
  Counting::is_state = false;
  files_.run({"controlDict:startFrom=latestTime"});
  EXPECT_EQ(Counting::told, "resumed ");
}

TEST_F(Driver, GivesTheSameValuesWhereTilesMove) {
  auto const whole = files_.run();
  Counting::move_at = 4;
  EXPECT_EQ(files_.run()["hash"]["count"], whole["hash"]["count"]);
}

TEST_F(Driver, AddsPicturesOfAPreview) {
  files_.run({"controlDict:preview={ every 4; size 16; }"});
  if (core::Comm().root()) {
    auto const bytes = files_.read("results/preview.png");
    std::size_t pictures = 0;
    for (auto at = bytes.find("fcTL"); at != std::string::npos; at = bytes.find("fcTL", at + 4)) ++pictures;
    EXPECT_EQ(pictures, 3u);  // of steps 0, 4 and 8
  }
}

}  // namespace
}  // namespace tessera::tests
