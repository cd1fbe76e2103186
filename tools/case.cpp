// SPDX-License-Identifier: Apache-2.0
#include "tools/case.hpp"

#include "core/error_list.hpp"
#include "core/etc_file.hpp"
#include "io/compressed.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>

namespace tessera::tools {
namespace fs = std::filesystem;

Case::Case(std::string directory, std::vector<std::string> const& settings, core::Comm const& comm)
    : directory_(std::move(directory)),
      comm_(comm) {
  bool const there = comm_.any(comm_.root() && fs::is_directory(directory_));
  if (!there) throw core::Error(fmt::format("{}: no such case directory", directory_));
  for (std::string const& text : settings) {
    auto const colon = text.find(':'), equals = text.find('=');
    if (colon == std::string::npos || equals == std::string::npos || colon > equals || colon == 0 ||
        equals == colon + 1)
      throw core::Error(fmt::format("command line: --set {}: expected FILE:entry.path=value", text));
    settings_.push_back(
        {text.substr(0, colon), text.substr(colon + 1, equals - colon - 1), text.substr(equals + 1), text});
  }
}

std::string Case::path(std::string const& file) const { return (fs::path(directory_) / file).string(); }

std::string Case::name() const {
  return fs::absolute(directory_).lexically_normal().filename().string().empty()
             ? fs::absolute(directory_).lexically_normal().parent_path().filename().string()
             : fs::absolute(directory_).lexically_normal().filename().string();
}

bool Case::exists(std::string const& file) const {
  return comm_.any(comm_.root() && !io::find_file(path(file)).empty());
}

std::string Case::read_text(std::string const& path) const {
  std::string text, problem;
  if (comm_.root()) {
    std::string const file = io::find_file(core::etc_file(path));
    if (file.empty()) {
      problem = fmt::format("{}: cannot be read: {}", path, fs::exists(path) ? "no file" : "no such file");
    } else {
      try {
        auto const in = io::open_file(file);
        text.assign(std::istreambuf_iterator<char>(*in), {});
      } catch (core::Error const& error) {
        problem = error.what();
      }
    }
  }
  comm_.broadcast(problem);
  if (!problem.empty()) throw core::Error(problem);
  comm_.broadcast(text);
  return text;
}

bool Case::wanted(Setting const& setting, std::string const& file) const {
  return setting.file == file || fs::path(file).filename() == setting.file;
}

core::Dictionary* Case::find(std::string const& file) {
  if (auto const place = dictionaries_.find(file); place != dictionaries_.end()) return place->second.get();
  bool const there = exists(file);
  bool const set = std::any_of(settings_.begin(), settings_.end(), [&](Setting const& s) { return wanted(s, file); });
  if (!there && !set) return nullptr;
  auto const reader = [this](std::string const& p) { return read_text(p); };
  auto dictionary = std::make_unique<core::Dictionary>(there ? core::Dictionary::read(path(file), reader)
                                                             : core::Dictionary::parse("", path(file), reader));
  for (Setting const& s : settings_)
    if (wanted(s, file)) dictionary->set(s.entry, s.value, fmt::format("command line: --set {}", s.text));
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
  for (auto const& [file, dictionary] : dictionaries_) dictionary->check_all_read();
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
      if (!used)
        throw core::Error(fmt::format("command line: --set {}: {}", s.text, core::unknown_name("file", s.file, files)));
    });
}

std::map<std::string, std::string> Case::texts() const {
  std::map<std::string, std::string> result;
  for (auto const& [file, dictionary] : dictionaries_) result[file] = dictionary->text();
  return result;
}

}  // namespace tessera::tools
