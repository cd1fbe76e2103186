// SPDX-License-Identifier: Apache-2.0
#include "ca/table/transitions.hpp"

#include <algorithm>
#include <array>

namespace tessera::ca::table {
namespace {

/// A neighbourhood: its cells behind the centre as they go round, as numbers of those that the tree asks; a symmetry turns
/// them by `turn` places again and again, and mirrors them.
struct Neighbourhood {
  std::string_view name;
  Around around;
  std::vector<int> cells;
  struct Symmetry {
    std::string_view name;
    std::size_t turn;
    bool mirrored = false;
  };
  std::vector<Symmetry> symmetries;
};

// asked: n w e s c, or nw ne sw se n w e s c
std::vector<Neighbourhood> const& neighbourhoods() {
  static std::vector<Neighbourhood> const all{
      {"vonNeumann",
       Around::four,
       {0, 2, 3, 1},
       {{"none", 4}, {"rotate4", 1}, {"rotate4reflect", 1, true}, {"reflect_horizontal", 4, true}, {"permute", 0}}},
      {"Moore",
       Around::eight,
       {4, 1, 6, 3, 7, 2, 5, 0},
       {{"none", 8},
        {"rotate4", 2},
        {"rotate8", 1},
        {"rotate4reflect", 2, true},
        {"rotate8reflect", 1, true},
        {"reflect_horizontal", 8, true},
        {"permute", 0}}},
      {"hexagonal",
       Around::eight,
       {4, 6, 3, 7, 5, 0},
       {{"none", 6}, {"rotate2", 3}, {"rotate3", 2}, {"rotate6", 1}, {"rotate6reflect", 1, true}, {"permute", 0}}},
      {"oneDimensional", Around::four, {1, 2}, {{"none", 2}, {"reflect", 1}, {"permute", 0}}}};
  return all;
}

template <class Named>
Named const& named(Lines const& lines, std::vector<Named> const& all, std::string_view what, std::string_view name) {
  std::vector<std::string_view> names;
  for (auto const& one : all) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  lines.fail(fmt::format("unknown {} '{}', expected {}", what, name, fmt::join(names, ", ")));
}

/// What a line says: the states of the centre and its neighbours, and the next state.
struct Transition {
  std::vector<States> cells;
  int next;
};

class Table {
 public:
  explicit Table(Lines& lines) : lines_(lines) {}

  void read() {
    for (std::string_view line; lines_.next(line);)
      if (!header(line)) line.starts_with("var ") ? variable(line) : transition(line);
    check();
  }

  RuleFile compile() const {
    RuleFile rule{neighbourhood_->around, Tree(states_, static_cast<int>(neighbourhood_->around))};
    std::size_t limit = some;
    // the first line that fits counts, so it is laid over the others
    for (auto t = transitions_.rbegin(); t != transitions_.rend(); ++t) {
      for (auto const& cells : images(t->cells)) rule.tree.lay_over(asked(cells), t->next);
      if (rule.tree.branches() < limit) continue;
      rule.tree.tidy();
      limit = std::max(some, 2 * rule.tree.branches());
      if (limit > most) lines_.fail("the table takes more than 1 GB as a tree, expected a simpler one");
    }
    return rule;
  }

 private:
  static constexpr int most_transitions = 2'000'000;  // Golly's largest have tens of thousands
  static constexpr std::size_t some = std::size_t{1} << 24, most = std::size_t{1} << 29;  // numbers of 4 bytes

  bool header(std::string_view line) {
    auto const colon = line.find(':');
    if (colon == line.npos) return false;
    auto const key = line.substr(0, colon);
    auto const words = Lines::words(line.substr(colon + 1), " \t");
    if (words.size() != 1) lines_.fail(fmt::format("expected one word behind '{}:'", key));
    if (key == "n_states") {
      states_ = lines_.number(words[0]);
      if (states_ < 2 || states_ > 256) lines_.fail(fmt::format("n_states is {}, expected 2 .. 256", states_));
    } else if (key == "neighborhood") {
      neighbourhood_ = &named(lines_, neighbourhoods(), "neighborhood", words[0]);
    } else if (key == "symmetries") {
      if (neighbourhood_ == nullptr) lines_.fail("expected neighborhood in front of symmetries");
      symmetry_ = &named(lines_, neighbourhood_->symmetries, "symmetries", words[0]);
    } else {
      lines_.fail(fmt::format("unknown entry '{}', expected n_states, neighborhood or symmetries", key));
    }
    return true;
  }
  void check() const {
    if (states_ == 0 || symmetry_ == nullptr)
      lines_.fail("expected n_states, neighborhood and symmetries in front of variables and transitions");
  }

  std::vector<int> const* variable_of(std::string_view word) const {
    auto const found = variables_.find(word);
    return found == variables_.end() ? nullptr : &found->second;
  }
  int state(std::string_view word) const {
    int const value = lines_.number(word);
    if (value >= states_) lines_.fail(fmt::format("found the state {}, expected 0 .. {}", value, states_ - 1));
    return value;
  }
  /// var NAME={STATE,VARIABLE,...}
  void variable(std::string_view line) {
    check();
    auto const words = Lines::words(line.substr(4), "= \t{,}");
    std::vector<int> states;
    // each once: variables of variables of variables must not grow without end
    auto const add = [&](int value) {
      if (std::find(states.begin(), states.end(), value) == states.end()) states.push_back(value);
    };
    for (std::size_t n = 1; n < words.size(); ++n)
      if (auto const* const other = variable_of(words[n]))
        std::for_each(other->begin(), other->end(), add);
      else
        add(state(words[n]));
    if (states.empty()) lines_.fail("expected 'var NAME={STATES}' with one state at least");
    variables_.insert_or_assign(std::string(words[0]), states);
  }

  void transition(std::string_view line) {
    check();
    std::size_t const inputs = 1 + neighbourhood_->cells.size();
    auto words = Lines::words(line, ", \t");
    // digits alone, 012345 for 0,1,2,3,4,5
    if (words.size() == 1 && states_ <= 10 && variables_.empty()) {
      auto const digits = words[0];
      words.clear();
      for (std::size_t n = 0; n < digits.size(); ++n) words.push_back(digits.substr(n, 1));
    }
    if (words.size() != inputs + 1)
      lines_.fail(fmt::format("found {} states, expected {}: a cell, its neighbours, and the next state", words.size(),
                              inputs + 1));
    std::map<std::string_view, std::vector<int> const*> bound;
    for (auto const word : words)
      if (auto const* const values = variable_of(word); values && std::count(words.begin(), words.end(), word) > 1)
        bound.emplace(word, values);
    std::map<std::string_view, std::size_t> chosen;
    double choices = 1;
    for (auto const& [name, values] : bound) choices *= static_cast<double>(values->size());
    if (static_cast<double>(transitions_.size()) + choices > most_transitions)
      lines_.fail(
          fmt::format("with the choices of its variables the table has more than {} transitions, expected fewer",
                      most_transitions));
    do add(words, bound, chosen);
    while (next_choice(bound, chosen));
  }
  /// The next of all choices of the variables, the first of them changing fastest; false where they begin anew.
  static bool next_choice(std::map<std::string_view, std::vector<int> const*> const& bound,
                          std::map<std::string_view, std::size_t>& chosen) {
    for (auto const& [name, values] : bound) {
      if (++chosen[name] < values->size()) return true;
      chosen[name] = 0;
    }
    return false;
  }
  void add(std::vector<std::string_view> const& words, std::map<std::string_view, std::vector<int> const*> const& bound,
           std::map<std::string_view, std::size_t>& chosen) {
    Transition t{{}, 0};
    for (auto const word : words) {
      States set;
      if (auto const b = bound.find(word); b != bound.end())
        set.set(static_cast<std::size_t>((*b->second)[chosen[word]]));
      else if (auto const* const values = variable_of(word))
        for (int const value : *values) set.set(static_cast<std::size_t>(value));
      else
        set.set(static_cast<std::size_t>(state(word)));
      t.cells.push_back(set);
    }
    if (t.cells.back().count() != 1)
      lines_.fail(
          fmt::format("the next state is '{}', expected a state, or a variable that stands for one", words.back()));
    while (!t.cells.back()[static_cast<std::size_t>(t.next)]) ++t.next;
    t.cells.pop_back();
    transitions_.push_back(std::move(t));
  }

  /// The line and what the symmetries make of it, each once, in the order of the sets.
  std::vector<std::vector<States>> images(std::vector<States> const& cells) const {
    auto const less = [](States const& a, States const& b) {
      States const unlike = a ^ b;
      return unlike.any() && b[unlike._Find_first()];
    };
    // sets by number: a line that permutes has up to 40320 images
    std::vector<States> sets(cells.begin() + 1, cells.end());
    std::sort(sets.begin(), sets.end(), less);
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    std::vector<int> image;
    for (auto cell = cells.begin() + 1; cell != cells.end(); ++cell)
      image.push_back(static_cast<int>(std::lower_bound(sets.begin(), sets.end(), *cell, less) - sets.begin()));
    std::vector<std::vector<int>> all;
    if (symmetry_->turn == 0) {
      std::sort(image.begin(), image.end());
      do all.push_back(image);
      while (std::next_permutation(image.begin(), image.end()));
    }
    for (int n = 0; symmetry_->turn > 0 && n <= int{symmetry_->mirrored}; ++n) {
      for (std::size_t turned = 0; turned < image.size(); turned += symmetry_->turn) {
        all.push_back(image);
        std::rotate(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(symmetry_->turn % image.size()),
                    image.end());
      }
      // the first stays, those beside it change places
      std::reverse(image.begin() + 1, image.end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::vector<std::vector<States>> result;
    for (auto const& numbers : all) {
      result.push_back({cells[0]});
      for (int const number : numbers) result.back().push_back(sets[number]);
    }
    return result;
  }
  std::vector<States> asked(std::vector<States> const& cells) const {
    std::vector<States> sets(static_cast<std::size_t>(neighbourhood_->around), States().set());
    sets.back() = cells[0];
    for (std::size_t n = 1; n < cells.size(); ++n)
      sets[static_cast<std::size_t>(neighbourhood_->cells[n - 1])] = cells[n];
    return sets;
  }

  Lines& lines_;
  int states_ = 0;
  Neighbourhood const* neighbourhood_ = nullptr;
  Neighbourhood::Symmetry const* symmetry_ = nullptr;
  std::map<std::string, std::vector<int>, std::less<>> variables_;
  std::vector<Transition> transitions_;
};

}  // namespace

RuleFile read_table(Lines& lines) {
  Table table(lines);
  table.read();
  return table.compile();
}

}  // namespace tessera::ca::table
