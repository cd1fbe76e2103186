// SPDX-License-Identifier: Apache-2.0
#include "run/guard/same_run.hpp"

#include "core/case/digest.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "io/files/together.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unistd.h>

namespace tessera::run {
namespace {

std::string host() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

/// The first rank whose text differs from that of most (of equally many: of the lower ranks), -1 where all agree.
/// Empty texts agree with all.
int odd_one_out(std::vector<std::string> const& texts) {
  std::map<std::string, int> votes;
  for (auto const& text : texts)
    if (!text.empty()) ++votes[text];
  std::string most;
  for (auto const& text : texts)
    if (!text.empty() && (most.empty() || votes[text] > votes[most])) most = text;
  for (std::size_t r = 0; r < texts.size(); ++r)
    if (!texts[r].empty() && texts[r] != most) return static_cast<int>(r);
  return -1;
}

}  // namespace

std::string case_hash(std::string const& directory, std::vector<std::string> const& settings,
                      std::function<bool(std::string const&)> const& passed_over) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (!fs::is_directory(directory, code)) return "";
  constexpr std::uintmax_t large = std::uintmax_t{1} << 20;
  std::set<std::string> files;
  for (char const* folder : {"system", "constant", "0"})
    for (auto it = fs::recursive_directory_iterator(fs::path(directory) / folder, code);
         it != fs::recursive_directory_iterator(); it.increment(code))
      if (std::string const file = it->path().lexically_relative(directory).string();
          it->is_regular_file(code) && !(passed_over && passed_over(file)))
        files.insert(file);
  core::Digest digest;
  auto const add = [&digest](std::string_view text) {
    digest.add(text);
    digest.separate();
  };
  for (auto const& setting : settings) add(setting);
  for (auto const& file : files) {
    fs::path const path = fs::path(directory) / file;
    auto const size = fs::file_size(path, code);
    add(file);
    if (size > large) {
      add(std::to_string(size));
      continue;
    }
    try {
      add(core::read_file(path));
    } catch (core::Error const&) {  // who needs it says so
    }
  }
  return digest.digits();
}

void require_same_run(core::Comm const& comm, std::string const& version, std::string const& hash) {
  if (comm.size() == 1) return;
  auto const gathered = [&](std::string const& text) {
    core::Bytes mine;
    core::append(mine, std::span<char const>(text));
    std::vector<std::string> all;
    for (auto const& bytes : comm.gather_to_root(mine))
      all.emplace_back(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    return all;
  };
  auto const versions = gathered(version), hashes = gathered(hash), hosts = gathered(host());
  std::string problem;
  if (comm.root()) {
    auto const at = [&](std::vector<std::string> const& all, int r) { return all[r]; };
    if (int const r = odd_one_out(versions); r >= 0)
      problem = fmt::format("rank {} on {} is Tessera {}, expected {} as on rank {}", r, at(hosts, r), at(versions, r),
                            at(versions, r == 0 ? 1 : 0), r == 0 ? 1 : 0);
    else if (int const h = odd_one_out(hashes); h >= 0)
      problem =
          fmt::format("rank {} on {} has another case (hash {}), expected the files and settings of rank {} (hash {})",
                      h, at(hosts, h), at(hashes, h), h == 0 ? 1 : 0, at(hashes, h == 0 ? 1 : 0));
  }
  comm.broadcast(problem);
  if (!problem.empty()) throw core::Error(problem);
}

}  // namespace tessera::run
