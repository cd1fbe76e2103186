// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/picture.hpp"

#include "ca/table/rule_file.hpp"
#include "io/pictures/picture.hpp"
#include "run/models/automaton/measure.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace tessera::run::automaton {
namespace {

namespace c = io::colours;
constexpr io::Colour alive{0, 72, 140};
/// To be told apart by colour-blind eyes, too; more states follow the palette.
constexpr std::array few{alive, c::orange, c::sky_blue, c::vermillion, c::green, c::purple, c::yellow, c::grey};
constexpr std::size_t most = 24;

/// States other than 0 that any cell is in.
std::vector<int> states_of(core::FieldBase const& field) {
  auto const cells = census(field, 256);
  std::vector<int> found;
  for (int state = 1; state < 256; ++state)
    if (cells[state] > 0) found.push_back(state);
  return found;
}

/// The largest icons of which a picture has room for one, and a pixel between two, in each cell; nullptr: there are none.
ca::table::Icons const* icons_for(ca::table::RuleFile const* rule, core::Grid const& grid,
                                  io::PictureStyle const& style) {
  ca::table::Icons const* best = nullptr;
  core::Count const room = std::min(style.width / grid.cells()[0], style.height / grid.cells()[1]);
  if (rule != nullptr)
    for (auto const& icons : rule->icons)
      if (icons.size < room && (best == nullptr || icons.size > best->size)) best = &icons;
  return best;
}

/// A state's icon, with a row and a column of the background behind it.
std::vector<io::Colour> framed(ca::table::Icons const& icons, int state, io::Colour background, io::Colour colour) {
  auto const pixel = [](io::Colour c) { return ca::table::Pixel{c.r, c.g, c.b}; };
  auto const drawn = ca::table::drawn(icons, state, pixel(background), pixel(colour));
  std::vector<io::Colour> all;
  for (int y = 0, n = icons.size; y <= n; ++y)
    for (int x = 0; x <= n; ++x) {
      if (x == n || y == n) {
        all.push_back(background);
        continue;
      }
      auto const [r, g, b] = drawn[static_cast<std::size_t>(y * n + x)];
      all.push_back({r, g, b});
    }
  return all;
}

io::Colour colour_of(std::size_t n, std::size_t states) {
  if (states <= few.size()) return few[n];
  // the brightest end would be lost on white
  return io::palette("viridis")[240 * n / (states - 1)];
}

}  // namespace

void draw_states(std::string const& file, ca::Automaton& automaton) {
  core::FieldBase const& state = automaton.look();
  io::PictureStyle style{.title = fmt::format("{}, generation {}", automaton.rule(), automaton.generation()),
                         .physical = false};
  if (state.element() != core::Element::uint8) {
    io::draw_field(file, state, style);
    return;
  }
  auto const* const file_of_rule = ca::table::rule_file(automaton.rule());
  auto const known = ca::known_rule(automaton.rule());
  auto const colours = file_of_rule != nullptr ? file_of_rule->colours : known ? known->colours : ca::Colours{};
  auto const own = [&](int state, io::Colour otherwise) {
    if (!colours.contains(state)) return otherwise;
    auto const [r, g, b] = colours.at(state);
    return io::Colour{r, g, b};
  };
  io::Category const dead{"dead", c::white};
  std::array const both{io::Category{"alive", alive, &state}};
  if (automaton.states() == 2) {
    io::draw_masks(file, both, dead, style);
    return;
  }
  auto const states = states_of(state);
  if (states.size() > most && colours.empty()) {
    style.lo = 0;
    io::draw_field(file, state, style);
  } else if (states.empty() || (file_of_rule == nullptr && colours.empty() && states.size() == 1 && states[0] == 1)) {
    io::draw_masks(file, both, dead, style);
  } else {
    core::Grid const& grid = state.layout().grid();
    auto const* const icons = icons_for(file_of_rule, grid, style);
    if (icons != nullptr) {
      style.width = (icons->size + 1) * grid.cells()[0];
      style.height = (icons->size + 1) * grid.cells()[1];
    }
    io::Colour const background = own(0, c::white);
    std::vector<io::Category> kinds;
    for (std::size_t n = 0; n < states.size(); ++n) {
      io::Colour const colour = own(states[n], colour_of(n, states.size()));
      kinds.push_back({fmt::format("state {}", states[n]), colour, &state, static_cast<double>(states[n])});
      if (icons != nullptr) kinds.back().icon = framed(*icons, states[n], background, colour);
    }
    io::draw_masks(file, kinds, {"state 0", background}, style);
  }
}

void draw_fields(std::string const& folder, ca::Automaton& automaton) {
  if (automaton.look_at_fields().size() == 1) return draw_states(folder + "/state.png", automaton);
  for (auto const* field : automaton.shown())
    io::draw_field(
        fmt::format("{}/{}.png", folder, field->name()), *field,
        {.title = fmt::format("{}: {}, generation {}", automaton.rule(), field->name(), automaton.generation()),
         .physical = false});
}

void show_states(io::PreviewStyle& style, std::int64_t states) {
  if (!std::isnan(style.lo) || states == 0) return;
  style.lo = 0;
  style.hi = static_cast<double>(states - 1);
}

}  // namespace tessera::run::automaton
