// SPDX-License-Identifier: Apache-2.0
#include "io/foam/sources.hpp"

#include "core/case/error_list.hpp"
#include "core/case/topics.hpp"
#include "core/case/unsupported.hpp"
#include "core/grid/exact_sum.hpp"
#include "io/foam/cell_selection.hpp"
#include "io/foam/drawing.hpp"

#include <fmt/format.h>
#include <span>
#include <utility>

namespace tessera::io::foam {

core::Dictionary const& SourceEntry::by_field(char const* key, char const* expected) const {
  core::Dictionary const& rates = dictionary.sub(key);
  for (auto const& name : rates.keys())
    if (name != field)
      rates.fail(name, fmt::format("source for the field '{}', but the equation solved is that of '{}'", name, field));
  if (!rates.contains(field))
    dictionary.fail(
        key, fmt::format("'{}' has no entry for the field '{}', expected '{} {};'", key, field, field, expected));
  return rates;
}

namespace {

void read_times(core::Dictionary const& source, HeatSource& result) {
  if (source.contains("duration") && !source.contains("timeStart"))
    source.fail("duration",
                "entry 'duration' stands without timeStart, and would do nothing: expected both or neither");
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
  auto const& shapes = mode == "cellZone" ? sets.zone_shapes : sets.set_shapes;
  std::vector<Solid::Part> parts;
  auto const add = [&](std::string const& zone, CellSets::Mask const& mask) {
    auto const shape = shapes.find(zone);
    parts.push_back(shape == shapes.end() ? nullptr : shape->second);
    auto const to = joined.host();
    auto const from = mask.host();
    core::for_each_on_host("cells", layout,
                           [&](int s, int k, int j, int i) { to(s, k, j, i) |= from(s, k, j, i) != 0; });
  };
  for (auto const& token : tokens) {
    if (token.kind == core::Token::Kind::punctuation) continue;
    for (auto const& one : names_of(masks, token, mode, source, mode)) add(one, masks.at(one));
  }
  result.shape = united(parts);
  return sets.sets.insert_or_assign(mode + " " + name, std::move(joined)).first->second;
}

/// Which cells, nullptr for all.
CellSets::Mask const* read_cells(core::Dictionary const& source, CellSets& sets, core::Layout const& layout,
                                 HeatSource& result) {
  auto const mode = source.get<std::string>("selectionMode");
  if (mode != "all" && mode != "cellZone" && mode != "cellSet")
    source.fail("selectionMode", core::unsupported_name("selectionMode", mode, {"all", "cellZone", "cellSet"}));
  result.cells = mode;
  if (mode == "all") return sets.existing.get();
  auto& masks = mode == "cellZone" ? sets.zones : sets.sets;
  auto in = source.stream(mode);
  if (in.at('(') || in.peek().kind == core::Token::Kind::string) {
    if (!sets.complete) return nullptr;
    return &joined_mask(source, mode, masks, sets, layout, result);
  }
  auto const name = source.get<std::string>(mode);
  if (!sets.complete && !masks.contains(name)) return nullptr;
  result.cells += " " + name;
  auto const& shapes = mode == "cellZone" ? sets.zone_shapes : sets.set_shapes;
  if (auto const shape = shapes.find(name); shape != shapes.end()) result.shape = shape->second;
  return &find_mask(masks, name, mode, source, mode);
}

/// Cuts the cells at the surface of the region.
void cut_cells(core::Layout const& layout, HeatSource& source) {
  source.share = std::make_shared<core::Field<double>>(shares(source.shape, layout));
  source.cut_mask = std::make_shared<CellSets::Mask>(source.name, layout, 0, std::uint8_t{0});
  auto const share = std::as_const(*source.share).host();
  auto const cell = source.cut_mask->host();
  core::for_each_on_host("cut cells", layout,
                         [&](int s, int k, int j, int i) { cell(s, k, j, i) = share(s, k, j, i) > 0; });
  source.mask = source.cut_mask.get();
}

/// Number and volume of the cells, on all ranks, and how many of them sources before hold, where it holds them itself.
void measure(core::Layout const& layout, Mesh const* mesh, HeatSource& result, std::span<HeatSource const> before) {
  using View = core::FieldView<std::uint8_t const>;  // of a mask; without one: all cells
  auto const cells_of = [](HeatSource const& source) { return source.mask ? source.mask->host() : View{}; };
  auto const has = [](View const& cell, int slot, int k, int j, int i) {
    return cell.first == nullptr || cell(slot, k, j, i) != 0;
  };
  auto const share = result.share ? std::as_const(*result.share).host() : core::FieldView<double const>{};
  core::Grid const& grid = layout.grid();
  View const own = cells_of(result);
  std::vector<std::pair<std::string, View>> others;
  if (result.kind == HeatSource::Kind::held)
    for (HeatSource const& other : before)
      if (other.kind == HeatSource::Kind::held) others.emplace_back(other.name, cells_of(other));
  std::array<core::ExactSum, 1> volume;
  std::vector<std::int64_t> counts(1 + others.size());
  core::for_own_cells(layout, [&](int slot, int k, int j, int i) {
    if (!has(own, slot, k, j, i)) return;
    double const part = share.first ? share(slot, k, j, i) : 1;
    core::Index const x = layout.info(slot).global(k, j, i);
    volume[0].add(part * (mesh ? mesh->volume(x) : grid.volume(x)));
    ++counts[0];
    for (std::size_t n = 0; n < others.size(); ++n) counts[n + 1] += has(others[n].second, slot, k, j, i);
  });
  core::ExactSum::all_reduce(layout.comm(), volume);
  layout.comm().sum(std::span(counts));
  result.volume = volume[0].round();
  result.count = counts[0];
  for (std::size_t n = 0; n < others.size(); ++n)
    if (counts[n + 1] > 0) result.overruled[others[n].first] = counts[n + 1];
}

}  // namespace

std::vector<HeatSource> read_sources(core::Dictionary& options, std::string const& field, CellSets& sets,
                                     core::Layout const& layout, core::Dictionary::Reader const& reader, bool cut,
                                     Mesh const* mesh) {
  std::vector<HeatSource> result;
  for (auto const& name : options.keys())
    core::attempt([&] {
      if (!options.is_dictionary(name)) {  // a variable, which OpenFOAM passes over here
        options.mark_read(name);
        return;
      }
      core::Dictionary& option = options.sub(name);
      auto const type = option.get<std::string>("type");
      if (type.find("oded") != std::string::npos)
        option.fail("type", fmt::format("source type '{}' is code to be compiled, which is not run here: rates of a "
                                        "scalarSemiImplicitSource may be a table, polynomial or sine of time",
                                        type));
      if (!SourceTypes::contains(type))
        option.fail("type", core::unsupported_name("source type", type, SourceTypes::names()));
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
      auto const kind = SourceTypes::make(type);
      if (kind->holds_cells() && added.start > -std::numeric_limits<double>::infinity())
        source.fail("timeStart", "entry 'timeStart' is not supported: cells are held during the whole run");
      added.mask = read_cells(source, sets, layout, added);
      if (kind->holds_cells())
        for (HeatSource const& other : result)
          if (other.kind == HeatSource::Kind::held && other.cells == added.cells)
            source.fail("selectionMode", fmt::format("'{}' holds {}, as '{}' does: expected one temperature for them",
                                                     name, added.cells, other.name));
      SourceEntry const in(source, field, reader);
      bool const absolute = kind->is_absolute(in);
      kind->read(in, added);
      if (cut && added.shape && !kind->holds_cells()) cut_cells(layout, added);
      bool const counted = sets.complete && !layout.owners().empty();
      measure(layout, mesh, added, counted ? std::span<HeatSource const>(result) : std::span<HeatSource const>());
      if (counted && added.count == 0)
        source.fail("selectionMode", fmt::format("source '{}' has no cells: {} is empty", name, added.cells));
      if (absolute && counted) {
        added.Su = added.Su.scaled(1 / added.volume);
        added.Sp = added.Sp.scaled(1 / added.volume);
      }
      result.push_back(added);
    });
  options.check_all_read();
  return result;
}

double HeatSource::step_end(double time, double until) const {
  if (lies_behind(time, end)) return until;
  for (auto const* function : {&Su, &Sp, &value}) until = function->step_end(time, until);
  for (double const place : {just_before(start, time), end})
    if (lies_behind(place, time)) until = std::min(until, place);
  return until;
}

// ---- tessera help

/// Texts that are there before any file of source_types/ tells of its own.
static constexpr char const* where = R"(In system/fvOptions or constant/fvOptions, of the equation for T:
NAME
{
    type            %TYPE%;
    active          yes;
    selectionMode   all | cellZone | cellSet;   cellZone ZONE;   cellSet SET;      made by system/topoSetDict
)";
static constexpr char const* when =
    "    timeStart       -1; duration SECONDS;       from timeStart on for so long; below 0: always\n";
static constexpr char const* values = R"(VALUE: a number, or a function of time, such as a load curve over a day:
    KEY table ((0 100) (28800 300) (64800 100));
    KEY { type table; values ((0 100) (28800 300) (86400 100)); outOfBounds repeat; }
`tessera list values` shows all of them.)";

bool tell_source(std::string const& name, std::string const& doc, std::string const& keys, bool holds_cells) {
  std::string text = where;
  return core::add_topic("sources", name, doc,
                         text.replace(text.find("%TYPE%"), 6, name) + (holds_cells ? "" : when) + keys + "}\n" +
                             values);
}

}  // namespace tessera::io::foam
