// SPDX-License-Identifier: Apache-2.0
#include "tools/mask_input.hpp"

#include "core/sweep.hpp"
#include "io/reader.hpp"
#include "io/together.hpp"

#include <vector>

namespace tessera::tools {
namespace detail {

struct Threshold {
  core::FieldView<double const> value;
  core::FieldView<std::uint8_t> mask;
  double limit;
  bool dark;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    mask(s, k, j, i) = (value(s, k, j, i) < limit) == dark ? 1 : 0;
  }
};
struct ThresholdBytes {
  core::FieldView<std::uint8_t> mask;
  double limit;
  bool dark;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    mask(s, k, j, i) = (mask(s, k, j, i) < limit) == dark ? 1 : 0;
  }
};

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
  std::unique_ptr<io::RowSource> source;
  std::int64_t bytes = 0;
  io::on_root(comm, [&] {
    source = io::open_rows(file);
    bytes = source->element() == core::Element::uint8;
  });
  core::Tiles const& all = mask.layout().all();
  if (comm.max(bytes) == 1) {
    mask.fill(dark ? 255 : 0);  // what the picture does not cover is not occupied
    io::distribute(source.get(), mask, at);
    core::for_each("threshold", all, detail::ThresholdBytes{mask.view(), 255 * threshold, dark});
  } else {
    core::Field<double> value("picture", mask.layout(), 0, dark ? 1e300 : -1e300);
    io::distribute(source.get(), value, at);
    core::for_each("threshold", all, detail::Threshold{std::as_const(value).view(), mask.view(), threshold, dark});
  }
}

}  // namespace tessera::tools
