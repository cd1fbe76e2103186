// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/compare.hpp"
#include "io/reader.hpp"
#include "io/snapshot.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/resource.h>

namespace tessera::io {
namespace {

using tests::bytes_of;
using tests::Scratch;

/// Values that depend on the cell alone.
template <class T>
void fill(core::Field<T>& field) {
  tests::for_each_cell(field,
                       [&](core::Index x, T& v) { v = static_cast<T>(field.layout().grid().number(x) * 37 % 253); });
}

/// One field of each element type on a layout.
struct SavedFields {
  explicit SavedFields(core::Layout const& layout)
      : a({"occupied", "occupied site", "1"}, layout, 1),
        b("count", layout, 0),
        c("label", layout, 3),
        d("lambda", layout, 1),
        e({"T", "temperature", "K", {0, 0, 0, 1}}, layout, 2) {
    fill(a), fill(b), fill(c), fill(d), fill(e);
  }
  std::vector<core::FieldBase const*> all() const { return {&a, &b, &c, &d, &e}; }
  core::Field<std::uint8_t> a;
  core::Field<std::int32_t> b;
  core::Field<std::int64_t> c;
  core::Field<float> d;
  core::Field<double> e;
};

std::unique_ptr<core::Layout> layout_on(std::array<core::Axis, 3> const& axes, core::Grid::Shape tile,
                                        core::Comm const& comm, int table) {
  auto grid = std::make_shared<core::Grid const>(axes, tile);
  return std::make_unique<core::Layout>(grid, tests::owner_tables(*grid, comm.size())[table], comm);
}

std::array<core::Axis, 3> plane(core::Count nx, core::Count ny) {
  return {core::Axis::make_uniform(nx, -1.0, 2.0), core::Axis::make_uniform(ny, 0.5, 1.0),
          core::Axis::make_uniform(1, 0, 0.01)};
}

TEST(Snapshots, AreWrittenWhereNamesAreLong) {
  Scratch const scratch;
  core::Comm const world;
  std::string folder = scratch.path();
  for (int n = 0; n < 4; ++n) folder += "/" + std::string(100, 'n');
  auto const layout = layout_on(plane(12, 9), {4, 3, 1}, world, 0);
  SavedFields const fields(*layout);
  SnapshotSeries series(folder + "/results", "case");
  auto const file = series.write(3, 0.5, fields.all(), {});
  EXPECT_EQ(read_snapshot(file, true).step, 3);
  std::string const part = folder + "/results/000004.h5.part";
  std::string const victim = scratch / "victim";
  if (world.root()) {
    tests::write_bytes(victim, "precious");
    std::filesystem::create_symlink(victim, part);
  }
  world.barrier();
  series.write(4, 0.5, fields.all(), {});
  world.barrier();
  EXPECT_EQ(bytes_of(victim), "precious");
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(part)));
}

TEST(Snapshots, HaveTheSameBytesOnAnyRanksTilesAndOwners) {
  Scratch const scratch;
  core::Comm const world, alone(MPI_COMM_SELF);
  for (auto const& axes :
       {plane(70, 45), std::array{core::Axis::make_graded(12, 0, 1, 4), core::Axis::make_uniform(9, 0, 1),
                                  core::Axis::make_uniform(5, 0, 1)}}) {
    Provenance const texts{{"system/controlDict", "application test;"}, {"case", "0123"}, {"constant/empty", ""}};
    std::string reference;
    if (world.root()) {
      auto const layout = layout_on(axes, {0, 0, 0}, alone, 0);
      SavedFields const fields(*layout);
      SnapshotSeries one(scratch / "alone", "box");
      one.write(12, 0.5, fields.all(), texts);
      reference = bytes_of(scratch / "alone/000012.h5");
      EXPECT_GT(reference.size(), 1000u);
    }
    for (int table = 0; table < 3; ++table)
      for (core::Grid::Shape const tile : {core::Grid::Shape{16, 8, 2}, {70, 3, 1}, {5, 45, 5}}) {
        auto const layout = layout_on(axes, tile, world, table);
        SavedFields const fields(*layout);
        SnapshotSeries series(scratch / "all", "box");
        EXPECT_EQ(series.write(12, 0.5, fields.all(), world.root() ? texts : Provenance{}), scratch / "all/000012.h5");
        if (world.root()) {
          EXPECT_TRUE(bytes_of(scratch / "all/000012.h5") == reference) << "tile " << tile[0] << " owners " << table;
        }
      }
  }
}

TEST(Snapshots, AreReadBackByAnyLayout) {
  Scratch const scratch;
  core::Comm const world;
  auto const layout = layout_on(plane(50, 33), {8, 8, 1}, world, 2),
             other = layout_on(plane(50, 33), {13, 33, 1}, world, 1);
  SavedFields const fields(*layout), expected(*other);
  SnapshotSeries series(scratch / "results", "box");
  std::string const file = series.write(3, 1.25, fields.all());
  auto const expect_back = [&]<class T>(core::Field<T> const& field, bool turn) {
    core::Field<T> back("back", *other, 1, T{1});
    std::unique_ptr<RowSource> source;
    if (world.root()) {
      source = open_rows(file + ":/fields/" + field.name());
      EXPECT_EQ(source->element(), field.element());
      if (turn) {
        EXPECT_TRUE(source->turn());
        EXPECT_TRUE(source->top_down());
      }
    }
    distribute(source.get(), back);
    EXPECT_EQ(core::hash(back), core::hash(field)) << field.name();
  };
  for (bool const turn : {false, true}) {
    expect_back(expected.a, turn);
    expect_back(expected.b, turn);
    expect_back(expected.c, turn);
    expect_back(expected.d, turn);
    expect_back(expected.e, turn);
  }
}

TEST(Snapshots, OfARegionHoldItAlone) {
  Scratch const scratch;
  core::Comm const world;
  auto const layout = layout_on(plane(40, 30), {16, 7, 1}, world, 2);
  SavedFields const fields(*layout);
  SnapshotSeries whole(scratch / "whole", "box"), part(scratch / "part", "box", {{3, 2, 0}, {38, 21, 1}});
  whole.write(0, 0, fields.all());
  part.write(0, 0, fields.all());
  core::Field<double> back("back", *layout, 0, -1.0);
  std::unique_ptr<RowSource> source;
  if (world.root()) {
    EXPECT_EQ(read_snapshot(scratch / "part/000000.h5").cells, (core::Grid::Shape{35, 19, 1}));
    source = open_rows((scratch / "part/000000.h5") + ":T");
  }
  distribute(source.get(), back, {3, 2, 0});
  core::Box const region{{3, 2, 0}, {38, 21, 1}};
  EXPECT_EQ(core::hash(back, region), core::hash(fields.e, region));
}

TEST(Snapshots, ThatCannotBeWrittenAreARunErrorWithTheReasonOnAllRanks) {
  Scratch const scratch;
  core::Comm const world;
  auto const layout = layout_on(plane(20, 20), {8, 8, 1}, world, 1);
  SavedFields const fields(*layout);
  if (world.root()) tests::write_bytes(scratch / "file", "no folder");
  world.barrier();
  SnapshotSeries series(scratch / "file", "box");
  try {
    series.write(0, 0, fields.all());
    ADD_FAILURE() << "no error";
  } catch (core::RunError const& error) {
    EXPECT_NE(std::string(error.what()).find("Not a directory"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(scratch / "file"), std::string::npos) << error.what();
  }
}

TEST(Snapshots, OnAFullDiskAreARunErrorAndLeaveNothingBehind) {
  Scratch const scratch;
  core::Comm const world;
  auto const layout = layout_on(plane(1000, 700), {128, 128, 1}, world, 1);
  SavedFields const fields(*layout);
  SnapshotSeries series(scratch / "results", "box");
  series.write(1, 0.1, fields.all());
  std::string const before = world.root() ? bytes_of(scratch / "results/box.xdmf") : "";
  // a limit on the size of files stands for the disk
  rlimit unlimited, limited;
  getrlimit(RLIMIT_FSIZE, &unlimited);
  limited = unlimited;
  limited.rlim_cur = 3000000;
  auto const handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limited);
  EXPECT_THROW(series.write(2, 0.2, fields.all()), core::RunError);
  setrlimit(RLIMIT_FSIZE, &unlimited);
  std::signal(SIGXFSZ, handler);
  if (world.root()) {
    EXPECT_FALSE(std::filesystem::exists(scratch / "results/000002.h5"));
    EXPECT_FALSE(std::filesystem::exists(scratch / "results/000002.h5.part"));
    EXPECT_EQ(bytes_of(scratch / "results/box.xdmf"), before);
  }
  world.barrier();
  series.write(2, 0.2, fields.all());
  if (world.root()) {
    EXPECT_TRUE(compare(scratch / "results/000001.h5:T", scratch / "results/000002.h5:T").equal());
  }
}

}  // namespace
}  // namespace tessera::io
