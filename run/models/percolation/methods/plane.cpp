// SPDX-License-Identifier: Apache-2.0
#include "run/models/percolation/methods/plane_findings.hpp"

#include <optional>

namespace tessera::run::percolation::methods {

/// By the faces of the plane: exact, in a few passes.
class Plane final : public Method {
 public:
  bool in_plane() const override { return true; }
  void start(Settings const& settings, Medium const& medium, core::Layout const& layout) override {
    settings_ = &settings;
    medium_ = &medium;
    percolator_.emplace(layout);
  }
  Crossed cross(Query const& query) override {
    auto const options = plane_options(*settings_, query);
    ca::frame(query.occupied, options.direction);
    return take(percolator_->run(query.occupied, options), *settings_, *medium_, query);
  }

 private:
  Settings const* settings_ = nullptr;
  Medium const* medium_ = nullptr;
  std::optional<ca::Percolator> percolator_;
};

[[maybe_unused]] static bool const added =
    add_method<Plane>("plane", "exact, from labels: square 4 from side to side, within a frame");

}  // namespace tessera::run::percolation::methods
