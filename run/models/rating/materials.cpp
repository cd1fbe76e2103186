// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/materials.hpp"

#include "core/error.hpp"
#include "core/registry.hpp"

namespace tessera::run::rating {

Materials::Materials(core::Dictionary* own)
    : materials_{
          // thermal [K m/W], capacity [J/(m^3 K)], electrical [Ohm m], [1/K], permittivity, tan delta
          {"copper", {1 / 384.0, 3.45e6, 1.7241e-8, 3.93e-3}},
          {"aluminium", {1 / 237.0, 2.5e6, 2.84e-8, 4.03e-3}},
          {"lead", {1 / 35.0, 1.45e6, 21.4e-8, 4.0e-3}},
          {"steel", {1 / 50.0, 3.8e6, 13.8e-8, 4.5e-3}},
          {"bronze", {1 / 60.0, 3.4e6, 3.5e-8, 3.0e-3}},
          {"stainlessSteel", {1 / 15.0, 3.8e6, 70e-8, 0}},
          {"XLPE", {3.5, 2.4e6, 0, 0, 2.5, 1e-3}},
          {"PE", {3.5, 2.4e6, 0, 0, 2.3, 1e-3}},
          {"EPR", {5.0, 2.0e6, 0, 0, 3.0, 5e-3}},
          {"PVC", {6.0, 1.7e6, 0, 0, 8.0, 0.1}},
          {"oilPaper", {5.0, 2.0e6, 0, 0, 3.6, 3.5e-3}},
          {"massPaper", {6.0, 2.0e6, 0, 0, 4.0, 1e-2}},
          {"PPL", {5.5, 2.0e6, 0, 0, 2.8, 1.4e-3}},
          {"semiconductor", {2.5, 2.4e6}},
          {"jute", {6.0, 2.0e6}},
          {"rubber", {5.5, 2.0e6}},
          {"concrete", {1.0, 1.9e6}},
      } {
  if (own == nullptr) return;
  for (auto const& name : own->keys()) {
    auto const& in = own->sub(name);
    auto const known = materials_.find(name);
    Material m = known == materials_.end() ? Material{} : known->second;
    bool const anew = known == materials_.end();
    m.resistivity =
        anew ? in.get_positive<double>("resistivity") : in.get_positive<double>("resistivity", m.resistivity);
    m.capacity = anew ? in.get_positive<double>("capacity", 2e6) : in.get_positive<double>("capacity", m.capacity);
    m.rho20 = in.get_or<double>("rho20", m.rho20);
    m.alpha20 = in.get_or<double>("alpha20", m.alpha20);
    m.permittivity = in.get_or<double>("permittivity", m.permittivity);
    m.loss_factor = in.get_or<double>("lossFactor", m.loss_factor);
    for (auto const& [key, value] : {std::pair{"rho20", m.rho20},
                                     {"alpha20", m.alpha20},
                                     {"permittivity", m.permittivity},
                                     {"lossFactor", m.loss_factor}})
      if (!(value >= 0)) in.fail_expected(key, "a number that is not negative");
    materials_[name] = m;
  }
}

Material const& Materials::named(core::Dictionary const& in, std::string const& key) const {
  auto const name = in.get<std::string>(key);
  auto const found = materials_.find(name);
  if (found != materials_.end()) return found->second;
  std::vector<std::string> valid;
  for (auto const& [known, material] : materials_) valid.push_back(known);
  in.fail(key, core::unknown_name("material", name, valid));
}

}  // namespace tessera::run::rating
