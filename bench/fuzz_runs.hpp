// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whole runs of cases whose dictionaries were changed at random: what bench/fuzz and the test of that name share.
#include "bench/fuzz.hpp"
#include "core/comm/runtime.hpp"
#include "run/run.hpp"

#include <functional>
#include <map>
#include <set>
#include <utility>

namespace tessera::bench {

/// The files of a case, by their names in it.
using CaseFiles = std::map<std::string, std::string>;

namespace detail {

struct Edit {
  std::string file, from, to;
};

/// A case of the repository with some text replaced: smaller, and with entries that it does not have.
inline CaseFiles load_case(std::string const& folder, std::vector<Edit> const& edits) {
  namespace fs = std::filesystem;
  fs::path const root = fs::path(TESSERA_SOURCE_DIR) / folder;
  CaseFiles files;
  for (auto const& entry : fs::recursive_directory_iterator(root)) {
    auto const name = entry.path().lexically_relative(root).string();
    bool const input = name.starts_with("0/") || name.starts_with("constant/") || name.starts_with("system/");
    if (entry.is_regular_file() && input) files[name] = tests::bytes_of(entry.path().string());
  }
  for (auto const& [file, from, to] : edits) {
    auto& text = files[file];
    auto const at = text.find(from);
    if (from.empty() || at == std::string::npos)
      text += to + "\n";
    else
      text.replace(at, from.size(), to);
  }
  return files;
}

inline bool is_dictionary(std::string const& bytes) {
  return bytes.find('\0') == std::string::npos && bytes.find(';') != std::string::npos;
}

/// Pieces of a text that are words, numbers or punctuation: where they begin and how long they are.
inline std::vector<std::pair<std::size_t, std::size_t>> words_of(std::string const& text) {
  std::vector<std::pair<std::size_t, std::size_t>> words;
  std::string const single = "{}();[]\"";
  // what stands behind the header: a damaged one is always refused alike
  std::size_t const header = text.find("FoamFile");
  for (std::size_t at = header == std::string::npos ? 0 : text.find('}', header); at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
    } else if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size());
    } else if (single.find(text[at]) != std::string::npos) {
      words.emplace_back(at++, 1);
    } else {
      auto const end = std::min(text.find_first_of(" \t\n{}();[]\"", at), text.size());
      words.emplace_back(at, end - at);
      at = end;
    }
  }
  return words;
}

}  // namespace detail

/// Sound cases of a kind of run, small.
inline std::vector<CaseFiles> run_seeds(std::string const& kind) {
  using detail::load_case;
  std::string const control = "system/controlDict", grid = "system/gridDict", medium = "constant/percolationProperties";
  std::string const life = "constant/automatonProperties", solution = "system/fvSolution",
                    mesh = "system/blockMeshDict";
  std::vector<CaseFiles> seeds;
  auto const add = [&](std::string const& folder, std::vector<detail::Edit> const& edits) {
    seeds.push_back(load_case(folder, edits));
  };
  bool const all = kind == "runs-check";
  if (all || kind == "runs-automaton") {
    std::string const gun = "cases/life/glider_gun";
    add(gun, {{life, "240", "12"}, {control, "", "writeControl timeStep; writeInterval 5; purgeWrite 1;"}});
    add(gun, {{life, "generations     240;", "stable; generations 30;"},
              {life, "\"B3/S23\"", "W30"},
              {grid, "(120 90 1)", "(60 1 1); periodic (yes no no)"},
              {life, "picture", "random; probability 0.4; seed 7"},
              {life, "    file            \"constant/gosper_glider_gun.png\";\n    threshold       0.5;", ""},
              {life, "    occupied        dark;", ""},
              {life, "    position        (4 77 0);", ""},
              {life, "    left            fixed 0;\n    right           fixed 0;", "left periodic; right periodic;"},
              {life, "    bottom          fixed 0;\n    top             fixed 0;", ""},
              {control, "", "preview { every 2; size 16; palette viridis; range (0 1); pictures 3; }"}});
    add(gun, {{life, "240", "9; period 2"},
              {life, "fixed 0", "reflecting"},
              {life, "\"B3/S23\"", "\"R2,C0,M1,S3..6,B3..5,NM\""},
              {life, "fixed 0", "open"},
              {"system/balanceDict", "", "rebalance yes; rankChart yes;"}});
  }
  if (all || kind == "runs-percolation") {
    add("cases/percolation/random", {{grid, "(1024 1024 1)", "(24 20 1); tile (8 8 1)"}});
    add("cases/percolation/cubic", {{grid, "48 48 48", "9 8 7"}, {grid, "24 24 24", "4 4 4"}});
    add("cases/percolation/triangular",
        {{grid, "256 256", "20 16"}, {medium, "", "fields (occupied label spanning);"}});
    add("cases/percolation/paper", {{grid, "64 64", "18 20"}, {medium, "synchronous;", "synchronous; update random;"}});
    add("cases/percolation/random", {{grid, "(1024 1024 1)", "(20 18 1)"},
                                     {medium, "labels", "synchronous"},
                                     {medium, "direction       y", "inlet left; outlet right"},
                                     {medium, "D1", "D2"}});
    add("cases/percolation/random", {{grid, "(1024 1024 1)", "(16 14 1); periodic (yes yes no)"},
                                     {medium, "frame           inside;", ""},
                                     {medium, "D1", "D2"},
                                     {medium, "direction       y", "direction all"}});
    add("cases/percolation/porous", {{medium, "conductivity    yes", "shortestPath no; backbone no"}});
  }
  if (all || kind == "runs-ensemble") {
    add("cases/percolation/monte_carlo", {{grid, "64 64", "14 16"}, {medium, "100;", "3; eachSample yes;"}});
    add("cases/percolation/cubic", {{grid, "48 48 48", "6 6 6"},
                                    {grid, "24 24 24", "3 3 3"},
                                    {medium, "0.34;", "(0.3 0.5); samples 2; sharing tiles; sample 7;"}});
    add("cases/percolation/triangular",
        {{grid, "256 256", "12 10"}, {medium, "0.51;", "0.5; samples 4;"}, {control, "", "startFrom latestTime;"}});
  }
  std::string const functions = R"(functions
{
    minMax { type fieldMinMax; fields (T); writeControl timeStep; writeInterval 2; }
    probes { type probes; fields (T); probeLocations ((0.5 0.4 0.005) (0.1 0.1 0.005)); writeControl timeStep; writeInterval 1; }
    mean { type volFieldValue; fields (T); operation volAverage; regionType all; writeFields no; }
}
)";
  if (all || kind == "runs-heat") {
    add("cases/heat/slab", {{control, "0.1;", "0.004;"}, {control, "200;", "3;"}, {control, "", functions}});
    add("cases/heat/brick", {{grid, "45 37 27", "8 7 6"}, {grid, "23 19 14", "4 4 3"}, {control, "0.02;", "0.002;"}});
    add("cases/heat/cable_losses", {{grid, "60 120", "12 24"}});
    add("cases/heat/lambda_of_T", {{grid, "80 40", "16 8"}, {solution, "", "extrapolate yes;"}});
    add("cases/heat/slab", {{control, "0.1;", "0.004;"},
                            {solution, "PCG", "GAMG"},
                            {solution, "preconditioner  DIC", "smoother GaussSeidel"},
                            {control, "", "adjustTimeStep yes; deltaTTolerance 0.1; maxDeltaT 0.002;"}});
  }
  if (all || kind == "runs-laplacian") {
    add("tests/data/laplacian_small",
        {{control, "2000", "800"}, {control, "writeInterval 10", "writeInterval 2"}, {control, "", functions}});
    add("cases/heat/three_cables", {{mesh, "564 452", "28 24"},
                                    {control, "864000", "259200"},
                                    {control, "writeInterval       10", "writeInterval 1"}});
    add("cases/heat/steady_cable", {{mesh, "200 480", "10 24"}});
  }
  return seeds;
}

/// Changes a case in the places where a user would: entries, values, words, brackets, lines, and pieces of other cases.
inline void damage_case(CaseFiles& files, std::vector<CaseFiles> const& seeds, std::mt19937& random) {
  static std::array<std::string, 24> const values{
      "0",      "-1",   "1",     "2",          "1e308",      "-1e308",
      "1e-308", "nan",  "inf",   "2147483647", "4294967296", "9223372036854775807",
      "0.5",    "1e30", "1e-30", "-0",         "yes",        "no",
      "none",   "()",   "{}",    "\"\"",       "(1 2 3)",    "99999999999999999999"};
  static std::array<std::string, 12> const pieces{
      "{", "}", "(", ")", ";", "\"", "/*", "$cells", "$..type", "#remove type", "[0 0 0 1]", "#include \"x\""};
  auto const some_text = [&](CaseFiles const& from) -> std::string const& {
    for (;;) {
      auto const at = std::next(from.begin(), static_cast<long>(random() % from.size()));
      if (detail::is_dictionary(at->second)) return at->second;
    }
  };
  for (unsigned changes = random() % 2 == 0 ? 1 : 1 + random() % 3; changes > 0; --changes) {
    auto& text = const_cast<std::string&>(some_text(files));  // NOLINT: a text of `files`
    auto const words = detail::words_of(text);
    if (words.empty()) continue;
    auto const [at, length] = words[random() % words.size()];
    switch (random() % 12) {
    case 0:
    case 1:
    case 2: {  // the next number or value
      std::size_t n = random() % words.size();
      while (n < words.size() && std::isdigit(static_cast<unsigned char>(text[words[n].first])) == 0) ++n;
      auto const [first, size] = n < words.size() ? words[n] : words[random() % words.size()];
      text.replace(first, size, values[random() % values.size()]);
      break;
    }
    case 3: {  // a word by one of another case
      std::string const& other = some_text(seeds[random() % seeds.size()]);
      auto const others = detail::words_of(other);
      if (others.empty()) break;
      auto const [from, size] = others[random() % others.size()];
      text.replace(at, length, other.substr(from, size));
      break;
    }
    case 4: {  // two words change places
      auto const [other, size] = words[random() % words.size()];
      if (other <= at) break;
      std::string const a = text.substr(at, length), b = text.substr(other, size);
      text.replace(other, size, a);
      text.replace(at, length, b);
      break;
    }
    case 5:
      text.erase(at, length);
      break;
    case 6:
      text.insert(at, pieces[random() % pieces.size()] + " ");
      break;
    case 7:    // a line goes
    case 8: {  // a line comes twice
      auto const begin = text.rfind('\n', at) + 1, end = std::min(text.find('\n', at), text.size() - 1);
      if (random() % 2 == 0)
        text.erase(begin, end + 1 - begin);
      else
        text.insert(end + 1, text.substr(begin, end + 1 - begin));
      break;
    }
    case 9: {  // lines of another case
      std::string const& other = some_text(seeds[random() % seeds.size()]);
      auto const from = other.find('\n', random() % other.size());
      if (from == std::string::npos) break;
      auto const to = other.find('\n', from + 1 + random() % 120);
      text.insert(at, other.substr(from, to - from) + "\n");
      break;
    }
    case 10: {  // a file of another case, or none
      auto const& other = seeds[random() % seeds.size()];
      auto const taken = std::next(other.begin(), static_cast<long>(random() % other.size()));
      if (random() % 4 == 0)
        text.clear();
      else
        files[taken->first] = taken->second;
      break;
    }
    default:
      damage(text, random);
    }
  }
}

struct RunCounts {
  long done = 0, refused = 0, failed = 0, not_converged = 0, too_large = 0;
  long all() const { return done + refused + failed + not_converged + too_large; }
};

/// The files of a case in `folder`.
inline CaseFiles files_of(std::string const& folder) {
  CaseFiles files;
  std::error_code none;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder, none))
    if (entry.is_regular_file(none)) files[entry.path().string()] = tests::bytes_of(entry.path().string());
  return files;
}

/// Whether a number of the case asks for more than a small machine has.
inline bool asks_for_much(CaseFiles const& files) {
  for (auto const& [name, text] : files)
    if (text.find(';') != std::string::npos)  // also a damaged one
      for (auto const& [at, length] : detail::words_of(text))
        if (std::atof(text.substr(at, length).c_str()) > 3000) return true;
  return false;
}

/// Whether the text of an error says nothing, or shows our insides.
inline bool is_strange(std::string const& text) {
  for (char const* sign : {"vector::", "basic_string", "bad_", "std::", "map::at", "stoll", "stod", "\n"})
    if (text.find(sign) != std::string::npos) return true;
  return text.empty();
}

/// What is wrong with the text of a refusal, "" if nothing: it must name a file of the case, too.
inline std::string fault_of(std::string const& text, std::string const& folder) {
  if (is_strange(text)) return "a strange message: " + text;
  if (text.find(folder) == std::string::npos && !text.starts_with("command line"))
    return "refused without a file: " + text;
  return "";
}

/// What a check says on stderr, line by line, and its exit code.
inline int checked(core::Comm const& world, run::RunOptions const& options, std::vector<std::string>& lines) {
  std::FILE* const said = std::tmpfile();
  std::fflush(stderr);
  int const before = dup(2);
  dup2(fileno(said), 2);
  auto const restore = [&] {
    std::fflush(stderr);
    dup2(before, 2);
    close(before);
  };
  int code = 0;
  try {
    code = run::check_case(world, options);
  } catch (...) {
    restore();
    std::fclose(said);
    throw;
  }
  restore();
  std::rewind(said);
  std::string line;
  for (int c = std::fgetc(said); c != EOF; c = std::fgetc(said))
    if (c != '\n')
      line += static_cast<char>(c);
    else
      lines.push_back(std::exchange(line, ""));
  std::fclose(said);
  return code;
}

/// Trial `number` of the runs of a kind: written to `folder`, run or checked. Returns what is wrong with what happened, ""
/// if nothing. `number` and `seed` alone determine the case. `before_run` is called before each run of it.
inline std::string fuzz_run(std::string const& kind, std::vector<CaseFiles> const& seeds, unsigned seed, long number,
                            std::string const& folder, RunCounts& counts, std::function<void()> const& before_run) {
  std::seed_seq mixed{seed, static_cast<unsigned>(number)};
  std::mt19937 random(mixed);
  CaseFiles files = seeds[random() % seeds.size()];
  damage_case(files, seeds, random);
  std::error_code none;
  std::filesystem::remove_all(folder, none);
  for (auto const& [name, text] : files) {
    std::string const path = folder + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    tests::write_bytes(path, text);
  }
  run::RunOptions options;
  options.directory = folder;
  options.quiet = true;
  std::string wrong;
  try {
    core::Comm const world;
    before_run();
    std::vector<std::string> lines;
    int code = kind == "runs-check" ? checked(world, options, lines) : run::run_case(world, options);
    if (code == 0 && kind != "runs-check" && random() % 4 == 0) {
      before_run();
      options.settings = {"system/controlDict:startFrom=latestTime"};
      code = run::run_case(world, options);
    }
    if (kind == "runs-check" && code == core::Exit::wrong_input && lines.size() >= 2) {
      ++counts.refused;
      lines.pop_back();  // how many they are
      for (auto const& line : lines)
        if (wrong.empty()) wrong = fault_of(line, folder);
    } else if (code == 0)
      ++counts.done;
    else if (code == 3)
      ++counts.not_converged;
    else
      wrong = "exit code " + std::to_string(code);
  } catch (core::Error const& error) {
    ++counts.refused;
    wrong = fault_of(error.what(), folder);
  } catch (core::RunError const& error) {
    ++counts.failed;
    if (is_strange(error.what())) wrong = std::string("failed: ") + error.what();
  } catch (std::exception const& error) {
    if (core::says_out_of_memory(error)) {
      ++counts.too_large;
      return asks_for_much(files) ? "" : "out of memory";
    }
    wrong = std::string("ended by: ") + error.what();
  }
  return wrong;
}

inline std::array<char const*, 6> constexpr run_kinds{"runs-automaton", "runs-percolation", "runs-ensemble",
                                                      "runs-heat",      "runs-laplacian",   "runs-check"};

}  // namespace tessera::bench
