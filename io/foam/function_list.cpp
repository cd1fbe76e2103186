// SPDX-License-Identifier: Apache-2.0
#include "io/foam/function_object.hpp"

#include "core/case/error_list.hpp"
#include "io/files/atomic.hpp"
#include "io/files/together.hpp"
#include "io/foam/time_directory.hpp"

#include <algorithm>
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
  TimeControl executes, control;
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

FunctionList::FunctionList(Control const& control, FunctionContext& context) : context_(context) {
  // what depends on the machine's clock would not be the same on any number of ranks
  std::vector<std::string> const kinds{"timeStep",   "writeTime",         "outputTime", "runTime",
                                       "adjustable", "adjustableRunTime", "onEnd",      "none"};
  for (auto const& function : control.functions)
    core::attempt([&] {
      core::Dictionary& entry = *function.dictionary;
      objects_.push_back({function.name,
                          entry.get_or<bool>("log", true),
                          TimeControl(entry, "execute", kinds),
                          TimeControl(entry, "write", kinds),
                          FunctionObjects::make(function.type, FunctionEntry{function.name, entry, context}),
                          {}});
      for (auto const& [name, field] : objects_.back().object->fields())
        if (!context.fields.emplace(name, field).second)
          entry.fail("", fmt::format("function object '{}' makes '{}', which is there already", function.name, name));
      entry.check_all_read();
    });
}

FunctionList::~FunctionList() = default;

bool FunctionList::empty() const { return objects_.empty(); }

std::string FunctionList::execute(StepTime const& now) {
  std::string log;
  std::vector<std::pair<Item*, FunctionOutput>> outputs;
  std::vector<std::pair<bool, bool>> due;  // executes, writes
  bool any_due = false;
  for (auto& item : objects_) {
    bool const writes = item.control.due(now), executes = item.executes.due(now) || writes;
    due.emplace_back(executes, writes);
    any_due = any_due || (executes && item.object->executes()) || writes;
  }
  if (any_due && context_.refresh) context_.refresh();
  for (std::size_t n = 0; n < objects_.size(); ++n) {
    auto& item = objects_[n];
    if (due[n].first) item.object->execute(now);
    if (!due[n].second) continue;
    outputs.emplace_back(&item, FunctionOutput{});
    item.object->write(now, outputs.back().second);
    if (item.log) log += outputs.back().second.log();
    if (auto const& text = outputs.back().second.properties(); !text.empty()) properties_[item.name] = text;
  }
  if (outputs.empty()) return log;
  on_root(context_.layout->comm(), [&] {
    for (auto& [item, output] : outputs)
      for (auto const& [file, text] : output.files()) append(*item, file, text);
    bool const any =
        std::any_of(outputs.begin(), outputs.end(), [](auto const& o) { return !o.second.properties().empty(); });
    if (any) write_properties(now);
  });
  return log;
}

void FunctionList::write_properties(StepTime const& now) const {
  std::string const time = context_.control.time_name(now.time);
  std::string text = fmt::format(
      "FoamFile\n{{\n    version     2.0;\n    format      ascii;\n    class       dictionary;\n    location    "
      "\"{}/uniform/functionObjects\";\n    object      functionObjectProperties;\n}}\n",
      time);
  for (auto const& [name, body] : properties_) text += fmt::format("\n{}\n{{\n{}}}\n", name, body);
  auto const folder = std::filesystem::path(context_.folder).parent_path() / time;
  core::write_file((folder / functions_properties).string(), text, true);
}

std::vector<std::string> FunctionList::written() const {
  std::vector<std::string> names;
  for (auto const& item : objects_)
    for (auto const& name : item.object->written()) names.push_back(name);
  return names;
}

std::vector<core::FieldBase*> FunctionList::kept() const {
  std::vector<core::FieldBase*> fields;
  for (auto const& item : objects_)
    for (auto* field : item.object->kept()) fields.push_back(field);
  return fields;
}

void FunctionList::move_to(core::Layout const& next) {
  for (auto const& item : objects_) item.object->move_to(next);
}

void FunctionList::append(Item& item, std::string const& file, std::string text) const {
  std::string const path = context_.folder + "/" + item.name + "/" + file;
  bool const first = item.begun.insert(file).second;
  if (std::string const before = first && resumed_at_ ? rows_kept(file, path) : ""; !before.empty()) {
    detail::write_atomically(path, before + without_heading(text));
    return;
  }
  if (first) return core::write_file(path, text);
  auto const out = core::open_to_append(path);
  if (std::fwrite(text.data(), 1, text.size(), out.get()) != text.size() || std::fflush(out.get()) != 0)
    throw core::RunError(path + ": cannot be written: " + std::strerror(errno));
}

std::string FunctionList::rows_kept(std::string const& file, std::string const& path) const {
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
  for (auto const& item : objects_) {
    text += fmt::format("{}\t{}", item.name, item.control.passed());
    auto const own = item.object->state();
    if (item.executes.passed() != 0 || !own.empty()) text += fmt::format("\t{}\t{}", item.executes.passed(), own);
    text += '\n';
  }
  return text;
}

void FunctionList::resume(std::string const& state, double time) {
  // rounded as its row is, now: names may have more digits when the first row is added
  resumed_at_ = std::strtod(context_.control.time_name(time).c_str(), nullptr);
  std::istringstream in(state);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> parts;  // name, times written, and, where there is more, times executed, state of its own
    std::istringstream words(line);
    for (std::string part; std::getline(words, part, '\t');) parts.push_back(part);
    for (auto& item : objects_) {
      if (parts.size() < 2 || item.name != parts[0]) continue;
      item.control.resume(std::strtod(parts[1].c_str(), nullptr));
      if (parts.size() > 2) item.executes.resume(std::strtod(parts[2].c_str(), nullptr));
      if (parts.size() > 3) item.object->resume(parts[3]);
    }
  }
}

}  // namespace tessera::io::foam
