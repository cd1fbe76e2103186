// SPDX-License-Identifier: Apache-2.0
#include "tools/applications/percolation/paper.hpp"

#include "ca/paper.hpp"
#include "core/times.hpp"
#include "io/picture.hpp"
#include "io/snapshot.hpp"

namespace tessera::tools::percolation {

void run_paper(Session& session, Settings const& settings, Medium const& medium, core::Field<std::uint8_t>& occupied,
               core::Report& report) {
  Crossing const& crossing = settings.crossings.front();
  auto const direction = crossing.axis == 0 ? ca::Direction::x : ca::Direction::y;
  ca::frame(occupied, direction);
  auto const paper = ca::run_paper(occupied, direction);
  auto const exact =
      ca::percolate(occupied, {.direction = direction, .label = false, .articulation = false, .red = false});
  std::array<core::FieldBase const*, 3> const fields{&occupied, paper.backbone.get(), exact.backbone.get()};
  {
    core::Timed const timed(core::Part::io);
    io::SnapshotSeries series(session.files.path("results"), session.files.name(), medium.output);
    series.write(0, 0, fields, session.files.texts());
    std::array<io::Category, 4> const kinds{{{"other clusters", {205, 205, 205}, &occupied},
                                             {"dangling ends", {86, 180, 233}, exact.spanning.get()},
                                             {"missed", {213, 94, 0}, exact.backbone.get()},
                                             {"marked", {0, 72, 140}, paper.backbone.get()}}};
    io::draw_masks(session.files.path("results/backbone.png"), kinds, {"empty", {255, 255, 255}},
                   {.title = fmt::format("Published automata along {}", crossing.name),
                    .region = medium.output,
                    .physical = false});
  }
  auto const& steps = paper.steps;
  session.log.line("{}; {} steps: A1 {}, A2 {}, A3 {}, A4 {}, A5 {}", paper.spans ? "Spans" : "Does not span",
                   steps.total(), steps.a1, steps.a2, steps.a3, steps.a4, steps.a5);
  session.log.line("Marked {} of {} sites of the backbone", paper.backbone_sites, exact.backbone_sites);
  report.results() = {{"spans", paper.spans},
                      {"occupation", paper.occupation},
                      {"backboneSites", exact.backbone_sites},
                      {"markedSites", paper.backbone_sites},
                      {"removedSites", paper.removed_sites},
                      {"whiteSites", paper.white_sites},
                      {"taggedSites", paper.tagged_sites},
                      {"restoredSites", paper.restored_sites},
                      {"steps",
                       {{"A1", steps.a1},
                        {"A2", steps.a2},
                        {"A3", steps.a3},
                        {"A4", steps.a4},
                        {"A5", steps.a5},
                        {"total", steps.total()}}}};
  for (auto const* field : fields) report.hash(field->name(), core::hash(*field, medium.output));
  report.finish(session.comm, steps.total(), static_cast<double>(paper.cell_updates));
}

}  // namespace tessera::tools::percolation
