// SPDX-License-Identifier: Apache-2.0
#include "run/guard/named_output.hpp"

#include "core/case/wrong_command.hpp"
#include "core/files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

namespace tessera::run {
namespace fs = std::filesystem;

namespace {

char const* name_of(OutputKind kind) {
  switch (kind) {
  case OutputKind::report:
    return "a run's report";
  case OutputKind::plan:
    return "a plan's report";
  case OutputKind::plan_page:
    return "a plan's page";
  case OutputKind::machine_file:
    return "a measured machine file";
  case OutputKind::picture:
    break;
  }
  return "";
}

/// Whether a file that begins so is of the kind; one that a full disk has left empty may be.
bool is_of(OutputKind kind, std::string_view beginning) {
  auto const has = [&](auto... words) { return ((beginning.find(words) != beginning.npos) && ...); };
  if (beginning.empty()) return true;
  switch (kind) {
  case OutputKind::report:
    return beginning.front() == '{' && has("\"tessera\"", "\"application\"");
  case OutputKind::plan:
    return beginning.front() == '{' && has("\"case\"", "\"machine\"", "\"kernel\"");
  case OutputKind::plan_page:
    return has("<title>Plan of ");
  case OutputKind::machine_file:
    return has("measured by Tessera") || beginning.starts_with("network:") || beginning.starts_with("memory:");
  case OutputKind::picture:
    return true;  // its ending says that it may be
  }
  return false;
}

std::string beginning_of(std::string const& file) {
  auto const in = core::open_to_read(file);
  std::array<char, 4096> text{};
  return {text.data(), std::fread(text.data(), 1, text.size(), in.get())};
}

fs::path place(std::string const& file) {
  std::error_code none;
  auto const whole = fs::weakly_canonical(fs::absolute(file), none);
  return none ? fs::absolute(file).lexically_normal() : whole;
}

/// Whether a name in a case's folder is of what runs read and write there. Beside reports in postProcessing there are tables, pictures
/// and the speeds of ranks.
bool is_of_case(fs::path const& name) {
  std::string const first = name.begin()->string();
  if (name == name.filename() || first == "..") return false;
  if (first == "postProcessing")
    return name.parent_path() != first || name.extension() != ".json" || name.filename() == "speeds.json";
  bool const time = std::isdigit(static_cast<unsigned char>(first.front())) != 0 &&
                    first.find_first_not_of("0123456789.eE+-") == first.npos;
  return time || first == "system" || first == "constant" || first == "results" || first == "sweep" || first == "study";
}

}  // namespace

bool same_place(std::string const& a, std::string const& b) {
  std::error_code none;
  return fs::equivalent(a, b, none) || place(a) == place(b);
}

void check_outputs(std::vector<NamedOutput> const& outputs, std::vector<std::string> const& folders) {
  auto const refuse = [](NamedOutput const& output, std::string const& why) {
    throw core::WrongCommand(fmt::format("{} {}: {}, expected another name", output.option, output.file, why));
  };
  for (auto one = outputs.begin(); one != outputs.end(); ++one) {
    std::error_code none;
    if (one->file.empty()) continue;
    bool const there = fs::exists(one->file, none);
    if (there && !fs::is_regular_file(one->file, none)) continue;
    for (auto other = outputs.begin(); other != one; ++other)
      if (!other->file.empty() && same_place(one->file, other->file))
        refuse(*one, fmt::format("is the file of {} {}, too", other->option, other->file));
    if (there && !is_of(one->kind, beginning_of(one->file)))
      refuse(*one, fmt::format("would be written over a file that is not {}", name_of(one->kind)));
    for (auto const& folder : folders)
      if (is_of_case(place(one->file).lexically_relative(place(folder))))
        refuse(*one, fmt::format("lies among the files that runs of {} read and write", folder));
  }
}

}  // namespace tessera::run
