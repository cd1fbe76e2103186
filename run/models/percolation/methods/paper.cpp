// SPDX-License-Identifier: Apache-2.0
#include "ca/stepwise/paper.hpp"

#include "run/models/percolation/methods/plane_findings.hpp"

#include <optional>

namespace tessera::run::percolation::methods {

/// By the published automata, with the exact backbone beside what they mark.
class Paper final : public Method {
 public:
  bool in_plane() const override { return true; }
  bool exact() const override { return false; }
  double bytes() const override { return 20; }
  std::vector<std::string> fields() const override { return {"occupied", "marked", "backbone"}; }
  void read(core::Dictionary& properties) override {
    if (properties.get_choice("propagation", {"labels", "synchronous"}, "synchronous") == "labels")
      properties.fail_entry("propagation", "is labels, expected synchronous: the published automata go step by step");
    if (properties.get_choice("update", {"synchronous", "random"}, "synchronous") == "random")
      update_ = ca::Update::random;
    if (properties.get_choice("definition", {"D1", "D2"}, "D1") == "D2")
      properties.fail_entry("definition", "is D2, expected D1: the published automata have bars of sites");
  }
  void start(Settings const& settings, Medium const&, core::Layout const& layout) override {
    marked_ = settings.keeps("marked");
    backbone_ = settings.keeps("backbone");
    percolator_.emplace(layout);
  }

  Crossed cross(Query const& query) override {
    auto const direction = direction_of(query.crossing);
    ca::frame(query.occupied, direction);
    auto paper = ca::run_paper(query.occupied, {.direction = direction, .update = update_, .random = query.random});
    auto& exact = percolator_->run(query.occupied, {.direction = direction,
                                                    .label = false,
                                                    .spanning = marked_,
                                                    .backbone = marked_ || backbone_,
                                                    .articulation = false,
                                                    .red = false});
    if (query.first()) query.findings.add("occupation", paper.occupation);
    query.findings.add_steps(paper.steps.total(), paper.cell_updates);
    Crossed found;
    found.name = query.crossing.name;
    found.spans = paper.spans;
    found.flag("spans", paper.spans);
    found.count("backboneSites", exact.backbone_sites);
    found.count("markedSites", paper.backbone_sites);
    found.count("removedSites", paper.removed_sites);
    found.count("whiteSites", paper.white_sites);
    found.count("taggedSites", paper.tagged_sites);
    found.count("restoredSites", paper.restored_sites);
    found.count("steps.A1", paper.steps.a1);
    found.count("steps.A2", paper.steps.a2);
    found.count("steps.A3", paper.steps.a3);
    found.count("steps.A4", paper.steps.a4);
    found.count("steps.A5", paper.steps.a5);
    found.count("steps.total", paper.steps.total());
    found.spanning = std::move(exact.spanning);
    found.backbone = std::move(exact.backbone);
    if (marked_) found.marked = std::move(paper.backbone);
    return found;
  }

 private:
  ca::Update update_ = ca::Update::synchronous;
  bool marked_ = false, backbone_ = false;
  std::optional<ca::Percolator> percolator_;
};

[[maybe_unused]] static bool const added = add_method<Paper>(
    "paper", "the published automata A1 .. A5, which miss some cells: square 4 from side to side, within a frame",
    "update synchronous | random; definition D1; fields (occupied marked backbone);");

}  // namespace tessera::run::percolation::methods
