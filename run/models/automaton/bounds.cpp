// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/bounds.hpp"

#include "io/foam/mesh.hpp"

#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <stdexcept>
#include <string_view>

namespace tessera::run::automaton {

namespace {

/// Reads a number of cells along an axis, its * and its shift off the front of the text. False where there is none.
bool take_axis(std::string_view& text, core::Count& cells, bool& mirrored, core::Count& shift) {
  auto const take = [&](core::Count& number) {
    auto const [next, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(next - text.data()));
    return code == std::errc() && number >= 0 && number <= io::foam::most_cells_along;
  };
  if (!take(cells)) return false;
  mirrored = text.starts_with('*');
  if (mirrored) text.remove_prefix(1);
  if (!text.starts_with('+') && !text.starts_with('-')) return true;
  bool const minus = text[0] == '-';
  text.remove_prefix(1);
  if (!take(shift)) return false;
  if (minus) shift = -shift;
  return true;
}

}  // namespace

Bounds Bounds::take(std::string& rule) {
  Bounds bounds;
  auto const colon = rule.find(':');
  if (colon == std::string::npos) return bounds;
  std::string const suffix = rule.substr(colon);
  auto const fail = [&](std::string const& what) {
    throw std::invalid_argument(fmt::format("the rule '{}' bounds the plane by '{}', {}", rule, suffix, what));
  };
  bounds.kind = suffix.size() > 1 ? static_cast<char>(std::toupper(static_cast<unsigned char>(suffix[1]))) : ' ';
  if (std::string_view("TPKCS").find(bounds.kind) == std::string_view::npos)
    fail("expected :TX,Y, :PX,Y, :KX*,Y, :CX,Y or :SX");
  auto& [nx, ny] = bounds.cells;
  std::string_view text(suffix);
  text.remove_prefix(2);
  bool read = take_axis(text, nx, bounds.mirrored[0], bounds.shift[0]);
  if (bounds.kind == 'S') {
    ny = nx;
  } else {
    bool const both = text.starts_with(',');
    if (both) text.remove_prefix(1);
    ny = nx;  // of one number, as in Golly
    if (both) read = read && take_axis(text, ny, bounds.mirrored[1], bounds.shift[1]);
  }
  if (!read || !text.empty())
    fail(bounds.kind == 'S' ? "expected one number of cells, as in :S30"
                            : "expected one or two numbers of cells, as in :T30,20");
  bounds.check(fail);
  if (nx == 0 && ny == 0) bounds.kind = ' ';
  rule.resize(colon);
  return bounds;
}

void Bounds::check(std::function<void(std::string const&)> const& fail) {
  bool const starred = mirrored[0] || mirrored[1], shifted = shift[0] != 0 || shift[1] != 0;
  bool const ends = cells[0] > 0 && cells[1] > 0;
  if (!ends && (kind == 'K' || kind == 'C' || kind == 'S')) fail("expected cells along both axes of such a surface");
  if (starred && kind != 'K') fail("expected * on a Klein bottle alone");
  if (mirrored[0] && mirrored[1]) fail("expected one *: with two it is a cross-surface, :C30,20");
  if (kind == 'K' && !starred) mirrored[1] = true;
  if (shifted && kind != 'T' && kind != 'K') fail("expected a shift on a torus or a Klein bottle alone");
  if (shifted && !ends) fail("expected a shift only where both axes have an end");
  if (shift[0] != 0 && shift[1] != 0) fail("expected one shift");
  if (kind == 'K' && shift[mirrored[0] ? 1 : 0] != 0) fail("expected the shift of a Klein bottle behind its *");
  for (std::size_t a = 0; a < 2; ++a) {
    if (shift[a] == 0) continue;
    // of a Klein bottle: on an even number of cells all shifts are as good as one of 1, on an odd number as none
    if (kind == 'K')
      shift[a] = cells[a] % 2 == 0 ? 1 : 0;
    else
      shift[a] %= cells[a];
  }
}

std::string Bounds::text() const {
  if (kind == ' ') return {};
  if (kind == 'S') return fmt::format(":S{}", cells[0]);
  auto const along = [&](std::size_t a) {
    return fmt::format("{}{}{}", cells[a], mirrored[a] ? "*" : "", shift[a] == 0 ? "" : fmt::format("{:+}", shift[a]));
  };
  return fmt::format(":{}{},{}", kind, along(0), along(1));
}

void Bounds::set_sides(core::Dictionary& properties) const {
  if (kind == ' ') return;
  if (properties.contains("boundary"))
    properties.fail("boundary", fmt::format("the rule's '{}' says what is beyond the sides, expected no entry "
                                            "'boundary', or a rule without it",
                                            text()));
  if (bool const straight = shift[0] == 0 && shift[1] == 0; kind == 'K' || kind == 'C' || kind == 'S' || !straight) {
    char const* const surface = kind == 'T'   ? "torus"
                                : kind == 'K' ? "kleinBottle"
                                : kind == 'C' ? "crossSurface"
                                              : "sphere";
    // as Golly 3.3 computes a shifted Klein bottle: the twisted row is moved to the left, although its help draws it to
    // the right
    auto const x = mirrored[0] ? -shift[0] : shift[0];
    properties.set("boundary",
                   fmt::format("{{ surface {};{}{} }}", surface,
                               kind != 'K'   ? ""
                               : mirrored[0] ? " mirrored x;"
                                             : " mirrored y;",
                               straight ? "" : fmt::format(" shift ({} {});", x, shift[1])),
                   properties.name());
    return;
  }
  char const* const x = kind == 'T' && along(0) ? "periodic" : "fixed 0";
  char const* const y = kind == 'T' && along(1) ? "periodic" : "fixed 0";
  properties.set("boundary", fmt::format("{{ left {}; right {}; bottom {}; top {}; }}", x, x, y, y), properties.name());
}

core::Count Bounds::middle(std::size_t axis, core::Count size) const {
  core::Count const first = cells[axis] / 2 - size / 2;
  return axis == 0 ? first : cells[axis] - size - first;
}

}  // namespace tessera::run::automaton
