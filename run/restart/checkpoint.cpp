// SPDX-License-Identifier: Apache-2.0
#include "run/restart/checkpoint.hpp"

#include "core/error.hpp"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <string_view>

namespace tessera::run {
namespace {

/// The case's directory as the system names it, on the root.
std::string name_of(Session const& session) {
  std::string name;
  if (session.comm.root()) {
    std::error_code unknown;
    name = std::filesystem::canonical(session.files.output(""), unknown).string();
    if (unknown) name = session.files.output("");
  }
  session.comm.broadcast(name);
  return name;
}

/// In front of the name of a dictionary among the texts of a checkpoint.
constexpr std::string_view of_case = "case/";

}  // namespace

std::optional<CheckpointSettings> read_checkpoint(core::Dictionary const& control) {
  auto const* const entry = control.find_sub("checkpoint");
  if (entry == nullptr) return std::nullopt;
  CheckpointSettings settings{entry, 0, 0, {}};
  settings.every = entry->get_in<std::int64_t>("every", {0, std::numeric_limits<std::int64_t>::max()}, 0);
  settings.seconds = entry->get_in<double>("seconds", {0.0, std::numeric_limits<double>::max()}, 0.0);
  if (settings.every == 0 && settings.seconds == 0)
    entry->fail("every", "nothing says when to save, expected 'every N;' in steps or 'seconds S;' by the clock");
  settings.store.data = entry->get_in<int>("data", {0, 254}, settings.store.data);
  settings.store.parity = entry->get_in<int>("parity", {1, 254}, settings.store.parity);
  settings.store.folder = entry->get_or<std::string>("folder", settings.store.folder);
  entry->check_all_read();
  return settings;
}

Checkpoints::Checkpoints(Session& session, io::foam::Control const& control,
                         std::optional<CheckpointSettings> const& settings)
    : files_(session.files) {
  if (!settings) return;
  every_ = settings->every;
  seconds_ = settings->seconds;
  try {
    store_ = std::make_unique<io::NodeCheckpoint>(session.comm, name_of(session), settings->store);
  } catch (core::Error const& error) {
    settings->entry->fail("", error.what());
  }
  if (control.start_from != "latestTime") return;
  auto const found = store_->find();
  for (auto const& sentence : found.passed_over) session.log.line("{}; an earlier state is taken", sentence);
  if (found.whole) found_ = Moment{found.step, found.time};
}

Checkpoints::Restored Checkpoints::restore(std::span<core::FieldBase* const> fields, std::size_t needed) {
  core::expect(found_.has_value(), "a checkpoint was found");
  Restored restored{store_->restore(fields, needed), {}};
  restored_ = true;
  std::erase_if(restored.saved.state, [&](auto const& text) {
    bool const dictionary = text.first.starts_with(of_case);
    if (dictionary) restored.dictionaries[text.first.substr(of_case.size())] = text.second;
    return dictionary;
  });
  return restored;
}

void Checkpoints::begin(RunControl& control) {
  if (!store_) return;
  store_->clear(restored_);
  for (auto& [file, text] : files_.texts()) dictionaries_[std::string(of_case) + file] = text;
  control.checkpoint_every(seconds_);
}

bool Checkpoints::due(std::int64_t step, RunControl::Decision const& decision) const {
  if (!store_ || decision.write || decision.stop) return false;
  return decision.checkpoint || (every_ > 0 && step % every_ == 0);
}

void Checkpoints::save(std::int64_t step, double time, std::span<core::FieldBase const* const> fields,
                       io::State const& state) {
  auto const begin = core::RunClock::now();
  io::State all = state;
  all.insert(dictionaries_.begin(), dictionaries_.end());
  store_->save(step, time, fields, all);
  took_ += std::chrono::duration<double>(core::RunClock::now() - begin).count();
  ++saved_;
}

void Checkpoints::finish(core::Report& report) {
  if (!store_) return;
  store_->clear();
  auto& entry = report["checkpoint"];
  entry["data"] = store_->data();
  entry["parity"] = store_->parity();
  entry["saved"] = saved_;
  entry["seconds"] = took_;
}

}  // namespace tessera::run
