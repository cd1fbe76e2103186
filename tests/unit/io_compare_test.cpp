// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/compare.hpp"
#include "io/convert.hpp"
#include "io/files/table.hpp"
#include "io/reader.hpp"
#include "io/snapshot.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/png_bytes.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace tessera::io {
namespace {

using tests::bytes_of;
using tests::PngBytes;
using tests::Scratch;
using tests::write_bytes;

/// CASE/results/000000.h5 with two fields; cell (2, 1) of T is changed by `change`.
template <class T>
void write_case(std::string const& folder, T change, std::string const& second = "p") {
  auto const layout = tests::shuffled_layout({4, 3, 1}, {2, 2, 1});
  core::Field<T> field("T", *layout), other(second, *layout);
  tests::fill_by_number(field);
  auto const v = field.host();
  int const tile = layout->grid().tile_of({2, 1, 0});
  auto const& info = layout->info(layout->slot(tile));
  v(layout->slot(tile), 0, static_cast<int>(1 - info.j0), static_cast<int>(2 - info.i0)) += change;
  core::FieldBase const* const fields[] = {&field, &other};
  SnapshotSeries(folder + "/results", "case").write(0, 0, fields);
}

TEST(Compare, FindsTheCellThatDiffersAndByHowMuch) {
  Scratch const scratch;
  write_case<double>(scratch / "a", 0);
  write_case<double>(scratch / "b", 0.5);
  auto const results = compare_results(scratch / "a", scratch / "b");
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].field, "T");
  EXPECT_EQ(results[0].cells, 12);
  EXPECT_EQ(results[0].different, 1);
  EXPECT_EQ(results[0].max_absolute, 0.5);
  EXPECT_EQ(results[0].max_relative, 0.5 / 6.5);  // cell (2, 1) holds 1 x 4 + 2 = 6
  EXPECT_EQ(results[0].worst, (core::Index{2, 1, 0}));
  EXPECT_TRUE(results[1].equal());
  EXPECT_TRUE(compare_results(scratch / "a", scratch / "b", "T", 0.5)[0].equal());
  EXPECT_FALSE(compare_results(scratch / "a", scratch / "b", "T", 0.49)[0].equal());
}

TEST(Compare, TellsLargeIntegersApartAndCountsNaN) {
  Scratch const scratch;
  write_case<std::int64_t>(scratch / "a", std::int64_t{1} << 60);
  write_case<std::int64_t>(scratch / "b", (std::int64_t{1} << 60) + 1);
  auto const result = compare_results(scratch / "a", scratch / "b", "T")[0];
  EXPECT_EQ(result.different, 1);
  EXPECT_EQ(result.max_absolute, 1);
  write_case<double>(scratch / "c", NAN);
  write_case<double>(scratch / "d", 0);
  EXPECT_TRUE(compare_results(scratch / "c", scratch / "c")[0].equal());
  EXPECT_EQ(compare_results(scratch / "c", scratch / "d", "T", 1e300)[0].different, 1);
}

TEST(Compare, RefusesOtherShapesAndOtherFields) {
  Scratch const scratch;
  write_case<double>(scratch / "a", 0);
  write_case<double>(scratch / "b", 0, "q");
  EXPECT_THROW(compare_results(scratch / "a", scratch / "b"), core::Error);
  EXPECT_THROW(compare_results(scratch / "a", scratch / "b", "p"), core::Error);
  write_bytes(scratch / "p.png", PngBytes{2, 2}.picture({{1, 2}, {3, 4}}));
  EXPECT_THROW(compare(scratch / "p.png", scratch / "a/results/000000.h5:T"), core::Error);
  std::filesystem::create_directories(scratch / "empty");
  EXPECT_THROW(compare_results(scratch / "empty", scratch / "a"), core::Error);
}

TEST(Convert, FromPictureToHdf5AndBackKeepsEveryPixel) {
  Scratch const scratch;
  write_bytes(scratch / "p.png", PngBytes{3, 2}.picture({{0, 100, 255}, {7, 8, 9}}));
  convert(scratch / "p.png", scratch / "q.h5");
  auto const source = open_rows(scratch / "q.h5");
  std::vector<std::uint8_t> values(6);
  source->next(2, std::as_writable_bytes(std::span(values)));
  EXPECT_EQ(values, (std::vector<std::uint8_t>{7, 8, 9, 0, 100, 255}));  // y upwards
  EXPECT_TRUE(compare(scratch / "p.png", scratch / "q.h5").equal());
  EXPECT_TRUE(compare(scratch / "q.h5:value", scratch / "p.png").equal());
  convert(scratch / "q.h5:value", scratch / "r.png");
  EXPECT_TRUE(compare(scratch / "p.png", scratch / "r.png").equal());
}

TEST(Convert, StretchesNumbersOverThePalette) {
  Scratch const scratch;
  write_case<double>(scratch / "a", 0);  // 0 .. 11
  std::string const snapshot = (scratch / "a/results/000000.h5") + ":T";
  convert(snapshot, scratch / "grey.png");
  auto const source = open_rows(scratch / "grey.png");
  std::vector<std::uint8_t> values(12);
  source->next(3, std::as_writable_bytes(std::span(values)));
  EXPECT_EQ(values[8], 0);    // value 0, bottom left
  EXPECT_EQ(values[3], 255);  // value 11, top right
  EXPECT_EQ(values[9], 23);   // 255 / 11 = 23.2
  convert(snapshot, scratch / "viridis.png", {"viridis", std::array{0.0, 11.0}});
  EXPECT_EQ(open_rows(scratch / "viridis.png")->cells(), (core::Grid::Shape{4, 3, 1}));
  EXPECT_THROW(convert(snapshot, scratch / "x.png", {.palette = "rainbow"}), core::Error);
  EXPECT_THROW(convert(snapshot, scratch / "x.xyz"), core::Error);
  EXPECT_FALSE(std::filesystem::exists(scratch / "x.png"));
}

TEST(Convert, TakesTheLastSnapshotOfACaseAndKeepsTheNameOfTheOnlyField) {
  Scratch const scratch;
  auto const layout = tests::shuffled_layout({4, 3, 1}, {2, 2, 1});
  core::Field<std::uint8_t> field("state", *layout);
  core::FieldBase const* const fields[] = {&field};
  SnapshotSeries series(scratch / "a/results", "a");
  for (int const step : {3, 12}) {
    field.fill(static_cast<std::uint8_t>(step));
    series.write(step, step, fields);
  }
  for (char const* from : {"a", "a/results", "a/results/000012.h5", "a/results/000012.h5:[:,:,:]"}) {
    convert(scratch / from, scratch / "x.h5");
    ASSERT_EQ(read_snapshot(scratch / "x.h5").fields.size(), 1u) << from;
    EXPECT_EQ(read_snapshot(scratch / "x.h5").fields[0].name, "state") << from;
    EXPECT_TRUE(compare(scratch / "x.h5", scratch / "a/results/000012.h5").equal()) << from;
  }
  write_case<double>(scratch / "two", 0);
  EXPECT_THROW(convert(scratch / "two", scratch / "y.h5"), core::Error);
}

TEST(Convert, RefusesWhatTheFormatHasNoUseFor) {
  Scratch const scratch;
  write_case<double>(scratch / "a", 0);
  auto const said = [&](std::string const& out, Conversion const& how) -> std::string {
    try {
      convert((scratch / "a/results/000000.h5") + ":T", scratch / out, how);
    } catch (core::Error const& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(scratch / out)) << error.what();
      return error.what();
    }
    return "";
  };
  auto const range = [&](double lo, double hi) { return said("x.png", {.range = std::array{lo, hi}}); };
  for (auto const [lo, hi] : {std::array{1.0, 0.0}, {0.0, 0.0}, {std::nan(""), 1.0}, {0.0, HUGE_VAL}})
    EXPECT_NE(range(lo, hi).find("expected two numbers, the smaller one first"), std::string::npos) << lo << " " << hi;
  EXPECT_EQ(range(0, 1), "");
  for (char const* name : {"", ".", "..", "foo/bar"})
    EXPECT_NE(said("x.h5", {.name = name}).find("the name of the field is"), std::string::npos) << name;
  EXPECT_EQ(said("x.h5", {.name = "heat"}), "");
  EXPECT_EQ(read_snapshot(scratch / "x.h5").fields[0].name, "heat");
  EXPECT_NE(said("y.npy", {.name = "heat"}).find("the format has no name for the field"), std::string::npos);
  EXPECT_NE(said("y.h5", {.palette = "grey"}).find("the format has no colours"), std::string::npos);
  EXPECT_NE(said("y.npy", {.range = std::array{0.0, 1.0}}).find("the format has no colours"), std::string::npos);
  EXPECT_NE(said("y.png", {.binary = true}).find("the format has no choice of text or binary"), std::string::npos);
  for (char const* file : {"y.h5", "y.npy", "y.png"}) EXPECT_FALSE(std::filesystem::exists(scratch / file)) << file;
}

TEST(Convert, LeavesNothingBehindWhenTheInputIsTruncated) {
  Scratch const scratch;
  std::string const whole = PngBytes{3, 2}.picture({{0, 100, 255}, {7, 8, 9}});
  write_bytes(scratch / "p.png", whole.substr(0, whole.size() - 20));
  for (auto const* out : {"q.h5", "q.png"}) {
    EXPECT_THROW(convert(scratch / "p.png", scratch / out), core::Error);
    EXPECT_FALSE(std::filesystem::exists(scratch / out));
    EXPECT_FALSE(std::filesystem::exists((scratch / out) + ".part"));
  }
}

TEST(Table, WritesAHeaderAndRowsThatReadBackTheSame) {
  Scratch const scratch;
  std::string const file = scratch / "postProcessing/history.csv";
  Table table(file, {"time", "T.max"});
  table.row(std::array{0.0, 0.1});
  EXPECT_EQ(bytes_of(file), "time,T.max\n0,0.1\n");  // on disk at once
  table.row(std::array{1.0, 1.0 / 3.0});
  EXPECT_EQ(bytes_of(file), "time,T.max\n0,0.1\n1,0.3333333333333333\n");
}

TEST(Table, ResumesBeforeTheGivenTime) {
  Scratch const scratch;
  std::string const file = scratch / "history.csv";
  write_bytes(file, "time,T\n0,1\n1,2\n2,3\n3,");
  Table(file, {"time", "T"}, 2.0).row(std::array{2.0, 5.0});
  EXPECT_EQ(bytes_of(file), "time,T\n0,1\n1,2\n2,5\n");
  EXPECT_THROW(Table(file, {"time", "p"}, 2.0), core::Error);
  Table(file, {"time", "p"});
  EXPECT_EQ(bytes_of(file), "time,p\n");
}

TEST(Table, ThatCannotBeWrittenIsARunError) { EXPECT_THROW(Table("/dev/null/x.csv", {"a"}), core::RunError); }

/// CASE of OpenFOAM with a grid of 4 x 3 cells and a field of the values 0 .. 11 at a time, cell 6 changed.
void write_openfoams(std::string const& directory, std::string const& time, std::string const& name, double change) {
  std::filesystem::create_directories(directory + "/system");
  std::filesystem::create_directories(directory + "/" + time);
  std::ofstream(directory + "/system/gridDict") << "cells (4 3 1);";
  std::ofstream out(directory + "/" + time + "/" + name);
  out << "FoamFile { version 2.0; format ascii; class volScalarField; object " << name << "; }\n"
      << "dimensions [0 0 0 0 0 0 0];\ninternalField nonuniform List<scalar> 12(";
  for (int n = 0; n < 12; ++n) out << n + (n == 6 ? change : 0) << " ";
  out << ");\nboundaryField { }\n";
}

TEST(Compare, TakesTheLatestTimeOfAnOpenFoamCaseOnEitherSide) {
  Scratch const scratch;
  write_openfoams(scratch / "foam", "0", "T", 100);
  write_openfoams(scratch / "foam", "9", "T", 200);
  write_openfoams(scratch / "foam", "10", "T", 0.5);
  write_openfoams(scratch / "foam", "10", "DT", 0);
  std::ofstream(scratch / "foam/10/U") << "FoamFile { class volVectorField; object U; }";
  write_case<double>(scratch / "ours", 0);
  std::vector<std::string> notes;
  auto const note = [&](std::string const& line) { notes.push_back(line); };
  auto const results = compare_results(scratch / "foam", scratch / "ours", "", 0, note);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].field, "T");
  EXPECT_EQ(results[0].different, 1);
  EXPECT_EQ(results[0].max_absolute, 0.5);
  EXPECT_EQ(notes, (std::vector<std::string>{scratch / "foam/10" + " and " + (scratch / "ours/results/000000.h5"),
                                             "not compared, in one of them only: DT p"}));
  EXPECT_EQ(compare_results(scratch / "ours", scratch / "foam/9")[0].max_absolute, 200);
  EXPECT_EQ(compare_results(scratch / "foam/9/T", scratch / "ours")[0].max_absolute, 200);
  EXPECT_EQ(compare_results(scratch / "foam", scratch / "foam").size(), 2u);
  EXPECT_THROW(compare_results(scratch / "foam", scratch / "ours", "q"), core::Error);
  EXPECT_THROW(compare_results(scratch / "foam/system", scratch / "ours"), core::Error);
}

TEST(Convert, KeepsTheNameOfAFieldOfOpenFoam) {
  Scratch const scratch;
  write_openfoams(scratch / "foam", "10", "T", 0);
  for (char const* from : {"foam/10/T", "foam/10", "foam"}) {
    convert(scratch / from, scratch / "x.h5");
    auto const fields = read_snapshot(scratch / "x.h5").fields;
    ASSERT_EQ(fields.size(), 1u) << from;
    EXPECT_EQ(fields[0].name, "T") << from;
  }
  std::filesystem::create_directories(scratch / "foam/11");
  convert(scratch / "x.h5:T", scratch / "foam/11");
  EXPECT_TRUE(compare_results(scratch / "foam/11", scratch / "foam/10")[0].equal());
  write_openfoams(scratch / "foam", "11", "DT", 0);
  try {
    convert(scratch / "foam", scratch / "x.h5");
    FAIL() << "a case with two fields was converted";
  } catch (core::Error const& error) {
    EXPECT_EQ(std::string(error.what()), scratch / "foam: holds several fields, expected one of them: " +
                                             (scratch / "foam/11/NAME, NAME of DT T"));
  }
}

}  // namespace
}  // namespace tessera::io
