// SPDX-License-Identifier: Apache-2.0
#include "run/balance/load_balance.hpp"

#include "core/comm/cores.hpp"
#include "core/comm/emulation.hpp"
#include "core/files.hpp"
#include "core/grid/tile_shape.hpp"
#include "io/files/together.hpp"
#include "partition/summary.hpp"
#include "run/balance/decompose.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <unistd.h>
#include <utility>

namespace tessera::run {
namespace {

using Json = core::Report::Json;
constexpr double long_step = 0.05;        // [s], one of which is measured well enough
constexpr double long_look = 0.03;        // [s], where two must agree
constexpr double believed_seconds = 0.5;  // of a window that an interruption of some milliseconds does not change much
constexpr double noise = 0.25;            // by which a step may take longer than another
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

/// After tiles have moved: those that the report tells of were not shared out by the weights that the run began with, but by the speeds
/// that ranks had with so many cells. `seconds`: of a step on each rank, as the balancer expects them.
void report_weights(core::Report& report, core::Grid const& grid, std::vector<int> const& owners,
                    std::vector<double> const& seconds) {
  auto load = partition::Load::by_cells(grid, static_cast<int>(seconds.size()));
  auto shares = partition::summarize(grid, load, owners);
  for (std::size_t r = 0; r < seconds.size(); ++r)
    if (shares[r].cells > 0) load.rank_rate[r] = static_cast<double>(shares[r].cells) / seconds[r];
  shares = partition::summarize(grid, load, owners);
  double worst = 0;
  for (auto const& share : shares) worst = std::max(worst, share.imbalance);
  report["partition"]["weights"] = load.rank_rate;
  report["partition"]["imbalance"] = worst;
}

}  // namespace

std::vector<double> kept_speeds(Session& session, int ranks) {
  if (ranks < 2 || core::emulation()) return {};
  Json const wanted = key(session);
  bool const here = ranks == session.comm.size();
  std::vector<double> speeds;
  if (session.comm.root()) {
    Json found;  // a damaged file is as good as none
    try {
      found = Json::parse(core::read_file(session.files.output(speeds_file)), nullptr, false);
    } catch (core::Error const&) {
    }
    Json const of = found.is_object() ? found.value("for", Json()) : Json();
    bool const fits = here ? of == wanted : of.is_object() && of.value("application", Json()) == wanted["application"];
    if (fits && found.contains("cellsPerSecond") && found["cellsPerSecond"].is_array() &&
        found["cellsPerSecond"].size() == static_cast<std::size_t>(ranks))
      for (auto const& x : found["cellsPerSecond"])
        speeds.push_back(x.is_number() ? std::max(1.0, x.get<double>()) : 1.0);
  }
  session.comm.broadcast(speeds);
  return speeds;
}

LoadBalance::LoadBalance(Session& session, Decomposition const& parts, double setup_seconds)
    : session_(session),
      grid_(parts.layout->shared_grid()),
      share_anew_(parts.method != "manual"),
      owners_(parts.layout->owners()) {
  partition::Balancer::Settings settings;
  settings.threshold = parts.threshold;
  settings.first_move = parts.move_cost.value_or(settings.first_move + session.comm.max(setup_seconds));
  int const ranks = session.comm.size();
  // a rank without a tile has no speed that could be measured
  std::set<int> const owners(owners_.begin(), owners_.end());
  active_ = ranks > 1 && parts.rebalance && static_cast<int>(owners.size()) == ranks;
  if (active_) {
    balancer_.emplace(partition::tile_graph(*grid_), partition::Load::by_cells(*grid_, ranks).tile_cost, owners_, ranks,
                      settings);
    if (!core::emulation()) crowding_ = core::measure_crowding(session.comm);  // clocks there know no crowd
    look_.emplace();
  }
  begin_window();
}

LoadBalance::Spent LoadBalance::spent() const {
  using core::Part;
  auto const part = [](std::array<double, core::part_count> const& s, Part p) {
    return s[static_cast<std::size_t>(p)];
  };
  auto const wall = session_.clock.parts(false), on_core = crowding_ > 1 ? session_.clock.parts(true) : wall;
  double steps = 0;
  for (Part p : {Part::compute, Part::halo, Part::reduce, Part::idle, Part::foreign}) steps += part(wall, p);
  return {crowding_ * (part(on_core, Part::compute) + part(on_core, Part::halo)), part(wall, Part::foreign), steps};
}

void LoadBalance::begin_window() {
  window_begin_ = step_;
  begin_ = spent();
}

bool LoadBalance::within_first_step(int done, double expected, double steps_to_come) {
  if (wanted_) return true;
  if (!look_) return false;
  if (done < look_->last) look_.emplace();  // it is taken once more, with another length
  look_->last = done;
  if (done < look_->at) return false;
  core::Timed const timed(core::Part::rebalance);
  int const iterations = done - look_->from;
  double const own = spent().own;
  look_->at = done + iterations;
  if (look_->from > 0) {  // the first iteration touches memory for the first time
    auto seconds = session_.comm.gather((own - look_->own) / iterations);
    if (*std::max_element(seconds.begin(), seconds.end()) * iterations < long_look) return false;
    if (!look_->seconds.empty()) {
      for (std::size_t r = 0; r < seconds.size(); ++r) seconds[r] = expected * std::min(seconds[r], look_->seconds[r]);
      look_.reset();
      wanted_ = decide({-1, 0}, seconds, steps_to_come, false);
      return wanted_.has_value();
    }
    balancer_->decide(seconds, 0);
    look_->seconds = std::move(seconds);
  }
  look_->from = done;
  look_->own = own;
  return false;
}

std::optional<std::vector<int>> LoadBalance::decide(std::array<std::int64_t, 2> steps,
                                                    std::vector<double> const& seconds, double steps_to_come,
                                                    bool long_enough) {
  bool const first = balancer_->moves() == 0;
  auto owners = balancer_->decide(seconds, steps_to_come, long_enough);
  if (history_.size() < most_history) history_.push_back({steps[0], steps[1], balancer_->imbalance(), 0});
  return owners && share_anew_ && first ? shared_anew(std::move(*owners)) : owners;
}

std::optional<std::vector<int>> LoadBalance::after_step(double steps_to_come) {
  if (!active_) return std::nullopt;
  look_.reset();
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
  auto owners = decide({window_begin_, step_}, seconds, steps_to_come, long_enough);
  window_ended_ = true;
  // windows grow while nothing needs to move
  window_seconds_ = owners ? 0.1 : std::min(1.0, 1.5 * window_seconds_);
  window_ = std::clamp<std::int64_t>(std::llround(window_seconds_ / std::max(slowest_, 1e-9)),
                                     slowest_ < long_step ? 3 : 1, 10'000);
  begin_window();
  return owners;
}

std::vector<int> LoadBalance::shared_anew(std::vector<int> owners) const {
  auto const slowest = [&](std::vector<int> const& o) {
    auto const seconds = balancer_->predict(o);
    return *std::max_element(seconds.begin(), seconds.end());
  };
  auto anew = share_out(session_, *grid_, {balancer_->shares()}).owners;
  return slowest(anew) < 1.03 * slowest(owners) ? anew : owners;
}

std::unique_ptr<core::Layout> LoadBalance::better_tiles(double steps_to_come) {
  constexpr int most_often = 4;
  if (!active_ || !std::exchange(window_ended_, false) || !balancer_->unequal() || retiled_ == most_often)
    return nullptr;
  core::Timed const timed(core::Part::rebalance);
  auto const shares = balancer_->shares();
  auto rates = worker_rates(session_.comm, shares);
  double const least = 1e-6 * *std::max_element(rates.begin(), rates.end());
  for (double& rate : rates) rate = std::max(rate, least);
  auto const cells = grid_->cells();
  auto const tile = core::choose_tile(core::TileUse::automata, cells, rates);
  auto const now = core::judge_tile(cells, grid_->tile(), rates), then = core::judge_tile(cells, tile, rates);
  // as long as a step takes with shares of the cells that need not be whole tiles
  double even = 0;
  for (std::size_t r = 0; r < shares.size(); ++r) even = std::max(even, balancer_->speeds()[r].seconds(shares[r]));
  double const gain = even * (now.evenness - then.evenness * then.shape / now.shape);
  if (gain < 0.03 * even || gain * steps_to_come < 2 * balancer_->cost_of_move()) return nullptr;
  auto const grid = std::make_shared<core::Grid const>(grid_->with_tile(tile));
  auto owners = share_out(session_, *grid, {shares}).owners;
  return std::make_unique<core::Layout>(grid, std::move(owners), session_.comm);
}

std::vector<double> LoadBalance::measure() {
  auto const now = spent();
  auto const steps = static_cast<double>(step_ - window_begin_);
  auto seconds = session_.comm.gather((now.own - begin_.own) / steps);
  slowest_ = *std::max_element(seconds.begin(), seconds.end());
  if (settling_seconds_) {
    double const usual = session_.comm.max((now.steps - begin_.steps) / steps);
    double const more = session_.comm.max(*settling_seconds_) - usual;
    balancer_->set_cost_of_move(move_seconds_ + (more > noise * usual ? more : 0.0));
    settling_seconds_.reset();
  }
  // a foreign library does not tell its waits: its work is shared like ours, and on the slowest rank it hardly waits
  auto const foreign = session_.comm.gather((now.foreign - begin_.foreign) / steps);
  double const mean = std::accumulate(foreign.begin(), foreign.end(), 0.0) / static_cast<double>(foreign.size());
  for (double& s : seconds) s *= 1 + mean / std::max(slowest_, 1e-12);
  // the first window of short steps is so short that one interruption would look like a slow rank: two must agree
  if (history_.empty() && first_window_.empty() && slowest_ * steps < long_step) {
    first_window_ = seconds;
    balancer_->decide(seconds, 0);
    return {};
  }
  if (history_.empty())
    for (std::size_t r = 0; r < first_window_.size(); ++r) seconds[r] = std::min(seconds[r], first_window_[r]);
  return seconds;
}

void LoadBalance::moved(std::vector<int> owners, double begin) {
  int tiles = 0;
  for (std::size_t t = 0; t < owners.size(); ++t) tiles += owners[t] != owners_[t];
  owners_ = std::move(owners);
  after_move(tiles, begin);
}

void LoadBalance::retiled(core::Layout const& layout, double begin) {
  ++retiled_;
  grid_ = layout.shared_grid();
  owners_ = layout.owners();
  balancer_->retile(partition::tile_graph(*grid_), partition::Load::by_cells(*grid_, session_.comm.size()).tile_cost,
                    owners_);
  session_.log.line("Balance: now {} tiles of {} x {} x {} cells", grid_->tiles(), grid_->tile()[0], grid_->tile()[1],
                    grid_->tile()[2]);
  after_move(grid_->tiles(), begin);
}

void LoadBalance::after_move(int tiles, double begin) {
  tiles_moved_ += tiles;
  move_seconds_ = session_.comm.max(session_.clock.now() - begin);
  if (!history_.empty()) history_.back().tiles_moved = tiles;
  double const before = balancer_->imbalance();
  balancer_->moved(owners_, move_seconds_);
  session_.log.line("Balance: {} of {} tiles moved in {:.3g} s, imbalance {:.1f} % -> {:.1f} % expected", tiles,
                    owners_.size(), move_seconds_, 100 * before, 100 * balancer_->predicted());
  first_after_move_ = step_ > 0;  // the first step of all may take longer for other reasons
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
  std::vector<double> measured;
  for (auto const& curve : balancer_->speeds())
    measured.push_back(curve.points().back().work / curve.points().back().seconds);
  if (tiles_moved_ > 0) report_weights(report, *grid_, owners_, balancer_->predict(owners_));
  // an emulated cluster's are not those of this machine
  if (session_.take || core::emulation()) return;
  Json const speeds{{"for", key(session_)}, {"cellsPerSecond", measured}};
  io::on_root(session_.comm, [&] { core::write_file(session_.files.output(speeds_file), speeds.dump(2) + '\n'); });
}

}  // namespace tessera::run
