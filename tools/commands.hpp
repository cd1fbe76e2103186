// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/convert.hpp"
#include "run/run.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::tools {

/// `tessera routers`; 0 (levels: -1) stands for what is chosen or measured.
struct RouterOptions {
  std::vector<std::int64_t> cells;
  int neighbours = 8, radix = 0, levels = -1;
  int ranks = 0, ranks_per_node = 0, cores = 0;
  double bytes = 0, latency = 0, bandwidth = 0, file_rate = 0;
};

/// `tessera automaton`.
struct AutomatonOptions {
  std::string pattern;
  std::string rule;  ///< empty: the pattern's own
  std::int64_t generations = 64;
  std::int64_t margin = -1;       ///< cells on each side; -1: as many as generations, 70 at least
  std::string algorithm;          ///< of a plane without end: tiles or hash; empty: by the pattern's size
  std::string report, directory;  ///< empty: none is kept
  bool quiet = false;
};

/// `tessera percolation`; what is empty or 0 is left to the defaults of constant/percolationProperties.
struct PercolationImageOptions {
  std::string image;  ///< FILE or FILE:ITEM
  std::optional<double> level, threshold;
  bool otsu = false;
  std::string phases;  ///< with commas between
  std::string occupied, direction;
  int connectivity = 0;
  std::string region;  ///< cylinder, or a mask
  bool conductivity = false, thickness = false, drainage = false, geodesic = false;
  std::string report, directory;  ///< empty: none is kept
  std::string picture;            ///< empty: IMAGE.percolation.png where the program was started
  bool quiet = false;
};

/// Each returns the exit code (core::Exit) and throws core::Error for wrong input. Collective.
/// Shares the case's tiles over `ranks` as a run on nodes of `ranks_per_node` would (0: on one node), prints what each gets
/// and draws CASE/results/partition.png.
int decompose_case(core::Comm const& comm, run::RunOptions const& options, int ranks, std::string const& weights,
                   int ranks_per_node);
/// Makes a case of a pattern file and runs it.
int run_automaton(core::Comm const& comm, AutomatonOptions const& options);
/// Makes a case of a picture or volume and runs it.
int analyse_image(core::Comm const& comm, PercolationImageOptions const& options);
/// Runs a case on the hosts and programs of a machine file; `slurm`: as a batch job; `dry_run`: prints the command or the
/// script alone.
int launch_case(core::Comm const& comm, std::string const& machine_file, run::RunOptions const& options, bool dry_run,
                bool slurm, int shards);
/// `libraries`: plugins that are opened first.
int list_plugins(core::Comm const& comm, std::string const& kind, std::vector<std::string> const& libraries);
int explain(core::Comm const& comm, std::string const& name, std::vector<std::string> const& libraries);
int compare_results(core::Comm const& comm, std::string const& a, std::string const& b, std::string const& field,
                    double tolerance);
int convert_file(core::Comm const& comm, std::string const& in, std::string const& out, io::Conversion const& how);
/// Levels, hops and reach of routers over a grid, and the load times of trees over ranks.
int explain_routers(core::Comm const& comm, RouterOptions const& options);
/// Checks a case's `expect` against its report.
int expect_case(core::Comm const& comm, std::string const& directory, std::string const& report);
/// A table of what was computed, how fast, and where the files are.
int summarize(core::Comm const& comm, std::vector<std::string> const& directories);

}  // namespace tessera::tools
