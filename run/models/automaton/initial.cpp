// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/initial.hpp"

#include "core/error.hpp"
#include "io/files/together.hpp"
#include "io/foam/mesh.hpp"
#include "io/reader.hpp"
#include "io/snapshot.hpp"
#include "run/models/automaton/checked_rows.hpp"
#include "run/models/automaton/plane_snapshots.hpp"
#include "run/models/automaton/rule_file.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>

namespace tessera::run::automaton {
namespace {

std::string sizes(core::Grid::Shape const& n) { return fmt::format("{} x {} x {}", n[0], n[1], n[2]); }

}  // namespace

InitialState::InitialState(Session& session, core::Dictionary& properties) : session_(session) {
  auto* const one = properties.is_dictionary("initial") ? &properties.sub("initial") : nullptr;
  if (one != nullptr && !one->contains("type") && !one->keys().empty())
    for (auto const& field : one->keys()) read_starts(*one, field, field);
  else
    read_starts(properties, "initial", "");
  choose_rule(properties);
}

void InitialState::read_starts(core::Dictionary& from, std::string const& key, std::string const& field) {
  if (from.is_dictionary(key) || !from.contains(key)) return read(from.sub(key), field);
  if (auto const first = from.stream(key); !first.at('('))
    from.fail(key, "is no start, expected { type ...; }, a list of these, or one of them for each field of the rule");
  auto const items = from.items(key);
  for (auto const& item : items) {
    if (item.dictionary == nullptr) from.fail_entry(key, "is a list, expected a list of { type ...; }");
    read(*item.dictionary, field);
    item.dictionary->check_all_read();
  }
  if (items.empty()) from.fail_entry(key, "is an empty list, expected at least one { type ...; }");
}

void InitialState::read(core::Dictionary& entry, std::string const& field) {
  std::vector<std::string> const types{"random", "uniform", "picture", "pattern", "snapshot", "ball"};
  auto const type = entry.get_choice("type", types);
  Layer layer{.entry = &entry, .type = static_cast<Type>(std::find(types.begin(), types.end(), type) - types.begin())};
  layer.field = field;
  switch (layer.type) {
  case Type::random:
    layer.random = core::Random{entry.get_or<std::uint64_t>("seed", 1), entry.get_or<std::uint32_t>("sample", 0)};
    if (entry.contains("low") || entry.contains("high"))
      layer.between = {entry.get<double>("low"), entry.get<double>("high")};
    else
      layer.value = entry.get_in<double>("probability", {0.0, 1.0}, 0.5);
    read_box(layer);
    break;
  case Type::uniform:
    layer.value = entry.get<double>("value");
    read_box(layer);
    break;
  case Type::ball:
    layer.value = entry.get<double>("value");
    layer.centre = entry.get<std::array<double, 3>>("centre");
    layer.radius = entry.get_positive<double>("radius");
    break;
  case Type::picture:
    read_picture(layer);
    break;
  case Type::pattern:
    read_pattern(layer);
    break;
  case Type::snapshot:
    read_snapshot(layer);
    break;
  }
  layers_.push_back(std::move(layer));
}

void InitialState::read_picture(Layer& layer) {
  auto& entry = *layer.entry;
  auto const name = entry.get<std::string>("file");
  session_.files.require_input(entry, "file");
  io::on_root(session_.comm, [&] {
    if (io::is_pattern(session_.files.path(name)))
      entry.fail_entry("file",
                       fmt::format("is '{}', a pattern, which has states and no brightness, expected a picture, or "
                                   "`type pattern;` to take its states as they are",
                                   name));
  });
  layer.picture.emplace(session_, entry);
  layer.cells = layer.picture->cells;
  read_position(layer, false);
}

void InitialState::read_box(Layer& layer) {
  if (!layer.entry->contains("box")) return;
  auto const [lo, hi] = layer.entry->get<std::array<std::array<core::Count, 3>, 2>>("box");
  layer.box = core::Box{{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
  if (layer.box->empty())
    layer.entry->fail_expected("box", "cells from the first to before the second, as ((0 0 0) (10 10 1))");
}

void InitialState::read_position(Layer& layer, bool centred) {
  auto& entry = *layer.entry;
  layer.centred = centred;
  if (!entry.contains("position")) return;
  layer.centred = entry.words("position") == std::vector<std::string>{"centre"};
  if (layer.centred) return;
  auto stream = entry.stream("position");
  if (!stream.at('(')) stream.fail_expected("the cell of the bottom left corner, as (0 0 0), or centre");
  auto const at = entry.get<std::array<core::Count, 3>>("position");
  for (auto const x : at)
    if (x < -io::foam::most_cells_along || x > io::foam::most_cells_along)
      entry.fail("position",
                 fmt::format("there is no cell {}, expected numbers up to {}", x, io::foam::most_cells_along));
  layer.position = {at[0], at[1], at[2]};
}

void InitialState::read_pattern(Layer& layer) {
  auto& entry = *layer.entry;
  session_.files.require_input(entry, "file");
  layer.file = session_.files.input(entry.get<std::string>("file"));
  if (entry.contains("margin")) layer.margin = entry.get_in<core::Count>("margin", {0, core::Count{1} << 30});
  layer.any_rule = entry.get_choice("fileRule", {"compare", "ignore"}, "compare") == "ignore";
  read_position(layer, true);
  find_size(layer);
}

void InitialState::read_snapshot(Layer& layer) {
  auto& entry = *layer.entry;
  auto const name = entry.get<std::string>("file"),
             own =
                 layer.field.empty() ? ca::one_field(session_.files.open("constant/automatonProperties")) : layer.field,
             field = entry.get_or<std::string>("field", own);
  session_.files.require_input(entry, "file");
  read_position(layer, false);
  std::vector<core::Count> corner;
  io::on_root(session_.comm, [&] {
    std::string file = session_.files.path(name), named = name;
    if (std::filesystem::is_directory(file)) {
      auto const found = io::last_snapshot(file);
      if (found.empty())
        entry.fail_entry("file", fmt::format("is '{}', a folder without snapshots NNNNNN.h5 or NNNNNN.mc, expected one "
                                             "there or in its folder results",
                                             name));
      named = (std::filesystem::path(name) / std::filesystem::path(found).lexically_relative(file)).string();
      file = found;
    }
    session_.files.input(named);
    bool const tree = file.ends_with(".mc");
    std::vector<std::string> fields{own};
    if (!tree) {
      auto const info = io::read_snapshot(file);
      fields.clear();
      for (auto const& item : info.fields) fields.push_back(item.name);
      if (auto const at = io::corner_of(info.state, file)) corner = {at->i, at->j};
    }
    if (std::find(fields.begin(), fields.end(), field) == fields.end())
      entry.fail(entry.contains("field") ? "field" : "file",
                 fmt::format("{} in {}", core::unknown_name("field", field, fields), file));
    layer.file = file + (tree ? "" : ":/fields/" + field);
  });
  session_.comm.broadcast(layer.file);
  session_.comm.broadcast(corner);
  if (!corner.empty() && !entry.contains("position")) layer.corner = {corner[0], corner[1]};
  find_size(layer);
}

void InitialState::find_size(Layer& layer) {
  std::vector<std::int64_t> size(3);
  bool conway = false, placed = false;
  std::vector<std::int64_t> corner(2);
  io::on_root(session_.comm, [&] {
    auto const source = io::open_cells(layer.file);
    auto const shape = source->cells();
    size.assign(shape.begin(), shape.end());
    if (layer.type == Type::pattern) layer.rule = source->rule();
    bool const bounded = layer.rule.find(':') != std::string::npos && !layer.entry->contains("position");
    if (auto const place = source->placement(); place && bounded) {
      placed = true;
      for (std::size_t a = 0; a < 2; ++a) corner[a] = static_cast<std::int64_t>(place->origin[a]);
    }
    if (auto const note = source->note(); !note.empty()) session_.log.line("{}: {}", layer.file, note);
    conway = layer.type == Type::pattern && io::is_pattern(layer.file);
  });
  layer.conway = session_.comm.any(conway);
  session_.comm.sum(size);
  session_.comm.sum(corner);
  if (session_.comm.any(placed)) layer.corner = {corner[0], corner[1]};
  session_.comm.broadcast(layer.rule);
  for (std::size_t a = 0; a < 3; ++a) layer.cells[a] = size[a];
}

void InitialState::choose_rule(core::Dictionary& properties) {
  auto const names_one = [](Layer const& layer) { return !layer.rule.empty() && !layer.any_rule; };
  // rules of files lie beside the patterns
  std::vector<std::string> folders;
  for (auto const& layer : layers_)
    if (layer.type == Type::pattern) folders.push_back(std::filesystem::path(layer.file).parent_path().string());
  // what bounds the plane is taken off the rule
  auto const take = [&](std::string const& word, auto const& fail) {
    rule_ = word;
    try {
      bounds_ = Bounds::take(rule_);
    } catch (std::invalid_argument const& wrong) {
      fail(wrong.what());
    }
  };
  if (properties.is_dictionary("rule")) {
    rule_ = "expression";
  } else if (properties.contains("rule")) {
    take(properties.get<std::string>("rule"), [&](std::string const& what) { properties.fail("rule", what); });
    if (auto const fault = load_rule_file(session_, rule_, folders); !fault.empty()) properties.fail("rule", fault);
  } else if (auto const from = std::find_if(layers_.begin(), layers_.end(), names_one); from != layers_.end()) {
    take(from->rule, [&](std::string const& what) {
      throw core::Error(from->file, 0, what + "; `fileRule ignore;` passes over the file's rule");
    });
    if (auto const fault = load_rule_file(session_, rule_, folders); !fault.empty())
      throw core::Error(from->file, 0, fault);
    rule_ = ca::known_rule(rule_)->canonical;
  } else if (std::any_of(layers_.begin(), layers_.end(), [](Layer const& layer) { return layer.conway; })) {
    rule_ = "B3/S23";
  } else {
    properties.fail("rule", "there is no entry 'rule', and no pattern of 'initial' names one; expected a name of "
                            "`tessera list rules` or a rulestring such as B3/S23");
  }
  bounds_.set_sides(properties);
  // so that results tell it
  if (!properties.contains("rule") || bounds_.kind != ' ') {
    properties.set("rule", '"' + rule_ + '"', properties.name());
    properties.mark_read("rule");
  }
  if (auto const known = ca::known_rule(rule_)) dimensions_ = known->dimensions;
}

bool InitialState::size_grid(core::Dictionary& grid) const {
  if (grid.contains("cells")) return true;
  for (auto const& layer : layers_) {
    if (layer.type != Type::pattern) continue;
    core::Count const margin = layer.margin.value_or(default_margin);
    std::array const at{layer.position.i, layer.position.j, layer.position.k};
    std::array<core::Count, 3> cells{};
    for (std::size_t a = 0; a < 3; ++a) {
      bool const grows = dimensions_ > 0 ? static_cast<int>(a) < dimensions_ : a < 2 || layer.cells[a] > 1;
      if (bounds_.along(a)) {
        cells[a] = bounds_.cells[a];
        continue;
      }
      cells[a] = layer.cells[a] + (layer.centred ? (grows ? 2 * margin : 0) : at[a] + (grows ? margin : 0));
    }
    grid.set("cells", fmt::format("({} {} {})", cells[0], cells[1], cells[2]), layer.file);
    return true;
  }
  if (!bounds_.along(0) || !bounds_.along(1)) return false;
  grid.set("cells", fmt::format("({} {} 1)", bounds_.cells[0], bounds_.cells[1]));
  return true;
}

void InitialState::compare_rule(Layer const& layer, std::string const& rule) const {
  if (layer.type != Type::pattern || layer.any_rule) return;
  if (layer.rule.empty()) {
    session_.log.line("{} names no rule, {} is taken", layer.file, rule);
    return;
  }
  auto const spelling = [](std::string word) {
    Bounds bounds;
    try {
      bounds = Bounds::take(word);
    } catch (std::invalid_argument const&) {
      return word;  // no rule of ours
    }
    return ca::canonical_rule(word) + bounds.text();
  };
  if (spelling(layer.rule) != spelling(rule + bounds_.text()))
    layer.entry->fail_entry("file",
                            fmt::format("is '{}', a pattern for the rule '{}', but the case's rule is '{}', expected "
                                        "the same, or `fileRule ignore;`",
                                        layer.entry->get<std::string>("file"), layer.rule, rule + bounds_.text()));
}

void InitialState::find_place(Layer& layer, core::Grid::Shape const& n) const {
  if (layer.centred)
    layer.position = {(n[0] - layer.cells[0]) / 2, (n[1] - layer.cells[1]) / 2, (n[2] - layer.cells[2]) / 2};
  for (std::size_t a = 0; a < 2; ++a)
    if (layer.centred && bounds_.along(a))
      (a == 0 ? layer.position.i : layer.position.j) =
          layer.corner ? bounds_.middle(a, 0) + (*layer.corner)[a] : bounds_.middle(a, layer.cells[a]);
  std::array const at{layer.position.i, layer.position.j, layer.position.k};
  core::Count const margin = layer.margin.value_or(0);
  for (std::size_t a = 0; a < 3; ++a) {
    // one layer, or one line, and a bounded axis have no room beside it
    core::Count const beside = n[a] > 1 && !bounds_.along(a) ? margin : 0;
    if (layer.type == Type::snapshot && !layer.entry->contains("position") && layer.cells[a] != n[a])
      layer.entry->fail("file", fmt::format("a snapshot of {} cells, but the grid has {}; expected the same, or a "
                                            "`position` for it",
                                            sizes(layer.cells), sizes(n)));
    if (at[a] < 0 || at[a] > n[a] - layer.cells[a])
      layer.entry->fail("position", fmt::format("a {} of {} cells at ({} {} {}) does not fit into {} cells",
                                                layer.what(), sizes(layer.cells), at[0], at[1], at[2], sizes(n)));
    if (at[a] < beside || at[a] > n[a] - layer.cells[a] - beside)
      layer.entry->fail("margin", fmt::format("a pattern of {} cells at ({} {} {}) has not {} cells on each side in a "
                                              "grid of {} cells",
                                              sizes(layer.cells), at[0], at[1], at[2], margin, sizes(n)));
  }
}

void InitialState::find_field(Layer& layer, std::vector<core::FieldBase const*> const& fields,
                              std::string const& rule) const {
  std::vector<std::string> names;
  for (auto const* field : fields) names.push_back(field->name());
  if (layer.field.empty() && fields.size() == 1) return;
  if (layer.field.empty())
    layer.entry->fail("type", fmt::format("rule '{}' has the fields {}, expected a start for each that is not 0: "
                                          "initial {{ {} {{ type ...; }} ... }}",
                                          rule, fmt::join(names, ", "), names[0]));
  auto const found = std::find(names.begin(), names.end(), layer.field);
  if (found == names.end()) layer.entry->fail("type", core::unknown_name("field", layer.field, names));
  layer.number = static_cast<std::size_t>(found - names.begin());
}

namespace {

/// Whether a ball reaches into the grid: cell i lies from i to i + 1. In the plane it is a disc.
bool meets(std::array<double, 3> const& centre, double radius, core::Grid const& grid) {
  double squares = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    double const n = static_cast<double>(grid.cells()[a]), off = std::max({-centre[a], centre[a] - n, 0.0});
    if (!grid.thin(static_cast<int>(a))) squares += off * off;
  }
  return squares < radius * radius;
}

}  // namespace

void InitialState::check_values(Layer const& layer, core::FieldBase const& field, ca::Automaton const& automaton,
                                core::Grid const& grid) const {
  core::visit(field, [&]<class T>(core::Field<T> const&) {
    Values<T> const values{automaton};
    auto const check = [&](char const* key, double value) {
      if (!values.holds(value)) layer.entry->fail_entry(key, fmt::format("is {}, but {}", value, values.text()));
    };
    if (layer.type == Type::uniform || layer.type == Type::ball) check("value", layer.value);
    if (!layer.between) return;
    check("low", (*layer.between)[0]);
    check("high", (*layer.between)[1]);
    double const range = (*layer.between)[1] - (*layer.between)[0];
    if (range < 0) layer.entry->fail_entry("high", "is less than `low`");
    if (std::is_integral_v<T> && range >= 0x1p53)
      layer.entry->fail_entry("high",
                              "is too far from `low` to draw whole numbers between them, expected less than 2^53");
  });
  if (layer.type == Type::ball && !meets(layer.centre, layer.radius, grid))
    layer.entry->fail_entry("centre",
                            fmt::format("is further from all of the {} cells than `radius`, {}, expected a ball "
                                        "that meets them",
                                        sizes(grid.cells()), layer.radius));
  if (layer.box && intersect(*layer.box, grid.box()) != *layer.box)
    layer.entry->fail_entry("box", fmt::format("does not lie in {} cells", sizes(grid.cells())));
}

void InitialState::place(core::Grid const& grid, ca::Automaton& automaton) {
  auto const n = grid.cells();
  auto const fields = automaton.look_at_fields();
  for (std::size_t a = 0; a < 2; ++a)
    if (bounds_.along(a) && n[a] != bounds_.cells[a])
      session_.files.open("system/gridDict")
          .fail("cells", fmt::format("cells are {}, but the rule's '{}' says {} along {}; expected the same, or no "
                                     "`cells`",
                                     sizes(n), bounds_.text(), bounds_.cells[a], "xy"[a]));
  for (auto& layer : layers_) {
    find_field(layer, fields, automaton.rule());
    check_values(layer, *fields[layer.number], automaton, grid);
    if (!layer.has_place()) continue;
    compare_rule(layer, automaton.rule());
    find_place(layer, n);
    if (layer.type == Type::pattern)
      session_.log.line("Pattern {}: {} cells at ({} {} {}) of {}, rule {}", layer.file, sizes(layer.cells),
                        layer.position.i, layer.position.j, layer.position.k, sizes(n),
                        automaton.rule() + bounds_.text());
    if (session_.checks && layer.type != Type::picture) check_rows(layer, *fields[layer.number], automaton);
  }
}

core::Dictionary* grid_dictionary(Session& session, InitialState const& initial) {
  if (auto* const there = session.files.find("system/gridDict")) {
    initial.size_grid(*there);
    return there;
  }
  core::Dictionary none;
  if (!initial.size_grid(none)) return nullptr;
  auto& made = session.files.open_or_empty("system/gridDict");
  initial.size_grid(made);
  return &made;
}

}  // namespace tessera::run::automaton
