// SPDX-License-Identifier: Apache-2.0
#include "io/foam/sources.hpp"

#include "core/exact_sum.hpp"
#include "io/foam/cell_selection.hpp"

#include <fmt/format.h>

namespace tessera::io::foam {
namespace {

/// A number, or `constant` and a number.
double read_constant(core::Dictionary const& dictionary, std::string_view key) {
  auto in = dictionary.stream(key);
  in.skip_dimensions();
  if (in.at_word() && in.peek().text == "constant") in.next();
  if (in.at_word()) in.fail_expected("a number or 'constant VALUE'; values that change in time are not supported");
  double const value = in.read<double>();
  in.end();
  return value;
}

/// The explicit and the implicit rate of `field`.
void read_rates(core::Dictionary const& source, std::string const& field, HeatSource& result) {
  bool const old = source.contains("injectionRateSuSp");
  char const* const key = old ? "injectionRateSuSp" : "sources";
  core::Dictionary const& rates = source.sub(key);
  result.where = rates.location(field);
  for (auto const& name : rates.keys())
    if (name != field)
      rates.fail(name, fmt::format("source for the field '{}', but the equation solved is that of '{}'", name, field));
  if (!rates.contains(field))
    source.fail(key, fmt::format("'{}' has no entry for the field '{}', expected '{} (Su Sp);'", key, field, field));
  if (core::Dictionary const* const parts = rates.is_dictionary(field) ? rates.find_sub(field) : nullptr) {
    char const* const first = old ? "Su" : "explicit";
    char const* const second = old ? "Sp" : "implicit";
    if (!parts->contains(first) && !parts->contains(second))
      rates.fail(field, fmt::format("entry '{}' has neither '{}' nor '{}'", field, first, second));
    if (parts->contains(first)) result.Su = read_constant(*parts, first);
    if (parts->contains(second)) result.Sp = read_constant(*parts, second);
    return;
  }
  auto const pair = rates.get<std::array<double, 2>>(field);
  result.Su = pair[0];
  result.Sp = pair[1];
}

/// Which cells, nullptr for all.
CellSets::Mask const* read_cells(core::Dictionary const& source, CellSets const& sets, HeatSource& result) {
  auto const mode = source.get<std::string>("selectionMode");
  if (mode != "all" && mode != "cellZone" && mode != "cellSet")
    source.fail("selectionMode", "selectionMode '" + mode + "' is not supported, supported: all cellZone cellSet");
  result.cells = mode;
  if (mode == "all") return nullptr;
  auto const name = source.get<std::string>(mode);
  result.cells += " " + name;
  return &find_mask(mode == "cellZone" ? sets.zones : sets.sets, name, mode, source, mode);
}

/// Number and volume of the cells, on all ranks.
void measure(core::Layout const& layout, CellSets::Mask const* mask, HeatSource& result) {
  core::Grid const& grid = layout.grid();
  core::FieldView<std::uint8_t const> const cell =
      mask != nullptr ? mask->host() : core::FieldView<std::uint8_t const>{};
  std::array<core::ExactSum, 1> volume;
  std::int64_t count = 0;
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    core::TileInfo const& t = layout.info(slot);
    for (int k = 0; k < t.nk; ++k)
      for (int j = 0; j < t.nj; ++j)
        for (int i = 0; i < t.ni; ++i) {
          if (mask != nullptr && cell(slot, k, j, i) == 0) continue;
          volume[0].add(grid.volume(t.global(k, j, i)));
          ++count;
        }
  }
  core::ExactSum::all_reduce(layout.comm(), volume);
  result.volume = volume[0].round();
  result.count = layout.comm().sum(count);
}

void add_to(core::Field<double>& field, CellSets::Mask const* mask, double value) {
  if (value == 0) return;
  auto const out = field.host();
  core::FieldView<std::uint8_t const> const cell =
      mask != nullptr ? mask->host() : core::FieldView<std::uint8_t const>{};
  for_each_cell_on_host(field.layout(), [&](int s, int k, int j, int i) {
    if (mask == nullptr || cell(s, k, j, i) != 0) out(s, k, j, i) += value;
  });
}

}  // namespace

std::vector<HeatSource> add_sources(core::Dictionary& options, std::string const& field, CellSets const& sets,
                                    core::Field<double>& Su, core::Field<double>& Sp) {
  std::vector<HeatSource> result;
  for (auto const& name : options.keys()) {
    core::Dictionary& option = options.sub(name);
    auto const type = option.get<std::string>("type");
    if (type != "scalarSemiImplicitSource" && type != "semiImplicitSource")
      option.fail("type", "source type '" + type + "' is not supported, supported: scalarSemiImplicitSource");
    if (!option.get_or<bool>("active", true)) {
      option.mark_read();
      continue;
    }
    HeatSource added;
    added.name = name;
    core::Dictionary* const coefficients = option.find_sub(type + "Coeffs");
    core::Dictionary& source = coefficients != nullptr ? *coefficients : option;
    for (char const* limit : {"timeStart", "duration"})
      if (source.contains(limit))
        source.fail(limit, fmt::format("entry '{}' is not supported: sources act during the whole run", limit));
    auto const mode = source.get_choice("volumeMode", {"specific", "absolute"});
    CellSets::Mask const* const mask = read_cells(source, sets, added);
    read_rates(source, field, added);
    measure(Su.layout(), mask, added);
    if (added.count == 0)
      source.fail("selectionMode", fmt::format("source '{}' has no cells: {} is empty", name, added.cells));
    if (mode == "absolute") {
      added.Su /= added.volume;
      added.Sp /= added.volume;
    }
    add_to(Su, mask, added.Su);
    add_to(Sp, mask, added.Sp);
    result.push_back(added);
  }
  options.check_all_read();
  return result;
}

}  // namespace tessera::io::foam
