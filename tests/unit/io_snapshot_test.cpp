// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/reader.hpp"
#include "io/snapshot.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <random>

namespace tessera::io {
namespace {

using tests::bytes_of;
using tests::Scratch;
using tests::write_bytes;

/// Writes a snapshot of one field T with the numbers of the cells, and returns its path.
std::string write_numbers(std::string const& folder, std::array<core::Axis, 3> const& axes, std::int64_t step,
                          double time) {
  core::Comm const alone(MPI_COMM_SELF);
  auto grid = std::make_shared<core::Grid const>(axes, core::Grid::Shape{4, 4, 2});
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), alone);
  core::Field<double> field({"T", "temperature", "K", {0, 0, 0, 1}}, layout);
  tests::fill_by_number(field);
  core::FieldBase const* const fields[] = {&field};
  SnapshotSeries series(folder, "box", {}, true);
  return series.write(step, time, fields, {{"system/controlDict", "endTime 3;\n"}, {"caseHash", "abc"}});
}

std::array<core::Axis, 3> box(core::Count nx, core::Count ny, core::Count nz, double expansion = 1) {
  return {core::Axis::make_graded(nx, 1, 2, expansion), core::Axis::make_uniform(ny, 0, 1),
          core::Axis::make_uniform(nz, 0, 0.5)};
}

void read_all(std::string const& path) {
  auto const source = open_rows(path);
  auto const n = source->cells();
  std::vector<std::byte> row(static_cast<std::size_t>(n[0]) * size_of(source->element()));
  for (core::Count r = 0; r < n[1] * n[2]; ++r) source->next(1, row);
}

TEST(Snapshot, SaysWhatItHolds) {
  Scratch const scratch;
  std::string const file = write_numbers(scratch.path(), box(9, 7, 1), 1234567, 0.75);
  EXPECT_EQ(file, scratch / "1234567.h5");
  auto const info = read_snapshot(file);
  EXPECT_EQ(info.step, 1234567);
  EXPECT_EQ(info.time, 0.75);
  EXPECT_EQ(info.cells, (core::Grid::Shape{9, 7, 1}));
  ASSERT_EQ(info.fields.size(), 1u);
  EXPECT_EQ(info.fields[0].name, "T");
  EXPECT_EQ(info.provenance.at("system/controlDict"), "endTime 3;\n");
  EXPECT_EQ(info.provenance.at("caseHash"), "abc");
}

TEST(Snapshot, KeepsTheStateForARestartAndDeletesTheOldestBeyondTheNumberToKeep) {
  Scratch const scratch;
  core::Comm const alone(MPI_COMM_SELF);
  auto grid = std::make_shared<core::Grid const>(box(9, 7, 1), core::Grid::Shape{4, 4, 1});
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), alone);
  core::Field<double> field({"T", "temperature", "K", {0, 0, 0, 1}}, layout);
  tests::fill_by_number(field);
  core::FieldBase const* const fields[] = {&field};
  SnapshotSeries series(scratch.path(), "box", {}, false, 2);
  for (int step : {10, 20, 30}) series.write(step, step, fields, {}, {{"history", "a b " + std::to_string(step)}});
  auto const found = snapshots_in(scratch.path());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found.begin()->first, 20);
  EXPECT_EQ(read_snapshot(found.at(30)).state, (State{{"history", "a b 30"}}));
}

TEST(Snapshot, KeepsTextsOfAnyLength) {
  Scratch const scratch;
  core::Comm const alone(MPI_COMM_SELF);
  auto grid = std::make_shared<core::Grid const>(box(9, 7, 1), core::Grid::Shape{4, 4, 1});
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), alone);
  core::Field<double> field({"T", "temperature", "K", {0, 0, 0, 1}}, layout);
  core::FieldBase const* const fields[] = {&field};
  SnapshotSeries series(scratch.path(), "box", {}, false, 2);
  State state{{"short", "a"}};
  for (std::size_t length : {32767, 32768, 32769, 65536, 65537, 3'000'000})
    state["of" + std::to_string(length)] = std::string(length - 1, 'x') + "y";
  series.write(1, 1, fields, {}, state);
  EXPECT_TRUE(read_snapshot(snapshots_in(scratch.path()).at(1)).state == state);
}

TEST(Snapshot, GivesRowsUpwardsLayerByLayerAndDownwardsOnRequest) {
  Scratch const scratch;
  std::string const file = write_numbers(scratch.path(), box(3, 4, 2), 0, 0);
  auto const source = open_rows(file);  // the only field need not be named
  std::vector<double> values(24);
  source->next(5, std::as_writable_bytes(std::span(values).first(15)));
  source->next(3, std::as_writable_bytes(std::span(values).last(9)));
  for (std::size_t n = 0; n < 24; ++n) EXPECT_EQ(values[n], static_cast<double>(n));
  auto const other = open_rows(file + ":T");
  ASSERT_TRUE(other->turn());
  other->next(3, std::as_writable_bytes(std::span(values).first(9)));
  other->next(5, std::as_writable_bytes(std::span(values).last(15)));
  EXPECT_EQ(values[0], 9);    // row 3 of layer 0
  EXPECT_EQ(values[9], 0);    // row 0
  EXPECT_EQ(values[12], 21);  // row 3 of layer 1
}

TEST(Snapshot, NamesItsFieldsWhenTheWrongOneIsAskedFor) {
  Scratch const scratch;
  std::string const file = write_numbers(scratch.path(), box(3, 3, 1), 0, 0);
  try {
    open_rows(file + ":/fields/p");
    FAIL();
  } catch (core::Error const& error) {
    EXPECT_EQ(std::string(error.what()).find(file + ": has no dataset '/fields/p'"), 0u) << error.what();
    EXPECT_NE(std::string(error.what()).find("its fields: T"), std::string::npos) << error.what();
  }
}

TEST(Snapshot, TruncatedAtAnyLengthIsAnErrorThatNamesTheFile) {
  Scratch const scratch;
  std::string const file = write_numbers(scratch.path(), box(20, 20, 1), 0, 0), whole = bytes_of(file);
  ASSERT_GT(whole.size(), 3200u);
  for (std::size_t length = 0; length < whole.size(); length += 41) {
    write_bytes(file, whole.substr(0, length));
    try {
      read_all(file);
      ADD_FAILURE() << length << " of " << whole.size() << " bytes: no error";
    } catch (core::Error const& error) {
      EXPECT_EQ(std::string(error.what()).find(file), 0u) << error.what();
    }
    EXPECT_THROW(read_snapshot(file), core::Error);
  }
}

TEST(Snapshot, ChangedInOneBitOfItsValuesIsFoundByItsChecksum) {
  Scratch const scratch;
  std::string const file = write_numbers(scratch.path(), box(20, 20, 1), 0, 0), whole = bytes_of(file);
  double const value = 123;
  std::string const pattern(reinterpret_cast<char const*>(&value), sizeof value);
  std::size_t const at = whole.find(pattern);
  ASSERT_NE(at, std::string::npos);
  std::string damaged = whole;
  damaged[at + 3] ^= 1;
  write_bytes(file, damaged);
  try {
    read_all(file);
    FAIL();
  } catch (core::Error const& error) {
    EXPECT_NE(std::string(error.what()).find("checksum"), std::string::npos) << error.what();
  }
}

TEST(Snapshot, SurvivesDamageOfAnySort) {
  Scratch const scratch;
  std::string const file = write_numbers(scratch.path(), box(12, 9, 1), 0, 0), whole = bytes_of(file);
  std::mt19937 random(1);
  int bad = 0;
  for (int round = 0; round < 400; ++round) {
    std::string damaged = whole;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    write_bytes(file, damaged);
    try {
      read_snapshot(file);
      read_all(file);
    } catch (core::Error const& error) {
      EXPECT_EQ(std::string(error.what()).find(file), 0u) << error.what();
      ++bad;
    }
  }
  EXPECT_GT(bad, 40);  // the rest hit space that is not used
}

TEST(Snapshots, AreFoundByStepAndResumedInTheSeries) {
  Scratch const scratch;
  EXPECT_TRUE(snapshots_in(scratch / "none").empty());
  write_numbers(scratch.path(), box(5, 4, 1), 20, 2.0);
  write_numbers(scratch.path(), box(5, 4, 1), 10, 1.0);
  write_bytes(scratch / "000030.h5.part", "half");
  write_bytes(scratch / "other.h5", "x");
  auto const found = snapshots_in(scratch.path());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found.rbegin()->second, scratch / "000020.h5");
  write_numbers(scratch.path(), box(5, 4, 1), 15, 1.5);
  std::string const series = bytes_of(scratch / "box.xdmf");
  EXPECT_NE(series.find("000010.h5:/fields/T"), std::string::npos);  // earlier
  EXPECT_NE(series.find("000015.h5:/fields/T"), std::string::npos);
  EXPECT_EQ(series.find("000020.h5:/fields/T"), std::string::npos);  // later: of the run before
}

TEST(Snapshots, AreAllInASeriesThatComesBackWhenARunGoesOn) {
  Scratch const scratch;
  auto const axes = box(5, 4, 1);
  for (int step : {10, 20, 30, 40}) write_numbers(scratch.path(), axes, step, step);
  core::Comm const alone(MPI_COMM_SELF);
  auto grid = std::make_shared<core::Grid const>(axes, core::Grid::Shape{4, 4, 2});
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), alone);
  std::string const xdmf = scratch / "box.xdmf";
  auto const go_on = [&](std::int64_t step, int keep) {
    SnapshotSeries(scratch.path(), "box", {}, true, keep).go_on(layout, step);
    std::string steps;
    for (int step : {10, 20, 30, 40})
      if (bytes_of(xdmf).find("0000" + std::to_string(step) + ".h5:/fields/T") != std::string::npos)
        steps += std::to_string(step) + " ";
    return steps;
  };
  std::string const whole = bytes_of(xdmf);
  std::filesystem::remove(xdmf);
  EXPECT_EQ(go_on(40, 0), "10 20 30 40 ");
  EXPECT_EQ(bytes_of(xdmf), whole);
  write_bytes(scratch / "000020.h5", "damage");
  EXPECT_EQ(go_on(30, 0), "10 30 ") << "without the damaged and the later one";
  EXPECT_EQ(go_on(40, 2), "30 40 ") << "a kill between a new snapshot and the deletion of an old one";
  EXPECT_FALSE(std::filesystem::exists(scratch / "000010.h5"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "000030.h5"));
  std::filesystem::remove(xdmf);
  EXPECT_EQ(go_on(5, 2), "") << "nothing so early";
  EXPECT_FALSE(std::filesystem::exists(xdmf));
}

TEST(Snapshots, TellWhereTheirGridLies) {
  Scratch const scratch;
  auto const differs = [&](std::array<core::Axis, 3> const& saved, std::array<core::Axis, 3> const& here) {
    std::string what;
    auto const info = read_snapshot(write_numbers(scratch.path(), saved, 1, 1));
    return same_places(info, core::Grid(here, {4, 4, 2}), what) ? "" : what;
  };
  auto const even = box(5, 4, 1), graded = box(5, 4, 1, 3), other = box(5, 4, 1, 4);
  auto moved = even, longer = even;
  moved[1] = core::Axis::make_uniform(4, 0.5, 1);
  longer[0] = core::Axis::make_uniform(5, 1, 4);
  EXPECT_EQ(differs(even, even), "");
  EXPECT_EQ(differs(graded, graded), "");
  EXPECT_EQ(differs(even, moved), "lies at 0 .. 1 along y, but the case's grid at 0.5 .. 1.5");
  EXPECT_EQ(differs(even, longer), "lies at 1 .. 3 along x, but the case's grid at 1 .. 5");
  for (auto const& [a, b] : {std::pair(even, graded), {graded, even}, {graded, other}})
    EXPECT_EQ(differs(a, b), "has another grading along x than the case's grid");
}

TEST(Series, IsXdmf22WithOneCellThickMesh) {
  Scratch const scratch;
  write_numbers(scratch.path(), box(5, 4, 1), 10, 1.0);
  std::string const series = bytes_of(scratch / "box.xdmf");
  for (auto const* expected :
       {"<Xdmf Version=\"2.2\">", "CollectionType=\"Temporal\"", "TopologyType=\"3DCoRectMesh\" Dimensions=\"2 5 6\"",
        "GeometryType=\"ORIGIN_DXDYDZ\"", "Format=\"XML\">0 0 1</DataItem>", "Format=\"XML\">0.5 0.25 0.4",
        "<Time Value=\"1\"/>", "Center=\"Cell\"",
        "Dimensions=\"1 4 5\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">000010.h5:/fields/T</DataItem>"})
    EXPECT_NE(series.find(expected), std::string::npos) << expected << "\n" << series;
}

TEST(Series, OfAGradedGridReadsItsFacesFromTheSnapshot) {
  Scratch const scratch;
  std::string const file = write_numbers(scratch.path(), box(6, 4, 3, 5.0), 0, 0);
  std::string const series = bytes_of(scratch / "box.xdmf");
  EXPECT_NE(series.find("TopologyType=\"3DRectMesh\" Dimensions=\"4 5 7\""), std::string::npos) << series;
  EXPECT_NE(series.find("GeometryType=\"VXVYVZ\""), std::string::npos);
  EXPECT_NE(series.find("<DataItem Dimensions=\"7\" NumberType=\"Float\" Precision=\"8\" "
                        "Format=\"HDF\">000000.h5:/grid/x</DataItem>"),
            std::string::npos);
}

/// What `command` prints, or "" if it fails.
std::string output_of(std::string const& command) {
  std::string text;
  std::FILE* const pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[256];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) text += buffer;
  return pclose(pipe) == 0 ? text : "";
}

TEST(Series, IsWellFormedXml) {
  if (output_of("python3 -c 'print(1)'").empty()) GTEST_SKIP() << "no python3 to parse XML with";
  Scratch const scratch;
  write_numbers(scratch.path(), box(5, 4, 1), 10, 1.0);
  write_numbers(scratch.path(), box(5, 4, 1), 11, 1.1);
  std::string const script =
      "import sys, xml.etree.ElementTree as e; print(len(e.parse(sys.argv[1]).findall('.//Attribute')))";
  EXPECT_EQ(output_of("python3 -c \"" + script + "\" " + (scratch / "box.xdmf")), "2\n");
}

TEST(Series, OpensInParaView) {
  if (output_of("pvpython --version").empty()) GTEST_SKIP() << "no pvpython: install python3-paraview";
  Scratch const scratch;
  write_numbers(scratch.path(), box(5, 4, 1), 10, 1.0);
  write_bytes(scratch / "read.py",
              "import sys\nfrom paraview.simple import *\ns = XDMFReader(FileNames=[sys.argv[1]])\ns.UpdatePipeline()\n"
              "i = s.GetDataInformation()\nprint('cells', i.GetNumberOfCells(), 'range', s.CellData['T'].GetRange(), "
              "'bounds', i.GetBounds())\n");
  EXPECT_EQ(output_of("pvpython " + (scratch / "read.py") + " " + (scratch / "box.xdmf")),
            "cells 20 range (0.0, 19.0) bounds (1.0, 3.0, 0.0, 1.0, 0.0, 0.5)\n");
}

}  // namespace
}  // namespace tessera::io
