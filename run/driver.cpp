// SPDX-License-Identifier: Apache-2.0
#include "run/driver.hpp"

#include "core/case/error_list.hpp"
#include "core/times.hpp"
#include "io/snapshot.hpp"
#include "run/control/in_situ.hpp"
#include "run/restart/restart.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace tessera::run {

void Schedule::read_control(Session& session, io::foam::ControlNeeds const& needs, io::PreviewStyle const& otherwise) {
  auto& dictionary = session.files.open("system/controlDict");
  core::attempt([&] {
    if (auto const* const entry = dictionary.find_sub("preview")) preview = io::read_preview(*entry, otherwise);
  });
  std::optional<CheckpointSettings> settings;
  core::attempt([&] { settings = read_checkpoint(dictionary); });
  control = io::foam::read_control(dictionary, needs, {"preview", "checkpoint"});
  checkpoints.emplace(session, control, settings);
}

void Schedule::read_in_situ(Session& session) { in_situ = make_in_situ(session); }

std::int64_t Stepping::steps_to_due(std::int64_t step) const {
  auto const steps = control.steps_to_due(step);
  return preview_ ? std::min(steps, preview_->steps_to_due(step)) : steps;
}

void Stepping::move(std::vector<int> owners) {
  double const begin = session_.clock.now();
  model_.move_to(std::make_unique<core::Layout>(model_.parts().layout->shared_grid(), owners, session_.comm));
  balance.moved(std::move(owners), begin);
}

int SteppedModel::run(core::Report& report) {
  auto& [settings, preview_style, checkpoints, in_situ] = schedule_;
  Start const start = begin();
  Moment now = start.moment;
  Case const& files = session_.files;
  io::SnapshotSeries series(files.output("results"), files.name(), {}, start.goes_on, settings.purge_write);
  if (start.goes_on) series.go_on(*parts().layout, now.step);
  RunControl control(session_, settings, now.time, start.origin);
  checkpoints->begin(control);
  LoadBalance balance(session_, parts(), setup_seconds());
  std::optional<io::Preview> preview;
  if (preview_style) preview.emplace(files.output("results/preview.png"), *preview_style);
  Stepping stepping(session_, *this, control, balance, preview);
  if (in_situ) in_situ->start(now.step, now.time);

  std::string snapshot;  // the last one
  for (bool first = true;; first = false) {
    bool const is_state = !first || start.is_state, whole = is_up_to_date();
    if (preview && preview->due(now.step))
      if (auto const seen = shown(); !seen.empty()) preview->add(*seen.front().field, stamp(now));
    auto const decision =
        is_state ? control.after(now.step, now.time, now.last, whole) : RunControl::Decision{false, now.last};
    bool const writes = !session_.take && decision.write && (!first || (start.is_state && decision.stop));
    if (!first) after_step(now, writes, decision.stop, control.by_signal());
    if (writes) {
      core::Timed const timed(core::Part::io);
      // The snapshot first: what a kill leaves undone after it, the next start makes from it.
      bool const begins = snapshot.empty();
      snapshot = write_snapshot(now);
      if (snapshot.empty()) snapshot = series.write(now.step, now.time, saved(false), files.texts(), state());
      if (begins) set_aside_later_snapshots(session_, start.moment.step, snapshot);
      write(now);
    }
    if (!first && checkpoints->due(now.step, decision)) checkpoints->save(now.step, now.time, saved(true), state());
    if (in_situ && is_state) in_situ->observe(now.step, now.time, decision.stop, shown());
    if (decision.stop) break;

    if (!first && whole) {  // work is measured where it is done
      double const to_come = steps_to_come(now);
      auto owners = balance.after_step(to_come);
      double const moving = session_.clock.now();
      if (auto layout = may_retile() ? balance.better_tiles(to_come) : nullptr) {
        move_to(std::move(layout));
        balance.retiled(*parts().layout, moving);
      } else if (owners) {
        stepping.move(std::move(*owners));
      }
    }
    now = step(now, stepping);
  }

  if (preview) preview->finish(session_.comm);
  if (!control.reason().empty())
    session_.log.line(
        "Stopped at {} by {}{}", name(now), control.reason(),
        snapshot.empty() || control.reason() == "stopAt noWriteNow"
            ? ""
            : fmt::format(": results/{} holds all to go on from", std::filesystem::path(snapshot).filename().string()));
  auto const outcome = finish(now, control.reason(), report);
  if (session_.take) session_.take(saved(false), parts().layout->grid().box());
  balance.finish(report);
  checkpoints->finish(report);
  if (in_situ) report["inSitu"] = in_situ->report();
  report.finish(session_.comm, outcome.steps, outcome.cell_updates);
  return outcome.exit_code;
}

}  // namespace tessera::run
