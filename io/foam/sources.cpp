// SPDX-License-Identifier: Apache-2.0
#include "io/foam/sources.hpp"

#include "core/error_list.hpp"
#include "core/exact_sum.hpp"
#include "core/topics.hpp"
#include "core/unsupported.hpp"
#include "io/foam/cell_selection.hpp"

#include <fmt/format.h>

namespace tessera::io::foam {
namespace {

/// Reads entries of one source, with the reader of table files.
struct Reading {
  core::Dictionary const& source;
  core::Dictionary::Reader const& reader;
  std::string const& field;

  Function1 function(core::Dictionary const& dictionary, std::string_view key) const {
    return Function1::read(dictionary, key, reader);
  }

  /// The dictionary `key` of values by field names; other fields than the one that is solved are refused.
  core::Dictionary const& by_field(char const* key, char const* expected) const {
    core::Dictionary const& rates = source.sub(key);
    for (auto const& name : rates.keys())
      if (name != field)
        rates.fail(name,
                   fmt::format("source for the field '{}', but the equation solved is that of '{}'", name, field));
    if (!rates.contains(field))
      source.fail(key,
                  fmt::format("'{}' has no entry for the field '{}', expected '{} {};'", key, field, field, expected));
    return rates;
  }
};

/// The explicit and the implicit rate of the field.
void read_rates(Reading const& in, HeatSource& result) {
  bool const old = in.source.contains("injectionRateSuSp");
  core::Dictionary const& rates = in.by_field(old ? "injectionRateSuSp" : "sources", "(Su Sp)");
  result.where = rates.location(in.field);
  if (core::Dictionary const* const parts = rates.is_dictionary(in.field) ? rates.find_sub(in.field) : nullptr) {
    char const* const first = old ? "Su" : "explicit";
    char const* const second = old ? "Sp" : "implicit";
    if (!parts->contains(first) && !parts->contains(second))
      rates.fail(in.field, fmt::format("entry '{}' has neither '{}' nor '{}'", in.field, first, second));
    // as later versions write it: explicit Su; implicit none;
    for (auto const& [key, rate] : {std::pair{first, &result.Su}, {second, &result.Sp}})
      if (parts->contains(key) && (parts->is_dictionary(key) || parts->words(key) != std::vector<std::string>{"none"}))
        *rate = in.function(*parts, key);
    return;
  }
  auto const pair = rates.get<std::array<double, 2>>(in.field);
  result.Su = pair[0];
  result.Sp = pair[1];
}

/// q20 (1 + alpha (T - Tref)) = q20 (1 - alpha Tref) + q20 alpha T
void read_losses(Reading const& in, HeatSource& result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  result.kind = HeatSource::Kind::losses;
  result.where = in.source.location("q20");
  Function1 const q20 = in.function(in.source, "q20");
  double const alpha = in.source.get_in<double>("alpha", -1, 1);
  double const reference = in.source.get_in<double>("Tref", 0, infinity, 293.15);
  result.Su = q20.scaled(1 - alpha * reference);
  result.Sp = q20.scaled(alpha);
}

void read_held(Reading const& in, std::string const& type, HeatSource& result) {
  result.kind = HeatSource::Kind::held;
  if (type == "scalarFixedValueConstraint") {
    core::Dictionary const& values = in.by_field("fieldValues", "VALUE");
    result.where = values.location(in.field);
    result.value = in.function(values, in.field);
  } else {
    result.where = in.source.location("temperature");
    in.source.get_choice("mode", {"uniform"});
    result.value = in.function(in.source, "temperature");
  }
}

void read_times(core::Dictionary const& source, HeatSource& result) {
  double const start = source.get_or<double>("timeStart", -1);
  if (start < 0) {
    if (source.contains("duration")) source.mark_read("duration");
    return;
  }
  result.start = start;
  result.end = start + source.get_positive<double>("duration");
}

/// Cells of any of the zones or sets that a list of names and regular expressions (those in quotes) stands for.
CellSets::Mask const& joined_mask(core::Dictionary const& source, std::string const& mode, auto const& masks,
                                  CellSets& sets, core::Layout const& layout, HeatSource& result) {
  auto tokens = source.tokens(mode);
  std::string name;
  for (auto const& token : tokens)
    name += (name.empty() || name.back() == '(' || token.is(')') ? "" : " ") + token.text;
  result.cells += " " + name;
  CellSets::Mask joined(name, layout, 0, std::uint8_t{0});
  auto const add = [&](CellSets::Mask const& mask) {
    auto const to = joined.host();
    auto const from = mask.host();
    for_each_cell_on_host(layout, [&](int s, int k, int j, int i) { to(s, k, j, i) |= from(s, k, j, i) != 0; });
  };
  for (auto const& token : tokens) {
    if (token.kind == core::Token::Kind::punctuation) continue;
    if (token.kind != core::Token::Kind::string) {
      add(find_mask(masks, token.text, mode, source, mode));
      continue;
    }
    // the dictionary knows how OpenFOAM's patterns match
    auto const pattern = core::Dictionary::parse("\"" + token.text + "\" 1;", source.location(mode));
    bool found = false;
    for (auto const& [other, mask] : masks)
      if (pattern.contains(other)) {
        add(mask);
        found = true;
      }
    if (!found) {
      std::vector<std::string> names;
      for (auto const& [other, mask] : masks) names.push_back(other);
      source.fail(mode, core::unknown_name(mode, token.text, names));
    }
  }
  return sets.sets.insert_or_assign(mode + " " + name, std::move(joined)).first->second;
}

/// Which cells, nullptr for all.
CellSets::Mask const* read_cells(core::Dictionary const& source, CellSets& sets, core::Layout const& layout,
                                 HeatSource& result) {
  auto const mode = source.get<std::string>("selectionMode");
  if (mode != "all" && mode != "cellZone" && mode != "cellSet")
    source.fail("selectionMode", core::unsupported_name("selectionMode", mode, {"all", "cellZone", "cellSet"}));
  result.cells = mode;
  if (mode == "all") return nullptr;
  auto& masks = mode == "cellZone" ? sets.zones : sets.sets;
  auto in = source.stream(mode);
  if (in.at('(') || in.peek().kind == core::Token::Kind::string) {
    if (!sets.complete) return nullptr;
    return &joined_mask(source, mode, masks, sets, layout, result);
  }
  auto const name = source.get<std::string>(mode);
  if (!sets.complete && !masks.contains(name)) return nullptr;
  result.cells += " " + name;
  return &find_mask(masks, name, mode, source, mode);
}

/// Number and volume of the cells, on all ranks.
void measure(core::Layout const& layout, HeatSource& result) {
  CellSets::Mask const* const mask = result.mask;
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

}  // namespace

std::vector<HeatSource> read_sources(core::Dictionary& options, std::string const& field, CellSets& sets,
                                     core::Layout const& layout, core::Dictionary::Reader const& reader) {
  std::vector<HeatSource> result;
  for (auto const& name : options.keys())
    core::attempt([&] {
      if (!options.is_dictionary(name)) {  // a variable, which OpenFOAM passes over here
        options.mark_read(name);
        return;
      }
      core::Dictionary& option = options.sub(name);
      auto const type = option.get<std::string>("type");
      bool const rates = type == "scalarSemiImplicitSource" || type == "semiImplicitSource";
      bool const held = type == "fixedTemperatureConstraint" || type == "scalarFixedValueConstraint";
      if (type.find("oded") != std::string::npos)
        option.fail("type", fmt::format("source type '{}' is code to be compiled, which is not run here: rates of a "
                                        "scalarSemiImplicitSource may be a table, polynomial or sine of time",
                                        type));
      if (!rates && !held && type != "conductorLosses")
        option.fail("type", core::unsupported_name("source type", type,
                                                   {"scalarSemiImplicitSource", "fixedTemperatureConstraint",
                                                    "scalarFixedValueConstraint", "conductorLosses"}));
      if (!option.get_or<bool>("active", true)) {
        option.mark_read();
        return;
      }
      HeatSource added;
      added.name = name;
      core::Dictionary* const coefficients = option.find_sub(type + "Coeffs");
      core::Dictionary& source = coefficients != nullptr ? *coefficients : option;
      for (char const* key : {"selectionMode", "cellZone", "cellSet", "timeStart", "duration", "volumeMode"})
        if (coefficients != nullptr && option.contains(key))
          option.fail(
              key, fmt::format("entry '{}' stands beside {}Coeffs, where OpenFOAM does not read it: expected it within",
                               key, type));
      read_times(source, added);
      if (held && added.start > -std::numeric_limits<double>::infinity())
        source.fail("timeStart", "entry 'timeStart' is not supported: cells are held during the whole run");
      added.mask = read_cells(source, sets, layout, added);
      Reading const in{source, reader, field};
      auto const mode = rates ? source.get_choice("volumeMode", {"specific", "absolute"}) : "specific";
      if (rates) read_rates(in, added);
      if (held) read_held(in, type, added);
      if (type == "conductorLosses") read_losses(in, added);
      measure(layout, added);
      bool const counted = sets.complete && !layout.owners().empty();
      if (counted && added.count == 0)
        source.fail("selectionMode", fmt::format("source '{}' has no cells: {} is empty", name, added.cells));
      if (mode == "absolute" && counted) {
        added.Su = added.Su.scaled(1 / added.volume);
        added.Sp = added.Sp.scaled(1 / added.volume);
      }
      result.push_back(added);
    });
  options.check_all_read();
  return result;
}

// ---- tessera help

static std::string const where = R"(In system/fvOptions or constant/fvOptions, of the equation for T:
NAME
{
    type            %TYPE%;
    active          yes;
    selectionMode   all | cellZone | cellSet;   cellZone ZONE;   cellSet SET;      made by system/topoSetDict
    timeStart       -1; duration SECONDS;       from timeStart on for so long; below 0: always
)";
static std::string const values = R"(VALUE: a number, or a function of time, such as a load curve over a day:
    KEY table ((0 100) (28800 300) (64800 100));
    KEY { type table; values ((0 100) (28800 300) (86400 100)); outOfBounds repeat; }
`tessera list values` shows all of them.)";

static std::string help_of(std::string type, std::string const& keys) {
  std::string text = where;
  return text.replace(text.find("%TYPE%"), 6, type) + keys + "}\n" + values;
}

[[maybe_unused]] static bool const told = [] {
  constexpr char const* kind = "sources";
  std::string const rates = R"(    volumeMode      specific | absolute;        a cubic metre | all cells together
    sources         { T { explicit VALUE; implicit VALUE; } }      the rate is explicit + implicit T; either may be left out
       or           { T (Su Sp); }                                 two numbers
       or           injectionRateSuSp { T { Su VALUE; Sp VALUE; } }  |  { T (Su Sp); }      as in older versions
                                                [W/m3] and [W/(m3 K)] in heatConduction, [K/s] and [1/s] in laplacianFoam
)";
  return core::add_topic(kind, "scalarSemiImplicitSource", "heat Su + Sp T in a zone, constant or over time",
                         help_of("scalarSemiImplicitSource", rates)) &&
         core::add_topic(kind, "semiImplicitSource", "older name of scalarSemiImplicitSource",
                         help_of("semiImplicitSource", rates)) &&
         core::add_topic(
             kind, "conductorLosses", "losses q20 (1 + alpha (T - Tref)) of a conductor, iterated with T",
             help_of("conductorLosses", R"(    q20             VALUE;                      losses at Tref [W/m3]
    alpha           3.93e-3;                    [1/K]
    Tref            293.15;                     [K]
)")) &&
         core::add_topic(kind, "fixedTemperatureConstraint", "cells held at a temperature",
                         help_of("fixedTemperatureConstraint", R"(    mode            uniform;
    temperature     VALUE;                      [K]
)")) &&
         core::add_topic(
             kind, "scalarFixedValueConstraint", "cells held at a value",
             help_of("scalarFixedValueConstraint", "    fieldValues     { T VALUE; }                [K]\n"));
}();

}  // namespace tessera::io::foam
