// SPDX-License-Identifier: Apache-2.0
#include "tools/mask_input.hpp"

#include "core/sweep.hpp"
#include "io/reader.hpp"
#include "io/together.hpp"

#include <type_traits>
#include <vector>

namespace tessera::tools {
namespace detail {

/// 1 where a value lies on the occupied side of the limit, 0 elsewhere and outside the picture.
template <class T>
struct Threshold {
  core::FieldView<T const> value;
  core::FieldView<std::uint8_t> mask;
  core::TileInfo const* info;
  core::Box picture;
  double limit;
  bool dark;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    bool const inside = picture.contains(info[s].global(k, j, i));
    mask(s, k, j, i) = inside && (value(s, k, j, i) < limit) == dark ? 1 : 0;
  }
};
template <class T>
struct Value {
  core::FieldView<T const> value;
  KOKKOS_FUNCTION double operator()(int s, int k, int j, int i) const { return value(s, k, j, i); }
};

/// `value` may be the mask itself. Collective.
template <class T>
void apply_threshold(core::Field<T> const& value, core::Field<std::uint8_t>& mask, core::Box const& picture,
                     MaskInput const& input) {
  core::Layout const& layout = mask.layout();
  double const found = core::max("largest", layout, Value<T>{value.view()});
  double const largest = std::is_same_v<T, std::uint8_t> ? (found > 1 ? 255 : 1) : (found > 0 ? found : 1);
  core::for_each("threshold", layout.all(),
                 Threshold<T>{value.view(), mask.view(), layout.all().info.data(), picture, input.threshold * largest,
                              input.dark});
}

}  // namespace detail

MaskInput::MaskInput(Session& session, core::Dictionary& input) {
  file = session.files.path(input.get<std::string>("file"));
  threshold = input.get_in<double>("threshold", 0.0, 1.0, 0.5);
  dark = input.get_choice("occupied", {"dark", "light"}, "dark") == "dark";
  std::vector<std::int64_t> size(3);
  io::on_root(session.comm, [&] {
    auto const shape = io::open_rows(file)->cells();
    size.assign(shape.begin(), shape.end());
  });
  session.comm.sum(size);
  for (std::size_t a = 0; a < 3; ++a) cells[a] = size[a];
}

void MaskInput::load(core::Field<std::uint8_t>& mask, core::Index at) const {
  core::Comm const& comm = mask.layout().comm();
  auto const source = io::open_rows(comm, file);
  std::int64_t const bytes = comm.root() && source->element() == core::Element::uint8;
  core::Box const picture{at, at + core::Index{cells[0], cells[1], cells[2]}};
  if (comm.max(bytes) == 1) {
    mask.fill(0);
    io::distribute(source.get(), mask, at);
    detail::apply_threshold(mask, mask, picture, *this);
  } else {
    core::Field<double> value("picture", mask.layout(), 0);
    io::distribute(source.get(), value, at);
    detail::apply_threshold(value, mask, picture, *this);
  }
}

}  // namespace tessera::tools
