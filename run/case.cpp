// SPDX-License-Identifier: Apache-2.0
#include "run/case.hpp"

#include "core/case/error_list.hpp"
#include "core/case/etc_file.hpp"
#include "core/case/wrong_command.hpp"
#include "core/files.hpp"
#include "io/files/compressed.hpp"
#include "io/readers/held.hpp"
#include "run/guard/input_stamp.hpp"
#include "run/guard/same_run.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::run {
namespace fs = std::filesystem;

Case::Case(std::string directory, std::vector<std::string> const& settings, core::Comm const& comm, std::string output,
           CaseTexts* texts, std::map<std::string, std::string> const& origins)
    : directory_(std::move(directory)),
      output_(output.empty() ? directory_ : std::move(output)),
      comm_(comm),
      texts_(texts) {
  bool const there = (texts_ && !texts_->empty()) || comm_.any(comm_.root() && fs::is_directory(directory_));
  if (!there) throw core::Error(fmt::format("{}: no such case directory", directory_));
  for (std::string const& text : settings) {
    auto const colon = text.find(':'), equals = text.find('=');
    auto const place = origins.find(text);
    std::string const origin = place == origins.end() ? fmt::format("command line: --set {}", text) : place->second;
    if (colon == std::string::npos || equals == std::string::npos || colon > equals || colon == 0 ||
        equals == colon + 1) {
      std::string const problem = fmt::format("{}: expected FILE:entry.path=value", origin);
      if (place == origins.end()) throw core::WrongCommand(problem, core::WrongCommand::Whole());
      throw core::Error(problem);
    }
    settings_.push_back(
        {text.substr(0, colon), text.substr(colon + 1, equals - colon - 1), text.substr(equals + 1), origin});
  }
}

std::string Case::path(std::string const& file) const { return (fs::path(directory_) / file).string(); }

std::string Case::input(std::string const& file) const {
  std::string const result = path(file);
  if (std::string const file = file_of_input(result); !file.empty() && !inside(file)) note_outside(file);
  note_input(result);
  return result;
}

void Case::require_input(core::Dictionary const& entry, std::string_view key) const {
  auto const name = entry.get<std::string>(key);
  std::string const place = path(name);
  std::error_code none;
  bool const missing = comm_.root() && !io::HeldFile::reader_of(place) && file_of_input(place).empty() &&
                       !fs::exists(io::split_item(place).file, none);
  if (comm_.any(missing)) entry.fail_entry(key, fmt::format("is '{}', which cannot be read: No such file", name));
}

void Case::note_input(std::string const& path) const {
  if (!comm_.root()) return;
  bool const own = path.starts_with(directory_ + "/");
  inputs_.try_emplace(own ? path.substr(directory_.size() + 1) : fs::absolute(path).string(), input_stamp(path));
}

std::string Case::output(std::string const& file) const { return (fs::path(output_) / file).string(); }

std::string Case::name() const {
  fs::path const path = fs::absolute(directory_).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

bool Case::exists(std::string const& file) const {
  return comm_.any(comm_.root() && !io::find_file(path(file)).empty());
}

std::string Case::text_here(std::string const& path) const {
  if (texts_)
    if (auto const known = texts_->find(path); known != texts_->end() && known->second) return *known->second;
  std::string const file = io::find_file(core::etc_file(path));
  if (file.empty()) {
    std::error_code none;
    if (fs::exists(fs::symlink_status(path, none))) core::require_regular(path);
    throw core::Error(fmt::format("{}: cannot be read: no such file", path));
  }
  require_near(path, file);
  bool const of_case = std::any_of(hashed_folders.begin(), hashed_folders.end(), [&](char const* folder) {
    return path.starts_with(fmt::format("{}/{}/", directory_, folder));
  });
  if (!of_case && !path.starts_with("<etc>/")) note_input(path);
  return io::text_of(file);
}

std::string Case::read_text(std::string const& path) const {
  std::string text, problem;
  if (comm_.root()) try {
      text = text_here(path);
    } catch (core::Error const& error) {
      problem = error.what();
    }
  comm_.broadcast(problem);
  if (!problem.empty()) throw core::Error(problem);
  comm_.broadcast(text);
  return text;
}

namespace {

bool steps_up(fs::path const& p) { return std::find(p.begin(), p.end(), "..") != p.end(); }

}  // namespace

/// With links followed.
bool Case::inside(std::string const& file) const {
  std::error_code none;
  return !steps_up(fs::canonical(file, none).lexically_relative(fs::canonical(directory_, none)));
}

void Case::note_outside(std::string const& file) const {
  std::error_code none;
  outside_.insert(fs::canonical(file, none).string());
}

std::vector<std::string> Case::outside() const {
  std::vector<std::string> lines;
  for (auto const& file : outside_) lines.push_back(fmt::format("Reads {}, which lies outside of the case", file));
  return lines;
}

void Case::require_near(std::string const& path, std::string const& file) const {
  auto const hidden = [](fs::path const& p) {
    return std::any_of(p.begin(), p.end(), [](fs::path const& step) { return step.string().starts_with('.'); });
  };
  if (path.starts_with("<etc>/") && !steps_up(path)) return;
  std::error_code none;
  fs::path const real = fs::canonical(file, none), own = fs::canonical(directory_, none);
  if (inside(file)) return;
  for (fs::path const& beside :
       {own.parent_path(),
        fs::canonical(fs::absolute(directory_ + "/.").lexically_normal().parent_path().parent_path(), none)})
    if (beside.has_relative_path() && !hidden(real.lexically_relative(beside))) return note_outside(file);
  throw core::Error(fmt::format("{}: lies in {}, expected a file of the case, of <etc>, or in a folder beside the case "
                                "(none that begins with '.')",
                                path, real.parent_path().string()));
}

bool Case::wanted(Setting const& setting, std::string const& file) const {
  return setting.file == file || std::string_view(file).substr(file.rfind('/') + 1) == setting.file;
}

/// Whether another folder has a dictionary of this name, which OpenFOAM's cases may have in either.
bool Case::elsewhere(std::string const& file) const {
  auto const rest = file.substr(file.find('/') + 1);
  auto const name = file.substr(file.rfind('/') + 1);
  for (auto const& other : {"system/" + rest, "constant/" + rest, "system/" + name, "constant/polyMesh/" + name})
    if (other != file && exists(other)) return true;
  return false;
}

core::Dictionary* Case::find(std::string const& file) {
  if (auto const place = dictionaries_.find(file); place != dictionaries_.end()) return place->second.get();
  std::string const at = path(file);
  bool const known = texts_ && texts_->contains(at);
  bool const there = known ? texts_->at(at).has_value() : exists(file);
  // a folder, a pipe, a link to nothing or to itself under the name of a dictionary
  std::string problem;
  if (std::error_code none; comm_.root() && !known && !there && fs::exists(fs::symlink_status(at, none))) try {
      core::require_regular(at);
    } catch (core::Error const& error) {
      problem = error.what();
    }
  if (!known) comm_.broadcast(problem);
  if (!problem.empty()) throw core::Error(problem);
  if (texts_ && !known) texts_->emplace(at, there ? std::optional(read_text(at)) : std::nullopt);
  bool const set = std::any_of(settings_.begin(), settings_.end(), [&](Setting const& s) { return wanted(s, file); });
  if (!there && !set) return nullptr;
  bool const named = std::any_of(settings_.begin(), settings_.end(), [&](Setting const& s) { return s.file == file; });
  if (!there && !named && elsewhere(file)) return nullptr;
  auto const reader = [&](std::string const& p) { return texts_ && p == at ? *texts_->at(p) : read_text(p); };
  core::Dictionary::Settings given;
  for (Setting const& s : settings_)
    if (wanted(s, file)) given[s.entry] = {s.value, s.origin};
  auto dictionary = std::make_unique<core::Dictionary>(there ? core::Dictionary::read(at, reader, &given)
                                                             : core::Dictionary::parse("", at, reader));
  for (Setting const& s : settings_)
    if (wanted(s, file) && !given[s.entry].taken) dictionary->set(s.entry, s.value, s.origin);
  return (dictionaries_[file] = std::move(dictionary)).get();
}

core::Dictionary& Case::open(std::string const& file) {
  if (auto* dictionary = find(file)) return *dictionary;
  throw core::Error(fmt::format("{}: no such file, and the case needs it", path(file)));
}

core::Dictionary& Case::open_or_empty(std::string const& file) {
  if (auto* dictionary = find(file)) return *dictionary;
  return *(dictionaries_[file] = std::make_unique<core::Dictionary>(core::Dictionary::parse("", path(file))));
}

void Case::check_entries_read() const {
  for (auto const& [file, dictionary] : dictionaries_) {
    dictionary->check_all_read();
    // in a file of the case such an entry may be a variable that is left over; who sets one means to change something
    for (auto const& line : dictionary->unused_variables())
      for (Setting const& s : settings_)
        if (line.starts_with(s.origin + ": '"))
          core::attempt([&] {
            throw core::Error(fmt::format(
                "{}: nothing reads '{}' of {}, expected an entry that is read, or a variable that one of them "
                "has as ${}",
                s.origin, s.entry, file, s.entry));
          });
  }
}

void Case::check_all_read() const {
  check_entries_read();
  for (Setting const& s : settings_)
    core::attempt([&] {
      bool used = false;
      std::vector<std::string> files;
      for (auto const& [file, dictionary] : dictionaries_) {
        used = used || wanted(s, file);
        files.push_back(file);
      }
      if (!used && exists(s.file))
        throw core::Error(
            fmt::format("{}: '{}' is no dictionary that this run reads: fields and other data are not set so; "
                        "expected one of: {}",
                        s.origin, s.file, fmt::join(files, " ")));
      if (!used) throw core::Error(fmt::format("{}: {}", s.origin, core::unknown_name("file", s.file, files)));
    });
}

std::vector<std::string> Case::remarks() const {
  std::vector<std::string> lines;
  for (auto const& [file, dictionary] : dictionaries_) {
    lines.insert(lines.end(), dictionary->unused_variables().begin(), dictionary->unused_variables().end());
    std::map<std::string, std::string> last;  // values, by entry
    for (auto s = settings_.rbegin(); s != settings_.rend(); ++s)
      if (wanted(*s, file))
        if (auto const [taken, first] = last.emplace(s->entry, s->value); !first && taken->second != s->value)
          lines.push_back(fmt::format("{}: passed over, since a later --set gives {}", s->origin, taken->second));
  }
  return lines;
}

std::map<std::string, std::string> Case::texts() const {
  std::map<std::string, std::string> result;
  for (auto const& [file, dictionary] : dictionaries_) result[file] = dictionary->text();
  return result;
}

}  // namespace tessera::run
