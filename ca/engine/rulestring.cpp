// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/rulestring.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <tuple>
#include <vector>

namespace tessera::ca {
namespace {

constexpr unsigned centre = 16;
/// The neighbours among the bits of a pattern of 3 x 3 cells.
constexpr unsigned mask_of(Neighbours which) {
  return which == Neighbours::eight ? 0b111101111 : which == Neighbours::six ? 0b110101011 : 0b010101010;
}
constexpr int most_of(Neighbours which) { return std::popcount(mask_of(which)); }

/// Hensel's letters for 1 .. 4 neighbours, and a pattern of each; those of 5, 6, 7 are those of the dead neighbours.
constexpr std::array<std::string_view, 5> letters{"", "ce", "ceaikn", "ceaiknjqry", "ceaiknjqrytwz"};
constexpr std::array<std::array<unsigned, 13>, 5> examples{{
    {},
    {1, 2},
    {5, 10, 3, 40, 33, 68},
    {69, 42, 11, 7, 98, 13, 14, 70, 41, 97},
    {325, 170, 15, 45, 99, 71, 106, 102, 43, 101, 105, 78, 108},
}};

unsigned turned(unsigned pattern, bool mirrored) {
  unsigned result = 0;
  for (unsigned p = 0; p < 9; ++p)
    if (pattern >> p & 1u) result |= 1u << (mirrored ? p / 3 * 3 + 2 - p % 3 : p % 3 * 3 + 2 - p / 3);
  return result;
}

/// The letter of each pattern of neighbours (its own centre aside); 0 where there is none, with 0 and 8 of them.
std::array<char, 512> const& letter_of_patterns() {
  static auto const all = [] {
    std::array<char, 512> letter{};
    for (std::size_t n = 1; n < letters.size(); ++n)
      for (std::size_t l = 0; l < letters[n].size(); ++l)
        for (unsigned turn = 0, pattern = examples[n][l]; turn < 8; ++turn) {
          pattern = turned(pattern, turn == 4);
          letter[pattern] = letter[pattern | centre] = letters[n][l];
          if (n == 4) continue;
          unsigned const others = pattern ^ mask_of(Neighbours::eight);
          letter[others] = letter[others | centre] = letters[n][l];
        }
    return letter;
  }();
  return all;
}
/// The patterns with n living neighbours, of a centre that is dead or alive.
std::vector<unsigned> const& patterns_with(Neighbours which, int n, bool alive) {
  static auto const all = [] {
    std::map<std::tuple<Neighbours, int, bool>, std::vector<unsigned>> patterns;
    for (auto const neighbours : {Neighbours::four, Neighbours::six, Neighbours::eight})
      for (unsigned pattern = 0; pattern < 512; ++pattern)
        patterns[{neighbours, std::popcount(pattern & mask_of(neighbours)), (pattern & centre) != 0}].push_back(pattern);
    return patterns;
  }();
  return all.at({which, n, alive});
}
std::string_view letters_for(int n) { return letters[static_cast<std::size_t>(std::min(n, 8 - n))]; }

bool take(std::string_view& word, std::string_view any_of) {
  bool const found = !word.empty() && any_of.find(word[0]) != std::string_view::npos;
  if (found) word.remove_prefix(1);
  return found;
}

/// Takes counts and their letters off the front, for a centre that is dead or alive. False where a letter is not of its count.
bool take_counts(std::string_view& word, Rulestring& rule, bool alive) {
  while (!word.empty() && word[0] >= '0' && word[0] <= '0' + most_of(rule.neighbours)) {
    int const n = word[0] - '0';
    word.remove_prefix(1);
    bool const eight = rule.neighbours == Neighbours::eight, without = eight && take(word, "-");
    std::string_view const known = eight ? letters_for(n) : "";
    auto const length = std::min(word.find_first_not_of(letters.back()), word.size());
    auto const said = word.substr(0, length);
    word.remove_prefix(length);
    if (said.find_first_not_of(known) != std::string_view::npos) return false;
    for (unsigned const pattern : patterns_with(rule.neighbours, n, alive)) {
      bool const named = said.find(letter_of_patterns()[pattern]) != std::string_view::npos;
      if (said.empty() || named != without) rule.alive[pattern] = true;
    }
  }
  return true;
}

constexpr std::string_view base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bits of a pattern that count, put together: the place in a MAP of these neighbours.
unsigned place_of(unsigned pattern, Neighbours which) {
  unsigned result = 0;
  for (unsigned bit = 256; bit > 0; bit >>= 1)
    if ((mask_of(which) | centre) & bit) result = 2 * result + ((pattern & bit) != 0);
  return result;
}
std::size_t map_length(Neighbours which) { return ((2u << most_of(which)) + 5) / 6; }

/// Takes what follows MAP: characters of 6 bits each, and == where they were filled up.
bool take_map(std::string_view& word, Rulestring& rule) {
  auto const length = std::min(word.find_first_not_of(base64), word.size());
  for (auto const which : {Neighbours::eight, Neighbours::six, Neighbours::four}) {
    auto const characters = map_length(which);
    // a number of states may follow, after a slash that could be one of the characters
    if (length < characters || (length > characters && word[characters] != '/')) continue;
    rule.neighbours = which;
    for (unsigned pattern = 0; pattern < 512; ++pattern) {
      auto const place = place_of(pattern, which);
      rule.alive[pattern] = base64.find(word[place / 6]) >> (5 - place % 6) & 1;
    }
    word.remove_prefix(characters);
    if (word.starts_with("==")) word.remove_prefix(2);
    return true;
  }
  return false;
}

/// Takes /4, /C4, /G4, C4 or G4, if there is one.
bool take_states(std::string_view& word, Rulestring& rule) {
  if (word.empty()) return true;
  bool const apart = take(word, "/_");
  if (!take(word, apart ? "CGcg" : "CG") && !apart) return false;
  auto const [end, code] = std::from_chars(word.data(), word.data() + word.size(), rule.states);
  word.remove_prefix(static_cast<std::size_t>(end - word.data()));
  return code == std::errc() && word.empty() && rule.states >= 2 && rule.states <= 256;
}

/// Counts of one centre as Golly writes them; nothing where they do not tell the rule.
std::optional<std::string> text_of_counts(Rulestring const& rule, bool alive) {
  std::string text;
  for (int n = 0; n <= most_of(rule.neighbours); ++n) {
    std::string with, without;
    std::array<int, 128> found{};  // by letter: 1 where some patterns die, 2 where some live
    for (unsigned const pattern : patterns_with(rule.neighbours, n, alive)) {
      auto const letter = rule.neighbours == Neighbours::eight ? letter_of_patterns()[pattern] : '\0';
      found[static_cast<std::size_t>(letter)] |= rule.alive[pattern] ? 2 : 1;
    }
    for (std::size_t letter = 0; letter < found.size(); ++letter) {
      if (found[letter] == 3) return {};
      if (found[letter] > 0) (found[letter] == 2 ? with : without) += static_cast<char>(letter);
    }
    if (with.empty()) continue;
    text += static_cast<char>('0' + n);
    if (!without.empty()) text += with.size() <= without.size() + 1 ? with : '-' + without;
  }
  return text;
}

std::string text_of_map(Rulestring const& rule) {
  std::string text(map_length(rule.neighbours), 'A');
  for (unsigned pattern = 0; pattern < 512; ++pattern)
    if (auto const place = place_of(pattern, rule.neighbours); rule.alive[pattern]) {
      auto& character = text[place / 6];
      character = base64[base64.find(character) | std::size_t{1} << (5 - place % 6)];
    }
  return "MAP" + text;
}

}  // namespace

std::optional<Rulestring> Rulestring::parse(std::string_view word) {
  Rulestring rule;
  if (word.starts_with("MAP")) {
    word.remove_prefix(3);
    return take_map(word, rule) && take_states(word, rule) ? std::optional(rule) : std::nullopt;
  }
  if (word.ends_with('V') || word.ends_with('v')) rule.neighbours = Neighbours::four;
  if (word.ends_with('H') || word.ends_with('h')) rule.neighbours = Neighbours::six;
  if (rule.neighbours != Neighbours::eight) word.remove_suffix(1);
  if (take(word, "Bb")) {
    if (!take_counts(word, rule, false)) return {};
    bool const states_follow = word.size() > 1 && std::string_view("CcGg").find(word[1]) != std::string_view::npos;
    if (!states_follow) take(word, "/_");
    if (take(word, "Ss") && !take_counts(word, rule, true)) return {};
  } else {
    bool const named = take(word, "Ss");
    if (!take_counts(word, rule, true) || (!take(word, "/_") && !named) || (named && !take(word, "Bb")) ||
        !take_counts(word, rule, false))
      return {};
  }
  return take_states(word, rule) ? std::optional(rule) : std::nullopt;
}

std::optional<bits::Totals> Rulestring::totals() const {
  bits::Totals result;
  for (unsigned pattern = 0; pattern < 512; ++pattern)
    if (alive[pattern])
      (pattern & centre ? result.survives : result.born) |= 1u << std::popcount(pattern & mask_of(neighbours));
  for (unsigned pattern = 0; pattern < 512; ++pattern) {
    auto const set = pattern & centre ? result.survives : result.born;
    if (alive[pattern] != (set >> std::popcount(pattern & mask_of(neighbours)) & 1u)) return {};
  }
  return result;
}

std::string Rulestring::text() const {
  auto const born = text_of_counts(*this, false), survives = text_of_counts(*this, true);
  char const* const suffix = neighbours == Neighbours::eight ? "" : neighbours == Neighbours::six ? "H" : "V";
  if (!born || !survives) return text_of_map(*this) + (states > 0 ? '/' + std::to_string(states) : "");
  if (states == 0) return "B" + *born + "/S" + *survives + suffix;
  return *survives + '/' + *born + '/' + std::to_string(states) + suffix;
}

}  // namespace tessera::ca
