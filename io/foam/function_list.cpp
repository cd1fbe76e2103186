// SPDX-License-Identifier: Apache-2.0
#include "io/foam/function_object.hpp"

#include "core/case/error_list.hpp"
#include "io/files/atomic.hpp"
#include "io/files/together.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace tessera::io::foam {

struct FunctionList::Item {
  std::string name;
  bool log;
  TimeControl control;
  std::unique_ptr<FunctionObject> object;
  std::set<std::string> begun;  // files that this run has made
};

namespace {

std::string without_heading(std::string const& text) {
  std::istringstream in(text);
  std::string rest;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with('#')) rest += line + "\n";
  return rest;
}

}  // namespace

FunctionList::FunctionList(Control const& control, FunctionContext const& context) : context_(context) {
  // what depends on the machine's clock would not be the same on any number of ranks
  std::vector<std::string> const kinds{"timeStep",   "writeTime",         "outputTime", "runTime",
                                       "adjustable", "adjustableRunTime", "onEnd",      "none"};
  for (auto const& function : control.functions)
    core::attempt([&] {
      core::Dictionary& entry = *function.dictionary;
      // these objects have nothing to execute between two writings
      TimeControl(entry, "execute", kinds);
      objects_.push_back({function.name,
                          entry.get_or<bool>("log", true),
                          TimeControl(entry, "write", kinds),
                          FunctionObjects::make(function.type, FunctionEntry{function.name, entry, context}),
                          {}});
      entry.check_all_read();
    });
}

FunctionList::~FunctionList() = default;

bool FunctionList::empty() const { return objects_.empty(); }

std::string FunctionList::execute(StepTime const& now) {
  std::string log;
  std::vector<std::pair<Item*, FunctionOutput>> outputs;
  for (auto& item : objects_) {
    if (!item.control.due(now)) continue;
    outputs.emplace_back(&item, FunctionOutput{});
    item.object->write(now, outputs.back().second);
    if (item.log) log += outputs.back().second.log();
  }
  if (outputs.empty()) return log;
  on_root(context_.layout->comm(), [&] {
    for (auto& [item, output] : outputs)
      for (auto const& [file, text] : output.files()) append(*item, file, text);
  });
  return log;
}

void FunctionList::append(Item& item, std::string const& file, std::string text) const {
  std::string const path = context_.folder + "/" + item.name + "/" + file;
  bool const first = item.begun.insert(file).second;
  if (std::string const before = first && resumed_at_ ? kept(file, path) : ""; !before.empty()) {
    detail::write_atomically(path, before + without_heading(text));
    return;
  }
  if (first) return core::write_file(path, text);
  auto const out = core::open_to_append(path);
  if (std::fwrite(text.data(), 1, text.size(), out.get()) != text.size() || std::fflush(out.get()) != 0)
    throw core::RunError(path + ": cannot be written: " + std::strerror(errno));
}

std::string FunctionList::kept(std::string const& file, std::string const& path) const {
  auto const& control = context_.control;
  if (!file.starts_with(control.start_name() + "/")) return "";  // a file of one time
  std::string all;
  if (!std::filesystem::exists(path)) return all;
  std::istringstream in(core::read_file(path));
  for (std::string line; std::getline(in, line) && !in.eof();)  // a line without its end was cut off by a kill
    if (line.starts_with('#') || std::strtod(line.c_str(), nullptr) <= *resumed_at_) all += line + "\n";
  return all;
}

std::string FunctionList::state() const {
  std::string text;
  for (auto const& item : objects_) text += fmt::format("{}\t{}\n", item.name, item.control.passed());
  return text;
}

void FunctionList::resume(std::string const& state, double time) {
  // rounded as its row is, now: names may have more digits when the first row is added
  resumed_at_ = std::strtod(context_.control.time_name(time).c_str(), nullptr);
  std::istringstream in(state);
  for (std::string line; std::getline(in, line);) {
    auto const tab = line.rfind('\t');
    for (auto& item : objects_)
      if (tab != std::string::npos && item.name == line.substr(0, tab))
        item.control.resume(std::strtod(line.c_str() + tab, nullptr));
  }
}

}  // namespace tessera::io::foam
