// SPDX-License-Identifier: Apache-2.0
#include "run/plan/outlook.hpp"

#include "io/pictures/page.hpp"
#include "io/pictures/plots.hpp"
#include "run/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::run {
namespace {

using Json = core::Report::Json;

bool on_front(Outlook const& outlook, std::size_t n) {
  return std::find(outlook.front.begin(), outlook.front.end(), n) != outlook.front.end();
}

std::vector<std::vector<std::string>> table(Outlook const& outlook) {
  auto const& all = outlook.all;
  std::vector<std::vector<std::string>> rows{{"ranks", "nodes", "seconds", "efficiency", outlook.sampled.unit + "Ms",
                                              "compute", "wait", "halo", "reduce", "rankMB", "allGB", "sentGB", "netGB",
                                              "nodeHours"}};
  bool const watts = all.front().joules > 0, price = all.front().cost > 0;
  if (watts) rows[0].emplace_back("kWh");
  if (price) rows[0].emplace_back("cost");
  rows[0].emplace_back("");
  for (std::size_t n = 0; n < all.size(); ++n) {
    Prediction const& p = all[n];
    auto const share = [&](double part) { return fmt::format("{:.0f} %", 100 * part / p.round); };
    auto& row = rows.emplace_back(std::vector<std::string>{
        fmt::format("{}", p.ranks), fmt::format("{}", p.nodes), fmt::format("{:.4g}", p.run),
        fmt::format("{:.2f}", p.efficiency), fmt::format("{:.4g}", 1e3 * p.round), share(p.compute), share(p.wait),
        share(p.halo), share(p.reduce), fmt::format("{:.0f}", p.memory / 1e6),
        fmt::format("{:.3g}", p.memory_all / 1e9), fmt::format("{:.3g}", p.bytes / 1e9),
        fmt::format("{:.3g}", p.bytes_beyond / 1e9), fmt::format("{:.3g}", p.node_hours)});
    if (watts) row.push_back(fmt::format("{:.3g}", p.joules / 3.6e6));
    if (price) row.push_back(fmt::format("{:.3g}", p.cost));
    std::vector<std::string> words;
    if (!p.fits) words.emplace_back("memory!");
    if (n == outlook.best) words.emplace_back("best");
    if (n == outlook.fastest) words.emplace_back("fastest");
    if (on_front(outlook, n)) words.emplace_back("front");
    row.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return rows;
}

std::string place_of(Prediction const& p) {
  return fmt::format("{} rank{} on {} node{}", p.ranks, p.ranks == 1 ? "" : "s", p.nodes, p.nodes == 1 ? "" : "s");
}

std::vector<std::string> verdicts(Outlook const& outlook) {
  std::vector<std::string> all;
  Prediction const &fastest = outlook.all[outlook.fastest], &best = outlook.all[outlook.best];
  if (!fastest.fits) all.push_back("The case does not fit the memory of the nodes on any number of ranks");
  all.push_back(fmt::format("Best: {}, {:.4g} s (the least time times node-hours)", place_of(best), best.run));
  if (fastest.ranks < outlook.capacity)
    all.push_back(fmt::format("Limit of strong scaling: {}, {:.4g} s; on more ranks the run takes longer",
                              place_of(fastest), fastest.run));
  else
    all.push_back(fmt::format("Limit of strong scaling: beyond the machine's {} ranks, on which the run takes {:.4g} s",
                              outlook.capacity, fastest.run));
  if (outlook.deadline > 0) {
    Prediction const* cheapest = nullptr;
    for (auto const& p : outlook.all)
      if (p.fits && p.run <= outlook.deadline && (!cheapest || p.node_hours < cheapest->node_hours)) cheapest = &p;
    all.push_back(cheapest ? fmt::format("Deadline of {:.4g} s: holds from {} on, {:.4g} s and {:.3g} node-hours",
                                         outlook.deadline, place_of(*cheapest), cheapest->run, cheapest->node_hours)
                           : fmt::format("Deadline of {:.4g} s: does not hold, the least time is {:.4g} s",
                                         outlook.deadline, fastest.run));
  }
  return all;
}

std::vector<std::string> sources(Outlook const& outlook) {
  auto all = outlook.sampled.how;
  all.push_back(
      fmt::format("Latency, bandwidth, contention, memory, watts and price: as {} has them", outlook.machine));
  all.push_back(outlook.by_tiles >= outlook.all.back().ranks
                    ? "Cells and borders of each rank: the case's tiles, shared out as a run does"
                    : fmt::format("Cells and borders of each rank: {}equal blocks",
                                  outlook.by_tiles > 0
                                      ? fmt::format("the case's tiles up to {} ranks, beyond ", outlook.by_tiles)
                                      : "too many tiles to share out, "));
  if (!(outlook.all.front().joules > 0))
    all.push_back("Energy: not told, the machine file has no watts for all of its nodes");
  return all;
}

}  // namespace

void judge(Outlook& outlook) {
  outlook.fastest = fastest(outlook.all);
  outlook.front = pareto(outlook.all);
  outlook.best = outlook.fastest;
  auto const price = [&](std::size_t n) { return outlook.all[n].run * outlook.all[n].node_hours; };
  for (std::size_t const n : outlook.front)
    if (price(n) < price(outlook.best)) outlook.best = n;
}

std::vector<std::string> lines(Outlook const& outlook) {
  auto const& work = outlook.sampled.work;
  std::vector<std::string> all{fmt::format("Plan of {} on {}", outlook.case_name, outlook.machine),
                               fmt::format("{:.0f} x {:.0f} x {:.0f} cells, {:.0f} steps, {:.4g} {}s of {}",
                                           work.cells[0], work.cells[1], work.cells[2], work.steps, work.rounds,
                                           outlook.sampled.unit, outlook.sampled.kernel)};
  for (auto& line : aligned(table(outlook))) all.push_back(std::move(line));
  for (auto& line : verdicts(outlook)) all.push_back(std::move(line));
  all.emplace_back("How the numbers were obtained:");
  for (auto& line : sources(outlook)) all.push_back("  " + line);
  return all;
}

Json json(Outlook const& outlook) {
  Json points = Json::array();
  for (std::size_t n = 0; n < outlook.all.size(); ++n) {
    Prediction const& p = outlook.all[n];
    Json one{{"ranks", p.ranks}, {"nodes", p.nodes}, {"spread", p.spread}};
    one["seconds"] = {{"run", p.run},   {"start", p.load}, {"round", p.round},  {"compute", p.compute},
                      {"wait", p.wait}, {"halo", p.halo},  {"reduce", p.reduce}};
    one["speedUp"] = p.speed_up;
    one["efficiency"] = p.efficiency;
    one["memory"] = {
        {"bytesPerRankMax", p.memory}, {"bytes", p.memory_all}, {"bytesPerNodeMax", p.memory_node}, {"fits", p.fits}};
    one["traffic"] = {{"messages", p.messages}, {"bytes", p.bytes}, {"bytesBetweenNodes", p.bytes_beyond}};
    one["nodeHours"] = p.node_hours;
    if (p.cost > 0) one["cost"] = p.cost;
    if (p.joules > 0) one["joules"] = p.joules;
    one["front"] = on_front(outlook, n);
    points.push_back(std::move(one));
  }
  auto const& work = outlook.sampled.work;
  Json paths = Json::array();
  for (auto const& path : work.paths)
    paths.push_back({{"ranks", path.ranks},
                     {"messages", path.latencies},
                     {"bytesShare", path.bytes_share},
                     {"waitShare", path.wait_share},
                     {"waitSeconds", path.wait_seconds}});
  Json result{{"case", outlook.case_name},
              {"machine", outlook.machine},
              {"kernel", outlook.sampled.kernel},
              {"cells", work.cells},
              {"steps", work.steps},
              {"rounds", work.rounds},
              {"roundsExponent", outlook.sampled.iterations.exponent},
              {"roundsError", finite_or_null(outlook.sampled.iterations.error)},
              {"best", outlook.best},
              {"fastest", outlook.fastest},
              {"limitReached", outlook.all[outlook.fastest].ranks < outlook.capacity},
              {"criticalPaths", paths},
              {"points", points},
              {"verdicts", verdicts(outlook)},
              {"sources", sources(outlook)}};
  if (outlook.deadline > 0)
    result["deadline"] = {{"seconds", outlook.deadline},
                          {"holds", outlook.all[outlook.fastest].run <= outlook.deadline}};
  return result;
}

std::string page(Outlook const& outlook) {
  using Curve = io::LinePlot::Curve;
  Curve time{"predicted", {}}, front{"front", {}}, efficiency{"predicted", {}};
  int last = 0;
  for (std::size_t n = 0; n < outlook.all.size(); ++n) {
    Prediction const& p = outlook.all[n];
    // of two placements the faster one
    bool const better = p.ranks == last && p.run < time.points.back().second;
    if (p.ranks == last && !better) continue;
    if (better) time.points.pop_back(), efficiency.points.pop_back();
    last = p.ranks;
    time.points.emplace_back(std::log2(p.ranks), p.run);
    efficiency.points.emplace_back(std::log2(p.ranks), p.efficiency);
  }
  for (std::size_t const n : outlook.front) front.points.emplace_back(outlook.all[n].run, outlook.all[n].node_hours);
  std::string body = "<ul>\n";
  for (auto const& line : verdicts(outlook)) body += fmt::format("<li>{}</li>\n", io::escaped(line));
  body += "</ul>\n<div class=\"plots\">\n<div>" + io::line_plot({"Time", "log2 of the ranks", "seconds", {time}}) +
          "</div>\n<div>" + io::line_plot({"Efficiency", "log2 of the ranks", "efficiency", {efficiency}}) +
          "</div>\n<div>" + io::line_plot({"What no other beats", "seconds", "node-hours", {front}}) +
          "</div>\n</div>\n" + io::html_table(table(outlook)) + "<h2>How the numbers were obtained</h2>\n<ul>\n";
  for (auto const& line : sources(outlook)) body += fmt::format("<li>{}</li>\n", io::escaped(line));
  return io::html({"Plan of " + outlook.case_name, {outlook.machine}, body + "</ul>\n"});
}

}  // namespace tessera::run
