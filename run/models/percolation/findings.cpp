// SPDX-License-Identifier: Apache-2.0
#include "run/models/percolation/findings.hpp"

#include "run/ensemble.hpp"

#include <cmath>

namespace tessera::run::percolation {

core::Report::Json Quantity::json() const {
  if (kind == Kind::number || std::isnan(value)) return finite_or_null(value);
  if (kind == Kind::flag) return value != 0;
  return static_cast<std::int64_t>(value);
}

core::Report::Json& place(core::Report::Json& at, std::string const& name) {
  auto const dot = name.find('.');
  return dot == std::string::npos ? at[name] : place(at[name.substr(0, dot)], name.substr(dot + 1));
}

std::vector<Quantity> Findings::all() const {
  auto result = common;
  for (Crossed const& c : crossings) {
    std::size_t const flag = result.size();
    for (Quantity q : c.quantities) {
      if (crossings.size() > 1) q.name = c.name + "." + q.name;
      q.flag = flag;
      result.push_back(std::move(q));
    }
  }
  return result;
}

core::Report::Json Findings::json() const {
  core::Report::Json results = core::Report::Json::object();
  auto const add = [](core::Report::Json& to, std::vector<Quantity> const& quantities) {
    for (Quantity const& q : quantities) place(to, q.name) = q.json();
  };
  add(results, common);
  for (Crossed const& c : crossings) add(crossings.size() > 1 ? results["directions"][c.name] : results, c.quantities);
  return results;
}

std::vector<core::FieldBase const*> Findings::fields(Settings const& settings,
                                                     core::Field<std::uint8_t> const& occupied) const {
  std::vector<core::FieldBase const*> result;
  if (settings.keeps("occupied")) result.push_back(&occupied);
  if (label && settings.keeps("label")) result.push_back(label.get());
  for (auto const& field : more) result.push_back(field.get());
  for (Crossed const& c : crossings)
    for (auto* field : {&c.spanning, &c.backbone, &c.dangling, &c.articulation, &c.red, &c.marked})
      if (*field && (field != &c.spanning || settings.keeps("spanning"))) result.push_back(field->get());
  for (Crossed const& c : crossings)
    for (auto const& field : c.more) result.push_back(field.get());
  return result;
}

}  // namespace tessera::run::percolation
