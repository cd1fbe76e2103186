// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/convert.hpp"
#include "io/reader.hpp"
#include "io/readers/described.hpp"
#include "io/snapshot.hpp"
#include "io/writer.hpp"
#include "tests/support/scratch.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <sys/resource.h>

namespace tessera::io {
namespace {

using tests::bytes_of;
using tests::Scratch;
using tests::write_bytes;

template <class T>
std::vector<T> values_of(std::string const& path) {
  auto source = open_rows(path);
  EXPECT_EQ(source->element(), core::element_of<T>()) << path;
  if (source->top_down()) source = turned(std::move(source));
  auto const n = source->cells();
  std::vector<T> values(n[0] * n[1] * n[2]);
  for (core::Count r = 0; r < n[1] * n[2]; ++r)
    source->next(1, std::as_writable_bytes(std::span(values).subspan(r * n[0], static_cast<std::size_t>(n[0]))));
  return values;
}

std::string message(std::string const& in, std::string const& out, Conversion const& how = {}) {
  try {
    convert(in, out, how);
  } catch (core::Error const& error) {
    return error.what();
  }
  return "";
}

/// Numbers 0, 1, 2 ... on nx x ny x nz cells as doubles in a file of HDF5.
std::string numbered(Scratch const& scratch, core::Grid::Shape cells) {
  RowFormat format;
  format.cells = cells;
  format.element = core::Element::float64;
  format.name = "T";
  std::vector<double> values(cells[0] * cells[1] * cells[2]);
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<double>(n);
  auto const sink = writer_for("x.h5")->create(scratch / "n.h5", format);
  sink->next(cells[1] * cells[2], std::as_bytes(std::span(values)));
  sink->finish();
  return scratch / "n.h5";
}

// A dataset of numpy.bool_, as h5py 3.7 wrote it.
TEST(Hdf5, HoldsBooleans) {
  std::string const file = TESSERA_SOURCE_DIR "/tests/data/boolean.h5";
  EXPECT_EQ(values_of<std::uint8_t>(file), (std::vector<std::uint8_t>{1, 0, 1, 0, 0, 1}));
  EXPECT_EQ(values_of<std::uint8_t>(file + ":pores[0,0,1:3]"), (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(open_rows(file)->stored().name, "bool");
  EXPECT_EQ(open_rows(file)->stored().range, (std::array{0.0, 1.0}));
}

TEST(Slab, IsThePartOfADataset) {
  Scratch const scratch;
  std::string const file = numbered(scratch, {5, 4, 3});
  EXPECT_EQ(values_of<double>(file + ":/fields/T[1:2,1:3,2:4]"), (std::vector<double>{27, 28, 32, 33}));
  EXPECT_EQ(values_of<double>(file + ":T[2, 3, :2]"), (std::vector<double>{55, 56}));
  EXPECT_EQ(values_of<double>(file + ":[0,0,:]"), (std::vector<double>{0, 1, 2, 3, 4})) << "the only field";
  EXPECT_EQ(values_of<double>(file + ":T[:,:,:]"), values_of<double>(file));
  auto source = open_rows(file + ":T[1,1:3,0]");
  ASSERT_TRUE(source->turn());
  std::vector<double> down(2);
  source->next(2, std::as_writable_bytes(std::span(down)));
  EXPECT_EQ(down, (std::vector<double>{30, 25}));
}

TEST(Slab, OutsideOfTheDatasetIsRefused) {
  Scratch const scratch;
  std::string const file = numbered(scratch, {5, 4, 3});
  for (auto const* slab : {"[1:4,:,:]", "[2:2,:,:]", "[3,:,:]", "[-1,:,:]", "[1:2:1,:,:]", "[a,:,:]", "[:,:]", "[]",
                           "[,,]", "[99999999999999999999,:,:]", "[:,:,:,:]"})
    EXPECT_THROW(open_rows(file + ":T" + slab), core::Error) << slab;
}

TEST(RawFiles, CarryAHeaderThatTheReaderFinds) {
  Scratch const scratch;
  std::string const file = numbered(scratch, {5, 4, 3}), raw = scratch / "a/n.raw";
  convert(file, raw);
  EXPECT_EQ(std::filesystem::file_size(raw), 60u * 8);
  EXPECT_NE(bytes_of(scratch / "a/n.mhd").find("DimSize = 5 4 3\nElementType = MET_DOUBLE\n"), std::string::npos);
  EXPECT_EQ(values_of<double>(raw), values_of<double>(file));
  EXPECT_EQ(values_of<double>(scratch / "a/n.mhd"), values_of<double>(file));
  convert(file, raw, {.type = "int16"});
  EXPECT_EQ(std::filesystem::file_size(raw), 60u * 2);
  EXPECT_EQ(values_of<std::int32_t>(raw)[59], 59);
}

TEST(RawFiles, HoldUnsignedNumbersBelowTwoToThe63) {
  Scratch const scratch;
  std::string const first(8, '\1');
  write_bytes(scratch / "x.raw", first + std::string("\2\0\0\0\0\0\0\0", 8));
  auto const source = open_rows(scratch / "x.raw:2x1:uint64");
  EXPECT_EQ(source->stored().name, "uint64");
  EXPECT_EQ(values_of<std::int64_t>(scratch / "x.raw:2x1:uint64"), (std::vector<std::int64_t>{0x0101010101010101, 2}));
  EXPECT_EQ(values_of<std::int64_t>(scratch / "x.raw:2x1:uint64:big")[1], std::int64_t{2} << 56);
  write_bytes(scratch / "x.raw", first + std::string(7, '\0') + '\x80');
  try {
    values_of<std::int64_t>(scratch / "x.raw:2x1:uint64");
    ADD_FAILURE() << "2^63 is taken";
  } catch (core::Error const& error) {
    EXPECT_NE(std::string(error.what()).find("x.raw: holds the value 9223372036854775808, expected less than 2^63"),
              std::string::npos)
        << error.what();
  }
}

TEST(RawFiles, HeadersThatDoNotFitAreRefused) {
  Scratch const scratch;
  write_bytes(scratch / "x.raw", "abcdef");
  auto const header = [&](std::string const& text) {
    write_bytes(scratch / "x.mhd", text);
    return message(scratch / "x.mhd", scratch / "y.h5");
  };
  std::string const good = "ObjectType = Image\nNDims = 2\nDimSize = 3 2\nElementType = MET_UCHAR\n";
  EXPECT_EQ(header(good + "ElementDataFile = x.raw\n"), "");
  EXPECT_EQ(message(scratch / "x.raw", scratch / "y.h5"), "");
  EXPECT_NE(header(good + "ElementDataFile = z.raw\n").find("not there"), std::string::npos);
  EXPECT_NE(message(scratch / "x.raw", scratch / "y.h5").find("describes"), std::string::npos);
  EXPECT_NE(header(good + "ElementDataFile = LOCAL\n").find("LOCAL"), std::string::npos);
  EXPECT_NE(header(good).find("says nothing"), std::string::npos);
  EXPECT_NE(header(good + "CompressedData = True\nElementDataFile = x.raw\n").find("not supported"), std::string::npos);
  EXPECT_NE(header("ObjectType = Image\nDimSize = 3 -2\n").find("DimSize"), std::string::npos);
  EXPECT_NE(header("ObjectType = Image\nDimSize = 4 2\nElementType = MET_UCHAR\nElementDataFile = x.raw\n")
                .find("expected 8"),
            std::string::npos);
}

TEST(RawFiles, HeadersLayTheCells) {
  Scratch const scratch;
  write_bytes(scratch / "x.raw", "abcdef");
  std::string const good = "ObjectType = Image\nNDims = 3\nDimSize = 3 2 1\nElementType = MET_UCHAR\n";
  auto const placed = [&](std::string const& text, std::string const& file) {
    write_bytes(scratch / "x.mhd", good + text + "ElementDataFile = x.raw\n");
    return open_rows(scratch / file)->placement();
  };
  EXPECT_FALSE(placed("", "x.mhd").has_value());
  EXPECT_FALSE(placed("ElementSpacing = 1 2 3\n", "x.raw:3x2x1:uint8").has_value());
  for (char const* file : {"x.mhd", "x.raw"}) {
    auto const place = placed("ElementSpacing = 0.5 0.25 2\nOffset = 10 0 -1\n", file);
    ASSERT_TRUE(place.has_value());
    EXPECT_EQ(place->spacing, (std::array{0.5, 0.25, 2.0}));
    EXPECT_EQ(place->origin, (std::array{9.75, -0.125, -2.0}));
    convert(scratch / file, scratch / "copy.raw");
    auto const copy = open_rows(scratch / "copy.mhd")->placement();
    ASSERT_TRUE(copy.has_value());
    EXPECT_EQ(copy->spacing, place->spacing);
    EXPECT_EQ(copy->origin, place->origin);
  }
  EXPECT_EQ(placed("ElementSize = 3 4\n", "x.mhd").value().spacing, (std::array{3.0, 4.0, 3.0}));
  EXPECT_EQ(placed("ElementSize = 3 4 5\nElementSpacing = 1 1 2\n", "x.mhd").value().spacing,
            (std::array{1.0, 1.0, 2.0}));
  for (char const* wrong : {"0 1 1", "1 -1 1", "1", "1 2 3 4", "a b c", "nan 1 1", ""})
    EXPECT_THROW(placed(std::string("ElementSpacing = ") + wrong + "\n", "x.mhd"), core::Error) << wrong;
}

TEST(Convert, CellsAndUnitsGoAlongWhereTheFormatHasAPlaceForThem) {
  Scratch const scratch;
  write_bytes(scratch / "x.raw", "abcdef");
  write_bytes(scratch / "x.mhd",
              "ObjectType = Image\nNDims = 3\nElementSpacing = 0.5 0.25 2\nOffset = 10 0 -1\nDimSize = 3 2 1\n"
              "ElementType = MET_UCHAR\nElementDataFile = x.raw\n");
  EXPECT_EQ(convert(scratch / "x.mhd", scratch / "x.h5"), "");
  auto const info = read_snapshot(scratch / "x.h5");
  EXPECT_EQ(info.faces[0], (std::vector{9.75, 11.25}));
  EXPECT_EQ(info.faces[1], (std::vector{-0.125, 0.375}));
  EXPECT_EQ(convert(scratch / "x.h5", scratch / "back.raw"), "");
  auto const back = open_rows(scratch / "back.mhd")->placement();
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->spacing, (std::array{0.5, 0.25, 2.0}));
  EXPECT_EQ(back->origin, (std::array{9.75, -0.125, -2.0}));
  // a part has the place that it had in the whole
  convert(scratch / "x.h5:/fields/value[0,1:2,1:3]", scratch / "part.h5");
  EXPECT_EQ(read_snapshot(scratch / "part.h5").faces[0], (std::vector{10.25, 11.25}));
  EXPECT_EQ(convert(scratch / "x.mhd", scratch / "x.npy"),
            "left out, as the format has no place for it: lengths and places of cells");

  RowFormat format;
  format.cells = {2, 1, 1};
  format.name = "T";
  format.faces[0] = {0, 1, 4};
  format.about = {.name = "", .description = "temperature", .units = "K", .dimensions = {0, 0, 0, 1}};
  auto const sink = writer_for("x.h5")->create(scratch / "graded.h5", format);
  std::array<std::byte, 2> const values{};
  sink->next(1, values);
  sink->finish();
  EXPECT_EQ(convert(scratch / "graded.h5", scratch / "again.h5"), "");
  EXPECT_EQ(read_snapshot(scratch / "again.h5").faces[0], (std::vector<double>{0, 1, 4}));
  auto const source = open_rows(scratch / "again.h5");
  auto const about = dynamic_cast<Described const&>(*source).about();
  EXPECT_EQ(about.units, "K");
  EXPECT_EQ(about.description, "temperature");
  EXPECT_EQ(about.dimensions[3], 1);
  EXPECT_EQ(convert(scratch / "graded.h5", scratch / "graded.raw"),
            "left out, as the format has no place for it: that lengths of cells differ, units [K] and description");
}

TEST(Convert, RefusesToWriteOverWhatItReads) {
  Scratch const scratch;
  std::string const file = numbered(scratch, {3, 2, 1}), before = bytes_of(file);
  std::filesystem::create_symlink(file, scratch / "link.h5");
  std::filesystem::create_hard_link(file, scratch / "hard.h5");
  for (auto const& in : {file, file + ":/fields/T", scratch / "link.h5"})
    for (auto const& out : {file, scratch / "link.h5", scratch / "hard.h5", scratch / "./n.h5"})
      EXPECT_NE(message(in, out).find("would be written over"), std::string::npos) << in << " " << out;
  EXPECT_EQ(bytes_of(file), before);
  EXPECT_TRUE(std::filesystem::is_symlink(scratch / "link.h5"));
  EXPECT_EQ(message(file, scratch / "v.raw"), "");
  for (char const* in : {"v.raw", "v.mhd", "v.raw:3x2x1:float64"})
    EXPECT_NE(message(scratch / in, scratch / "v.raw").find("would be written over"), std::string::npos) << in;
}

TEST(RawFiles, HoldBooleans) {
  Scratch const scratch;
  write_bytes(scratch / "x.raw", std::string("\1\0\1\1", 4));
  auto const source = open_rows(scratch / "x.raw:2x2:bool");
  EXPECT_EQ(source->stored().name, "bool");
  EXPECT_EQ(source->stored().range, (std::array{0.0, 1.0}));
  EXPECT_EQ(values_of<std::uint8_t>(scratch / "x.raw:2x2:bool"), (std::vector<std::uint8_t>{1, 0, 1, 1}));
  write_bytes(scratch / "x.raw", std::string("\1\0\2\1", 4));
  EXPECT_THROW(values_of<std::uint8_t>(scratch / "x.raw:2x2:bool"), core::Error);
  EXPECT_THROW(open_rows(scratch / "x.raw:2x2:boole"), core::Error);
}

/// Files of this process may not grow beyond so many bytes, for a scope.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit const limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  SizeLimit(SizeLimit const&) = delete;
  SizeLimit& operator=(SizeLimit const&) = delete;

 private:
  rlimit before_{};
};

TEST(Writers, WhoseFilesMayNotGrowSayWhyAndLeaveNothing) {
  for (auto const& [name, entry] : Writers::entries()) {
    auto const writer = Writers::make(name);
    for (std::string const& extension : writer->extensions())
      for (bool const from_the_start : {true, false}) {
        SCOPED_TRACE(name + " ." + extension + (from_the_start ? "" : ", in the middle"));
        tests::Scratch const scratch;
        RowFormat format;
        format.cells = {1000, 600, 1};
        format.top_down = false;
        std::string reason;
        std::vector<std::byte> row(1000);
        std::uint64_t state = 1;
        std::optional<SizeLimit> limit;
        try {
          if (from_the_start) limit.emplace(4096);
          auto const sink = writer->create(scratch / ("f." + extension), format);
          format.top_down = sink->top_down();
          for (int r = 0; r < 600; ++r) {
            if (r == 300) limit.emplace(4096);
            // noise, which no format can pack into 4 KiB
            for (auto& value : row) value = static_cast<std::byte>((state = state * 6364136223846793005u + 1) >> 63);
            sink->next(1, row);
          }
          sink->finish();
        } catch (core::RunError const& error) {
          reason = error.what();
        }
        limit.reset();
        EXPECT_NE(reason.find(scratch.path()), std::string::npos) << reason;
        EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
      }
  }
}

TEST(TiffWriter, IsWrittenWithTheTypeAskedFor) {
  if (!Writers::contains("tiff")) GTEST_SKIP() << "built without libtiff";
  Scratch const scratch;
  std::string const file = numbered(scratch, {5, 4, 3}), tiff = scratch / "n.tif";
  convert(file, tiff);
  EXPECT_EQ(values_of<double>(tiff), values_of<double>(file));
  EXPECT_EQ(open_rows(tiff)->cells(), (core::Grid::Shape{5, 4, 3}));
  convert(file, tiff, {.type = "uint8"});
  EXPECT_EQ(values_of<std::uint8_t>(tiff)[59], 59);
  convert(file, tiff, {.type = "uint16"});
  EXPECT_EQ(values_of<std::int32_t>(tiff)[59], 59);
  convert(file, tiff, {.type = "float32"});
  EXPECT_EQ(values_of<float>(tiff)[59], 59.0F);
  EXPECT_NE(message(file, tiff, {.type = "int12"}).find("unknown type"), std::string::npos);
  EXPECT_NE(message(file, scratch / "x.png", {.type = "int8"}).find("no choice of types"), std::string::npos);
}

/// A case of two blocks side by side, 2 x 2 and 3 x 2 cells.
void make_case(Scratch const& scratch) {
  std::filesystem::create_directories(scratch / "c/system");
  write_bytes(scratch / "c/system/blockMeshDict", R"(
vertices ((0 0 0) (2 0 0) (5 0 0) (0 2 0) (2 2 0) (5 2 0) (0 0 1) (2 0 1) (5 0 1) (0 2 1) (2 2 1) (5 2 1));
blocks (hex (0 1 4 3 6 7 10 9) (2 2 1) simpleGrading (1 1 1) hex (1 2 5 4 7 8 11 10) (3 2 1) simpleGrading (1 1 1));
edges ();
boundary ();
defaultPatch { name walls; type patch; }
)");
}

TEST(FoamField, IsReadInTheOrderOfTheMesh) {
  Scratch const scratch;
  make_case(scratch);
  std::string const head = "FoamFile\n{\n version 2.0;\n format ascii;\n class volScalarField;\n object T;\n}\n"
                           "dimensions [0 0 0 1 0 0 0];\ninternalField ",
                    tail = "boundaryField { \".*\" { type zeroGradient; } }\n";
  std::filesystem::create_directories(scratch / "c/0");
  write_bytes(scratch / "c/0/T", head + "nonuniform List<scalar> 10(0 1 2 3 10 11 12 13 14 15);\n" + tail);
  EXPECT_EQ(values_of<double>(scratch / "c/0/T"), (std::vector<double>{0, 1, 10, 11, 12, 2, 3, 13, 14, 15}));
  EXPECT_EQ(values_of<double>(scratch / "c/0/T:5x2"), (std::vector<double>{0, 1, 2, 3, 10, 11, 12, 13, 14, 15}));
  write_bytes(scratch / "c/0/U", head + "uniform 7;\n" + tail);
  EXPECT_EQ(values_of<double>(scratch / "c/0/U"), std::vector<double>(10, 7.0));
  for (auto const* bad : {":5x3", ":5", ":5x2x1x1", ":0x2", ":5x-2", ":99999999999999999999x2", ":5x2x"})
    EXPECT_THROW(open_rows(scratch / "c/0/T" + bad), core::Error) << bad;
  write_bytes(scratch / "T", head + "uniform 7;\n" + tail);
  EXPECT_THROW(open_rows(scratch / "T"), core::Error) << "no mesh beside it";
}

TEST(FoamField, IsWrittenInTheOrderOfTheMeshAsTextOrBinary) {
  Scratch const scratch;
  make_case(scratch);
  std::string const file = numbered(scratch, {5, 2, 1});
  for (bool const binary : {false, true}) {
    convert(file + ":T", scratch / "c/0.5/T", {.binary = binary});
    EXPECT_EQ(values_of<double>(scratch / "c/0.5/T"), values_of<double>(file)) << binary;
    EXPECT_EQ(values_of<double>(scratch / "c/0.5/T:10x1"), (std::vector<double>{0, 1, 5, 6, 2, 3, 4, 7, 8, 9}))
        << binary;
  }
  EXPECT_NE(message(numbered(scratch, {4, 2, 1}), scratch / "c/0/T").find("mesh of its case has 5 x 2 x 1"),
            std::string::npos);
  EXPECT_NE(message(file, scratch / "c/zero/T").find("no writer"), std::string::npos);
}

}  // namespace
}  // namespace tessera::io
