// SPDX-License-Identifier: Apache-2.0
#include "io/insitu/in_situ.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/times.hpp"
#include "io/files/together.hpp"
#include "io/insitu/module.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fmt/format.h>

namespace tessera::io {

InSitu::InSitu(core::Dictionary& dictionary, std::string directory, core::Comm const& comm, OwnScript own)
    : dictionary_(dictionary),
      directory_(std::move(directory)),
      comm_(comm),
      own_(std::move(own)) {
  implementation_ = dictionary.get_choice("implementation", {"legacy", "catalyst2", "recorder"}, "legacy");
  insitu::module_file(implementation_, dictionary);
  fields_ = dictionary.get_or<std::vector<std::string>>("fields", {});
  if (dictionary.contains("budget")) {
    budget_ = dictionary.get_positive<double>("budget");
    if (*budget_ > 1) dictionary.fail_expected("budget", "a share of the run's time, above 0 and at most 1");
  }
  auto& scripts = dictionary.sub("scripts");
  for (auto const& name : scripts.keys()) read_script(scripts.sub(name), name);
  if (scripts_.empty()) dictionary.fail_entry("scripts", "is empty, expected at least one NAME { file \"FILE.py\"; }");
}

InSitu::~InSitu() {
  // collective: not while an exception ends this rank alone
  if (module_ && std::uncaught_exceptions() == 0) module_->finalize();
}

std::string InSitu::find_script(core::Dictionary const& entry) const {
  namespace fs = std::filesystem;
  fs::path const file = entry.get<std::string>("file");
  std::string found;
  bool of_case = false;
  on_root(comm_, [&] {
    auto const own = fs::path(directory_) / file, ours = insitu::pipelines() / file.filename();
    std::error_code none;
    of_case = fs::exists(own, none);
    if (of_case)
      found = fs::absolute(own).lexically_normal();
    else if (file == file.filename() && fs::exists(ours, none))
      found = ours;
    else
      entry.fail("file", fmt::format("there is neither {} nor {}", own.string(), ours.string()));
    core::require_regular(found);
  });
  comm_.broadcast(found);
  if (own_ && comm_.any(of_case) && !own_(entry, "file", found)) found.clear();
  return found;
}

void InSitu::read_script(core::Dictionary& entry, std::string const& name) {
  Script s;
  s.name = name;
  s.file = find_script(entry);
  s.control = entry.get_choice("executeControl", {"timeStep", "runTime", "clockTime"}, "timeStep");
  s.interval = entry.get_positive<double>("executeInterval", 1);
  if (s.control == "timeStep" && s.interval != std::floor(s.interval))
    entry.fail_expected("executeInterval", "a whole number of steps");
  for (auto const& channel : entry.get_or<std::vector<std::string>>("channels", {"preview"})) {
    if (channel != "grid" && channel != "preview")
      entry.fail("channels", core::unknown_name("channel", channel, {"grid", "preview"}));
    s.channels |= channel == "grid" ? insitu_grid : insitu_preview;
  }
  if (s.channels == 0) entry.fail_entry("channels", "is empty, expected grid, preview or both");
  s.args = entry.get_or<std::vector<std::string>>("args", {});
  s.args.push_back("case=" + std::filesystem::absolute(directory_).lexically_normal().string());
  std::int64_t views = 0;
  on_root(comm_, [&] {
    std::string const text = s.file.empty() ? "" : core::read_file(s.file);
    for (char const* word : {"CreateView(", "CreateRenderView(", "GetActiveViewOrCreate(", "SaveScreenshot("})
      views += text.find(word) != std::string::npos;
  });
  s.renders = entry.get_or<bool>("renders", comm_.any(views > 0));
  scripts_.push_back(std::move(s));
}

void InSitu::start(std::int64_t, double time) {
  core::Timed const timed(core::Part::in_situ);
  time_ = time;
  begin_ = Clock::now();
  insitu::KeepSignals const keep;
  Failure mine;
  try {
    module_ = insitu::open(insitu::module_file(implementation_, dictionary_));
    if (module_->needs_display && !insitu::have_display())
      for (auto const& s : scripts_)
        if (s.renders)
          dictionary_.sub("scripts").fail(s.name, "renders pictures, but there is no display: start the program by "
                                                  "tools/with_display, or leave the script out");
  } catch (...) {
    mine = Failure::caught();
    module_ = nullptr;
  }
  agree(comm_, mine);

  std::vector<insitu_script> scripts;
  for (auto& s : scripts_) {
    s.pointers.clear();
    for (auto const& a : s.args) s.pointers.push_back(a.c_str());
    s.pointers.push_back(nullptr);
    scripts.push_back({s.file.c_str(), s.pointers.data(), s.channels});
  }
  int wrong = -1;
  char const* const error = module_->init(comm_.handle(), static_cast<int>(scripts.size()), scripts.data(), &wrong);
  if (error) {
    mine.kind = wrong < 0 ? Failure::at_run_time : Failure::wrong_input;
    mine.text = wrong < 0 ? error
                          : fmt::format("{}: {}: {}", dictionary_.sub("scripts").location(scripts_[wrong].name),
                                        scripts_[wrong].file, error);
    module_ = nullptr;
  }
  agree(comm_, mine);
  start_seconds_ = std::chrono::duration<double>(Clock::now() - begin_).count();
}

bool InSitu::wanted(Script& s, std::int64_t step, double time) {
  if (s.control == "timeStep") return std::fmod(static_cast<double>(step), s.interval) == 0;
  auto const count = [&](double x) { return std::floor(x / s.interval + 1e-9); };
  if (s.control == "runTime") return count(time) > count(time_) || std::isinf(count(time));
  // the root's clock decides for all
  double const elapsed = std::chrono::duration<double>(Clock::now() - begin_).count();
  auto const runs = static_cast<std::int64_t>(std::min(count(elapsed), 0x1p62));
  bool const due = comm_.any(comm_.root() && runs > s.clock_runs);
  if (due) s.clock_runs = runs;
  return due;
}

void InSitu::expect_fields(std::vector<std::string> const& shown) const {
  for (auto const& name : fields_)
    if (std::ranges::find(shown, name) == shown.end())
      dictionary_.fail("fields", core::unknown_name("field", name, shown));
}

std::vector<insitu::Shown> InSitu::chosen(std::span<insitu::Shown const> fields) const {
  if (fields_.empty()) return {fields.begin(), fields.end()};
  std::vector<insitu::Shown> result;
  for (auto const& name : fields_) {
    auto const found = std::ranges::find_if(fields, [&](auto const& s) { return s.field->name() == name; });
    if (found != fields.end()) result.push_back(*found);
  }
  return result;
}

void InSitu::observe(std::int64_t step, double time, bool last, std::span<insitu::Shown const> fields) {
  if (fields.empty()) return;
  core::Timed const timed(core::Part::in_situ);
  ++steps_;
  std::vector<unsigned char> wanted_now;
  bool any = false;
  for (auto& s : scripts_) {
    // every script is asked, so that the ranks' reductions for the clock meet
    bool const now = wanted(s, step, time) || s.late || last;
    wanted_now.push_back(now);
    any |= now;
  }
  time_ = time;
  if (!any) return;
  bool const wait = !last && too_dear();
  for (std::size_t n = 0; n < scripts_.size(); ++n) scripts_[n].late = wait && wanted_now[n] != 0;
  if (wait) return;
  auto const begin = Clock::now();
  if (int const channels = module_->due(step, time, last, wanted_now.data()); channels != 0)
    execute(channels, {step, time, last, 0, nullptr}, chosen(fields));
  seconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
}

bool InSitu::too_dear() {
  if (!budget_ || calls_ == 0) return false;
  double const run = std::chrono::duration<double>(Clock::now() - begin_).count() - start_seconds_;
  double const call = seconds_ / static_cast<double>(calls_);
  // the root's clock decides for all
  bool const wait = comm_.any(comm_.root() && seconds_ + call > *budget_ * (run + call));
  if (wait && postponed_++ == 0 && note_)
    note_(fmt::format(
        "In situ: a call takes {:.3g} s, more than the budget of {:.3g} % of the run allows: scripts wait, and "
        "run about every {:.3g} s",
        call, 100 * *budget_, call / *budget_));
  return wait;
}

void InSitu::execute(int channels, insitu_frame frame, std::span<insitu::Shown const> fields) {
  std::vector<insitu_channel> c;
  if (channels & insitu_grid) {
    grid_.fill(fields);
    c.push_back(grid_.c());
  }
  if (channels & insitu_preview) {
    preview_.fill(fields);
    c.push_back(preview_.c());
  }
  frame.channels_count = static_cast<std::int32_t>(c.size());
  frame.channels = c.data();
  std::array<insitu_value, 64> values{};
  int n;
  {
    insitu::KeepSignals const keep;
    n = module_->execute(&frame, values.data(), static_cast<int>(values.size()));
  }
  ++calls_;
  if (comm_.any(n < 0)) throw core::RunError(fmt::format("in situ: {} failed at step {}", implementation_, frame.step));
  // what scripts give back is the root's, so that it is the same everywhere
  comm_.broadcast(n);
  comm_.broadcast(values);
  for (auto const& value : std::span(values).first(n)) {
    values_[value.name] = value.value;
  }
}

InSitu::Json InSitu::report() const {
  Json values = Json::object();
  for (auto const& [name, value] : values_) values[name] = value;
  auto const per = [&](std::int64_t n) { return n > 0 ? seconds_ / static_cast<double>(n) : 0.0; };
  Json report{{"implementation", implementation_},
              {"calls", calls_},
              {"startSeconds", start_seconds_},
              {"seconds", seconds_},
              {"secondsPerCall", per(calls_)},
              {"secondsPerStep", per(steps_)},
              {"values", values}};
  if (budget_) report["postponed"] = postponed_;
  return report;
}

}  // namespace tessera::io
