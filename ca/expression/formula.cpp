// SPDX-License-Identifier: Apache-2.0
#include "ca/expression/formula.hpp"

#include "core/registry.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <numbers>
#include <optional>
#include <stdexcept>

namespace tessera::ca::expression {
namespace {

struct Function {
  std::string_view name;
  Op op;
};
constexpr Function of_one[] = {{"abs", Op::magnitude}, {"floor", Op::floor}, {"ceil", Op::ceil}, {"round", Op::round},
                               {"sqrt", Op::sqrt},     {"exp", Op::exp},     {"log", Op::log},   {"sin", Op::sin},
                               {"cos", Op::cos},       {"tanh", Op::tanh}};
constexpr Function of_more[] = {{"min", Op::minimum}, {"max", Op::maximum}};
constexpr std::string_view over_neighbours[] = {"sum", "mean", "smallest", "largest", "count"};
constexpr std::string_view others[] = {"centre", "uniform", "common"};
constexpr std::string_view numbers[] = {"x", "y", "z", "nx", "ny", "nz", "step", "pi"};
constexpr int deepest = 200;

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

template <std::size_t n>
std::optional<Op> op_of(Function const (&those)[n], std::string_view name) {
  for (auto const& f : those)
    if (f.name == name) return f.op;
  return std::nullopt;
}

class Reader {
 public:
  Reader(std::string_view text, Vocabulary const& words, Graph& graph) : text_(text), words_(words), graph_(graph) {}

  int read() {
    int const result = choice();
    if (!at_end()) fail("an operator or the end");
    return result;
  }

 private:
  // levels of precedence, the weakest first
  int choice() {
    Deeper const here(*this);
    int const condition = logical(0);
    if (!take("?")) return condition;
    int const yes = choice();
    if (!take(":")) fail("':' and what holds otherwise");
    return graph_.compute(Op::select, condition, yes, choice());
  }
  int logical(int level) {
    if (level == 2) return comparison();
    int left = logical(level + 1);
    while (take(level == 0 ? "||" : "&&"))
      left = graph_.compute(level == 0 ? Op::either : Op::both, left, logical(level + 1));
    return left;
  }
  int comparison() {
    int const left = sum();
    auto const compared = compare(left);
    if (!compared) return left;
    skip();
    if (auto const c = peek(); c == '<' || c == '>' || ((c == '=' || c == '!') && peek(1) == '='))
      fail("no second comparison: a < b && b < c");
    return *compared;
  }
  std::optional<int> compare(int left) {
    if (take("<=")) return graph_.compute(Op::at_most, left, sum());
    if (take(">=")) return swapped(Op::at_most, left);
    if (take("==")) return graph_.compute(Op::equal, left, sum());
    if (take("!=")) return graph_.compute(Op::unequal, left, sum());
    if (take("<")) return graph_.compute(Op::less, left, sum());
    if (take(">")) return swapped(Op::less, left);
    return std::nullopt;
  }
  int swapped(Op op, int left) {
    int const right = sum();
    return graph_.compute(op, right, left);
  }
  int sum() {
    int left = product();
    while (true) {
      if (take("+"))
        left = graph_.compute(Op::add, left, product());
      else if (take("-"))
        left = graph_.compute(Op::subtract, left, product());
      else
        return left;
    }
  }
  int product() {
    int left = signed_one();
    while (true) {
      if (take("*"))
        left = graph_.compute(Op::multiply, left, signed_one());
      else if (take("/"))
        left = graph_.compute(Op::divide, left, signed_one());
      else if (take("%"))
        left = graph_.compute(Op::modulo, left, signed_one());
      else
        return left;
    }
  }
  int signed_one() {
    Deeper const here(*this);
    if (take("-")) return graph_.compute(Op::negate, signed_one());
    if (take("!")) return graph_.compute(Op::opposite, signed_one());
    if (take("+")) return signed_one();
    int const base = primary();
    return take("^") ? graph_.compute(Op::power, base, signed_one()) : base;
  }
  int primary() {
    skip();
    if (take("(")) {
      int const inner = choice();
      close();
      return inner;
    }
    char const c = peek();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number();
    if (!is_word_character(c)) fail("a number, a name or '('");
    std::size_t const begin = at_;
    auto const word = take_word();
    return take("(") ? call(word, begin) : named(word, begin);
  }

  int number() {
    double value = 0;
    auto const [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (status != std::errc()) fail("a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (is_word_character(peek())) fail("an operator behind the number");
    return graph_.constant(value);
  }

  int named(std::string_view word, std::size_t begin) {
    if (int const field = field_of(word); field >= 0) return value(field, neighbour_ ? *neighbour_ : Offset{});
    if (auto const found = words_.parameters.find(word); found != words_.parameters.end())
      return graph_.constant(found->second);
    if (auto const found = words_.names.find(word); found != words_.names.end()) {
      only_of_the_cell(word, begin);
      return found->second;
    }
    if (word == "pi") return graph_.constant(std::numbers::pi);
    for (int a = 0; a < 3; ++a) {
      if (word == numbers[3 + a])
        return graph_.constant(static_cast<double>(words_.cells[static_cast<std::size_t>(a)]));
      if (word != numbers[a]) continue;
      only_of_the_cell(word, begin);
      return graph_.add({.op = Op::position, .which = a});
    }
    if (word == "step") return graph_.add({.op = Op::step});
    at_ = begin;
    if (is_reserved(word)) fail(fmt::format("'(' behind the function {}", word));
    fail_unknown(word);
  }

  int call(std::string_view word, std::size_t begin) {
    if (int const field = field_of(word); field >= 0) {
      if (neighbour_)
        fail_at(begin, fmt::format("{} alone, or centre({}): offsets cannot be told from a neighbour", word, word));
      return value(field, offset());
    }
    if (std::ranges::find(over_neighbours, word) != std::end(over_neighbours)) return over(word, begin);
    if (word == "centre") return centre(begin);
    if (word == "uniform" || word == "common") {
      bool const shared = word == "common";
      if (!shared) only_of_the_cell(word, begin);
      int const k = peek_is(')') ? 0 : whole_number(0, 1023);
      close();
      return graph_.add({.op = shared ? Op::common : Op::uniform, .which = k});
    }
    if (auto const op = op_of(of_one, word)) {
      int const inner = choice();
      close();
      return graph_.compute(*op, inner);
    }
    if (auto const op = op_of(of_more, word)) {
      int left = choice();
      if (!take(","))
        fail(fmt::format("',': {} is of two numbers or more; over the neighbours: {}(...)", word,
                         word == "min" ? "smallest" : "largest"));
      do left = graph_.compute(*op, left, choice());
      while (take(","));
      close();
      return left;
    }
    fail_unknown(word, begin);
  }

  /// The formula between the brackets for each of the neighbours.
  int over(std::string_view what, std::size_t begin) {
    if (neighbour_) fail_at(begin, fmt::format("no {} inside another one over the neighbours", what));
    std::size_t const from = at_;
    int result = -1;
    for (auto const& offset : words_.neighbours) {
      at_ = from;
      neighbour_ = offset;
      int one = choice();
      if (what == "count") one = graph_.compute(Op::unequal, one, graph_.constant(0));
      auto const op = what == "smallest" ? Op::minimum : what == "largest" ? Op::maximum : Op::add;
      result = result < 0 ? one : graph_.compute(op, result, one);
    }
    neighbour_.reset();
    close();
    if (what == "mean")
      result = graph_.compute(Op::divide, result, graph_.constant(static_cast<double>(words_.neighbours.size())));
    return result;
  }
  int centre(std::size_t begin) {
    if (!neighbour_) fail_at(begin, "centre(...) inside sum, mean, smallest, largest or count alone");
    skip();
    std::size_t const name = at_;
    auto const word = take_word();
    int const field = field_of(word);
    if (field < 0) fail_at(name, fmt::format("a field: {}", fmt::join(words_.fields, ", ")));
    close();
    return value(field, {});
  }
  Offset offset() {
    Offset at{};
    int n = 0;
    do {
      if (n == words_.dimensions) fail(fmt::format("')': the grid has {} axes", words_.dimensions));
      at[static_cast<std::size_t>(n++)] = whole_number(-farthest_offset, farthest_offset);
    } while (take(","));
    close();
    return at;
  }
  int whole_number(int least, int most) {
    skip();
    std::size_t const begin = at_;
    if (peek() == '+') ++at_;
    int value = 0;
    auto const [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = static_cast<std::size_t>(end - text_.data());
    skip();
    if (status != std::errc() || value < least || value > most || (peek() != ',' && peek() != ')'))
      fail_at(begin, fmt::format("a whole number {} .. {}", least, most));
    return value;
  }

  int value(int field, Offset const& at) { return graph_.add({.op = Op::value, .which = field, .at = at}); }
  int field_of(std::string_view word) const {
    auto const found = std::ranges::find(words_.fields, word);
    return found == words_.fields.end() ? -1 : static_cast<int>(found - words_.fields.begin());
  }
  void only_of_the_cell(std::string_view word, std::size_t begin) {
    if (neighbour_)
      fail_at(begin, fmt::format("{} outside of what is over the neighbours: it is of the cell itself", word));
  }

  // text
  bool at_end() { return skip(), at_ == text_.size(); }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool peek_is(char c) { return skip(), peek() == c; }
  bool take(std::string_view what) {
    skip();
    if (text_.substr(at_, what.size()) != what) return false;
    // no part of a longer operator
    if ((what == "!" || what == "<" || what == ">") && peek(1) == '=') return false;
    at_ += what.size();
    return true;
  }
  void close() {
    if (!take(")")) fail("')'");
  }
  std::string_view take_word() {
    std::size_t const begin = at_;
    while (is_word_character(peek())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  struct Deeper {
    explicit Deeper(Reader& reader) : reader_(reader) {
      if (++reader_.depth_ > deepest) reader_.fail(fmt::format("at most {} brackets and signs in each other", deepest));
    }
    ~Deeper() { --reader_.depth_; }
    Reader& reader_;
  };

  [[noreturn]] void fail_at(std::size_t where, std::string const& expected) {
    at_ = where;
    fail(expected);
  }
  [[noreturn]] void fail(std::string const& expected) {
    skip();
    std::string found = "the end";
    if (at_ < text_.size()) {
      std::size_t const begin = at_;
      auto word = take_word();
      if (word.empty()) word = text_.substr(begin, 1);
      at_ = begin;
      found = fmt::format("'{}'", word);
    }
    throw std::invalid_argument(fmt::format("column {}: found {}, expected {}", at_ + 1, found, expected));
  }
  [[noreturn]] void fail_unknown(std::string_view word, std::size_t begin) {
    at_ = begin;
    fail_unknown(word);
  }
  [[noreturn]] void fail_unknown(std::string_view word) {
    std::vector<std::string> known(words_.fields);
    for (auto const& [name, parameter] : words_.parameters) known.push_back(name);
    for (auto const& [name, node] : words_.names) known.push_back(name);
    for (auto const& f : of_one) known.emplace_back(f.name);
    for (auto const& f : of_more) known.emplace_back(f.name);
    for (auto const name : over_neighbours) known.emplace_back(name);
    for (auto const name : numbers) known.emplace_back(name);
    for (auto const name : others) known.emplace_back(name);
    throw std::invalid_argument(
        fmt::format("column {}: {}", at_ + 1, core::unknown_name("name", std::string(word), known)));
  }

  std::string_view text_;
  Vocabulary const& words_;
  Graph& graph_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::optional<Offset> neighbour_;  // in whose place the formula is read
};

}  // namespace

int read_formula(std::string_view text, Vocabulary const& words, Graph& graph) {
  return Reader(text, words, graph).read();
}

bool is_name(std::string_view word) {
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) == 0 &&
         std::ranges::all_of(word, is_word_character);
}

bool is_reserved(std::string_view word) {
  return op_of(of_one, word) || op_of(of_more, word) || std::ranges::find(others, word) != std::end(others) ||
         std::ranges::find(over_neighbours, word) != std::end(over_neighbours) ||
         std::ranges::find(numbers, word) != std::end(numbers);
}

}  // namespace tessera::ca::expression
