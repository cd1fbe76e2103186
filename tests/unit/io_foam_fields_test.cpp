// SPDX-License-Identifier: Apache-2.0
#include "io/foam/fields.hpp"

#include "io/files/compressed.hpp"
#include "tests/support/foam.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>

namespace tessera::tests {
namespace {

using namespace io::foam;

Mesh mesh_of(int nx, int ny) {
  auto d = dictionary(block_mesh(nx, ny, 2.0, 1.6));
  return read_block_mesh(d);
}
std::string list(std::vector<std::string> const& values, std::string const& announced) {
  std::string text = "nonuniform List<scalar> \n" + announced + "\n(\n";
  for (auto const& v : values) text += v + "\n";
  return text + ")\n";
}
std::vector<std::string> numbers(int n) {
  std::vector<std::string> values;
  for (int i = 0; i < n; ++i) values.push_back(std::to_string(i) + ".25");
  return values;
}
std::string binary_list(std::vector<double> const& values) {
  std::string text = "nonuniform List<scalar> \n" + std::to_string(values.size()) + "\n(";
  std::string bytes(values.size() * 8, '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return text + bytes + ")\n";
}
/// Writes the file, reads it into a field of 7 x 5 cells and counts cells that are not number + 0.25.
int wrong_cells(std::string const& content, core::Grid::Shape tile) {
  write_file("T", content);
  auto file = read_field("T", core::Comm());
  auto layout = shuffled_layout({7, 5, 1}, tile);
  core::Field<double> T("T", *layout);
  set_cells(file, T);
  auto const v = std::as_const(T).host();
  int wrong = 0;
  for (int s = 0; s < layout->tiles(); ++s) {
    auto const& t = layout->info(s);
    for (int j = 0; j < t.nj; ++j)
      for (int i = 0; i < t.ni; ++i)
        wrong += v(s, 0, j, i) != static_cast<double>(layout->grid().number(t.global(0, j, i))) + 0.25;
  }
  return wrong;
}
std::string load_error(std::string const& content) {
  return error_of([&] { wrong_cells(content, {7, 5, 1}); });
}

TEST(FoamField, ReadsAUniformFieldWithItsHeader) {
  write_file("T", scalar_field("uniform 293.15"));
  auto file = read_field("T", core::Comm());
  EXPECT_EQ(file.name, "T");
  EXPECT_EQ(file.uniform, 293.15);
  EXPECT_EQ(file.dimensions, dimensions_of_temperature);
  auto layout = shuffled_layout({7, 5, 1}, {4, 4, 1});
  core::Field<double> T("T", *layout);
  set_cells(file, T);
  EXPECT_EQ(std::as_const(T).host()(0, 0, -1, -1), 293.15);
}

TEST(FoamField, ReadsAsciiListsOntoEveryTileShape) {
  for (core::Grid::Shape tile : {core::Grid::Shape{7, 5, 1}, {1, 1, 1}, {3, 2, 1}, {4, 5, 1}}) {
    EXPECT_EQ(wrong_cells(scalar_field(list(numbers(35), "35")), tile), 0);
    EXPECT_EQ(wrong_cells(scalar_field(list(numbers(35), "")), tile), 0);
  }
}

TEST(FoamField, ReadsBinaryListsOntoEveryTileShape) {
  std::vector<double> values;
  for (int i = 0; i < 35; ++i) values.push_back(i + 0.25);
  for (core::Grid::Shape tile : {core::Grid::Shape{7, 5, 1}, {1, 1, 1}, {3, 2, 1}, {4, 5, 1}})
    EXPECT_EQ(wrong_cells(scalar_field(binary_list(values), "binary"), tile), 0);
}

std::string single_list(std::vector<float> const& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return "nonuniform List<scalar> \n" + std::to_string(values.size()) + "\n(" + bytes + ")";
}

TEST(FoamField, ReadsSinglePrecisionInCellsAndOnPatches) {
  std::vector<float> values;
  for (int i = 0; i < 35; ++i) values.push_back(static_cast<float>(i) + 0.25F);
  std::string text = scalar_field(single_list(values) + "\n", "binary");
  text.replace(text.find("format binary;"), 14, "format binary; arch \"LSB;label=64;scalar=32\";");
  text.replace(text.find("frontAndBack"), 0,
               "left { type fixedValue; value " + single_list({1.5F, 2, 3, 4, 5}) + "; }\n");
  for (core::Grid::Shape tile : {core::Grid::Shape{7, 5, 1}, {3, 2, 1}}) EXPECT_EQ(wrong_cells(text, tile), 0);
  auto file = read_field("T", core::Comm());
  auto const mesh = mesh_of(7, 5);
  auto const& left = *mesh.find("left");
  EXPECT_EQ(patch_values(*patch_entry(file, left), "value", mesh, left, plane_of(mesh, core::Side::left)),
            (std::vector<double>{1.5, 2, 3, 4, 5}));
  values[34] = std::numeric_limits<float>::infinity();
  text.replace(text.find("nonuniform"), single_list(values).size(), single_list(values));
  EXPECT_NE(load_error(text).find("value 34 of internalField (cell (6 4 0)) is inf"), std::string::npos);
}

TEST(FoamField, ReadsCompressedFiles) {
  if (!tessera::io::Compressions::contains("gzip")) GTEST_SKIP() << "built without zlib";
  auto const pack = [](std::string const& text, std::size_t keep = std::string::npos) {
    std::remove("G");
    auto const packer = tessera::io::Compressions::make("gzip")->packer();
    // two pieces, as a writer gives them
    std::string packed(packer->pack(text.substr(0, text.size() / 2), false));
    packed += packer->pack(text.substr(text.size() / 2), true);
    write_file("G.gz", packed.substr(0, keep));
  };
  std::vector<double> values;
  for (int i = 0; i < 35; ++i) values.push_back(i + 0.25);
  auto const load = [] {
    auto file = read_field("G", core::Comm());
    auto layout = shuffled_layout({7, 5, 1}, {3, 2, 1});
    core::Field<double> T("T", *layout), number("n", *layout);
    set_cells(file, T);
    fill_by_number(number);
    double worst = 0;
    auto const a = std::as_const(T).host(), b = std::as_const(number).host();
    for (int s = 0; s < layout->tiles(); ++s)
      for (int j = 0; j < layout->info(s).nj; ++j)
        for (int i = 0; i < layout->info(s).ni; ++i)
          worst = std::max(worst, std::abs(a(s, 0, j, i) - b(s, 0, j, i) - 0.25));
    return worst;
  };
  for (auto const& text : {scalar_field(list(numbers(35), "35")), scalar_field(binary_list(values), "binary")}) {
    pack(text);
    EXPECT_EQ(load(), 0);
  }
  pack(scalar_field(list(numbers(35), "35")), 100);
  EXPECT_EQ(error_of(load), "G.gz: the packed file is truncated");
  write_file("G.gz", "no gzip at all");
  EXPECT_EQ(error_of(load), "G.gz: the packed file is damaged: incorrect header check");
}

TEST(FoamField, GivesPatchesTheEntriesOfTheirGroupsAsOpenFoamDoes) {
  std::string text = block_mesh(7, 5, 2.0, 1.6);
  for (char const* name : {"right", "top"})
    text.insert(text.find("type patch", text.find(std::string(name) + " {")), "inGroups (cold outer); ");
  auto grouped = dictionary(text);
  auto const mesh = read_block_mesh(grouped);
  std::string field = scalar_field("uniform 1");
  field.replace(field.find("\".*\""), 5,
                "\"(bottom|t.*|right)\" { type a; } cold { type b; } outer { type c; } right { type d; } empty { type "
                "empty; } cyclicAMI { type cyclicAMI; } left");
  field.replace(field.find("frontAndBack"), 12, "wall");
  field.replace(field.find("wall { type empty; }"), 20, "");
  write_file("T", field);
  auto file = read_field("T", core::Comm());
  auto const type = [&](char const* patch) {
    auto const* entry = patch_entry(file, *mesh.find(patch));
    return entry ? entry->get<std::string>("type") : "none";
  };
  EXPECT_EQ(type("right"), "d");             // its name before its groups
  EXPECT_EQ(type("top"), "c");               // the last group of the file, before a pattern
  EXPECT_EQ(type("bottom"), "a");            // a pattern
  EXPECT_EQ(type("frontAndBack"), "empty");  // the group of the type
  EXPECT_EQ(error_of([&] { check_patches(file, mesh); }), "");
}

TEST(FoamField, TakesAQuotedKeyForAPatternAndNeverForAGroup) {
  std::string text = block_mesh(7, 5, 2.0, 1.6);
  text.insert(text.find("type patch", text.find("left {")), "inGroups (cold); ");
  auto grouped = dictionary(text);
  auto const mesh = read_block_mesh(grouped);
  auto const types = [&](std::string const& entries) {
    std::string field = scalar_field("uniform 1");
    std::size_t const begin = field.find("boundaryField");
    field.replace(begin, std::string::npos, "boundaryField { " + entries + " }\n");
    write_file("T", field);
    auto file = read_field("T", core::Comm());
    std::string found;
    for (char const* patch : {"left", "right"})
      found += patch_entry(file, *mesh.find(patch))->get<std::string>("type") + " ";
    auto const said = error_of([&] {
      check_patches(file, mesh);
      file.dictionary.sub("boundaryField").check_all_read();
    });
    return said.empty() ? found : said;
  };
  EXPECT_EQ(types("\"cold\" { type g; } \".*\" { type a; }"), "a a ");
  EXPECT_EQ(types("\".*\" { type a; } \"cold\" { type g; b c; }"), "a a ");
  EXPECT_EQ(types("cold { type g; } \".*\" { type a; }"), "g a ");
  EXPECT_EQ(types("\"left\" { type p; } cold { type g; } \".*\" { type a; }"), "g a ");
  EXPECT_EQ(types("\"left\" { type p; } \".*\" { type a; }"), "p a ");
  EXPECT_NE(types("l.* { type a; } \".*\" { type b; }").find("unknown patch 'l.*'"), std::string::npos);
}

TEST(FoamField, ReadsAListInAnIncludedFile) {
  write_file("T.values", "internalField " + list(numbers(35), "35") + ";\n");
  std::string text = scalar_field("uniform 0");
  text.replace(text.find("internalField uniform 0;"), 24, "#include \"T.values\"");
  EXPECT_EQ(wrong_cells(text, {3, 2, 1}), 0);
}

TEST(FoamField, KeepsTheListOutOfTheDictionaryAndTheLinesRight) {
  std::string text = scalar_field(list(numbers(35), "35"));
  text.replace(text.find("frontAndBack { type empty; }"), 28, "frontAndBack { type emtpy; }");
  write_file("T", text);
  auto file = read_field("T", core::Comm());
  ASSERT_TRUE(file.list);
  EXPECT_EQ(file.list->count, 35);
  EXPECT_LT(read_list_file("T", core::Comm()).text.size(), 320U);
  int line = 1;
  for (char const c : text.substr(0, text.find("emtpy"))) line += c == '\n';
  auto const mesh = mesh_of(7, 5);
  EXPECT_EQ(error_of([&] { check_patches(file, mesh); }),
            "T:" + std::to_string(line) + ": type emtpy on the patch 'frontAndBack' of type empty, expected empty");
}

TEST(FoamField, ReadsNumbersThatStraddleThePiecesOfTheFile) {
  // longer than two pieces of 1 MiB, numbers of varying length
  core::Grid::Shape const cells{500, 400, 1};
  std::vector<std::string> values;
  for (int n = 0; n < 500 * 400; ++n) values.push_back(std::to_string(n) + std::string(n % 9 + 1, '0').insert(0, "."));
  write_file("T", scalar_field(list(values, "200000")));
  auto file = read_field("T", core::Comm());
  auto layout = shuffled_layout(cells, {64, 64, 1});
  core::Field<double> T("T", *layout), number("n", *layout);
  set_cells(file, T);
  fill_by_number(number);
  EXPECT_EQ(core::hash(T), core::hash(number));
}

TEST(FoamField, NamesTheValueThatIsWrong) {
  auto values = numbers(35);
  values[9] = "nan";
  EXPECT_EQ(load_error(scalar_field(list(values, "35"))),
            "T:22: value 9 of internalField (cell (2 1 0)) is 'nan', expected a finite number");
  values[9] = "1.5x";
  EXPECT_EQ(load_error(scalar_field(list(values, "35"))),
            "T:22: value 9 of internalField (cell (2 1 0)) is '1.5x', expected a finite number");
  std::vector<double> raw(35, 1.0);
  raw[34] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(load_error(scalar_field(binary_list(raw), "binary")),
            "T:12: value 34 of internalField (cell (6 4 0)) is inf, expected a finite number");
}

TEST(FoamField, NamesALengthThatIsWrong) {
  EXPECT_EQ(load_error(scalar_field(list(numbers(34), "34"))),
            "T:10: internalField has 34 values, but the grid has 7 x 5 x 1 = 35 cells");
  EXPECT_EQ(load_error(scalar_field(list(numbers(34), "35"))), "T:47: internalField has 34 values, expected 35");
  EXPECT_EQ(load_error(scalar_field(list(numbers(36), "35"))),
            "T:48: internalField has more than the 35 values announced");
  // one value for all: the number is checked, and never made a list of
  EXPECT_EQ(load_error(scalar_field("nonuniform List<scalar> 35{3}")), "");
  EXPECT_EQ(load_error(scalar_field("nonuniform List<scalar> 92233727{3}")),
            "T:10: internalField has 92233727 values, but the grid has 7 x 5 x 1 = 35 cells");
  auto const cut = scalar_field(binary_list(std::vector<double>(35, 1.0)), "binary");
  EXPECT_EQ(load_error(cut.substr(0, cut.find("List<scalar>") + 100)),
            "T:12: the file ends within the binary List<scalar> of entry 'internalField', expected 35 elements");
}

TEST(FoamField, LiesWhereTheDictionaryOfItsTextSeesIt) {
  std::string const values = "\"{}/*();#{\n" + std::string(4, '\x07') + ")";  // 16 bytes, two binary numbers
  std::string const heads[] = {"FoamFile { format binary; arch \"LSB;label=32;scalar=64\"; }", "",
                               "FoamFile { format ascii; }\n"};
  std::string const others[] = {"// a \"{ comment\n",
                                "/* { ( \" */",
                                "name \"; } { \\\" internalField\";",
                                "code #{ if (c == '\"') { /* #include \" #};",
                                "div(phi,U) { internalField nonuniform List<scalar> 0 (); }",
                                "list ( { format ascii; } \"x\" (1 2) [0 1]);",
                                "value nonuniform List<scalar> 2(" + values + ");",
                                "}"};
  std::string const lists_of_cells[] = {"internalField nonuniform List<scalar> /* ( */ 2 (" + values + ");",
                                        "internalField nonuniform List<scalar>\n(0.5 1\n);",
                                        "internalField nonuniform List<scalar> 3{7};",
                                        "internalField nonuniform List<scalar>2(1 2);", "internalField uniform 3;"};
  std::mt19937 random(5);
  auto const one_of = [&](auto const& texts) { return texts[random() % std::size(texts)]; };
  int lists = 0, refused = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::string text = one_of(heads);
    for (int n = 0; n < 5; ++n) text += n == 2 ? one_of(lists_of_cells) : one_of(others);
    std::optional<core::Dictionary> whole;
    std::string const problem = error_of([&] { whole = core::Dictionary::parse(text, "T"); });
    write_file("T", text);
    ListFile found;
    std::string const other = error_of([&] { found = read_list_file("T", core::Comm()); });
    if (!problem.empty()) {
      refused += 1;
      EXPECT_TRUE(!other.empty() || !error_of([&] { core::Dictionary::parse(found.text, "T"); }).empty()) << text;
      continue;
    }
    EXPECT_EQ(other, "") << text;
    auto const* const span = whole->list_span("internalField");
    bool const left = span != nullptr && !span->repeated;
    ASSERT_EQ(found.list.has_value(), left) << text;
    if (!left) continue;
    ++lists;
    EXPECT_EQ(found.list->offset, static_cast<std::int64_t>(span->offset)) << text;
    EXPECT_EQ(found.list->count, static_cast<std::int64_t>(span->count)) << text;
    EXPECT_EQ(found.list->line, span->line) << text;
    EXPECT_EQ(found.list->binary, span->binary) << text;
    // what is left for the dictionary stands on the lines where it stood
    auto const rest = core::Dictionary::parse(found.text, "T");
    for (auto const& key : whole->keys()) EXPECT_EQ(rest.location(key), whole->location(key)) << text;
  }
  EXPECT_GT(lists, 20);
  EXPECT_GT(refused, 20);
}

TEST(FoamField, EndsInAnErrorWhateverTheBytes) {
  std::string const junk = "(){};[]\"$#/*0123456789-.e \n\\ax";
  std::string const files[] = {scalar_field(list(numbers(35), "35")),
                               scalar_field(binary_list(std::vector<double>(35, 1.0)), "binary")};
  std::mt19937 random(1);
  int refused = 0;
  for (int n = 0; n < 120; ++n) {
    std::string text = files[n % 2];
    for (int change = 0; change < 3; ++change) {
      auto const at = random() % text.size();
      if (change == 0)
        text.erase(at, 1 + random() % 8);
      else if (change == 1)
        text.insert(at, 1, junk[random() % junk.size()]);
      else
        text[at] = static_cast<char>(random());
    }
    EXPECT_NO_THROW(refused += !load_error(text).empty()) << text;  // load_error catches core::Error and nothing else
  }
  EXPECT_GT(refused, 60);
}

TEST(FoamField, RefusesOtherFilesByName) {
  EXPECT_EQ(error_of([] { read_field("nothing", core::Comm()); }),
            "nothing: no such file, expected a field of OpenFOAM");
  std::string text = scalar_field("uniform 1");
  EXPECT_EQ(load_error(std::string(text).replace(text.find("volScalar"), 9, "volVector")),
            "T:5: class 'volVectorField' is not supported, expected volScalarField");
  EXPECT_EQ(
      load_error(scalar_field("constant 1")),
      "T:10: entry 'internalField' is 'constant 1', expected 'uniform VALUE' or 'nonuniform List<scalar> N (...)'");
  EXPECT_EQ(load_error("dimensions [0 0 0 1 0];").substr(0, 29), "T:1: no FoamFile header, expe");
  std::string const big =
      std::string(text).replace(text.find("format ascii;"), 13, "format binary; arch \"MSB;label=32;scalar=64\";");
  EXPECT_EQ(load_error(big), "T:4: binary data of arch \"MSB;label=32;scalar=64\" is not supported, expected LSB");
}

TEST(FoamField, ChecksDimensions) {
  EXPECT_NO_THROW(check_dimensions({0, 2, -1, 0, 0, 0, 0}, dimensions_of_diffusivity, "0/DT:9"));
  EXPECT_EQ(error_of([] {
              check_dimensions({0, 2, -1, 0, 0, 0, 0}, dimensions_of_temperature, "0/T:9");
            }),
            "0/T:9: dimensions [0 2 -1 0 0 0 0], expected [0 0 0 1 0 0 0]");
}

TEST(FoamField, MatchesPatchesExactFirstThenPatterns) {
  auto const mesh = mesh_of(7, 5);
  std::string const head = scalar_field("uniform 1").substr(0, scalar_field("uniform 1").find("boundaryField"));
  auto const open = [&](std::string const& boundary) {
    write_file("T", head + "boundaryField { " + boundary + " }");
    return read_field("T", core::Comm());
  };
  auto file = open("\"(left|right)\" { type zeroGradient; } \".*\" { type fixedValue; value uniform 3; } left { type "
                   "fixedGradient; }");
  check_patches(file, mesh);
  EXPECT_EQ(patch_entry(file, *mesh.find("left"))->get<std::string>("type"), "fixedGradient");
  EXPECT_EQ(patch_entry(file, *mesh.find("right"))->get<std::string>("type"),
            "fixedValue");  // the last pattern that matches
  EXPECT_EQ(patch_entry(file, *mesh.find("frontAndBack")), nullptr);
  auto missing = open("left { type zeroGradient; }");
  EXPECT_EQ(error_of([&] { check_patches(missing, mesh); }),
            "T:11: boundaryField has no entry for the patch 'bottom', expected 'bottom { type ...; }'");
  // a pattern may fit nothing, or be overridden everywhere; what fits is read to its last entry
  auto idle =
      open("\"inlet.*\" { type fixedValue; valu 3; }\n\"(left|right)\" { type zero; }\n\".*\" { type zeroGradient; "
           "}");
  check_patches(idle, mesh);
  EXPECT_EQ(error_of([&] { idle.dictionary.sub("boundaryField").check_all_read(); }), "");
  auto misspelt = open("\".*\" { type zeroGradient; vale 3; }");
  check_patches(misspelt, mesh);
  EXPECT_NE(error_of([&] { misspelt.dictionary.sub("boundaryField").check_all_read(); }).find("unknown entry 'vale'"),
            std::string::npos);
  auto extra = open("\".*\" { type zeroGradient; }\ntpo { type zeroGradient; }");
  EXPECT_EQ(error_of([&] { check_patches(extra, mesh); }).substr(0, 44),
            "T:12: unknown patch 'tpo'; did you mean 'top");
  auto const passed = check_patches(extra, mesh, StrangePatches::passed_over);
  ASSERT_EQ(passed.size(), 1u);
  EXPECT_TRUE(passed[0].starts_with("T:12: passed over, as OpenFOAM does: unknown patch 'tpo'; did you mean 'top'?"));
  EXPECT_EQ(error_of([&] { extra.dictionary.sub("boundaryField").check_all_read(); }), "");
}

TEST(FoamField, GivesPatchValuesInTheOrderOfTheSide) {
  auto d = dictionary("vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 1) (1 0 1) (1 1 1) (0 1 1));\n"
                      "blocks ( hex (0 1 2 3 4 5 6 7) (2 3 2) simpleGrading (1 1 1) );\n"
                      "boundary ( a { type wall; faces ((0 1 5 4) (0 3 7 4)); } b { type wall; faces ((1 2 6 5) (3 2 6 "
                      "7) (0 1 2 3) (4 5 6 7)); } );");
  auto const mesh = read_block_mesh(d);
  // bottom: 2 x 2 faces with z fastest; left: 3 x 2 faces with y fastest
  auto const entry = dictionary("value nonuniform List<scalar> 10(0 1 10 11 20 21 22 30 31 32);\nplain 5;\nuni uniform "
                                "6;\nbad nonuniform List<scalar> 2(1 2);");
  auto const& a = *mesh.find("a");
  EXPECT_EQ(patch_values(entry, "value", mesh, a, plane_of(mesh, core::Side::bottom)),
            (std::vector<double>{0, 10, 1, 11}));
  EXPECT_EQ(patch_values(entry, "value", mesh, a, plane_of(mesh, core::Side::left)),
            (std::vector<double>{20, 21, 22, 30, 31, 32}));
  EXPECT_EQ(patch_values(entry, "plain", mesh, a, plane_of(mesh, core::Side::bottom)), std::vector<double>(4, 5.0));
  EXPECT_EQ(patch_values(entry, "uni", mesh, a, plane_of(mesh, core::Side::left)), std::vector<double>(6, 6.0));
  EXPECT_EQ(error_of([&] { patch_values(entry, "bad", mesh, a, plane_of(mesh, core::Side::left)); }),
            "dict:4: entry 'bad' has 2 values, but the patch 'a' has 10 faces");
}

}  // namespace
}  // namespace tessera::tests
