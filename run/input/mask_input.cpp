// SPDX-License-Identifier: Apache-2.0
#include "run/input/mask_input.hpp"

#include "core/error.hpp"
#include "core/grid/rows.hpp"
#include "io/files/together.hpp"
#include "io/reader.hpp"
#include "run/input/otsu.hpp"
#include "run/input/value_rows.hpp"
#include "run/input/within.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <limits>
#include <mutex>
#include <type_traits>
#include <utility>

namespace tessera::run {
namespace detail {

/// 1 where a value lies on the occupied side of the limit, 0 elsewhere, for NaN and outside the picture.
template <class T>
struct Threshold {
  core::FieldView<T const> value;
  core::FieldView<std::uint8_t> mask;
  core::TileInfo const* info;
  core::Box picture;
  double limit;
  bool dark, whole;  ///< the second: the picture is the grid
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    T const here = value(s, k, j, i);
    bool const counts = here == here && (whole || picture.contains(info[s].global(k, j, i)));
    mask(s, k, j, i) = counts && (static_cast<double>(here) < limit) == dark ? 1 : 0;
  }
};

/// Whether a value is that whole number.
template <class T>
bool is_phase(T value, std::int64_t phase) {
  if constexpr (std::is_integral_v<T>) return std::cmp_equal(value, phase);
  return static_cast<double>(value) == static_cast<double>(phase);
}

}  // namespace detail

/// On the host; nothing: all.
using Cells = std::optional<core::FieldView<std::uint8_t const>>;

/// What values a picture has.
struct MaskInput::Seen {
  double least = std::numeric_limits<double>::infinity(), most = -least;  ///< of the finite ones
  std::int64_t finite = 0, nan = 0;
  bool mask = true;  ///< none of the finite ones but 0 and 1

  void add(double value) {
    if (std::isnan(value)) {
      ++nan;
    } else if (std::isfinite(value)) {
      ++finite;
      least = std::min(least, value);
      most = std::max(most, value);
      mask = mask && (value == 0 || value == 1);
    }
  }
  void add(Seen const& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    finite += other.finite;
    nan += other.nan;
    mask = mask && other.mask;
  }
  bool several() const { return finite > 0 && least < most; }
  std::string range() const { return finite == 0 ? "none" : fmt::format("{} .. {}", least, most); }

  template <class T>
  void add(std::span<T const> values) {
    if constexpr (std::is_integral_v<T>) {
      T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::min();
      for (T const value : values) {  // a pass in vectors
        low = std::min(low, value);
        high = std::max(high, value);
      }
      if (!values.empty())
        add(Seen{static_cast<double>(low), static_cast<double>(high), static_cast<std::int64_t>(values.size()), 0,
                 static_cast<double>(low) >= 0 && high <= 1});
    } else {
      for (T const value : values) add(static_cast<double>(value));
    }
  }

  /// Of the cells of `box` where `within` is not 0, over all ranks. Collective.
  template <class T>
  static Seen in(core::Field<T> const& field, core::Box const& box, Cells const& within) {
    core::Layout const& layout = field.layout();
    std::vector<Seen> tiles(layout.tiles());
    core::for_each_tile_on_host("values", layout, [&, value = field.host()](int slot) {
      core::TileInfo const& tile = layout.info(slot);
      if (within) {
        core::for_cells(tile, box, [&](int k, int j, int i) {
          if ((*within)(slot, k, j, i) != 0) tiles[slot].add(std::span<T const>(&value(slot, k, j, i), 1));
        });
        return;
      }
      core::Box const part =
          core::shifted(core::intersect(box, layout.grid().tile_box(tile.tile)), {-tile.i0, -tile.j0, -tile.k0});
      for (auto k = part.lo.k; k < part.hi.k && !part.empty(); ++k)
        for (auto j = part.lo.j; j < part.hi.j; ++j)
          tiles[slot].add(std::span<T const>(value.row(slot, static_cast<int>(k), static_cast<int>(j)) + part.lo.i,
                                             static_cast<std::size_t>(part.hi.i - part.lo.i)));
    });
    Seen all;
    for (Seen const& tile : tiles) all.add(tile);
    core::Comm const& comm = layout.comm();
    std::vector<std::int64_t> counts{all.finite, all.nan};
    comm.sum(counts);
    return {comm.min(all.least), comm.max(all.most), counts[0], counts[1], !comm.any(!all.mask)};
  }
};

/// Where light begins, and in words, how that was found.
struct MaskInput::Limit {
  double level = 0;
  std::string how;
};

MaskInput::MaskInput(Session& session, core::Dictionary& input) : input_(&input), log_(&session.log) {
  name_ = input.get<std::string>("file");
  session.files.require_input(input, "file");
  file_ = session.files.input(name_);
  std::vector<std::string> ways;
  for (char const* key : {"threshold", "level", "phase", "phases"})
    if (input.contains(key)) ways.emplace_back(key);
  if (ways.size() > 1)
    input.fail_expected(ways[1],
                        fmt::format("no {} beside {}: one of threshold, level, phase, phases", ways[1], ways[0]));
  given_ = !ways.empty();
  if (input.contains("level")) {
    by_ = By::level;
    number_ = input.get<double>("level");
    if (!std::isfinite(number_)) input.fail_expected("level", "a number");
  } else if (input.contains("phase") || input.contains("phases")) {
    by_ = By::phases;
    if (input.contains("phase"))
      phases_ = {input.get<std::int64_t>("phase")};
    else
      phases_ = input.get<std::vector<std::int64_t>>("phases");
    if (phases_.empty()) input.fail_entry("phases", "is an empty list, expected whole numbers");
    std::sort(phases_.begin(), phases_.end());
    if (auto const twice = std::ranges::adjacent_find(phases_); twice != phases_.end())
      input.fail_entry("phases", fmt::format("holds {} twice", *twice));
    if (input.contains("occupied"))
      input.fail_expected("occupied",
                          fmt::format("no 'occupied' beside {}: the cells of the phases are occupied", ways[0]));
  } else if (given_ && input.words("threshold") == std::vector<std::string>{"otsu"}) {
    by_ = By::otsu;
  } else {
    number_ = input.get_in<double>("threshold", {0.0, 1.0}, 0.5);
  }
  if (by_ != By::phases) dark_ = input.get_choice("occupied", {"dark", "light"}, "dark") == "dark";

  io::on_root(session.comm, [&] {
    auto const source = io::open_rows(file_);
    cells = source->cells();
    placement = source->placement();
  });
  session.comm.broadcast(cells);
  session.comm.broadcast(placement);
  whole = cells;
  if (input.contains("box")) read_box();
}

void MaskInput::read_box() {
  auto const corners = input_->get<std::vector<std::vector<core::Count>>>("box");
  auto const all = fmt::format("({})", fmt::join(whole, " "));
  if (corners.size() != 2 || corners[0].size() != 3 || corners[1].size() != 3)
    input_->fail_expected("box", fmt::format("two corners in whole cells, such as ((0 0 0) {})", all));
  for (std::size_t a = 0; a < 3; ++a) {
    if (corners[0][a] < 0 || corners[1][a] <= corners[0][a] || corners[1][a] > whole[a])
      input_->fail_entry("box", fmt::format("reaches from {} to {} along {}; expected cells of {}, which has {}",
                                            corners[0][a], corners[1][a], "xyz"[a], name_, all));
    cells[a] = corners[1][a] - corners[0][a];
  }
  auto const index = [](std::vector<core::Count> const& c) { return core::Index{c[0], c[1], c[2]}; };
  box = core::Box{index(corners[0]), index(corners[1])};
  log_->line("{}: the cells ({}) to ({}) of {}", name_, fmt::join(corners[0], " "), fmt::join(corners[1], " "), all);
}

/// On the ranks that read.
std::unique_ptr<io::RowSource> MaskInput::open(core::Comm const& comm) const {
  if (!box) return io::open_rows(comm, file_);
  std::unique_ptr<io::RowSource> source;
  io::on_root(comm, [&] { source = io::cut(io::open_rows(file_), *box); });
  return source;
}

void MaskInput::load_values(core::Field<double>& values, core::Index at) const {
  auto const source = open(values.layout().comm());
  io::distribute(source.get(), values, at);
}

void MaskInput::for_each_value(core::Comm const& comm, std::function<void(double)> const& f) const {
  io::on_root(comm, [&] {
    auto const source = box ? io::cut(io::open_rows(file_), *box) : io::open_rows(file_);
    for_rows_of(*source, [&](auto values) {
      for (auto const value : values) f(static_cast<double>(value));
    });
  });
}

core::Report::Json MaskInput::load(core::Field<std::uint8_t>& mask, core::Index at,
                                   core::Field<std::uint8_t> const* within) const {
  core::Comm const& comm = mask.layout().comm();
  auto const source = open(comm);
  core::Element element{};
  io::StoredType type;
  if (comm.root()) {
    element = source->element();
    type = source->stored();
    if (auto const note = source->note(); !note.empty()) log_->line("{}: {}", name_, note);
  }
  comm.broadcast(element);
  comm.broadcast(type.name);
  comm.broadcast(type.range);
  auto const as = [&]<class T>(T) {
    core::Field<T> value("picture", mask.layout(), 0);
    return load_as(source.get(), type, value, mask, at, within);
  };
  switch (element) {
  case core::Element::uint8:
    mask.fill(0);
    return load_as(source.get(), type, mask, mask, at, within);
  case core::Element::int32:
    return as(std::int32_t{});
  case core::Element::int64:
    return as(std::int64_t{});
  case core::Element::float32:
    return as(float{});
  case core::Element::float64:
    break;
  }
  return as(double{});
}

/// Which values are occupied, and how that is told.
struct MaskInput::Found {
  double limit = 0;
  std::string chosen;
  core::Report::Json report;
};

/// `histogram(bins)`: how many values lie in each, collective.
template <class Histogram>
MaskInput::Found MaskInput::find(Seen const& seen, io::StoredType const& type, bool whole_numbers,
                                 Histogram const& histogram) const {
  Found found{0, {}, {{"file", name_}, {"type", type.name}, {"values", nullptr}}};
  if (seen.finite > 0) found.report["values"] = {seen.least, seen.most};
  if (by_ == By::phases) {
    found.chosen = fmt::format("occupied: {} {}", phases_.size() == 1 ? "phase" : "phases", fmt::join(phases_, " "));
    found.report["phases"] = phases_;
    return found;
  }
  Limit const limit = limit_of(seen, type, whole_numbers, histogram);
  found.limit = limit.level;
  found.chosen = fmt::format("occupied: {} {} ({})", dark_ ? "below" : "not below", limit.level, limit.how);
  found.report["occupied"] = dark_ ? "dark" : "light";
  found.report["level"] = limit.level;
  if (by_ == By::share) found.report["threshold"] = number_;
  if (by_ == By::otsu) found.report["threshold"] = "otsu";
  return found;
}

core::Report::Json MaskInput::tell(Found found, Seen const& seen, io::StoredType const& type, std::int64_t occupied,
                                   core::Count all) const {
  found.report["notANumber"] = seen.nan;
  log_->line("{}: {}, values {}; {}", name_, type.name, seen.range(), found.chosen);
  if (seen.nan > 0)
    log_->line("{}: {} cell{} not a number: not occupied", name_, seen.nan, seen.nan == 1 ? " is" : "s are");
  bool const one_side = occupied == 0 || occupied == all - seen.nan;
  if (!one_side || !seen.several()) return found.report;
  auto const sides =
      fmt::format("all cells lie on one side, {}, although the values are {}", found.chosen, seen.range());
  if (!given_)
    input_->fail_entry("file",
                       fmt::format("has the type {}: {}; expected a threshold, level or phase", type.name, sides));
  log_->line("Warning: {}: {}", name_, sides);
  return found.report;
}

/// `value` may be the mask itself.
template <class T>
core::Report::Json MaskInput::load_as(io::RowSource* source, io::StoredType const& type, core::Field<T>& value,
                                      core::Field<std::uint8_t>& mask, core::Index at,
                                      core::Field<std::uint8_t> const* within) const {
  core::Layout const& layout = mask.layout();
  core::Box const picture{at, at + core::Index{cells[0], cells[1], cells[2]}};
  io::distribute(source, value, at);
  Cells const counting = within != nullptr ? Cells(within->host()) : std::nullopt;
  Seen const seen = Seen::in(value, picture, counting);
  auto const found = find(seen, type, std::is_integral_v<T>, [&](Bins const& bins) {
    std::vector<std::int64_t> counts(bins.count);
    std::mutex adding;
    core::for_each_tile_on_host("histogram", layout, [&, from = std::as_const(value).host()](int slot) {
      std::vector<std::int64_t> here(bins.count);
      core::for_cells(layout.info(slot), picture, [&](int k, int j, int i) {
        if (!counting || (*counting)(slot, k, j, i) != 0)
          bins.count_one(static_cast<double>(from(slot, k, j, i)), here);
      });
      std::lock_guard const lock(adding);
      for (std::size_t b = 0; b < here.size(); ++b) counts[b] += here[b];
    });
    layout.comm().sum(counts);
    return counts;
  });
  if (by_ == By::phases) {
    auto const from = std::as_const(value).host();
    auto const to = mask.host();
    core::for_each_on_host("phases", layout, [&](int slot, int k, int j, int i) {
      T const here = from(slot, k, j, i);
      to(slot, k, j, i) = picture.contains(layout.info(slot).global(k, j, i)) &&
                          std::ranges::any_of(phases_, [&](std::int64_t p) { return detail::is_phase(here, p); });
    });
  } else {
    core::for_each("threshold", layout.all(),
                   detail::Threshold<T>{std::as_const(value).view(), mask.view(), layout.all().info.data(), picture,
                                        found.limit, dark_, picture == layout.grid().box()});
  }
  if (within != nullptr) keep_within(mask, *within);
  return tell(found, seen, type, occupied_in(mask, picture), within ? occupied_in(*within, picture) : picture.cells());
}

core::Report::Json MaskInput::load_rows(core::Field<std::uint8_t>& states, core::Index at) const {
  core::Comm const& comm = states.layout().comm();
  io::StoredType type;
  core::Element element{};
  Seen seen;
  auto const for_values = [&](auto const& f) {
    io::on_root(comm, [&] {
      auto const source = box ? io::cut(io::open_rows(file_), *box) : io::open_rows(file_);
      element = source->element();
      type = source->stored();
      for_rows_of(*source, f);
    });
  };
  for_values([&](auto values) { seen.add(values); });
  comm.broadcast(seen);
  comm.broadcast(element);
  comm.broadcast(type.name);
  comm.broadcast(type.range);
  bool const whole_numbers = element != core::Element::float32 && element != core::Element::float64;
  auto const found = find(seen, type, whole_numbers, [&](Bins const& bins) {
    std::vector<std::int64_t> counts(bins.count);
    for_values([&](auto values) {
      for (auto const value : values) bins.count_one(static_cast<double>(value), counts);
    });
    comm.broadcast(counts);
    return counts;
  });
  auto const is_occupied = [this, limit = found.limit](auto value) {
    if (by_ == By::phases)
      return std::ranges::any_of(phases_, [&](std::int64_t p) { return detail::is_phase(value, p); });
    return value == value && (static_cast<double>(value) < limit) == dark_;
  };
  auto source = open(comm);
  if (comm.root())
    if (auto const note = source->note(); !note.empty()) log_->line("{}: {}", name_, note);
  if (source) source = std::make_unique<MaskRows<decltype(is_occupied)>>(std::move(source), is_occupied);
  io::distribute(source.get(), states, at);
  core::Box const picture{at, at + core::Index{cells[0], cells[1], cells[2]}};
  return tell(found, seen, type, occupied_in(states, picture), picture.cells());
}

template <class Histogram>
MaskInput::Limit MaskInput::limit_of(Seen const& seen, io::StoredType const& type, bool whole_numbers,
                                     Histogram const& histogram) const {
  if (by_ == By::level) {
    // values are compared as doubles, which tell a smaller level from all whole numbers
    constexpr double exact = 0x1p53;
    if (whole_numbers && type.range && (*type.range)[1] > exact && std::abs(number_) >= exact)
      input_->fail_entry("level",
                         fmt::format("is {} for a file of the type {}, expected a number between -2^53 and 2^53",
                                     input_->words("level").front(), type.name));
    return {number_, "level"};
  }
  if (by_ == By::otsu) {
    if (!seen.several())
      input_->fail_entry(
          "threshold", fmt::format("is otsu, which needs two values or more; those of {} are {}", name_, seen.range()));
    Bins const bins = Bins::of(seen.least, seen.most, whole_numbers);
    return {otsu(bins, histogram(bins)), "otsu"};
  }
  if (seen.mask && seen.finite > 0) return {number_, fmt::format("threshold {} of 0 .. 1: a mask of 0 and 1", number_)};
  if (!type.range && !seen.several())
    input_->fail_entry(
        given_ ? "threshold" : "file",
        fmt::format("has no range to take a share of: the values of {} are {}; expected a level", name_, seen.range()));
  auto const [lo, hi] = type.range ? *type.range : std::array{seen.least, seen.most};
  // as lo + s (hi - lo), where that difference may be too large for a double
  double const level = lo == 0 ? number_ * hi : lo * (1 - number_) + hi * number_;
  return {level, fmt::format("threshold {} of {} .. {}{}", number_, lo, hi, type.range ? " of the type" : "")};
}

}  // namespace tessera::run
