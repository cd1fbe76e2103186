// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/report.hpp"
#include "run/model.hpp"
#include "run/models/rating/daily.hpp"
#include "run/models/rating/emergency.hpp"
#include "run/models/rating/sensitivity.hpp"

#include <optional>

namespace tessera::run::rating {

/// What was found on one mesh.
struct Ratings {
  State state;  ///< steady
  std::optional<DailyRating> daily;
  std::optional<EmergencyRating> emergency;
  std::vector<Sensitivity> sensitivities = {};  ///< of the circuits; none: not asked for
};

/// Of a circuit's current in parts of itself where it is sought, of its highest temperature [K] where it is given: from a mesh of twice
/// the width, by Richardson.
double estimated_error(Site const& site, State const& fine, State const& coarse, std::size_t circuit);

/// Tells what was found in the log and the report, and writes tables, pictures and the temperature.
class Results {
 public:
  /// `writes`: whether files are written.
  Results(Session& session, Site const& site, bool writes) : session_(session), site_(site), writes_(writes) {}

  /// The temperature that the section was solved for last, its balance, and maps. Collective.
  void of_section(Section& section, std::vector<Sensitivity> const& sensitivities, core::Report& report) const;
  void of_solver(Section const& section, core::Report& report) const;
  /// `coarse`: the same from a mesh of twice the width. `temperature`: of the ground; none: no cable lies in it. Collective.
  void of_ratings(core::Field<double> const* temperature, Ratings const& fine, Ratings const& coarse,
                  core::Report& report) const;

 private:
  void cables(State const& state, core::Report& report) const;
  void troughs(State const& state, core::Report& report) const;
  void circuits(State const& fine, State const& coarse, core::Report& report) const;
  void daily(DailyRating const& fine, DailyRating const& coarse, core::Report& report) const;
  void emergency(EmergencyRating const& fine, EmergencyRating const& coarse, core::Report& report) const;
  void sensitivities(std::vector<Sensitivity> const& of, core::Report& report) const;
  void write_table(char const* name, std::string const& text) const;
  void write_page(Ratings const& fine, Ratings const& coarse, core::Field<double> const* temperature) const;
  core::Box around_cables(core::Grid const& grid) const;

  Session& session_;
  Site const& site_;
  bool writes_;
};

}  // namespace tessera::run::rating
