// SPDX-License-Identifier: Apache-2.0
#include "partition/blocks.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace tessera::partition::methods {
namespace fs = std::filesystem;
namespace {

/// Reads a labelList of OpenFOAM, `N ( ... )` or `N{v}` after a header, in ascii. What the file holds is not shown in
/// messages: it need not be what the user thinks.
class LabelList {
 public:
  LabelList(std::string text, std::string file) : text_(std::move(text)), file_(std::move(file)) {
    skip_space();
    if (starts("FoamFile")) skip_header();
  }
  /// Whether a word comes next: then the file is a dictionary.
  bool at_word() const { return at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])); }
  int line() const {
    return 1 + static_cast<int>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
  }

  std::vector<int> read() {
    bool const counted = at_ < text_.size() && text_[at_] != '(';
    int const count = counted ? number() : 0;
    std::vector<int> values;
    if (take('{')) {
      constexpr int most = 1 << 27;
      if (count > most) throw core::Error(file_, line(), fmt::format("repeats a value more often than {} times", most));
      values.assign(count, number());
      if (!take('}')) fail();
      return values;
    }
    if (!take('(')) fail();
    while (!take(')')) values.push_back(number());
    if (counted && values.size() != static_cast<std::size_t>(count))
      throw core::Error(file_, line(), fmt::format("the list has {} values, expected {}", values.size(), count));
    return values;
  }

 private:
  [[noreturn]] void fail() const {
    throw core::Error(file_, line(), "expected a list of ranks, N ( ... ), or the entry 'owners ( ... );'");
  }
  bool starts(std::string_view what) const { return std::string_view(text_).substr(at_, what.size()) == what; }
  void skip_space() {
    for (; at_ < text_.size(); ++at_) {
      if (starts("//"))
        at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      else if (starts("/*"))
        at_ = std::min(text_.find("*/", at_), text_.size() - 2) + 1;
      else if (!std::isspace(static_cast<unsigned char>(text_[at_])))
        return;
    }
  }
  void skip_header() {
    auto const end = text_.find('}', at_);
    if (end == std::string::npos) fail();
    if (std::string_view(text_).substr(at_, end - at_).find("binary") != std::string_view::npos)
      throw core::Error(file_, line(), "the list is binary, expected format ascii");
    at_ = end + 1;
    skip_space();
  }
  bool take(char c) {
    bool const found = at_ < text_.size() && text_[at_] == c;
    if (found) ++at_;
    skip_space();
    return found;
  }
  int number() {
    int value = 0;
    auto const [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail();
    at_ = static_cast<std::size_t>(end - text_.data());
    skip_space();
    return value;
  }

  std::string text_, file_;
  std::size_t at_ = 0;
};

}  // namespace

/// Owners as the user lists them: `manualCoeffs { owners (0 1 1 0 ...); }`, or `dataFile "FILE";` with a list in a file of
/// constant/ or of the case: a labelList, as OpenFOAM's manual method reads it and decomposePar -cellDist writes it, or a
/// dictionary with the entry `owners`. As many ranks as cells (x fastest) give a rank for each cell, and a tile goes to the
/// rank of most of its cells, the lowest of equals; as many as tiles (x fastest) a rank for each tile.
class Manual final : public Partitioner {
 public:
  static constexpr char const* help = "manualCoeffs { owners (0 1 1 0 ...); }   or   manualCoeffs { dataFile \"FILE\"; "
                                      "}, constant/FILE or FILE in the case\n"
                                      "A rank for each cell, x fastest, as OpenFOAM's lists (a tile goes to the rank "
                                      "of most of its cells), or for each tile.";

  explicit Manual(core::Dictionary& dictionary) {
    auto* own = coeffs(dictionary, "manual");
    if (!own)
      throw core::Error(fmt::format("{}: method manual needs 'manualCoeffs {{ owners (...); }}'", dictionary.name()));
    if (own->contains("dataFile")) {
      read_file(*own);
      return;
    }
    owners_ = own->get<std::vector<int>>("owners");
    where_ = own->location("owners");
  }

  std::vector<int> owners(core::Grid const& grid, Load const& load) const override {
    if (!by_cells(grid) && !by_tiles(grid))
      throw core::Error(fmt::format("{}: owners has {} entries, expected one for each of {} tiles or of {} cells",
                                    where_, owners_.size(), grid.tiles(), grid.total()));
    for (int rank : owners_)
      if (rank < 0 || rank >= load.ranks())
        throw core::Error(fmt::format("{}: owner {} is no rank, expected 0 .. {}", where_, rank, load.ranks() - 1));
    return by_tiles(grid) ? owners_ : of_tiles(grid).first;
  }

  bool numbers_cells(core::Grid const& grid) const override { return by_cells(grid) && !by_tiles(grid); }

  std::string note(core::Grid const& grid) const override {
    if (by_tiles(grid)) return fmt::format("{}: taken for the ranks of {} tiles", where_, grid.tiles());
    int const mixed = of_tiles(grid).second;
    return fmt::format("{}: taken for the ranks of {} cells{}", where_, grid.total(),
                       mixed == 0
                           ? ""
                           : fmt::format("; {} of {} tiles hold cells of several ranks and go to the rank of most",
                                         mixed, grid.tiles()));
  }

 private:
  bool by_tiles(core::Grid const& grid) const { return owners_.size() == static_cast<std::size_t>(grid.tiles()); }
  bool by_cells(core::Grid const& grid) const { return owners_.size() == static_cast<std::size_t>(grid.total()); }

  void read_file(core::Dictionary& own) {
    fs::path const name = own.get<std::string>("dataFile"),
                   directory = fs::path(own.home()).parent_path().parent_path();
    std::error_code none;
    fs::path file;
    bool const inside = name.is_relative() && *name.lexically_normal().begin() != "..";
    for (auto const& place : {directory / "constant" / name, directory / name})
      if (inside && file.empty() && fs::is_regular_file(place, none)) file = place.lexically_normal();
    if (file.empty()) own.fail_expected("dataFile", "a file in constant/ or in the case");
    std::ifstream in(file, std::ios::binary);
    LabelList list(std::string(std::istreambuf_iterator<char>(in), {}), file.string());
    if (list.at_word()) {
      auto dictionary = core::Dictionary::read(file.string());
      owners_ = dictionary.get<std::vector<int>>("owners");
      where_ = dictionary.location("owners");
      return dictionary.check_all_read();
    }
    where_ = fmt::format("{}:{}", file.string(), list.line());
    owners_ = list.read();
  }

  /// The owner of each tile, and how many tiles have cells of several.
  std::pair<std::vector<int>, int> of_tiles(core::Grid const& grid) const {
    std::pair<std::vector<int>, int> result;
    auto const n = grid.cells();
    std::vector<core::Count> votes(static_cast<std::size_t>(*std::max_element(owners_.begin(), owners_.end())) + 1);
    for (int tile = 0; tile < grid.tiles(); ++tile) {
      auto const box = grid.tile_box(tile);
      std::fill(votes.begin(), votes.end(), 0);
      for (core::Count k = box.lo.k; k < box.hi.k; ++k)
        for (core::Count j = box.lo.j; j < box.hi.j; ++j)
          for (core::Count i = box.lo.i; i < box.hi.i; ++i)
            ++votes[owners_[static_cast<std::size_t>((k * n[1] + j) * n[0] + i)]];
      auto const most = std::max_element(votes.begin(), votes.end());
      result.first.push_back(static_cast<int>(most - votes.begin()));
      result.second += *most < box.cells();
    }
    return result;
  }

  std::vector<int> owners_;
  std::string where_;
};

[[maybe_unused]] static bool const added =
    Partitioners::add<Manual>("manual", "owners listed cell by cell or tile by tile");

}  // namespace tessera::partition::methods
