// SPDX-License-Identifier: Apache-2.0
#include "io/foam/cell_sets.hpp"

#include "core/case/error_list.hpp"
#include "core/case/unsupported.hpp"
#include "io/foam/cell_selection.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace tessera::io::foam {
namespace {

using Masks = std::map<std::string, CellSets::Mask, std::less<>>;
using Shapes = std::map<std::string, Solid::Part, std::less<>>;

Solid::Part find_shape(Shapes const& shapes, std::string const& name) {
  auto const place = shapes.find(name);
  return place == shapes.end() ? nullptr : place->second;
}

/// Throws unless `value` is one of those supported.
void check_supported(core::Dictionary const& dictionary, std::string_view key, std::string const& value,
                     std::vector<std::string> const& supported) {
  if (std::find(supported.begin(), supported.end(), value) == supported.end())
    dictionary.fail(key, core::unsupported_name(key, value, supported));
}

/// One action of topoSetDict.
struct Action {
  core::Dictionary const* dictionary;
  std::string name, type, action;

  explicit Action(core::Dictionary const& d)
      : dictionary(&d),
        name(d.get<std::string>("name")),
        type(d.get<std::string>("type")),
        action(d.get<std::string>("action")) {
    check_supported(d, "type", type, {"cellSet", "cellZoneSet"});
    check_supported(d, "action", action, {"new", "add", "subtract", "delete", "subset", "invert", "clear", "remove"});
    if (action == "delete") action = "subtract";
  }

  bool needs_source() const { return action == "new" || action == "add" || action == "subtract" || action == "subset"; }
  CellSelection selection(core::Layout const& layout, CellSets const& sets, SourceContext const& context,
                          CellSets::Mask const* current = nullptr) const {
    auto const source = dictionary->get<std::string>("source");
    if (type == "cellSet" && source == "setToCellZone")
      dictionary->fail("source", "source 'setToCellZone' makes a cellZoneSet, not a cellSet");
    core::Dictionary const* const info = dictionary->find_sub("sourceInfo");
    return CellSelection({source, info != nullptr ? *info : *dictionary, dictionary->location("source"), sets, context,
                          current, action != "subtract"},
                         layout);
  }
};

/// The region of a set after an action upon it; `source` is that of the action.
void reshape(Shapes& shapes, Action const& action, Solid::Part const& source) {
  auto const before = find_shape(shapes, action.name);
  auto after = std::make_shared<Solid>();
  bool known = source || !action.needs_source();
  if (action.action == "new") {
    if (source) after->take(Solid::Step::add, source);
  } else if (action.action != "clear") {
    known = known && before;
    if (before) after->take(Solid::Step::add, before);
    after->take(action.action == "add"        ? Solid::Step::add
                : action.action == "subtract" ? Solid::Step::subtract
                : action.action == "subset"   ? Solid::Step::subset
                                              : Solid::Step::invert,
                source);
  }
  if (known)
    shapes[action.name] = after;
  else
    shapes.erase(action.name);
}

void apply(Action const& action, core::Layout const& layout, CellSets& sets, SourceContext const& context) {
  Masks& masks = action.type == "cellSet" ? sets.sets : sets.zones;
  Shapes& shapes = action.type == "cellSet" ? sets.set_shapes : sets.zone_shapes;
  auto const empty = [&] { return CellSets::Mask(action.name, layout, 0, std::uint8_t{0}); };
  if (action.action == "new" || action.action == "subset") {
    // chosen before the old set of this name goes: the source may read it
    auto const chosen = action.selection(layout, sets, context);
    CellSets::Mask next = empty();
    auto const out = next.host();
    if (action.action == "new") {
      chosen.for_each(layout, [&](int s, int k, int j, int i) { out(s, k, j, i) = 1; });
    } else {
      auto const old = std::as_const(find_mask(masks, action.name, action.type, *action.dictionary, "name")).host();
      chosen.for_each(layout, [&](int s, int k, int j, int i) { out(s, k, j, i) = old(s, k, j, i); });
    }
    masks.insert_or_assign(action.name, std::move(next));
    reshape(shapes, action, chosen.shape());
    return;
  }
  if (action.action == "clear") {
    masks.insert_or_assign(action.name, empty());
    reshape(shapes, action, nullptr);
    return;
  }
  find_mask(masks, action.name, action.type, *action.dictionary, "name");
  if (action.action == "remove") {
    masks.erase(masks.find(action.name));
    shapes.erase(action.name);
    return;
  }
  if (action.action == "invert") {
    auto const cell = masks.find(action.name)->second.host();
    core::for_each_on_host("cells", layout,
                           [&](int s, int k, int j, int i) { cell(s, k, j, i) = cell(s, k, j, i) == 0; });
    reshape(shapes, action, nullptr);
    return;
  }
  auto const chosen = action.selection(layout, sets, context, &masks.find(action.name)->second);
  auto const cell = masks.find(action.name)->second.host();
  std::uint8_t const value = action.action == "add" ? 1 : 0;
  chosen.for_each(layout, [&](int s, int k, int j, int i) { cell(s, k, j, i) = value; });
  reshape(shapes, action, chosen.shape());
}

using Fields = std::map<std::string, core::Field<double>*>;

struct FieldValue {
  core::Field<double>* field;
  double value;
};

/// ( volScalarFieldValue NAME v ... )
std::vector<FieldValue> read_values(core::Dictionary const& dictionary, std::string_view key, Fields const& fields) {
  auto in = dictionary.stream(key);
  std::vector<FieldValue> values;
  in.expect('(');
  while (!in.accept(')')) {
    if (!in.at_word()) in.fail_expected("volScalarFieldValue NAME VALUE");
    if (in.peek().text != "volScalarFieldValue")
      in.fail(fmt::format("has values of type '{}', which is not supported, supported: volScalarFieldValue",
                          in.peek().text));
    in.next();
    auto const name = in.read<std::string>();
    auto const place = fields.find(name);
    if (place == fields.end()) {
      std::vector<std::string> known;
      for (auto const& field : fields) known.push_back(field.first);
      in.fail("sets an " + core::unknown_name("field", name, known));
    }
    values.push_back({place->second, in.read<double>()});
  }
  in.end();
  return values;
}

}  // namespace

std::vector<std::string> names_of(Masks const& masks, core::Token const& name, std::string_view kind,
                                  core::Dictionary const& dictionary, std::string_view key) {
  std::vector<std::string> result;
  if (name.kind == core::Token::Kind::string) {
    // the dictionary knows how OpenFOAM's patterns match
    auto const pattern = core::Dictionary::parse("\"" + name.text + "\" 1;", dictionary.location(key));
    for (auto const& [other, mask] : masks)
      if (pattern.contains(other)) result.push_back(other);
  }
  if (result.empty()) {
    find_mask(masks, name.text, kind, dictionary, key);
    result.push_back(name.text);
  }
  return result;
}

CellSets::Mask const& find_mask(Masks const& masks, std::string const& name, std::string_view kind,
                                core::Dictionary const& dictionary, std::string_view key) {
  auto const place = masks.find(name);
  if (place != masks.end()) return place->second;
  std::vector<std::string> known;
  for (auto const& mask : masks) known.push_back(mask.first);
  dictionary.fail(key, known.empty() ? fmt::format("there is no {} '{}', nor any other; make it first", kind, name)
                                     : core::unknown_name(kind, name, known));
}

CellSelection::CellSelection(CellSource const& source, core::Layout const& layout) {
  if (source.context.mesh) wedge_ = source.context.mesh->wedge;
  core::Dictionary const& dictionary = source.dictionary;
  auto const take = [&](Masks const& masks, std::string const& name, std::string_view kind, char const* key) {
    core::rely_on(source.sets.complete || masks.contains(name));
    masks_.push_back(&find_mask(masks, name, kind, dictionary, key));
    shapes_.push_back(find_shape(&masks == &source.sets.sets ? source.sets.set_shapes : source.sets.zone_shapes, name));
  };
  auto const is_in = [&](std::vector<std::string> const& names) {
    return std::find(names.begin(), names.end(), source.name) != names.end();
  };
  if (source.name == "cellToCell" || source.name == "setToCellZone") {
    bool const many = !dictionary.contains("set") && dictionary.contains("sets");
    for (auto const& name :
         many ? dictionary.get<std::vector<std::string>>("sets") : std::vector{dictionary.get<std::string>("set")})
      take(source.sets.sets, name, "cellSet", many ? "sets" : "set");
  } else if (source.name == "zoneToCell") {
    // older files say `name` in sourceInfo; beside an action that key is the set's own name
    bool const many = !dictionary.contains("zone") && dictionary.contains("zones");
    bool const old = !dictionary.contains("zone") && !many && !dictionary.contains("action");
    char const* const key = many ? "zones" : old ? "name" : "zone";
    std::size_t count = 1;
    if (many)
      count = dictionary.get<std::vector<std::string>>(key).size();
    else
      dictionary.get<std::string>(key);
    auto tokens = dictionary.tokens(key);
    std::erase_if(tokens, [](core::Token const& token) { return token.kind == core::Token::Kind::punctuation; });
    for (auto const& token : std::span(tokens).last(count)) {
      auto const& zones = source.sets.zones;
      core::rely_on(source.sets.complete || (token.kind != core::Token::Kind::string && zones.contains(token.text)));
      for (auto const& name : names_of(zones, token, "cellZone", dictionary, key)) take(zones, name, "cellZone", key);
    }
  } else if (is_in(shape_names())) {
    shape_ = make_shape(source.name, dictionary);
  } else if (is_in(mesh_source_names())) {
    made_ = std::make_unique<CellSets::Mask>(cells_of_mesh_source(source, layout));
    masks_.push_back(made_.get());
    shapes_.push_back(nullptr);
  } else {
    auto supported = shape_names();
    for (auto const& name : mesh_source_names()) supported.push_back(name);
    for (char const* name : {"cellToCell", "zoneToCell"}) supported.emplace_back(name);
    throw core::Error(source.where + ": " + core::unsupported_name("source", source.name, supported));
  }
}

CellSets block_zones(Mesh const& mesh, core::Layout const& layout) {
  CellSets sets;
  if (!mesh.absent.empty()) {
    sets.existing = std::make_shared<CellSets::Mask>("existing", layout, 0, std::uint8_t{1});
    auto const cell = sets.existing->host();
    for (auto const& box : mesh.absent)
      core::for_own_cells(layout, box, [&](int s, int k, int j, int i) { cell(s, k, j, i) = 0; });
  }
  constexpr std::size_t most_shapes = 64;  // that a cell at a surface is compared with
  std::map<std::string, std::size_t> boxes;
  for (auto const& [name, box] : mesh.zones) {
    auto const zone = sets.zones.try_emplace(name, name, layout, 0, std::uint8_t{0}).first->second.host();
    core::for_own_cells(layout, box, [&](int s, int k, int j, int i) { zone(s, k, j, i) = 1; });
    if (box.empty()) continue;
    if (++boxes[name] > most_shapes) {
      sets.zone_shapes.erase(name);
      continue;
    }
    auto const low = cell_corners(mesh.grid, box.lo)[0];
    auto const high = cell_corners(mesh.grid, {box.hi.i - 1, box.hi.j - 1, box.hi.k - 1})[1];
    auto& shape = sets.zone_shapes[name];
    auto const added = Solid::Part(make_box(low, high));
    shape = shape ? united({shape, added}) : added;
  }
  return sets;
}

bool asks_for_fields(core::Dictionary const& topo_set) {
  for (auto const& item : topo_set.items("actions"))
    if (item.dictionary != nullptr && item.dictionary->get_or<std::string>("source", "") == "fieldToCell") return true;
  return false;
}

bool asks_for_sets(core::Dictionary const& set_fields) {
  for (auto const& item : set_fields.items("regions"))
    if (item.name == "cellToCell" || item.name == "zoneToCell") return true;
  return false;
}

CellSets topo_set(core::Dictionary& dictionary, core::Layout const& layout, CellSets sets,
                  SourceContext const& context) {
  auto const carry_out = [&](core::Dictionary::Item const& item) {
    if (item.dictionary == nullptr)
      dictionary.fail_expected("actions", "a list of actions ({ name ...; type ...; action ...; ... } ...)");
    Action const action(*item.dictionary);
    auto const& masks = action.type == "cellSet" ? sets.sets : sets.zones;
    core::rely_on(sets.complete || action.action == "new" || masks.contains(action.name));
    apply(action, layout, sets, context);
    // OpenFOAM's own examples leave the source of a clear or an invert in place
    if (!action.needs_source()) item.dictionary->mark_read();
  };
  for (auto const& item : dictionary.items("actions"))
    if (!core::attempt([&] { carry_out(item); })) sets.complete = false;
  dictionary.check_all_read();
  return sets;
}

std::set<std::string> set_fields(core::Dictionary& dictionary, Fields const& fields, CellSets const& sets,
                                 SourceContext const& context) {
  std::set<std::string> names;
  if (dictionary.contains("defaultFieldValues"))
    for (auto const& [field, value] : read_values(dictionary, "defaultFieldValues", fields)) {
      field->fill(value);
      names.insert(field->name());
      if (context.drawn)
        context.drawn({field->name(), value, true, nullptr, dictionary.location("defaultFieldValues")});
    }
  for (auto const& item : dictionary.items("regions"))
    core::attempt([&] {
      if (item.dictionary == nullptr || item.name.empty())
        dictionary.fail_expected("regions", "a list of sources (cylinderToCell { ...; fieldValues (...); } ...)");
      if (fields.empty()) return;
      CellSelection const cells(
          {item.name, *item.dictionary, fmt::format("{}:{}", dictionary.name(), item.line), sets, context},
          fields.begin()->second->layout());
      for (auto const& [field, value] : read_values(*item.dictionary, "fieldValues", fields)) {
        auto const cell = field->host();
        cells.for_each(field->layout(), [&cell, v = value](int s, int k, int j, int i) { cell(s, k, j, i) = v; });
        names.insert(field->name());
        if (context.drawn)
          context.drawn({field->name(), value, false, cells.shape(), item.dictionary->location("fieldValues")});
      }
    });
  dictionary.check_all_read();
  return names;
}

}  // namespace tessera::io::foam
