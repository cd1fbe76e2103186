// SPDX-License-Identifier: Apache-2.0
#include "core/case/dictionary.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

namespace tessera::core {
namespace dictionary_test {

Dictionary parse(std::string const& text) { return Dictionary::parse(text, "system/test"); }

/// The message of the Error that `action` throws; "" if it throws none.
template <class F>
std::string error_of(F const& action) {
  try {
    action();
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

std::string parse_error(std::string const& text) {
  return error_of([&] { parse(text); });
}

/// Files in memory, for includes.
Dictionary::Reader files(std::map<std::string, std::string> const& texts) {
  return [texts](std::string const& path) {
    auto const found = texts.find(path);
    if (found == texts.end()) throw Error(path + ": cannot be read");
    return found->second;
  };
}

}  // namespace dictionary_test
using namespace dictionary_test;

// What a setting gives belongs to the file that it changes: relative names of files start there.
TEST(Dictionary, OfASettingHasItsHomeInTheFile) {
  auto d = Dictionary::parse("a { file x; } b { file x; } list ({ file x; });", "case/system/test");
  d.set("b", "{ file y; inner { file z; } }", "command line: --set test:b");
  d.set("made.on.the", "{ way 1; }", "command line: --set test:made");
  d.set("list", "({ file y; })", "command line: --set test:list");
  Dictionary const copy = d;
  for (Dictionary const* of : {&std::as_const(d), &copy}) {
    EXPECT_EQ(of->sub("b").name(), "command line: --set test:b");
    for (Dictionary const* part : {&of->sub("a"), &of->sub("b"), &of->sub("b").sub("inner"), &of->sub("made").sub("on"),
                                   &of->sub("made").sub("on").sub("the")})
      EXPECT_EQ(part->home(), "case/system/test");
    EXPECT_EQ(of->tokens("list")[1].dictionary->home(), "case/system/test");
  }
}

// ---- values

TEST(Dictionary, TakesTheMarkThatEditorsPutInFrontOfUtf8) {
  auto const d = Dictionary::parse("\xEF\xBB\xBF"
                                   "a 1;\n#include \"b\"",
                                   "test", [](std::string const&) {
                                     return std::string("\xEF\xBB\xBF"
                                                        "b 2;");
                                   });
  EXPECT_EQ(d.keys(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parse_error(std::string("\xFF\xFE"
                                    "a\0",
                                    4)),
            "system/test:1: is UTF-16, expected text in UTF-8");
}

TEST(Dictionary, ReadsValuesOfEachType) {
  auto const d = parse(R"(
    on yes; off no; tall true; flag off;
    count 12; many 1e6; big 9000000000; small -3;
    ratio 2.5e-3; plus +4; word linear; text "two words";
    cells (4 3 1); three 3 (1 2 3); same 4{2.5}; words (a "b c" d); nested ((1 2) (3 4));
  )");
  EXPECT_TRUE(d.get<bool>("on"));
  EXPECT_FALSE(d.get<bool>("off"));
  EXPECT_TRUE(d.get<bool>("tall"));
  EXPECT_FALSE(d.get<bool>("flag"));
  EXPECT_EQ(d.get<int>("count"), 12);
  EXPECT_EQ(d.get<int>("many"), 1000000);
  EXPECT_EQ(d.get<std::int64_t>("big"), 9000000000);
  EXPECT_EQ(d.get<int>("small"), -3);
  EXPECT_EQ(d.get<double>("ratio"), 2.5e-3);
  EXPECT_EQ(d.get<double>("plus"), 4);
  EXPECT_EQ(d.get<std::string>("word"), "linear");
  EXPECT_EQ(d.get<std::string>("text"), "two words");
  EXPECT_EQ((d.get<std::array<int, 3>>("cells")), (std::array<int, 3>{4, 3, 1}));
  EXPECT_EQ(d.get<std::vector<double>>("three"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(d.get<std::vector<double>>("same"), std::vector<double>(4, 2.5));
  EXPECT_EQ(d.get<std::vector<std::string>>("words"), (std::vector<std::string>{"a", "b c", "d"}));
  EXPECT_EQ(d.get<std::vector<std::vector<int>>>("nested"), (std::vector<std::vector<int>>{{1, 2}, {3, 4}}));
  EXPECT_EQ(d.get_or<double>("absent", 7), 7);
}

TEST(Dictionary, KeepsRulesAndPathsAsOneWord) {
  auto const d =
      parse("rule B3/S23; other 23/3; file constant/medium.png; scheme div(phi,U); // end\n grad(T) Gauss linear;");
  EXPECT_EQ(d.get<std::string>("rule"), "B3/S23");
  EXPECT_EQ(d.get<std::string>("other"), "23/3");
  EXPECT_EQ(d.get<std::string>("file"), "constant/medium.png");
  EXPECT_EQ(d.get<std::string>("scheme"), "div(phi,U)");
  EXPECT_EQ(d.words("grad(T)"), (std::vector<std::string>{"Gauss", "linear"}));
}

TEST(Dictionary, EndsAWordBeforeABracketThatIsNotItsOwn) {
  auto const d = parse("a hex(0 1 2 3); b (x(1 2)); c 3(1 2 3);");
  EXPECT_EQ(d.words("a"), (std::vector<std::string>{"hex", "(", "0", "1", "2", "3", ")"}));
  EXPECT_EQ(d.words("b"), (std::vector<std::string>{"(", "x", "(", "1", "2", ")", ")"}));
  EXPECT_EQ(d.get<std::vector<int>>("c").size(), 3u);
}

TEST(Dictionary, ReadsDimensionedValuesAndDimensions) {
  auto const d =
      parse("DT DT [0 2 -1 0 0 0 0] 4e-07; k [1 1 -3 -1 0] 0.5; dimensions [0 0 0 1 0 0 0]; v v [0 1 0 0 0] (1 2 3);");
  for (char const* key : {"DT", "k"})  // by whoever compares dimensions
    EXPECT_NE(error_of([&] { d.get<double>(key); }).find("expected the value without dimensions"), std::string::npos);
  EXPECT_EQ(d.dimensions("DT"), (std::array<double, 7>{0, 2, -1, 0, 0, 0, 0}));
  EXPECT_EQ(d.dimensions("k"), (std::array<double, 7>{1, 1, -3, -1, 0, 0, 0}));
  EXPECT_EQ(d.dimensions("dimensions")[3], 1);
  auto in = d.stream("v");
  in.skip_dimensions();
  EXPECT_EQ((in.read<std::array<double, 3>>()), (std::array<double, 3>{1, 2, 3}));
  EXPECT_EQ(error_of([&] { parse("d [0 1 2];").dimensions("d"); }),
            "system/test:1: entry 'd' is '[0 1 2]', expected dimensions [kg m s K mol A cd] with 5 or 7 numbers, "
            "or units as in [m^2/s]");
}

TEST(Dictionary, ReadsUnitsAsOpenFoamDoes) {
  auto const of = [](std::string const& units) { return parse("DT " + units + " 0.01;").dimensions("DT"); };
  std::array<double, 7> const diffusivity{0, 2, -1, 0, 0, 0, 0};
  for (char const* units :
       {"[m^2/s]", "DT [m^2/s]", "[m^2 s^-1]", "[m^2*s^-1]", "[m^2 / s]", "[ m ^ 2/s ]", "[W m/J*m]", "[(m*m)/s]",
        "[area Hz]", "[m^4/m^2/s]", "[m^2/s/kg kg]", "[m^2.5 m^-0.5 s^-1]", "[m^2/(s kg) kg]", "[kinematicPressure s]"})
    EXPECT_EQ(of(units), diffusivity) << units;
  EXPECT_EQ(of("[K]"), (std::array<double, 7>{0, 0, 0, 1}));
  EXPECT_EQ(of("[W/(m K)]"), (std::array<double, 7>{1, 1, -3, -1}));
  EXPECT_EQ(of("[J/m^3/K]"), (std::array<double, 7>{1, -1, -2, -1}));
  EXPECT_EQ(of("[N Pa A mol Cd]"), (std::array<double, 7>{2, 0, -4, 0, 1, 1, 1}));
  for (auto const& [units, words] : {std::pair{"[k]", "unknown unit 'k'"},
                                     {"[mm^2/s]", "unknown unit 'mm'"},
                                     {"[m^x]", "'^' wants a number"},
                                     {"[m/]", "a unit is missing"},
                                     {"[m 2]", "'2' is no unit"},
                                     {"[(m s]", "is not closed"},
                                     {"[]", "or units as in"}}) {
    auto const said = error_of([&, units = units] { of(units); });
    EXPECT_NE(said.find(words), std::string::npos) << said;
    EXPECT_EQ(said.find("system/test:1: "), 0U) << said;
  }
}

TEST(Dictionary, TellsPatternsFromNames) {
  auto const d = parse("a 1; \"b.*\" 2; c.* { } \"d\" { } \"a\" 3;");
  EXPECT_EQ(d.names(), (std::vector<std::string>{"a", "c.*"}));
  EXPECT_EQ(d.patterns(), (std::vector<std::string>{"b.*", "d", "a"}));
}

TEST(Dictionary, TellsValuesThatNoMacroInserts) {
  auto const reader = [](std::string const&) { return std::string("c 3;"); };
  auto const d = Dictionary::parse("a 1; b 2; e $b; #include \"more\"\n f { g 1; } \"h\" 1;", "system/test", reader);
  for (char const* key : {"a", "e"}) EXPECT_TRUE(d.stands_alone(key)) << key;
  for (char const* key : {"b", "c", "f", "g", "h", "none"}) EXPECT_FALSE(d.stands_alone(key)) << key;
}

TEST(Dictionary, SkipsComments) {
  auto const d = parse("a /* one\n two */ 1; // b 2;\n/* c 3; */ d \"// no comment\";");
  EXPECT_EQ(d.keys(), (std::vector<std::string>{"a", "d"}));
  EXPECT_EQ(d.get<int>("a"), 1);
  EXPECT_EQ(d.get<std::string>("d"), "// no comment");
  EXPECT_EQ(d.location("d"), "system/test:3");
}

TEST(Dictionary, UnderstandsEscapesInStrings) {
  auto const d = parse("a \"say \\\"hi\\\"\"; b \"one \\\ntwo\"; c 1;");
  EXPECT_EQ(d.get<std::string>("a"), "say \"hi\"");
  EXPECT_EQ(d.get<std::string>("b"), "one \ntwo");
  EXPECT_EQ(d.location("c"), "system/test:2");
}

// ---- structure

TEST(Dictionary, LeavesTheHeaderOutOfItsKeys) {
  auto d = parse("FoamFile { version 2.0; format ascii; class dictionary; object test; }\na 1;");
  EXPECT_EQ(d.keys(), std::vector<std::string>{"a"});
  EXPECT_EQ(d.sub("FoamFile").get<std::string>("object"), "test");
  EXPECT_EQ(d.get<int>("a"), 1);
  EXPECT_NO_THROW(d.check_all_read());
}

TEST(Dictionary, ReplacesAnEarlierValueAndMergesRepeatedDictionaries) {
  auto const d = parse("a 1; s { x 1; y 2; } a 2; s { y 3; z 4; }");
  EXPECT_EQ(d.get<int>("a"), 2);
  EXPECT_EQ(d.sub("s").keys(), (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(d.sub("s").get<int>("y"), 3);
}

TEST(Dictionary, ListsHoldDictionariesAndLists) {
  auto const d = parse("regions 3 ( boxToCell { box (0 0 0) (1 1 1); } { type patch; } (1 2) ); empty ();");
  auto const items = d.items("regions");
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].name, "boxToCell");
  auto in = items[0].dictionary->stream("box");
  EXPECT_EQ((in.read<std::array<double, 3>>()), (std::array<double, 3>{0, 0, 0}));
  EXPECT_EQ((in.read<std::array<double, 3>>()), (std::array<double, 3>{1, 1, 1}));
  EXPECT_NO_THROW(in.end());
  EXPECT_EQ(items[1].name, "");
  EXPECT_EQ(items[1].dictionary->get<std::string>("type"), "patch");
  EXPECT_EQ(items[2].dictionary, nullptr);
  EXPECT_EQ(items[2].tokens.size(), 4u);
  EXPECT_TRUE(d.items("empty").empty());
}

TEST(Dictionary, MatchesQuotedKeywordsExactFirstThenTheLast) {
  auto const d = parse(R"("(a|b).*" 1; "a.*" 2; abc 3; "p\.q" 4;)");
  EXPECT_EQ(d.get<int>("abc"), 3);
  EXPECT_EQ(d.get<int>("axe"), 2);
  EXPECT_EQ(d.get<int>("bxe"), 1);
  EXPECT_EQ(d.get<int>("p.q"), 4);
  EXPECT_FALSE(d.contains("xa")) << "the whole name must match";
  EXPECT_FALSE(d.contains("pxq"));
}

TEST(Dictionary, FindsSubDictionariesOrNot) {
  auto d = parse("s { x 1; } v 2;");
  EXPECT_EQ(d.find_sub("none"), nullptr);
  EXPECT_EQ(d.find_sub("s")->path(), "s");
  EXPECT_TRUE(d.is_dictionary("s"));
  EXPECT_FALSE(d.is_dictionary("v"));
  EXPECT_TRUE(d.sub_or_empty("settings").keys().empty());
  EXPECT_EQ(error_of([&] { d.find_sub("v"); }), "system/test:1: entry 'v' is '2', expected a dictionary { ... }");
}

TEST(Dictionary, CopiesAreIndependent) {
  auto d = parse("s { x 1; } l ( { y 2; } );");
  Dictionary copy(d);
  copy.set("s.x", "5");
  EXPECT_EQ(d.sub("s").get<int>("x"), 1);
  EXPECT_EQ(copy.sub("s").get<int>("x"), 5);
  EXPECT_NE(copy.items("l")[0].dictionary, d.items("l")[0].dictionary);
  Dictionary moved(std::move(copy));
  EXPECT_EQ(moved.sub("s").get<int>("x"), 5);
}

// ---- macros, includes, directives

TEST(Dictionary, ExpandsMacrosFromInnerToOuterScope) {
  auto const d = parse(R"(
    tol 1e-6; box (0 0 1);
    solvers { tol 1e-3; T { tolerance $tol; outer $..tol; top $:tol; deep ${:solvers.tol}; list $box; } }
    again { value $solvers.T.tolerance; own 3; same $.own; }
  )");
  auto const& t = d.sub("solvers").sub("T");
  EXPECT_EQ(t.get<double>("tolerance"), 1e-3);
  EXPECT_EQ(t.get<double>("outer"), 1e-3);
  EXPECT_EQ(t.get<double>("top"), 1e-6);
  EXPECT_EQ(t.get<double>("deep"), 1e-3);
  EXPECT_EQ(t.get<std::vector<int>>("list"), (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(d.sub("again").get<double>("value"), 1e-3);
  EXPECT_EQ(d.sub("again").get<int>("same"), 3);
}

TEST(Dictionary, InsertsADictionaryByItsName) {
  auto const d =
      parse("T { solver PCG; p { type DIC; } } TFinal { $T; relTol 0; p { type none; } } copy $T; list ($T);");
  EXPECT_EQ(d.sub("TFinal").get<std::string>("solver"), "PCG");
  EXPECT_EQ(d.sub("TFinal").sub("p").get<std::string>("type"), "none");
  EXPECT_EQ(d.sub("T").sub("p").get<std::string>("type"), "DIC");
  EXPECT_EQ(d.sub("copy").get<std::string>("solver"), "PCG");
  EXPECT_EQ(d.items("list").at(0).dictionary->get<std::string>("solver"), "PCG");
}

TEST(Dictionary, NamesTheNearestOfAnUndefinedMacro) {
  EXPECT_EQ(parse_error("tol 1;\n\na $tpl;"), "system/test:3: '$tpl' is not defined; did you mean '$tol'?");
  EXPECT_EQ(parse_error("a $...b;"), "system/test:1: '$...b' goes above the top of the file");
  EXPECT_EQ(parse_error("a 1; $a;"), "system/test:1: '$a' is no dictionary; its entries cannot be inserted here");
  EXPECT_EQ(parse_error("a { } b $a c 1;"),
            "system/test:1: entry 'b' is a dictionary with something after it; is a ';' missing?");
  EXPECT_EQ(parse_error("a $;"), "system/test:1: '$' without a name");
  EXPECT_NE(parse_error("a ${b:-1};").find("is not supported"), std::string::npos);
}

TEST(Dictionary, ReadsIncludesRelativeToTheFile) {
  auto const folder =
      std::filesystem::temp_directory_path() / ("tessera_dictionary_" + std::to_string(std::random_device{}()));
  std::filesystem::create_directories(folder / "system" / "parts");
  std::ofstream(folder / "system" / "main")
      << "a 1;\n#include \"parts/more\"\ns { #include \"../common\" }\n#includeIfPresent \"nothing\"\n";
  std::ofstream(folder / "system" / "parts" / "more") << "FoamFile { version 2.0; }\n\nb $a;\n";
  std::ofstream(folder / "common") << "c 3;";
  auto const path = (folder / "system" / "main").string();
  auto const d = Dictionary::read(path);
  EXPECT_EQ(d.get<int>("b"), 1);
  EXPECT_EQ(d.location("b"), (folder / "system" / "parts" / "more").string() + ":3");
  EXPECT_EQ(d.sub("s").get<int>("c"), 3);
  EXPECT_EQ(d.sub("s").location("c"), (folder / "common").string() + ":1");
  EXPECT_EQ(d.location("s"), path + ":3");
  EXPECT_EQ(d.keys(), (std::vector<std::string>{"a", "b", "s"}));
  auto const absent = (folder / "absent").string();
  EXPECT_EQ(error_of([&] { Dictionary::read(absent); }), absent + ": cannot be read: No such file or directory");
  EXPECT_EQ(error_of([&] { Dictionary::read(folder.string()); }), folder.string() + ": is a folder, expected a file");
  std::filesystem::remove_all(folder);
}

TEST(Dictionary, NamesAMissingInclude) {
  EXPECT_EQ(error_of([] { Dictionary::parse("\n#include \"gone\"", "system/test", files({})); }),
            "system/test:2: '#include \"gone\"': system/gone: cannot be read");
  EXPECT_EQ(parse_error("#include gone"), "system/test:1: expected a file name in quotes after '#include'");
}

TEST(Dictionary, EndsEndlessIncludes) {
  EXPECT_NE(error_of([] {
              Dictionary::parse("#include \"me\"", "me", files({{"me", "#include \"me\""}}));
            }).find("nest deeper than 64"),
            std::string::npos);
  std::map<std::string, std::string> chain;
  for (int i = 0; i < 40; ++i) {
    std::string const next = "#include \"f" + std::to_string(i + 1) + "\"\n";
    chain["f" + std::to_string(i)] = next + next;
  }
  chain["f40"] = "";
  EXPECT_NE(error_of([&] { Dictionary::parse("#include \"f0\"", "me", files(chain)); }).find("more than 1000 files"),
            std::string::npos);
}

TEST(Dictionary, FindsFilesOfTheCaseAndByVariables) {
  auto const reader =
      files({{"run/constant/a", "a 1;"},
             {"run/0/values/b", "b 2;"},
             {"<etc>/caseDicts/x", "x 3;"},
             {"run/constant/polyMesh/c", "#include \"<case>/constant/a\"\n#include \"$FOAM_CASE/constant/a\""}});
  auto const d =
      Dictionary::parse("folder values; s { file b; #include \"${folder}/$file\" }\n#include \"<case>/constant/a\"\n"
                        "#includeEtc \"caseDicts/x\"\n#include \"$FOAM_ETC/caseDicts/x\"",
                        "run/0/T", reader);
  EXPECT_EQ(d.get<int>("a"), 1);
  EXPECT_EQ(d.sub("s").get<int>("b"), 2);
  EXPECT_EQ(d.get<int>("x"), 3);
  auto const mesh = Dictionary::parse("#include \"c\"", "run/constant/polyMesh/blockMeshDict", reader);
  EXPECT_EQ(mesh.get<int>("a"), 1);
  // the file that most cases of OpenFOAM include is known without OpenFOAM
  auto const field = Dictionary::parse("b { #includeEtc \"caseDicts/setConstraintTypes\" }", "run/0/T", reader);
  EXPECT_EQ(field.sub("b").sub("empty").get<std::string>("type"), "empty");
  EXPECT_EQ(error_of([&] { Dictionary::parse("#includeEtc \"caseDicts/y\"", "run/0/T", reader); }),
            "run/0/T:1: '#includeEtc \"caseDicts/y\"': <etc>/caseDicts/y: cannot be read");
}

TEST(Dictionary, IncludesFunctionObjectsOfTheCase) {
  std::map<std::string, std::string> const files{
      {"run/system/plain", "/* as OpenFOAM's */ type probes; fields (p); n 1;"},
      {"run/system/block",
       "FoamFile { version 2.0; format ascii; class dictionary; } x 1; block { type sets; field p; }"}};
  auto const reader = [&](std::string const& path) {
    if (files.contains(path)) return files.at(path);
    throw Error(path + ": cannot be read");
  };
  auto const read = [&](std::string const& text) {
    return Dictionary::parse("functions\n{\n" + text + "\n}", "run/system/controlDict", reader);
  };
  auto const d =
      read("#includeFunc plain\n #includeFunc block\n #includeFunc plain(T, U, n=7)\n #includeFunc block(T)");
  auto const& all = d.sub("functions");
  EXPECT_EQ(all.keys(), (std::vector<std::string>{"plain", "block", "plain(T,U,n=7)", "block(T)"}));
  EXPECT_EQ(all.sub("plain").get<std::string>("type"), "probes");
  EXPECT_EQ(all.sub("plain").location("n"), "run/system/plain:1");
  EXPECT_EQ(all.sub("block").keys(), (std::vector<std::string>{"type", "field"}));
  EXPECT_EQ(all.sub("plain(T,U,n=7)").get<std::vector<std::string>>("fields"), (std::vector<std::string>{"T", "U"}));
  EXPECT_EQ(all.sub("plain(T,U,n=7)").get<int>("n"), 7);
  EXPECT_EQ(all.sub("block(T)").get<std::string>("field"), "T");
  EXPECT_EQ(
      error_of([&] { read("#includeFunc residuals"); }),
      "run/system/controlDict:3: '#includeFunc residuals': run/system/residuals: cannot be read, expected this file in "
      "the case (what OpenFOAM has in etc/caseDicts/postProcessing is to be copied there)");
  EXPECT_EQ(error_of([&] { read("#includeFunc \"plain\""); }),
            "run/system/controlDict:3: expected the name of a function object after '#includeFunc'");
  EXPECT_EQ(error_of([&] { read("#includeFunc plain(T, U; "); }),
            "run/system/controlDict:3: 'plain(T,U' is not closed, expected ')'");
  EXPECT_EQ(error_of([&] { read("#includeFunc ../plain"); }),
            "run/system/controlDict:3: '#includeFunc ../plain': expected a word without '/'");
}

TEST(Dictionary, RemovesEntries) {
  auto const d = parse("a 1; b1 2; b2 3; c 4; d { x 1; } #remove a #remove (\"b.*\" d) e 5;");
  EXPECT_EQ(d.keys(), (std::vector<std::string>{"c", "e"}));
}

TEST(Dictionary, RefusesWhatItDoesNotSupportByName) {
  for (std::string const directive : {"#codeStream", "#if", "#ifeq"}) {
    EXPECT_EQ(parse_error("a 1;\n" + directive + " \"x\";"),
              "system/test:2: '" + directive + "' is not supported; write what it stands for");
    EXPECT_EQ(parse_error("a 1;\nb " + directive + " \"x\";"),
              "system/test:2: '" + directive + "' is not supported in a value (entry 'b')");
  }
  EXPECT_EQ(parse_error("#inputMode overwrite"), "system/test:1: '#inputMode overwrite' is not supported, only merge");
  EXPECT_EQ(parse_error("#inputMode merge\na 1;"), "");
  EXPECT_EQ(parse_error("#include \"$HOME/x\""), "system/test:1: '$HOME' is not defined");
}

// ---- errors of the file

TEST(Dictionary, NamesTheLineWhereSomethingUnclosedBegan) {
  EXPECT_EQ(parse_error("a 1;\nsolvers\n{\n  T { x 1; }\n"), "system/test:2: block 'solvers' is not closed by '}'");
  EXPECT_EQ(parse_error("a 1;\nb (1 2\n3;\nc 4;"), "system/test:2: '(' in entry 'b' is not closed");
  EXPECT_EQ(parse_error("a 1;\nb (1 [2) ;"), "system/test:2: '[' in entry 'b' is not closed before ')'");
  EXPECT_EQ(parse_error("a 1;\nb \"text;\nc 4;"), "system/test:2: string is not closed by '\"'");
  EXPECT_EQ(parse_error("a 1;\n\n/* b 2;\nc 4;"), "system/test:3: comment '/*' is not closed by '*/'");
  EXPECT_EQ(parse_error("a 1;\nb 2"), "system/test:2: entry 'b' is not closed by ';'");
  EXPECT_EQ(parse_error("s {\nb 2\n}"), "system/test:2: entry 'b' is not closed by ';'");
  EXPECT_EQ(parse_error("a ${b;\n"), "system/test:1: '${' is not closed by '}'");
}

TEST(Dictionary, NamesStrayBrackets) {
  EXPECT_EQ(parse_error("a 1;\n}"), "system/test:2: '}' without '{'");
  EXPECT_EQ(parse_error("\n(1 2)"), "system/test:2: expected a keyword, found '('");
  EXPECT_EQ(parse_error("a 1);"), "system/test:1: ')' without '('");
  EXPECT_NE(parse_error(std::string("a \0;", 4)).find("unexpected character 0"), std::string::npos);
  EXPECT_NE(parse_error("a \x01;").find("unexpected character 1"), std::string::npos);
}

TEST(Dictionary, NamesBadRegularExpressions) {
  EXPECT_EQ(parse_error("\"(a\" 1;"), "system/test:1: \"(a\" is no valid regular expression");
  EXPECT_EQ(parse_error("\n\"a{2}\" {}"), "system/test:2: regular expression \"a{2}\": '{' is not supported in it");
  EXPECT_NE(parse_error("\"" + std::string(300, 'a') + "\" 1;").find("longer than 256"), std::string::npos);
}

TEST(Dictionary, EndsAMacroBombAndDeepNesting) {
  std::string bomb = "a0 (1 2 3 4);";
  for (int i = 1; i < 40; ++i) {
    std::string const last = "$a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + " (" + last + " " + last + ");";
  }
  EXPECT_NE(parse_error(bomb).find("macros insert more than 1000000 words"), std::string::npos);

  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "a{";
  EXPECT_NE(parse_error(deep).find("blocks nest deeper than 256"), std::string::npos);
  EXPECT_NE(parse_error("a " + std::string(100000, '(')).find("lists nest deeper than 256"), std::string::npos);
  std::string words = "a ";  // each a word that may go on to the end of the text
  for (int i = 0; i < 300000; ++i) words += "f(";
  EXPECT_NE(parse_error(words).find("lists nest deeper than 256"), std::string::npos);
  std::string lists;
  for (int i = 0; i < 100000; ++i) lists += "a (b {";
  EXPECT_NE(parse_error(lists).find("nest deeper than 256"), std::string::npos);

  std::string doubling = "a0 { x 1; }";
  for (int i = 1; i < 40; ++i) {
    std::string const n = std::to_string(i);
    doubling += "a" + n;
    for (int k = 0; k < 200; ++k) doubling += "{ b ";
    doubling += "{ $:a" + std::to_string(i - 1) + "; }";
    for (int k = 0; k < 200; ++k) doubling += "}";
  }
  EXPECT_NE(parse_error(doubling).find("nest deeper than 256"), std::string::npos);
}

TEST(Dictionary, PatternsCannotHang) {
  auto const d = parse("\"(a|a)*(a|aa)*(a*)*b\" 1;");
  EXPECT_FALSE(d.contains(std::string(200, 'a')));
  EXPECT_TRUE(d.contains(std::string(200, 'a') + "b"));
}

// ---- errors of the reader

TEST(Dictionary, NamesTheMissingEntryAndItsDictionary) {
  auto const d = parse("a 1;\nsolvers\n{\n  T { tolerence 1; }\n}");
  EXPECT_EQ(error_of([&] { d.get<int>("endTime"); }), "system/test:1: entry 'endTime' is missing");
  EXPECT_EQ(error_of([&] { d.sub("solvers").sub("U"); }), "system/test:2: entry 'U' is missing in 'solvers'");
  EXPECT_EQ(error_of([&] { d.sub("solvers").sub("T").get<double>("tolerance"); }),
            "system/test:4: entry 'tolerance' is missing in 'solvers.T'; is 'tolerence' meant?");
}

TEST(Dictionary, NamesTheWrongTypeAndWhatWasExpected) {
  auto const d = parse(
      "\nendTime abc; n 1.5; flag maybe; none; s { } big 3000000000; two 1 2; huge 1e999; nothing nan; inf -inf;");
  EXPECT_EQ(error_of([&] { d.get<double>("endTime"); }), "system/test:2: entry 'endTime' is 'abc', expected a number");
  EXPECT_EQ(error_of([&] { d.get<int>("n"); }), "system/test:2: entry 'n' is '1.5', expected an integer");
  EXPECT_EQ(error_of([&] { d.get<bool>("flag"); }), "system/test:2: entry 'flag' is 'maybe', expected yes or no");
  EXPECT_EQ(error_of([&] { d.get<double>("none"); }), "system/test:2: entry 'none' has no value, expected a number");
  EXPECT_EQ(error_of([&] { d.get<double>("s"); }), "system/test:2: entry 's' is a dictionary, expected a value");
  EXPECT_EQ(error_of([&] { d.get<int>("big"); }),
            "system/test:2: entry 'big' is '3000000000', expected an integer from -2147483648 to 2147483647");
  EXPECT_EQ(error_of([&] { d.get<unsigned>("big"); }), "");
  EXPECT_EQ(error_of([&] { d.get<int>("two"); }), "system/test:2: entry 'two' is '1 2', expected one value");
  EXPECT_EQ(error_of([&] { d.get<double>("huge"); }),
            "system/test:2: entry 'huge' is '1e999', expected a finite number");
  EXPECT_EQ(error_of([&] { d.get<double>("nothing"); }),
            "system/test:2: entry 'nothing' is 'nan', expected a finite number");
  EXPECT_EQ(error_of([&] { d.get<double>("inf"); }), "system/test:2: entry 'inf' is '-inf', expected a finite number");
  EXPECT_EQ(error_of([&] { d.get<std::vector<int>>("endTime"); }),
            "system/test:2: entry 'endTime' is 'abc', expected a list of integers");
}

TEST(Dictionary, SuggestsTheSemicolonThatIsMissing) {
  auto const d = parse("a 1\nb 2;");
  EXPECT_EQ(error_of([&] { d.get<int>("a"); }),
            "system/test:2: entry 'a' is '1 b 2', expected one value; is a ';' missing?");
}

TEST(Dictionary, NamesExpectedAndFoundLengthOfAList) {
  auto const d = parse("a (1 2); b 3 (1 2); c (1\n 2\n x);");
  EXPECT_EQ(error_of([&] { d.get<std::array<int, 3>>("a"); }), "system/test:1: entry 'a' has 2 values, expected 3");
  EXPECT_EQ(error_of([&] { d.get<std::vector<int>>("b"); }), "system/test:1: entry 'b' has 2 values, expected 3");
  EXPECT_EQ(error_of([&] { d.items("b"); }), "system/test:1: entry 'b' has 2 values, expected 3");
  EXPECT_EQ(error_of([&] { d.get<std::vector<int>>("c"); }),
            "system/test:3: entry 'c' is '(1 2 x)', expected an integer");
}

TEST(Dictionary, ChecksRanges) {
  auto const d = parse("p 1.2; n -1; zero 0;");
  EXPECT_EQ(error_of([&] {
              d.get_in<double>("p", {0, 1});
            }),
            "system/test:1: entry 'p' is '1.2', expected a number from 0 to 1");
  EXPECT_EQ(error_of([&] {
              d.get_in<double>("n", {0, std::numeric_limits<double>::infinity()});
            }),
            "system/test:1: entry 'n' is '-1', expected a number of at least 0");
  EXPECT_EQ(error_of([&] { d.get_positive<double>("zero"); }),
            "system/test:1: entry 'zero' is '0', expected a number above 0");
  EXPECT_EQ(d.get_in<double>("absent", {0, 1}, 0.5), 0.5);
  EXPECT_EQ(d.get_in<double>("p", {0, 2}), 1.2);
}

TEST(Dictionary, ListsTheValidChoices) {
  auto const d = parse("\nframe insde; method exact;");
  EXPECT_EQ(error_of([&] {
              d.get_choice("frame", {"inside", "outside", "none"}, "none");
            }),
            "system/test:2: unknown frame 'insde'; did you mean 'inside'? valid: inside outside none");
  EXPECT_EQ(d.get_choice("method", {"exact", "paper"}), "exact");
  EXPECT_EQ(d.get_choice("absent", {"exact", "paper"}, "paper"), "paper");
}

TEST(Dictionary, NamesFileAndLineOfAMisspeltEntry) {
  auto const d = parse("solvers\n{\n  T\n  {\n    tolerence 1e-6;\n    relTol 0;\n  }\n}");
  auto const& t = d.sub("solvers").sub("T");
  t.get_or<double>("tolerance", 1e-6);
  t.get_or<double>("relTol", 0);
  EXPECT_EQ(error_of([&] { d.check_all_read(); }),
            "system/test:5: unknown entry 'tolerence'; did you mean 'tolerance'?");
}

TEST(Dictionary, NamesWhatWasAskedWhereNothingIsClose) {
  auto const d = parse("s { a 1; zzzzz 2; }");
  d.sub("s").get<int>("a");
  d.sub("s").contains("b");
  EXPECT_EQ(error_of([&] { d.check_all_read(); }), "system/test:1: unknown entry 'zzzzz' in 's'; valid: a b");
  d.sub("s").mark_read("zzzzz");
  EXPECT_NO_THROW(d.check_all_read());
}

TEST(Dictionary, FindsUnreadEntriesInDictionariesOfLists) {
  auto const d = parse("l ( { a 1; } b { c 2; } );");
  EXPECT_EQ(error_of([&] { d.check_all_read(); }), "system/test:1: unknown entry 'l'");
  for (auto const& item : d.items("l")) item.dictionary->get_or<int>("a", 0);
  EXPECT_EQ(error_of([&] { d.check_all_read(); }), "system/test:1: unknown entry 'c' in 'l'; valid: a");
  d.mark_read();
  EXPECT_NO_THROW(d.check_all_read());
}

TEST(Dictionary, CountsAnEntryUsedByAMacroAsRead) {
  auto const d = parse("tol 1; base { x 1; } a $tol; T { $base; }");
  d.get<int>("a");
  d.sub("T").get<int>("x");
  EXPECT_NO_THROW(d.check_all_read());
}

TEST(Dictionary, FailsAtTheEntry) {
  auto const d = parse("a 1;\nb 2;");
  EXPECT_EQ(error_of([&] { d.fail("b", "b is odd"); }), "system/test:2: b is odd");
  EXPECT_EQ(error_of([&] { d.fail("c", "c lacks"); }), "system/test:1: c lacks");
}

// A number is no list's length where no list follows.
TEST(Dictionary, WantsAListWhereThereIsANumber) {
  for (char const* text : {"v 1e-6;", "v 3;"}) {
    auto const d = parse(text);
    EXPECT_NE(error_of([&] { d.get<std::vector<double>>("v"); }).find("expected a list of numbers"), std::string::npos);
  }
  EXPECT_EQ(parse("v 2(1 2);").get<std::vector<double>>("v"), (std::vector<double>{1, 2}));
}

TEST(Dictionary, NamesTheEntryInEveryFailure) {
  auto const d = parse("connectivity 14; range (3 2); list ( { x 1; } ); block { y 1; }");
  EXPECT_EQ(error_of([&] { d.fail_entry("connectivity", "is 14, expected 6 or 18"); }),
            "system/test:1: entry 'connectivity' is 14, expected 6 or 18");
  EXPECT_EQ(error_of([&] { d.fail_entry("list", "holds nothing"); }), "system/test:1: entry 'list' holds nothing");
  EXPECT_EQ(error_of([&] { d.fail_expected("range", "(lo hi)"); }),
            "system/test:1: entry 'range' is '(3 2)', expected (lo hi)");
  EXPECT_EQ(error_of([&] { d.fail_expected("block", "a number"); }), "system/test:1: entry 'block': expected a number");
  EXPECT_EQ(error_of([&] { d.fail("range", "no order in 'ranges'"); }),
            "system/test:1: entry 'range': no order in 'ranges'");
  EXPECT_EQ(error_of([&] { d.fail("range", "the range ends before it begins"); }),
            "system/test:1: the range ends before it begins");
  EXPECT_EQ(error_of([&] { d.fail("", "no shape"); }), "system/test:1: no shape");
}

/// What check_all_read says of a dictionary in `file` where `scale` and `s.tolerance` are known; the log lines otherwise.
std::string unread(std::string const& file, std::string const& more) {
  auto const d = Dictionary::parse("scale 2; s { tolerance 1; }" + more, file);
  d.get<int>("scale");
  d.sub("s").get<int>("tolerance");
  std::string said = error_of([&] { d.check_all_read(); });
  for (auto const& line : d.unused_variables()) said += line + "\n";
  return said;
}

TEST(Dictionary, TakesUnusedValuesAtTheTopOfOpenFoamsFilesForVariables) {
  EXPECT_EQ(unread("system/blockMeshDict", "\nW 3;\nplaces (1 2);"),
            "system/blockMeshDict:2: 'W' is used by nobody: taken for a variable\n"
            "system/blockMeshDict:3: 'places' is used by nobody: taken for a variable\n");
  EXPECT_EQ(unread("0/T", "\nFoamFile { class volScalarField; }\nW 3;"),
            "0/T:3: 'W' is used by nobody: taken for a variable\n");
  EXPECT_EQ(unread("system/gridDict", "\nFoamFile { class dictionary; }\nW 3;"),
            "system/gridDict:3: unknown entry 'W'; valid: s scale");
}

TEST(Dictionary, TakesNoMisspeltOrMisplacedEntryForAVariable) {
  auto const fault = [](std::string const& more) { return unread("system/controlDict", "\n" + more); };
  EXPECT_EQ(fault("scael 1;"), "system/controlDict:2: unknown entry 'scael'; did you mean 'scale'?");
  EXPECT_EQ(fault("tolerance 1;"), "system/controlDict:2: unknown entry 'tolerance'; valid: s scale");
  EXPECT_EQ(fault("W { x 1; }"), "system/controlDict:2: unknown entry 'W'; valid: s scale");
  EXPECT_EQ(fault("\"W.*\" 1;"), "system/controlDict:2: unknown entry 'W.*'; valid: s scale");
  EXPECT_EQ(fault("s { W 3; }"), "system/controlDict:2: unknown entry 'W' in 's'; valid: tolerance");
}

// ---- set and text

TEST(Dictionary, SetsAnEntryByItsPath) {
  auto d = parse("solvers { T { tolerance 1; } \"U.*\" { relTol 1; tolerance 2; } } a.b { c 1; }");
  d.set("solvers.T.tolerance", "1e-8");
  d.set("solvers.U.relTol", "0");
  d.set("a.b.c", "2");
  d.set("new.part.cells", "(4 4 1)");
  d.set("input", "{ type random; seed 3; }");
  d.set("name", "\"two words\"");
  EXPECT_EQ(d.sub("solvers").sub("T").get<double>("tolerance"), 1e-8);
  EXPECT_EQ(d.sub("solvers").sub("U").get<double>("relTol"), 0);
  EXPECT_EQ(d.sub("solvers").sub("U").get<double>("tolerance"), 2) << "what the pattern gave stays";
  EXPECT_EQ(d.sub("solvers").sub("Ux").get<double>("relTol"), 1);
  EXPECT_EQ(d.sub("a.b").get<int>("c"), 2);
  EXPECT_EQ(d.sub("new").sub("part").get<std::vector<int>>("cells").size(), 3u);
  EXPECT_EQ(d.sub("input").get<int>("seed"), 3);
  EXPECT_EQ(d.get<std::string>("name"), "two words");
  EXPECT_EQ(d.sub("solvers").sub("T").location("tolerance"), "command line");
}

TEST(Dictionary, TakesSettingsBeforeMacrosUseThem) {
  std::string const text = "I 3; a { depth 1; } l ( { I 7; } ); p1 (0 $I 1); p2 $a.depth; s { I 4; q $I; } I 5; r $I;";
  core::Dictionary::Settings given{{"I", {"30", "command line", false}},
                                   {"a.depth", {"2", "command line", false}},
                                   {"l.I", {"8", "command line", false}},
                                   {"none", {"1", "command line", false}}};
  auto const d = core::Dictionary::parse(text, "system/test", {}, &given);
  EXPECT_EQ(d.words("p1"), (std::vector<std::string>{"(", "0", "30", "1", ")"}));
  EXPECT_EQ(d.get<int>("p2"), 2);
  EXPECT_EQ(d.sub("s").get<int>("q"), 4) << "an entry of another path stays";
  EXPECT_EQ(d.items("l")[0].dictionary->get<int>("I"), 7) << "an entry of a list has no path";
  EXPECT_EQ(d.get<int>("I"), 30) << "also where the text has it twice";
  EXPECT_EQ(d.get<int>("r"), 30);
  EXPECT_TRUE(given["I"].taken);
  EXPECT_TRUE(given["a.depth"].taken);
  EXPECT_FALSE(given["none"].taken);
}

TEST(Dictionary, NamesTheCommandLineInErrorsOfASetEntry) {
  auto d = parse("a 1;");
  d.set("endTime", "abc");
  EXPECT_EQ(error_of([&] { d.get<double>("endTime"); }), "command line: entry 'endTime' is 'abc', expected a number");
  EXPECT_EQ(error_of([&] { d.set("a.b", "1"); }),
            "command line: entry 'a' (system/test:1) is '1', expected a dictionary { ... }");
  EXPECT_EQ(error_of([&] { d.set("b", "1; c 2"); }), "command line: entry 'b' has more than one value");
  EXPECT_EQ(error_of([&] { d.set("b", "(1"); }), "command line: '(' in entry 'b' is not closed");
  EXPECT_EQ(error_of([&] { d.set("a..b", "1"); }),
            "command line: 'a..b' is no path of an entry, expected name.name.name");
}

TEST(Dictionary, WritesItselfBackAsADictionary) {
  auto const d =
      parse("a 1; s { x \"y \\\" z\"; \"p.*\" { q (1 2 (3 [4])); } } l 2 ( b { c 1; } { d 2; } ); t $a; n 3{1};");
  std::string const text = d.text();
  auto const again = parse(text);
  EXPECT_EQ(again.text(), text);
  EXPECT_EQ(again.sub("s").get<std::string>("x"), "y \" z");
  EXPECT_EQ(again.items("l")[0].dictionary->get<int>("c"), 1);
  EXPECT_EQ(again.get<std::vector<int>>("n").size(), 3u);
}

// ---- fields

TEST(Dictionary, LeavesFieldValuesInTheFile) {
  auto const d =
      parse("FoamFile { format ascii; }\ninternalField nonuniform List<scalar> \n3\n(\n1.5\n2\n+3e1\n)\n;\nafter 1;");
  ListSpan const* span = d.list_span("internalField");
  ASSERT_NE(span, nullptr);
  EXPECT_EQ(span->type, "scalar");
  EXPECT_EQ(span->count, 3u);
  EXPECT_FALSE(span->binary);
  EXPECT_EQ(span->numbers(), (std::vector<double>{1.5, 2, 30}));
  EXPECT_EQ(d.location("after"), "system/test:10");
  EXPECT_EQ(d.list_span("after"), nullptr);
}

TEST(Dictionary, ReadsVectorsRepeatedAndEmptyFields) {
  auto const d = parse("v nonuniform List<vector> 2((1 2 3) (4 5 6)); u nonuniform List<vector> ((1 2 3)); r "
                       "nonuniform List<scalar> 4{7};"
                       "e nonuniform List<scalar> 0(); f nonuniform List<scalar> 0; n nonuniform List<scalar> (1 2);");
  EXPECT_EQ(d.list_span("v")->numbers(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(d.list_span("u")->count, 1u);
  EXPECT_EQ(d.list_span("r")->numbers(), std::vector<double>(4, 7));
  EXPECT_TRUE(d.list_span("e")->numbers().empty());
  EXPECT_TRUE(d.list_span("f")->numbers().empty());
  EXPECT_EQ(d.list_span("n")->numbers(), (std::vector<double>{1, 2}));
}

TEST(Dictionary, ReadsBinaryFields) {
  double const values[] = {1.5, -2e300, 0};
  std::string bytes(sizeof values, '\0');
  std::memcpy(bytes.data(), values, sizeof values);
  std::string const header = "FoamFile { format binary; arch \"LSB;label=32;scalar=64\"; }\n";
  auto const d = parse(header + "a nonuniform List<scalar> \n3\n(" + bytes + ");\nb 1;");
  EXPECT_TRUE(d.list_span("a")->binary);
  EXPECT_EQ(d.list_span("a")->numbers(), (std::vector<double>{1.5, -2e300, 0}));
  EXPECT_EQ(d.get<int>("b"), 1);

  EXPECT_NE(parse_error(header + "a nonuniform List<scalar> 4(" + bytes + ");")
                .find("the file ends within the binary List<scalar>"),
            std::string::npos);
  EXPECT_NE(parse_error(header + "a nonuniform List<scalar> 2(" + bytes + ");").find("is not closed by ')' after 2"),
            std::string::npos);
  EXPECT_NE(parse_error(header + "a nonuniform List<scalar> 18446744073709551615(").find("the file ends within"),
            std::string::npos);
  EXPECT_NE(parse_error(
                "FoamFile { format binary; arch \"MSB;label=32;scalar=64\"; }\na nonuniform List<scalar> 1(12345678);")
                .find("arch \"MSB;label=32;scalar=64\" is not supported"),
            std::string::npos);
  EXPECT_NE(parse_error(header + "a nonuniform List<label> 1(1234);")
                .find("binary List<label> in entry 'a' is not supported"),
            std::string::npos);
  EXPECT_EQ(parse_error("FoamFile\n{\n  format compressed;\n}"),
            "system/test:3: entry 'format' is 'compressed', expected ascii or binary");
}

TEST(Dictionary, NamesLineAndLengthOfWrongFieldValues) {
  auto const numbers_error = [](std::string const& text) {
    return error_of([&] { parse(text).list_span("a")->numbers(); });
  };
  EXPECT_EQ(numbers_error("a nonuniform List<scalar> 3\n(\n1\n2\n);"),
            "system/test:2: List<scalar> has 2 numbers, expected 3");
  EXPECT_EQ(numbers_error("a nonuniform List<scalar> 3\n(\n1\nx\n3);"),
            "system/test:4: List<scalar> has the value 'x', expected finite numbers");
  EXPECT_EQ(numbers_error("a nonuniform List<scalar> 1(nan);"),
            "system/test:1: List<scalar> has the value 'nan', expected finite numbers");
  EXPECT_EQ(parse_error("\na nonuniform List<scalar> 3 (1 2 3;"),
            "system/test:2: List<scalar> in entry 'a' is not closed");
  EXPECT_EQ(parse_error("a nonuniform List<scalar> 1 (1) b 2;"),
            "system/test:1: entry 'a' has more than a nonuniform List<...>; is a ';' missing?");
  EXPECT_EQ(parse_error("\na nonuniform List<scalar> 3;"),
            "system/test:2: expected '(' after List<scalar> in entry 'a'");
}

// ---- anything at all

/// Mutations of a text that uses every part of the syntax: the reader must return or throw Error, never crash, hang or
/// throw another thing.
TEST(Dictionary, SurvivesMutatedText) {
  std::string const seed = R"(FoamFile { version 2.0; format ascii; arch "LSB;label=32;scalar=64"; class dictionary; }
// comment
tol 1e-6; /* more */ DT DT [0 2 -1 0 0 0 0] 4e-07;
solvers { T { solver PCG; tolerance $tol; "(a|b).*" { x $..solver; } } TFinal { $T; relTol 0; } }
regions ( boxToCell { box (0 0 0) (1 1 1); } { type patch; faces 2((0 1 2 3) (4 5 6 7)); } 3{1} );
#includeIfPresent "none"
#remove (tol "D.*")
internalField nonuniform List<scalar> 3 (1 2 3);
value nonuniform List<vector> 1 ((1 2 3)); copy ${:solvers.T}; scheme div(phi,U) hex(0 1 2);
)";
  std::string const pieces[] = {"{",      "}",
                                "(",      ")",
                                "[",      "]",
                                ";",      "\"",
                                "$",      "#",
                                "/*",     "*/",
                                "//",     "\\",
                                "$:",     "$..",
                                "${",     "1e999",
                                "List<",  "nonuniform List<scalar> 9(",
                                "binary", std::string(1, '\0'),
                                "\xff",   "99999999999999999999",
                                "$T;",    "$solvers;"};
  std::mt19937 random(12345);
  auto const below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int parsed = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text = seed;
    std::size_t const mutations = 1 + below(3);
    for (std::size_t i = 0; i < mutations && !text.empty(); ++i) {
      std::size_t const at = below(text.size());
      switch (below(30)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text.insert(at, pieces[below(std::size(pieces))]);
        break;
      case 2:
      case 3:
      case 4:
      case 5:
        text[at] = static_cast<char>(below(256));
        break;
      case 6:
        text.insert(at, text.substr(below(text.size()), below(60)));
        break;
      default:
        text.erase(at, 1 + below(2));
        break;
      }
    }
    try {
      auto d = Dictionary::parse(text, "fuzz", files({}));
      ++parsed;
      for (auto const& key : d.keys()) {
        if (auto const* span = d.list_span(key)) error_of([&] { span->numbers(); });
        error_of([&] { d.get<std::vector<double>>(key); });
        error_of([&] { d.items(key); });
        error_of([&] { d.dimensions(key); });
      }
      error_of([&] { d.check_all_read(); });
      std::string const written = d.text();
      error_of([&] { d.set("solvers.T.tolerance", "1"); });
      Dictionary const copy(d);
      EXPECT_EQ(Dictionary::parse(written, "again", files({})).text(), written) << text;
    } catch (Error const&) {
    }
  }
  EXPECT_GT(parsed, 1000) << "most mutations should leave something to read";
}

}  // namespace tessera::core
