// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/insitu/in_situ.hpp"
#include "io/insitu/recorder.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <thread>

namespace tessera::io {
namespace {

/// What the recorder holds; it is open as soon as an InSitu has started.
insitu::Recording& recording() {
  void* const get = dlsym(RTLD_DEFAULT, "insitu_recording");
  if (!get) throw core::RunError("the recorder is not open");
  return *reinterpret_cast<insitu::Recording* (*)()>(get)();
}

/// A case directory with a script and a dictionary that names it.
struct Looked {
  explicit Looked(std::string const& script_entries, std::string const& more = "") {
    if (world.root()) {
      std::filesystem::create_directories(folder / "system");
      tests::write_bytes(folder / "look.py", "pass\n");
    }
    world.barrier();
    dictionary = core::Dictionary::parse("implementation recorder;\n" + more +
                                             "scripts\n{\n look { file \"look.py\"; " + script_entries + " }\n}\n",
                                         "inSituDict");
  }
  core::Comm world;
  tests::Scratch folder;
  core::Dictionary dictionary;
};

/// The value of a stored cell, by its place in the channel's grid.
double value(insitu_field const& field, insitu_array const& a, std::array<core::Count, 3> const& x) {
  auto const at = ((x[2] - a.lo[2]) * a.n[1] + (x[1] - a.lo[1])) * a.n[0] + (x[0] - a.lo[0]);
  switch (field.type) {
  case insitu_uint8:
    return static_cast<std::uint8_t const*>(a.data)[at];
  case insitu_int64:
    return static_cast<double>(static_cast<std::int64_t const*>(a.data)[at]);
  case insitu_float32:
    return static_cast<float const*>(a.data)[at];
  default:
    return static_cast<double const*>(a.data)[at];
  }
}

/// Every cell once among the owned ones of all ranks, each with its own number; duplicates hold the neighbours' numbers and
/// form a layer round each tile but outside the grid; the rest is hidden. `modulo`: of the numbers a field holds.
void expect_right_grid(insitu_channel const& c, core::Layout const& layout, std::vector<double> const& modulo,
                       bool duplicates) {
  core::Grid const& grid = layout.grid();
  std::vector<std::int64_t> seen(grid.total());
  ASSERT_EQ(c.tiles_count, layout.tiles());
  ASSERT_EQ(c.tiles_global, grid.tiles());
  for (int t = 0; t < c.tiles_count; ++t) {
    insitu_tile const& tile = c.tiles[t];
    EXPECT_EQ(layout.owner(tile.id), layout.comm().rank());
    for (int f = 0; f < c.fields_count; ++f) {
      insitu_array const& a = tile.arrays[f];
      std::size_t at = 0;
      for (core::Count k = a.lo[2]; k < a.lo[2] + a.n[2]; ++k)
        for (core::Count j = a.lo[1]; j < a.lo[1] + a.n[1]; ++j)
          for (core::Count i = a.lo[0]; i < a.lo[0] + a.n[0]; ++i) {
            std::array<core::Count, 3> const x{i, j, k};
            bool own = true, beside = duplicates;
            for (std::size_t d = 0; d < 3; ++d) {
              own &= tile.lo[d] <= x[d] && x[d] < tile.hi[d];
              beside &= tile.lo[d] - 1 <= x[d] && x[d] <= tile.hi[d];
            }
            bool const inside = grid.box().contains({i, j, k});
            int const ghost = a.ghost[at++];
            ASSERT_EQ(ghost, own                ? insitu_owned
                             : beside && inside ? insitu_duplicate
                                                : insitu_hidden)
                << "tile " << tile.id << " at " << i << " " << j << " " << k;
            if (ghost == insitu_hidden) continue;
            auto const number = grid.number({i, j, k});
            ASSERT_EQ(value(c.fields[f], a, x), std::fmod(static_cast<double>(number), modulo[f]))
                << c.fields[f].name << " at " << i << " " << j << " " << k;
            if (own && f == 0) ++seen[number];
          }
    }
  }
  layout.comm().sum(std::span<std::int64_t>(seen));
  EXPECT_TRUE(std::ranges::all_of(seen, [](auto n) { return n == 1; }));
}

TEST(InSitu, HandsOverEveryCellOnceWithItsNeighbours) {
  Looked setup("channels (grid);");
  for (auto const& [cells, tile] : {std::pair<core::Grid::Shape, core::Grid::Shape>{{37, 22, 1}, {8, 5, 1}},
                                    {{11, 9, 7}, {4, 4, 3}},
                                    {{70, 1, 1}, {16, 1, 1}}}) {
    auto const layout = tests::shuffled_layout(cells, tile, {true, false, false});
    core::Field<std::int64_t> number("number", *layout, 1);
    core::Field<std::uint8_t> mask("mask", *layout, 2);
    core::Field<float> third("third", *layout, 1);
    tests::fill_by_number(number);
    tests::fill_by_number(mask);
    tests::fill_by_number(third);
    InSitu in_situ(setup.dictionary, setup.folder.path(), setup.world);
    in_situ.start(0, 0);
    int frames = 0;
    recording().look = [&](insitu_frame const& frame) {
      ++frames;
      ASSERT_EQ(frame.channels_count, 1);
      EXPECT_EQ(frame.channels[0].uniform, 1);
      expect_right_grid(frame.channels[0], *layout, {1e18, 256, 1e18}, true);
    };
    in_situ.observe(1, 0.5, false, std::array{insitu::Shown(number), insitu::Shown(mask), insitu::Shown(third)});
    EXPECT_EQ(frames, 1);
  }
}

TEST(InSitu, HidesTheHaloOfFieldsThatMayNotBeWritten) {
  Looked setup("channels (grid);");
  auto const layout = tests::shuffled_layout({37, 22, 1}, {8, 5, 1});
  core::Field<double> number("number", *layout, 1);
  tests::fill_by_number(number);
  InSitu in_situ(setup.dictionary, setup.folder.path(), setup.world);
  in_situ.start(0, 0);
  int frames = 0;
  recording().look = [&](insitu_frame const& frame) {
    ++frames;
    expect_right_grid(frame.channels[0], *layout, {1e18}, false);
  };
  in_situ.observe(1, 1, false, std::array{insitu::Shown(std::as_const(number))});
  EXPECT_EQ(frames, 1);
}

TEST(InSitu, CopiesNoField) {
  Looked setup("channels (grid);");
  auto const layout = tests::shuffled_layout({512, 384, 1}, {64, 64, 1});
  core::Field<double> number("number", *layout, 1);
  tests::fill_by_number(number);
  InSitu in_situ(setup.dictionary, setup.folder.path(), setup.world);
  in_situ.start(0, 0);
  int frames = 0;
  recording().look = [&](insitu_frame const& frame) {
    ++frames;
    insitu_channel const& c = frame.channels[0];
    std::map<unsigned char const*, std::size_t> ghosts;
    for (int t = 0; t < c.tiles_count; ++t) {
      auto const& a = c.tiles[t].arrays[0];
      auto const own = ((c.tiles[t].lo[1] - a.lo[1]) * a.n[0] + (c.tiles[t].lo[0] - a.lo[0]));
      EXPECT_EQ(static_cast<double const*>(a.data) + own, number.host().row(layout->slot(c.tiles[t].id), 0, 0));
      ghosts[a.ghost] = static_cast<std::size_t>(a.n[0] * a.n[1] * a.n[2]);
    }
    // 9 places in a plane: inside, at 4 sides, at 4 corners; however many tiles
    EXPECT_LE(ghosts.size(), 9U);
  };
  in_situ.observe(1, 1, false, std::array{insitu::Shown(number)});
  EXPECT_EQ(frames, 1);
}

TEST(InSitu, GivesCoordinatesOfGradedAxes) {
  Looked setup("channels (grid);");
  auto const grid = std::make_shared<core::Grid const>(core::Grid(
      {core::Axis::make_graded(20, 1, 2, 5), core::Axis::make_uniform(6, 0, 3), core::Axis::make_uniform(1, 0, 1)},
      {8, 4, 1}));
  core::Layout const layout(grid, core::block_owners(grid->tiles(), setup.world.size()), setup.world);
  core::Field<double> field("T", layout, 1);
  InSitu in_situ(setup.dictionary, setup.folder.path(), setup.world);
  in_situ.start(0, 0);
  recording().look = [&](insitu_frame const& frame) {
    insitu_channel const& c = frame.channels[0];
    EXPECT_EQ(c.uniform, 0);
    EXPECT_EQ(c.cells[0], 20);
    for (int a = 0; a < 3; ++a)
      for (core::Count i = 0; i <= c.cells[a]; ++i)
        EXPECT_EQ(c.faces[a][i], grid->axis(a).face(static_cast<core::Count>(i)));
  };
  in_situ.observe(1, 1, false, std::array{insitu::Shown(field)});
  EXPECT_EQ(recording().frames, 1);
}

TEST(InSitu, PreviewHasMeansOverBlocksOnTheRoot) {
  // 1030 x 5 x 61 cells: blocks of 2, the last ones partly beyond the grid
  EXPECT_EQ(insitu::PreviewChannel::block({1030, 5, 61}), 2);
  EXPECT_EQ(insitu::PreviewChannel::block({512, 512, 1}), 1);
  EXPECT_EQ(insitu::PreviewChannel::block({513, 512, 1}), 2);
  EXPECT_EQ(insitu::PreviewChannel::block({65536, 65536, 1}), 128);
  Looked setup("channels (preview);");
  auto const grid = std::make_shared<core::Grid const>(core::Grid(
      {core::Axis::make_graded(1030, 0, 2, 3), core::Axis::make_uniform(5, 0, 1), core::Axis::make_uniform(61, 0, 1)},
      {100, 5, 13}));
  core::Layout const layout(grid, tests::owner_tables(*grid, setup.world.size())[2], setup.world);
  core::Field<double> field("x", layout, 1);
  tests::for_each_cell(field,
                       [&](core::Index x, double& v) { v = grid->axis(0).centre(x.i) + static_cast<double>(x.j); });
  InSitu in_situ(setup.dictionary, setup.folder.path(), setup.world);
  in_situ.start(0, 0);
  recording().look = [&](insitu_frame const& frame) {
    insitu_channel const& c = frame.channels[0];
    EXPECT_EQ(c.bit, insitu_preview);
    EXPECT_EQ(c.cells[0], 515);
    EXPECT_EQ(c.cells[1], 3);
    EXPECT_EQ(c.cells[2], 31);
    ASSERT_EQ(c.tiles_count, setup.world.root() ? 1 : 0);
    if (!setup.world.root()) return;
    auto const& a = c.tiles[0].arrays[0];
    for (core::Count k = 0; k < 31; ++k)
      for (core::Count j = 0; j < 3; ++j)
        for (core::Count i = 0; i < 515; ++i) {
          // the mean of x over an interval is its middle, whatever the widths of the cells
          double const x = 0.5 * (c.faces[0][i] + c.faces[0][i + 1]), y = j == 2 ? 4 : 2 * static_cast<double>(j) + 0.5;
          ASSERT_NEAR(value(c.fields[0], a, {i, j, k}), x + y, 1e-12) << i << " " << j << " " << k;  // 8 values summed
        }
  };
  in_situ.observe(1, 1, false, std::array{insitu::Shown(field)});
  EXPECT_EQ(recording().frames, 1);
}

TEST(InSitu, LooksWhenItIsTime) {
  auto const layout = tests::shuffled_layout({8, 8, 1}, {4, 4, 1});
  core::Field<double> field("T", *layout, 1);
  auto const steps = [&](std::string const& entries) {
    Looked setup(entries);
    InSitu in_situ(setup.dictionary, setup.folder.path(), setup.world);
    in_situ.start(0, 0);
    for (int step = 1; step <= 10; ++step)
      in_situ.observe(step, 0.25 * step, step == 10, std::array{insitu::Shown(field)});
    EXPECT_EQ(in_situ.report()["calls"], recording().frames);
    EXPECT_GT(in_situ.report()["startSeconds"], 0.0);
    EXPECT_EQ(in_situ.values().at("frames"), recording().frames);
    return recording().steps;
  };
  using Steps = std::vector<std::int64_t>;
  EXPECT_EQ(steps("executeInterval 3;"), (Steps{3, 6, 9, 10}));
  EXPECT_EQ(steps("executeControl runTime; executeInterval 1;"), (Steps{4, 8, 10}));
  EXPECT_EQ(steps("executeControl clockTime; executeInterval 1000;"), (Steps{10}));
}

TEST(InSitu, WaitsWhereScriptsWouldTakeMoreThanTheirBudget) {
  Looked setup("executeInterval 1;", "budget 0.2;\n");
  auto const layout = tests::shuffled_layout({8, 8, 1}, {4, 4, 1});
  core::Field<double> number("number", *layout, 1);
  InSitu in_situ(setup.dictionary, setup.folder.path(), setup.world);
  int notes = 0, frames = 0;
  in_situ.on_note([&](std::string const& text) { notes += text.find("budget of 20 %") != std::string::npos; });
  in_situ.start(0, 0);
  recording().look = [&](insitu_frame const&) {
    ++frames;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  auto const begin = std::chrono::steady_clock::now();
  int step = 0;
  for (; frames < 3; ++step) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    in_situ.observe(step, step, false, std::array{insitu::Shown(number)});
  }
  // 3 calls of 20 ms or more in a fifth of the time, the last one included
  std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(taken.count(), 0.28);
  EXPECT_EQ(notes, 1);
  EXPECT_EQ(in_situ.report().at("postponed"), step - 3);  // every step was due
  in_situ.observe(step, step, true, std::array{insitu::Shown(number)});
  EXPECT_EQ(frames, 4);  // the last step is never left out
}

TEST(InSitu, GivesScriptsTheirArgumentsAndClosesTheModule) {
  auto const layout = tests::shuffled_layout({8, 8, 1}, {4, 4, 1});
  Looked setup("channels (grid preview); args (\"lo=1\" \"hi=2\");");
  struct sigaction mine {
  }, after{};
  mine.sa_handler = SIG_IGN;
  sigaction(SIGUSR1, &mine, nullptr);
  {
    InSitu in_situ(setup.dictionary, setup.folder.path(), setup.world);
    in_situ.start(0, 0);
    ASSERT_EQ(recording().scripts.size(), 1U);
    EXPECT_EQ(recording().scripts[0].args, (std::vector<std::string>{"lo=1", "hi=2", "case=" + setup.folder.path()}));
    EXPECT_EQ(recording().scripts[0].channels, insitu_grid | insitu_preview);
    EXPECT_TRUE(recording().open);
  }
  EXPECT_FALSE(recording().open);
  sigaction(SIGUSR1, nullptr, &after);
  EXPECT_EQ(after.sa_handler, SIG_IGN);
  mine.sa_handler = SIG_DFL;
  sigaction(SIGUSR1, &mine, nullptr);
}

std::string message(std::string const& text) {
  core::Comm const world;
  tests::Scratch folder;
  auto dictionary = core::Dictionary::parse(text, "inSituDict");
  try {
    InSitu in_situ(dictionary, folder.path(), world);
    in_situ.start(0, 0);
  } catch (core::Error const& e) {
    return e.what();
  }
  return "";
}

TEST(InSitu, KnowsFieldsThatTheRunWillNotShow) {
  Looked looked("", "fields (T lambda);\n");
  InSitu const in_situ(looked.dictionary, looked.folder.path(), looked.world);
  EXPECT_NO_THROW(in_situ.expect_fields({"lambda", "rho", "T"}));
  try {
    in_situ.expect_fields({"T", "rho"});
    FAIL() << "no error";
  } catch (core::Error const& error) {
    EXPECT_EQ(std::string(error.what()).find("inSituDict:2: entry 'fields': unknown field 'lambda'"), 0u) << error.what();
  }
}

TEST(InSitu, RefusesWhatItCannotDo) {
  EXPECT_NE(message("implementation recorder;\nscripts { a { file \"none.py\"; } }").find("inSituDict:2: "),
            std::string::npos);
  EXPECT_NE(message("implementation recorder;\nscripts { }").find("is empty"), std::string::npos);
  EXPECT_NE(message("implementation vtk;\nscripts { }").find("legacy"), std::string::npos);
  EXPECT_NE(
      message("implementation recorder;\nscripts { a { file \"temperature.py\"; channels (gird); } }").find("grid"),
      std::string::npos);
  EXPECT_NE(message("implementation recorder;\nscripts { a { file \"temperature.py\"; executeInterval 1.5; } }")
                .find("whole"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::io
