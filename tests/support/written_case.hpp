// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"
#include "run/run.hpp"
#include "tests/support/scratch.hpp"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

namespace tessera::tests {

/// A case written as texts by the names of its files, in a folder of its own. All members are collective over the world.
class WrittenCase {
 public:
  explicit WrittenCase(std::map<std::string, std::string> const& files) {
    if (world_.root())
      for (char const* folder : {"0", "system", "constant"}) std::filesystem::create_directories(path(folder));
    for (auto const& [file, text] : files) write(file, text);
  }
  std::filesystem::path path(std::string const& file = "") const { return scratch_ / "case" + "/" + file; }
  void write(std::string const& file, std::string const& text) const {
    if (world_.root()) std::ofstream(path(file), std::ios::binary) << text;
    world_.barrier();
  }
  std::string read(std::string const& file) const {
    std::ifstream in(path(file), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  run::RunOptions options(std::vector<std::string> const& settings = {}) const {
    run::RunOptions result;
    result.directory = path().string();
    result.settings = settings;
    result.quiet = true;
    return result;
  }
  /// The report, on all ranks of `comm`.
  nlohmann::ordered_json run(std::vector<std::string> const& settings = {}, core::Comm const& comm = core::Comm()) {
    run::run_case(comm, options(settings));
    std::string text = comm.root() ? read("postProcessing/report.json") : "";
    comm.broadcast(text);
    return nlohmann::ordered_json::parse(text);
  }
  /// The report of the same case run by each rank alone, its results elsewhere.
  nlohmann::ordered_json run_alone() const {
    Scratch const elsewhere;
    run::TaskOptions task;
    task.directory = path().string();
    task.output = elsewhere / fmt::format("{}", world_.rank());
    return run::run_task(core::Comm(MPI_COMM_SELF), task).report;
  }
  /// What `tessera check` says is wrong with the case, a line an error; "" if nothing. Other ranks say what the root does.
  std::string complaint(std::vector<std::string> const& settings = {}) const {
    testing::internal::CaptureStderr();
    run::check_case(world_, options(settings));
    std::string said = testing::internal::GetCapturedStderr();
    world_.broadcast(said);
    return said;
  }

 private:
  core::Comm world_;
  Scratch scratch_;
};

/// What a formula or a second program says is asked on one and two ranks; that any ranks have the same bits is a test of its own.
inline bool on_few_ranks() { return core::Comm(MPI_COMM_WORLD).size() <= 2; }
inline constexpr char const* few = "on one and two ranks";

}  // namespace tessera::tests
