// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/boundary.hpp"

#include "core/case/topics.hpp"
#include "core/grid/upload.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <type_traits>
#include <vector>

namespace tessera::ca {
namespace {

using Kind = Condition::Kind;

Condition read_condition(core::Dictionary const& boundary, char const* side) {
  Condition condition;
  if (!boundary.contains(side)) return condition;
  condition.given = true;
  core::TokenStream in = boundary.stream(side);
  auto const word = in.read<std::string>();
  if (word == "periodic")
    condition.kind = Kind::periodic;
  else if (word == "reflecting")
    condition.kind = Kind::reflecting;
  else if (word == "open")
    condition.kind = Kind::open;
  else if (word == "fixed")
    condition.value = in.read<double>();
  else
    boundary.fail(side, core::unknown_name("condition", word, {"fixed", "periodic", "reflecting", "open"}));
  in.end();
  return condition;
}

/// The cell that the cell `at`, outside of an axis of n cells, takes its state from; outside, too, where that is beyond a fixed side.
/// A mirror image shows what lies beyond the other side, too, where the axis has fewer cells than the rule looks far.
core::Count source(Condition const& low, Condition const& high, core::Count at, core::Count n) {
  while (at < 0 || at >= n) {
    Kind const kind = (at < 0 ? low : high).kind;
    if (kind == Kind::reflecting)
      at = (at < 0 ? 0 : 2 * n) - 1 - at;
    else if (kind == Kind::open)
      at = at < 0 ? 0 : n - 1;
    else
      break;
  }
  return at;
}

}  // namespace

Boundaries Boundaries::read(core::Dictionary& properties) {
  Boundaries result;
  core::Dictionary const* boundary = properties.find_sub("boundary");
  if (boundary == nullptr) return result;
  if (boundary->contains("unbounded"))
    boundary->fail("unbounded", "is there, but what was asked for needs a grid, expected sides or a surface");
  for (std::size_t s = 0; s < 6; ++s) result.side[s] = read_condition(*boundary, core::side_names[s]);
  result.surface = Surface::read(*boundary);
  for (std::size_t s = 0; s < 6; ++s)
    if (result.surface.joined() && result.side[s].given)
      boundary->fail(core::side_names[s], "is there beside `surface`, which joins all sides, expected one of them");
  for (std::size_t a = 0; a < 3; ++a) {
    bool const low = result.side[2 * a].kind == Kind::periodic, high = result.side[2 * a + 1].kind == Kind::periodic;
    if (low != high)
      boundary->fail(core::side_names[low ? 2 * a : 2 * a + 1],
                     fmt::format("side '{}' is periodic, expected '{} periodic;' too",
                                 core::side_names[low ? 2 * a : 2 * a + 1], core::side_names[low ? 2 * a + 1 : 2 * a]));
  }
  return result;
}

Boundaries Boundaries::read(core::Dictionary& properties, core::Grid const& grid) {
  Boundaries result = read(properties);
  if (result.surface.joined()) {
    result.surface.set_grid(properties.sub("boundary"), grid);
    return result;
  }
  for (std::size_t s = 0; s < 6; ++s) {
    bool const around = grid.periodic(static_cast<int>(s / 2));
    Condition& condition = result.side[s];
    if (around && !condition.given) condition.kind = Kind::periodic;
    if (around != (condition.kind == Kind::periodic))
      properties.sub("boundary")
          .fail(core::side_names[s], fmt::format("side '{}' is {}periodic, but the grid is {}periodic on that axis",
                                                 core::side_names[s], around ? "not " : "", around ? "" : "not "));
  }
  return result;
}

void Boundaries::refuse_mirrors(core::Dictionary& properties) const {
  constexpr char const* why = "but this rule's cells move along directions, which a mirror would turn: expected";
  for (std::size_t s = 0; s < 6; ++s)
    if (side[s].kind == Kind::reflecting)
      properties.sub("boundary")
          .fail_entry(core::side_names[s],
                      fmt::format("is 'reflecting', {} periodic, fixed or open; a wall is a row of solid cells", why));
  if (surface.joined() && surface.kind != Surface::Kind::torus)
    properties.sub("boundary").fail_entry("surface", fmt::format("turns the plane round, {} a torus", why));
}

void Boundaries::check_values(core::Dictionary& properties, double least, double most, bool whole,
                              char const* what) const {
  for (std::size_t s = 0; s < 6; ++s) {
    double const value = side[s].value;
    if (!(value >= least && value <= most && (!whole || value == std::floor(value))))
      properties.sub("boundary")
          .fail(core::side_names[s], fmt::format("side '{}' is fixed at {}, expected {} {} .. {}", core::side_names[s],
                                                 value, what, least, most));
  }
}

void Boundaries::check_fit(core::Dictionary& properties, core::Element element) const {
  auto const check = [&]<class T>(std::type_identity<T>) {
    using Limits = std::numeric_limits<T>;
    constexpr bool whole = Limits::is_integer;
    check_values(properties, static_cast<double>(Limits::lowest()), static_cast<double>(Limits::max()), whole,
                 whole ? "a whole number" : "a number");
  };
  switch (element) {
  case core::Element::uint8:
    return check(std::type_identity<std::uint8_t>());
  case core::Element::int32:
    return check(std::type_identity<std::int32_t>());
  case core::Element::int64:
    return check_values(properties, -0x1p53, 0x1p53, true, "a whole number");  // a double's
  case core::Element::float32:
    return check(std::type_identity<float>());
  default:
    return check(std::type_identity<double>());
  }
}

std::array<bool, 3> periodic_axes(core::Dictionary& properties) {
  Boundaries const sides = Boundaries::read(properties);
  std::array<bool, 3> result;
  for (std::size_t a = 0; a < 3; ++a) result[a] = sides.side[2 * a].kind == Kind::periodic;
  return result;
}

HaloFill::HaloFill(Boundaries const& sides, core::Layout const& layout, core::Tiles const& tiles, int depth) {
  seams_ = Seams(sides.surface, layout, tiles, depth);
  if (sides.surface.joined()) return;
  core::Grid const& grid = layout.grid();
  auto const slots = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), tiles.slots);
  for (int a = 0; a < 3; ++a) {
    if (grid.thin(a) || grid.periodic(a)) continue;
    std::size_t const axis = static_cast<std::size_t>(a);
    core::Count const n = grid.cells()[axis];
    Condition const &low_side = sides.side[2 * axis], &high_side = sides.side[2 * axis + 1];
    std::vector<core::BoxCopy> copies, fills[2];
    for (int high = 0; high < 2; ++high)
      for (std::size_t q = 0; q < slots.extent(0); ++q) {
        core::TileInfo const& tile = layout.info(slots(q));
        int const size[3] = {tile.ni, tile.nj, tile.nk};
        core::Count const origin[3] = {tile.i0, tile.j0, tile.k0};
        core::BoxCopy box{slots(q), slots(q), {}, {}, {}, 0};
        for (int b = 0; b < 3; ++b) {
          int const width = grid.thin(b) ? 0 : depth;
          box.from[b] = box.to[b] = -width;
          box.n[b] = size[b] + 2 * width;
        }
        box.n[a] = 1;
        for (core::Count d = 1; d <= depth; ++d) {
          core::Count const to = (high ? n - 1 + d : -d) - origin[a];
          if (to < -depth || to >= size[a] + depth) continue;
          core::Count const from = source(low_side, high_side, to + origin[a], n);
          box.to[a] = static_cast<int>(to);
          box.from[a] = static_cast<int>(from - origin[a]);
          (from < 0 ? fills[0] : from >= n ? fills[1] : copies).push_back(box);
        }
      }
    axes_[axis].fixed = {Fixed{core::upload("boundary boxes", fills[0]), low_side.value},
                         Fixed{core::upload("boundary boxes", fills[1]), high_side.value}};
    axes_[axis].copies = core::upload("boundary boxes", copies);
  }
}

[[maybe_unused]] static bool const told = [] {
  auto const add = [](char const* name, char const* doc) {
    return core::add_topic(
        "sides", name, doc,
        "boundary { left CONDITION; right CONDITION; bottom CONDITION; top CONDITION; back CONDITION; "
        "front CONDITION; } of constant/automatonProperties, with fixed VALUE | periodic | reflecting | "
        "open; default: fixed 0.");
  };
  return add("fixed", "of automata: beyond the side all cells have one state, fixed VALUE") &&
         add("periodic", "of automata: beyond the side lies the other end; both sides of an axis") &&
         add("reflecting", "of automata: beyond the side lies the mirror image") &&
         add("open", "of automata: beyond the side cells have the state of the outermost ones") &&
         core::add_topic(
             "sides", "surface", "of automata: the sides joined to a torus with a shift, a Klein bottle ...",
             "boundary { surface torus | kleinBottle | crossSurface | sphere; mirrored x | y; shift (0 0); } of "
             "constant/automatonProperties, in place of the sides. A Klein bottle says which axis is mirrored over the "
             "sides of the other; shift moves what is seen above the top to the right, or what is seen on the right "
             "up. In Golly's words, behind a rule: B3/S23:T30+5,20  :K30*,20  :C30,20  :S30.");
}();

}  // namespace tessera::ca
