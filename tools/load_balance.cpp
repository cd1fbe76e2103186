// SPDX-License-Identifier: Apache-2.0
#include "tools/load_balance.hpp"

#include "core/cores.hpp"
#include "core/times.hpp"
#include "io/together.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <unistd.h>

namespace tessera::tools {
namespace {

using Json = core::Report::Json;
constexpr double long_step = 0.05;        // [s], one of which is measured well enough
constexpr double believed_seconds = 0.5;  // of a window that an interruption of some milliseconds does not change much
constexpr std::size_t most_history = 200;
constexpr char const* speeds_file = "postProcessing/speeds.json";

/// Names of the hosts of all ranks, on the root.
std::vector<std::string> hosts(core::Comm const& comm) {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  core::Bytes mine;
  core::append(mine, std::span<char const>(name, std::char_traits<char>::length(name)));
  std::vector<std::string> all;
  for (auto const& bytes : comm.gather_to_root(mine))
    all.emplace_back(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  return all;
}

/// What a speed belongs to.
Json key(Session& session) {
  return {{"application", session.files.open("system/controlDict").get<std::string>("application")},
          {"hosts", hosts(session.comm)},
          {"threadsPerCore", session.comm.gather(core::measure_crowding(session.comm))}};
}

}  // namespace

std::vector<double> kept_speeds(Session& session, int ranks) {
  if (ranks < 2) return {};
  Json const wanted = key(session);
  bool const here = ranks == session.comm.size();
  core::Bytes message;
  if (session.comm.root()) {
    std::ifstream in(session.files.path(speeds_file));
    Json const found = Json::parse(in, nullptr, false);  // a damaged file is as good as none
    Json const of = found.is_object() ? found.value("for", Json()) : Json();
    bool const fits = here ? of == wanted : of.is_object() && of.value("application", Json()) == wanted["application"];
    if (fits && found.contains("cellsPerSecond") && found["cellsPerSecond"].is_array() &&
        found["cellsPerSecond"].size() == static_cast<std::size_t>(ranks))
      for (auto const& x : found["cellsPerSecond"])
        core::append(message, x.is_number() ? std::max(1.0, x.get<double>()) : 1.0);
  }
  session.comm.broadcast(message);
  std::vector<double> speeds(message.size() / sizeof(double));
  core::ByteReader(message).take(std::span<double>(speeds));
  return speeds;
}

LoadBalance::LoadBalance(Session& session, Decomposition const& parts, double setup_seconds)
    : session_(session),
      owners_(parts.layout->owners()) {
  partition::Balancer::Settings settings;
  settings.threshold = parts.threshold;
  settings.first_move = parts.move_cost.value_or(settings.first_move + session.comm.max(setup_seconds));
  core::Grid const& grid = parts.layout->grid();
  int const ranks = session.comm.size();
  active_ = ranks > 1 && parts.rebalance;
  if (active_) {
    balancer_.emplace(partition::tile_graph(grid), partition::Load::by_cells(grid, ranks).tile_cost, owners_, ranks,
                      settings);
    crowding_ = core::measure_crowding(session.comm);
  }
  begin_window();
}

LoadBalance::Spent LoadBalance::spent() const {
  using core::Part;
  auto const part = [](std::array<double, core::parts> const& s, Part p) { return s[static_cast<std::size_t>(p)]; };
  auto const wall = core::times().seconds(), on_core = crowding_ > 1 ? core::times().seconds_on_core() : wall;
  double steps = 0;
  for (Part p : {Part::compute, Part::halo, Part::reduce, Part::idle, Part::foreign}) steps += part(wall, p);
  return {crowding_ * (part(on_core, Part::compute) + part(on_core, Part::halo)), part(wall, Part::foreign), steps};
}

void LoadBalance::begin_window() {
  window_begin_ = step_;
  begin_ = spent();
}

std::optional<std::vector<int>> LoadBalance::after_step(double steps_to_come) {
  if (!active_) return std::nullopt;
  ++step_;
  if (step_ == 1) {
    // a first step touches memory for the first time: it tells little where it is short
    if (session_.comm.max(spent().own - begin_.own) < long_step)
      begin_window();
    else
      window_ = 1;
  }
  if (first_after_move_) {  // solvers set up in it what they left for the first solve
    first_after_move_ = false;
    settling_seconds_ = spent().steps - begin_.steps;
    begin_window();
    return std::nullopt;
  }
  if (step_ - window_begin_ < window_) return std::nullopt;
  core::Timed const timed(core::Part::rebalance);
  auto const seconds = measure();
  if (seconds.empty()) {
    begin_window();
    return std::nullopt;
  }
  bool const long_enough = slowest_ * static_cast<double>(step_ - window_begin_) > believed_seconds;
  auto owners = balancer_->decide(seconds, steps_to_come, long_enough);
  if (history_.size() < most_history) history_.push_back({window_begin_, step_, balancer_->imbalance(), 0});
  // windows grow while nothing needs to move
  window_seconds_ = owners ? 0.1 : std::min(1.0, 1.5 * window_seconds_);
  window_ = std::clamp<std::int64_t>(std::llround(window_seconds_ / std::max(slowest_, 1e-9)),
                                     slowest_ < long_step ? 3 : 1, 10'000);
  begin_window();
  return owners;
}

std::vector<double> LoadBalance::measure() {
  auto const now = spent();
  auto const steps = static_cast<double>(step_ - window_begin_);
  auto seconds = session_.comm.gather((now.own - begin_.own) / steps);
  slowest_ = *std::max_element(seconds.begin(), seconds.end());
  if (settling_seconds_) {
    double const more = session_.comm.max(*settling_seconds_ - (now.steps - begin_.steps) / steps);
    balancer_->set_cost_of_move(move_seconds_ + std::max(0.0, more));
    settling_seconds_.reset();
  }
  // a foreign library does not tell its waits: its work is shared like ours, and on the slowest rank it hardly waits
  auto const foreign = session_.comm.gather((now.foreign - begin_.foreign) / steps);
  double const mean = std::accumulate(foreign.begin(), foreign.end(), 0.0) / static_cast<double>(foreign.size());
  for (double& s : seconds) s *= 1 + mean / std::max(slowest_, 1e-12);
  // the first window of short steps is so short that one interruption would look like a slow rank: two must agree
  if (history_.empty() && first_window_.empty() && slowest_ * steps < long_step) {
    first_window_ = seconds;
    return {};
  }
  if (history_.empty())
    for (std::size_t r = 0; r < first_window_.size(); ++r) seconds[r] = std::min(seconds[r], first_window_[r]);
  return seconds;
}

void LoadBalance::moved(std::vector<int> owners, std::chrono::steady_clock::time_point begin) {
  int tiles = 0;
  for (std::size_t t = 0; t < owners.size(); ++t) tiles += owners[t] != owners_[t];
  tiles_moved_ += tiles;
  owners_ = owners;
  move_seconds_ = session_.comm.max(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (!history_.empty()) history_.back().tiles_moved = tiles;
  session_.log.line("Balance: {} of {} tiles moved in {:.3g} s, imbalance {:.1f} % -> {:.1f} % expected", tiles,
                    owners.size(), move_seconds_, 100 * balancer_->imbalance(), 100 * balancer_->predicted());
  balancer_->moved(std::move(owners), move_seconds_);
  first_after_move_ = true;
  begin_window();
}

void LoadBalance::finish(core::Report& report) const {
  if (!active_) return;
  report["balance"] = {
      {"moves", balancer_->moves()}, {"tilesMoved", tiles_moved_}, {"imbalance", balancer_->imbalance()}};
  Json windows = Json::array();
  for (auto const& w : history_)
    windows.push_back({{"steps", {w.begin + 1, w.end}}, {"imbalance", w.imbalance}, {"tilesMoved", w.tiles_moved}});
  report["balance"]["windows"] = std::move(windows);
  if (!balancer_->speeds().front().known()) return;
  Json speeds;
  speeds["for"] = key(session_);
  for (auto const& curve : balancer_->speeds())
    speeds["cellsPerSecond"].push_back(curve.points().back().work / curve.points().back().seconds);
  io::on_root(session_.comm, [&] {
    std::string const path = session_.files.path(speeds_file), part = path + ".part";
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(part) << speeds.dump(2) << '\n';
    std::filesystem::rename(part, path);
  });
}

}  // namespace tessera::tools
