// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/clusters.hpp"
#include "run/models/percolation/findings.hpp"

#include <optional>

namespace tessera::run::percolation {

/// Finds in one medium after the other, on one layout, what the settings ask for. Buffers are kept.
class Explorer {
 public:
  /// Loads the masks of inlet and outlet. Collective.
  Explorer(Settings const& settings, Medium const& medium, core::Layout const& layout);

  /// `occupied` holds the medium; its frame is written here. `random`: for automata with random order. Collective.
  Findings operator()(core::Field<std::uint8_t>& occupied, core::Random random);
  /// How the masks of `inlet` and `outlet` were read.
  void describe_ports(core::Report& report) const;
  /// `inletMask HASH`, `outletMask HASH` where either is given as a mask, not as a side. Collective.
  std::vector<std::string> mask_hashes() const;

 private:
  /// Masks of the cells where a crossing begins and ends.
  struct Ends {
    std::unique_ptr<core::Field<std::uint8_t>> inlet, outlet;
    bool masks;  ///< given as masks, not as sides
    core::Box inlet_box, outlet_box;
  };
  Ends ends_of(Crossing const& crossing);

  /// The plane medium along one direction, by its faces.
  Crossed cross_plane(Crossing const& crossing, core::Field<std::uint8_t>& occupied, Findings& findings);
  /// The plane medium by the published automata, with the exact backbone beside what they mark.
  Crossed cross_paper(Crossing const& crossing, core::Field<std::uint8_t>& occupied, core::Random random,
                      Findings& findings);
  /// Any lattice, open and periodic axes, any inlet and outlet: by clusters, and by a search for blocks.
  Crossed cross_lattice(Crossing const& crossing, Ends const* ends, core::Field<std::uint8_t> const& occupied,
                        Findings& findings);
  void number_input(core::FieldBase& label) const;
  void add_wrapping(Findings& findings) const;
  void add_path(Ends const& ends, core::Field<std::uint8_t> const& occupied, Crossed& found) const;
  void add_conductivity(Crossing const& crossing, Ends const& ends, double occupation,
                        core::Field<std::uint8_t> const& conducting, Crossed& found) const;

  Settings const& settings_;
  Medium const& medium_;
  core::Layout const& layout_;
  core::Report::Json inlet_, outlet_;         ///< of masks; null without
  std::vector<std::optional<Ends>> ends_;     ///< of each crossing that has two ends and needs their masks
  std::optional<ca::Percolator> percolator_;  ///< in the plane
  std::optional<ca::ClusterFinder> finder_;   ///< elsewhere
};

}  // namespace tessera::run::percolation
