// SPDX-License-Identifier: Apache-2.0
#include "run/restart/restart.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "io/files/together.hpp"
#include "io/reader.hpp"
#include "run/restart/changes.hpp"
#include "run/restart/checkpoint.hpp"
#include "run/restart/earlier_files.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace tessera::run {
namespace {

namespace fs = std::filesystem;

/// A snapshot's numbers and texts from the root to all ranks.
void broadcast(core::Comm const& comm, Restart& from) {
  std::string all;
  auto const put = [&](std::string const& text) { all.append(text).push_back('\0'); };
  put(std::to_string(from.step));
  put(fmt::format("{:a}", from.time));
  put(std::to_string(from.found.size()));
  for (auto const& name : from.found) put(name);
  for (auto const& [name, text] : from.state) {
    put(name);
    put(text);
  }
  comm.broadcast(all);
  std::size_t at = 0;
  auto const take = [&] {
    std::string text = all.substr(at, all.find('\0', at) - at);
    at += text.size() + 1;
    return text;
  };
  from.step = std::stoll(take());
  from.time = std::strtod(take().c_str(), nullptr);
  from.found.resize(std::stoul(take()));
  for (auto& name : from.found) name = take();
  while (at < all.size()) {
    auto const name = take();
    from.state[name] = take();
  }
}

Restart load(Session& session, std::string const& file, std::span<core::FieldBase* const> fields,
             std::span<core::FieldBase* const> wanted) {
  Restart from;
  io::on_root(session.comm, [&] {
    auto info = io::read_snapshot(file);
    core::Grid const& grid = fields[0]->layout().grid();
    auto const cells = grid.cells();
    if (info.cells != cells)
      throw core::Error(file, 0,
                        fmt::format("holds {} x {} x {} cells, but the case has {} x {} x {}", info.cells[0],
                                    info.cells[1], info.cells[2], cells[0], cells[1], cells[2]));
    if (std::string what; !io::same_places(info, grid, what)) throw core::Error(file, 0, what);
    from = {info.step, info.time, std::move(info.state), {}, {}, true, std::move(info.provenance)};
    for (auto const* field : wanted)
      if (std::any_of(info.fields.begin(), info.fields.end(),
                      [&](auto const& item) { return item.name == field->name(); }))
        from.found.push_back(field->name());
  });
  broadcast(session.comm, from);
  from.source = file;
  from.from_file = true;
  std::vector<core::FieldBase*> all(fields.begin(), fields.end());
  for (auto* field : wanted)
    if (std::find(from.found.begin(), from.found.end(), field->name()) != from.found.end()) all.push_back(field);
  for (auto* field : all) {
    auto const source = io::open_rows(session.comm, file + ":/fields/" + field->name());
    io::distribute(source.get(), *field);
  }
  return from;
}

/// Snapshots to try, the last one first; of the step or time asked for where the case names one.
std::vector<std::string> candidates(Session& session, io::foam::Control const& control, bool by_step) {
  std::string list;
  io::on_root(session.comm, [&] {
    std::vector<std::pair<double, std::string>> asked;  // how far the time is from the one asked for
    auto const found = io::snapshots_in(session.files.output("results"));
    for (auto place = found.rbegin(); place != found.rend(); ++place) try {
        double off = 0;
        if (control.start_from != "latestTime") {
          double const here = by_step ? static_cast<double>(place->first) : io::read_snapshot(place->second).time;
          off = std::abs(here - control.start_time);
          bool const near = off <= 1e-9 * std::abs(control.start_time);
          // a time may be given as it is printed
          if (!near && (by_step || !control.named(here, control.time_name(control.start_time)))) continue;
        }
        asked.emplace_back(off, place->second);
      } catch (core::Error const& error) {
        session.log.line("{}; it is passed over", error.what());
      }
    std::stable_sort(asked.begin(), asked.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    for (auto const& [off, file] : asked) list += file + '\n';
  });
  session.comm.broadcast(list);
  std::vector<std::string> files;
  for (std::size_t at = 0; at < list.size(); at = list.find('\n', at) + 1)
    files.push_back(list.substr(at, list.find('\n', at) - at));
  return files;
}

/// The same, of which startTime must have one.
std::vector<std::string> asked_for(Session& session, io::foam::Control const& control, bool by_step) {
  auto files = candidates(session, control, by_step);
  if (files.empty() && control.start_from != "latestTime")
    session.files.open("system/controlDict")
        .fail("startTime", fmt::format("there is no snapshot of {} in {}, expected one, or startTime 0",
                                       control.time_name(control.start_time), session.files.output("results")));
  return files;
}

/// From the nodes' memory, where that is later than the last of the snapshots.
std::optional<Restart> from_memory(Session& session, Checkpoints& checkpoints, std::vector<std::string> const& files,
                                   std::span<core::FieldBase* const> fields, std::span<core::FieldBase* const> wanted) {
  auto const& found = checkpoints.found();
  if (!found) return std::nullopt;
  if (!files.empty() && std::stoll(fs::path(files[0]).stem().string()) >= found->step) return std::nullopt;
  std::vector<core::FieldBase*> all(fields.begin(), fields.end());
  all.insert(all.end(), wanted.begin(), wanted.end());
  try {
    auto restored = checkpoints.restore(all, fields.size());
    auto& saved = restored.saved;
    Restart from{saved.step,
                 saved.time,
                 std::move(saved.state),
                 std::move(saved.found),
                 fmt::format("the checkpoint in memory of step {}", saved.step),
                 false,
                 std::move(restored.dictionaries)};
    session.log.line("Goes on from {}", from.source);
    return from;
  } catch (core::Error const& error) {
    if (files.empty()) throw;
    session.log.line("{}; the last snapshot is taken", error.what());
  } catch (core::RunError const& error) {  // damaged in a way that shows only when it is put together
    if (files.empty())
      throw core::RunError(fmt::format("{}, and there is no snapshot: startFrom startTime begins anew", error.what()));
    session.log.line("{}; the last snapshot is taken", error.what());
  }
  return std::nullopt;
}

bool is_number(std::string const& name) {
  double time = 0;
  auto const [end, error] = std::from_chars(name.data(), name.data() + name.size(), time);
  return error == std::errc{} && end == name.data() + name.size();
}

}  // namespace

std::optional<Restart> restart(Session& session, io::foam::Control const& control, bool by_step,
                               Checkpoints& checkpoints, std::span<core::FieldBase* const> fields,
                               std::span<core::FieldBase* const> wanted) {
  if (io::foam::begins_anew(control.start_from, control.start_time)) return std::nullopt;
  auto const files = asked_for(session, control, by_step);
  if (control.start_from == "latestTime")
    if (auto from = from_memory(session, checkpoints, files, fields, wanted)) return from;
  if (files.empty()) return std::nullopt;
  for (std::size_t n = 0;; ++n) try {
      auto from = load(session, files[n], fields, wanted);
      session.log.line("Goes on from {}", files[n]);
      return from;
    } catch (core::Error const& error) {
      if (n + 1 == files.size()) throw;
      session.log.line("{}; the snapshot before it is taken", error.what());
    }
}

void check_start(Session& session, io::foam::Control const& control, bool by_step) {
  if (!io::foam::begins_anew(control.start_from, control.start_time)) asked_for(session, control, by_step);
}

void tell_changes(Session& session, Restart const& from, std::vector<std::string> const& others) {
  auto const now = session.files.texts();
  io::on_root(session.comm, [&] {
    auto found = changes(from.dictionaries, now);
    found.insert(found.end(), others.begin(), others.end());
    if (found.empty()) return;
    constexpr std::size_t most = 8;
    std::string const more = found.size() > most ? fmt::format("; and {} more", found.size() - most) : "";
    found.resize(std::min(found.size(), most));
    session.log.line("The case is another than that of {}: {}{}", from.source, fmt::join(found, "; "), more);
  });
}

namespace {

/// Time series that a run of another case has left in the folder: the snapshots that they name are going to be this case's.
std::vector<fs::path> series_of_others(Session const& session) {
  std::vector<fs::path> found;
  std::error_code none;
  for (auto const& entry : fs::directory_iterator(session.files.output("results"), none)) {
    std::string const stem = entry.path().stem().string();
    if (entry.path().extension() != ".xdmf" || stem == session.files.name() || !entry.is_regular_file(none)) continue;
    auto const text = core::read_file(entry.path().string());
    if (text.find(fmt::format("<Grid Name=\"{}\" GridType=\"Collection\"", stem)) < 256) found.push_back(entry.path());
  }
  return found;
}

}  // namespace

void set_aside_later_snapshots(Session& session, std::int64_t step, std::string const& written) {
  io::on_root(session.comm, [&] {
    auto files = io::snapshots_after(session.files.output("results"), step);
    std::erase_if(files, [&](fs::path const& file) { return file.filename() == fs::path(written).filename(); });
    auto const series = series_of_others(session);
    if (files.empty() && series.empty()) return;
    fs::path const aside = earlier_folder(session, "results");
    for (auto const& file : series) {
      fs::rename(file, aside / file.filename());
      session.log.line("The time series of a run of another case, {}, is moved to {}", file.filename().string(),
                       aside.string());
    }
    if (files.empty()) return;
    for (fs::path const file : files) fs::rename(file, aside / file.filename());
    session.log.line("Snapshots of an earlier run, of steps after {}, are moved to {}: {}", step, aside.string(),
                     files.size());
  });
}

void remove_leftovers(Session& session, std::vector<std::string> const& fields) {
  io::on_root(session.comm, [&] {
    std::error_code none;
    // CASE/FOLDER/NAME.part, where we are who makes a NAME
    auto const clean = [&](std::string const& folder, auto const& ours) {
      for (auto const& entry : fs::directory_iterator(session.files.output(folder), none)) {
        fs::path name = entry.path().filename();
        if (name.extension() != ".part") continue;
        if (ours(name.replace_extension())) fs::remove(entry.path(), none);
      }
    };
    clean("results", [](fs::path const& name) {
      std::string const stem = name.stem().string(), kind = name.extension().string();
      bool const number =
          stem.size() >= 6 && std::all_of(stem.begin(), stem.end(), [](unsigned char c) { return std::isdigit(c); });
      return kind == ".xdmf" || kind == ".png" || ((kind == ".h5" || kind == ".mc") && number);
    });
    clean("postProcessing", [](fs::path const& name) {
      std::string const kind = name.extension().string();
      return kind == ".json" || kind == ".csv" || kind == ".png";
    });
    if (fields.empty()) return;
    for (auto const& entry : fs::directory_iterator(session.files.output(""), none)) {
      std::string const time = entry.path().filename().string();
      if (!is_number(time)) continue;
      clean(time, [&](fs::path const& name) {
        return std::any_of(fields.begin(), fields.end(),
                           [&](auto const& field) { return name == field || name == field + ".gz"; });
      });
      clean(time + "/uniform", [](fs::path const& name) { return name == "time"; });
    }
  });
}

}  // namespace tessera::run
