// SPDX-License-Identifier: Apache-2.0
#include "run/guard/same_run.hpp"

#include "core/case/digest.hpp"
#include "core/error.hpp"
#include "io/files/together.hpp"
#include "run/guard/input_stamp.hpp"

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

namespace {
namespace fs = std::filesystem;

/// The files of a folder and of those below it, by their paths from the case, and whether a link led to them.
class FilesOfCase {
 public:
  FilesOfCase(fs::path directory, bool follows) : directory_(std::move(directory)), follows_(follows) {
    std::error_code none;
    above_.insert(fs::canonical(directory_, none));
    for (char const* folder : hashed_folders) add(folder, false);
  }
  std::map<std::string, bool> const& all() const { return files_; }

 private:
  void add(fs::path const& folder, bool linked) {
    std::error_code none;
    auto const [place, is_new] = above_.insert(fs::canonical(directory_ / folder, none));
    if (!is_new) return;  // a link to a folder that it lies in
    for (auto it = fs::directory_iterator(directory_ / folder, none); it != fs::directory_iterator();
         it.increment(none)) {
      bool const link = it->is_symlink(none);
      fs::path const name = folder / it->path().filename();
      if (it->is_regular_file(none))
        files_.emplace(name.string(), linked);
      else if (it->is_directory(none) && (follows_ || !link))
        add(name, linked || link);
    }
    above_.erase(place);
  }
  fs::path directory_;
  bool follows_;
  std::set<fs::path> above_;  ///< folders that the one looked at lies in
  std::map<std::string, bool> files_;
};

std::string hash_of(std::string const& directory, std::vector<std::string> const& settings, bool lasting,
                    std::function<bool(std::string const&)> const& passed_over) {
  std::error_code none;
  if (!fs::is_directory(directory, none)) return "";
  core::Digest digest;
  auto const add = [&digest](std::string_view text) {
    digest.add(text);
    digest.separate();
  };
  for (auto const& setting : settings) add(setting);
  FilesOfCase const files(directory, lasting);
  for (auto const& [file, linked] : files.all()) {
    if (passed_over && passed_over(file)) continue;
    fs::path const path = fs::path(directory) / file;
    auto const size = fs::file_size(path, none);
    add(file);
    if (linked || size > large_input)
      add(lasting ? time_stamp(path) : std::to_string(size));
    else
      add(input_stamp(path));
  }
  return digest.digits();
}

}  // namespace

std::string case_hash(std::string const& directory, std::vector<std::string> const& settings) {
  return hash_of(directory, settings, false, {});
}

std::string lasting_case_hash(std::string const& directory, std::vector<std::string> const& settings,
                              std::function<bool(std::string const&)> const& passed_over) {
  return hash_of(directory, settings, true, passed_over);
}

void require_same_run(core::Comm const& comm, std::string const& version, std::string const& hash,
                      std::string const& what, std::string const& expected) {
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
      problem = fmt::format("rank {} on {} has {} (hash {}), expected {} of rank {} (hash {})", h, at(hosts, h), what,
                            at(hashes, h), expected, h == 0 ? 1 : 0, at(hashes, h == 0 ? 1 : 0));
  }
  comm.broadcast(problem);
  if (!problem.empty()) throw core::Error(problem);
}

}  // namespace tessera::run
