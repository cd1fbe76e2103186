// SPDX-License-Identifier: Apache-2.0
// How a start's cells get their values.
#include "ca/engine/initial.hpp"
#include "core/grid/rows.hpp"
#include "io/files/together.hpp"
#include "io/reader.hpp"
#include "io/rows.hpp"
#include "run/models/automaton/checked_rows.hpp"
#include "run/models/automaton/initial.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::run::automaton {
namespace detail {

/// The mask's values in a box, others stay.
template <class T>
struct FromMask {
  core::FieldView<std::uint8_t const> mask;
  core::FieldView<T> state;
  core::TileInfo const* info;
  core::Box box;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    if (box.contains(info[s].global(k, j, i))) state(s, k, j, i) = static_cast<T>(mask(s, k, j, i));
  }
};

/// One value in the cells whose middle lies in a ball, others stay. Along an axis of one cell nothing is far.
template <class T>
struct FillBall {
  core::FieldView<T> state;
  core::TileInfo const* info;
  double centre[3], radius;
  bool thin[3];
  T value;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    core::Index const x = info[s].global(k, j, i);
    double const d[3] = {static_cast<double>(x.i) + 0.5 - centre[0], static_cast<double>(x.j) + 0.5 - centre[1],
                         static_cast<double>(x.k) + 0.5 - centre[2]};
    double square = 0;
    for (int a = 0; a < 3; ++a) square += thin[a] ? 0 : d[a] * d[a];
    if (square <= radius * radius) state(s, k, j, i) = value;
  }
};

/// Draws between two values in a box, of whole numbers both included; others stay.
template <class T>
struct DrawBetween {
  core::FieldView<T> state;
  core::TileInfo const* info;
  core::Box box;
  core::Count nx, ny;
  double low, high;
  core::Random random;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    core::Index const x = info[s].global(k, j, i);
    if (!box.contains(x)) return;
    double const u = random.uniform(static_cast<std::uint64_t>((x.k * ny + x.j) * nx + x.i));
    if constexpr (std::is_integral_v<T>)
      state(s, k, j, i) = static_cast<T>(low + static_cast<double>(static_cast<std::int64_t>(u * (high - low + 1))));
    else
      state(s, k, j, i) = static_cast<T>(low + (high - low) * u);
  }
};

}  // namespace detail

namespace {

/// Cells of the grid that may lie within `radius` of a point.
core::Box box_round(std::array<double, 3> const& centre, double radius, core::Grid const& grid) {
  auto const cells = grid.cells();
  std::array<core::Count, 3> lo{}, hi = cells;
  for (std::size_t a = 0; a < 3; ++a) {
    if (grid.thin(static_cast<int>(a))) continue;
    auto const most = static_cast<double>(cells[a]);
    lo[a] = static_cast<core::Count>(std::clamp(std::floor(centre[a] - radius), 0.0, most));
    hi[a] = static_cast<core::Count>(std::clamp(std::ceil(centre[a] + radius), 0.0, most));
  }
  return {{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

}  // namespace

template <class T>
void InitialState::fill(core::Field<T>& state, Layer const& layer, ca::Automaton const& automaton) const {
  core::Layout const& layout = state.layout();
  core::Box box = layer.box.value_or(layout.grid().box());
  using View = core::FieldView<T>;
  using Info = core::TileInfo const*;
  if (layer.between) {
    auto const n = layout.grid().cells();
    auto const [low, high] = *layer.between;
    core::for_each("initial", state, box, [&](View const& view, Info info) {
      return detail::DrawBetween<T>{view, info, box, n[0], n[1], low, high, layer.random};
    });
    return;
  }
  if (layer.type == Type::uniform) {
    core::set_rows("initial", state, box,
                   [&](core::Index, std::span<T> cells) { std::ranges::fill(cells, static_cast<T>(layer.value)); });
    return;
  }
  if (layer.type == Type::ball) {
    auto const& c = layer.centre;
    core::Grid const& grid = layout.grid();
    core::for_each("initial", state, box_round(c, layer.radius, grid), [&](View const& view, Info info) {
      return detail::FillBall<T>{view,
                                 info,
                                 {c[0], c[1], c[2]},
                                 layer.radius,
                                 {grid.thin(0), grid.thin(1), grid.thin(2)},
                                 static_cast<T>(layer.value)};
    });
    return;
  }
  if constexpr (std::is_same_v<T, std::uint8_t>)
    if (layer.type == Type::random) return ca::fill_random(state, layer.value, layer.random, box);
  if constexpr (std::is_same_v<T, std::uint8_t>)
    if (layer.picture && state.store() != nullptr) {
      layer.picture->load_rows(state, layer.position);
      return;
    }
  if (layer.type == Type::random || layer.type == Type::picture) {
    core::Field<std::uint8_t> mask("initial", layout, 0);
    if (layer.picture) {
      layer.picture->load(mask, layer.position);
      box = {layer.position, layer.position + core::Index{layer.cells[0], layer.cells[1], layer.cells[2]}};
    } else {
      ca::fill_random(mask, layer.value, layer.random, box);
    }
    core::for_each("initial", layout.all(),
                   detail::FromMask<T>{std::as_const(mask).view(), state.view(), layout.all().info.data(), box});
  } else {
    auto source = io::open_rows(layout.comm(), layer.file);
    if (source) source = std::make_unique<CheckedRows<T>>(std::move(source), layer.file, layer.position, automaton);
    io::distribute(source.get(), state, layer.position);
  }
}

void InitialState::check_rows(Layer const& layer, core::FieldBase const& field, ca::Automaton const& automaton) const {
  core::visit(field, [&]<class T>(core::Field<T> const&) {
    io::on_root(session_.comm, [&] {
      CheckedRows<T> source(io::open_rows(layer.file), layer.file, layer.position, automaton);
      auto const n = source.cells();
      std::vector<std::byte> row(static_cast<std::size_t>(n[0]) * io::size_of(source.element()));
      for (core::Count r = 0; r < n[1] * n[2]; ++r) source.next(1, row);
    });
  });
}

bool InitialState::needs_mask(ca::Automaton& automaton) const {
  auto const fields = automaton.look_at_fields();
  return std::any_of(layers_.begin(), layers_.end(), [&](Layer const& layer) {
    bool const bytes = fields[layer.number]->element() == core::Element::uint8;
    return layer.type == Type::picture || (layer.type == Type::random && !bytes && !layer.between);
  });
}

void InitialState::fill(ca::Automaton& automaton) const {
  auto const fields = automaton.fields();
  for (auto const& layer : layers_)
    core::visit(*fields[layer.number], [&]<class T>(core::Field<T>& state) { fill(state, layer, automaton); });
}

}  // namespace tessera::run::automaton
