// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/measure.hpp"

#include "core/grid/rows.hpp"

#include <array>

namespace tessera::run::automaton {
namespace detail {

template <class T>
struct Alive {
  core::FieldView<T const> state;
  KOKKOS_FUNCTION std::int64_t operator()(int s, int k, int j, int i) const { return state(s, k, j, i) != T(0); }
};

template <class T>
struct StateValue {
  core::FieldView<T const> state;
  KOKKOS_FUNCTION double operator()(int s, int k, int j, int i) const { return static_cast<double>(state(s, k, j, i)); }
};

}  // namespace detail

namespace {

template <class T>
double exact_sum(core::Field<T> const& field) {
  core::Layout const& layout = field.layout();
  std::vector<core::ExactSum> tiles(layout.tiles());
  core::for_each_on_host("sum", layout, [&, values = field.host()](int slot, int k, int j, int i) {
    tiles[slot].add(static_cast<double>(values(slot, k, j, i)));
  });
  std::array<core::ExactSum, 1> total;
  for (auto const& tile : tiles) total[0].add(tile);
  core::ExactSum::all_reduce(layout.comm(), total);
  return total[0].round();
}

}  // namespace

Measured measure(core::FieldBase const& field) {
  return core::visit(field, []<class T>(core::Field<T> const& f) {
    auto const [min, max] = core::extremes("extremes", f.layout(), detail::StateValue<T>{f.view()});
    return Measured{min, max, exact_sum(f) / static_cast<double>(f.layout().grid().total())};
  });
}

std::int64_t population(core::FieldBase const& field) {
  return core::visit(field, []<class T>(core::Field<T> const& f) {
    return core::count("population", f, [](core::FieldView<T const> const& view, core::TileInfo const*) {
      return detail::Alive<T>{view};
    });
  });
}

std::vector<std::int64_t> census(core::FieldBase const& field, std::int64_t states) {
  std::vector<std::int64_t> cells(256);
  core::RowReader rows(static_cast<core::Field<std::uint8_t> const&>(field));
  core::for_own_rows(field.layout(), [&](int slot, int k, int j) {
    auto const* const row = rows.row(slot, k, j);
    for (int i = 0; i < field.layout().info(slot).ni; ++i) ++cells[row[i]];
  });
  field.layout().comm().sum(cells);
  cells.resize(static_cast<std::size_t>(states));
  return cells;
}

}  // namespace tessera::run::automaton
