// SPDX-License-Identifier: Apache-2.0
// Damaged files for every reader, and whole runs of damaged cases, or the kinds named:
//   bench/fuzz SECONDS [KIND ...] [--seed N] [--trial N]
// KIND: a reader, or runs-automaton, runs-percolation, runs-ensemble, runs-heat, runs-laplacian, runs-check; each for SECONDS.
// Exit code 1 where one did something else than read, run or refuse. A reader that crashes or hangs (10 s) ends the
// program; it said before which was at work. Runs are made by a process of their own: what crashes it, hangs (30 s) or ends
// with a message that helps nobody is kept in a folder, once for each message. --seed makes the same cases again, --trial
// one of them alone, in this process, for a debugger.
#include "bench/fuzz.hpp"
#include "bench/fuzz_runs.hpp"
#include "core/comm/runtime.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>

namespace tessera::bench {
namespace {

/// What the process that makes the runs tells the one that watches it.
struct Shared {
  long next = 0;  ///< trial
  RunCounts counts;
  long findings = 0;
};

volatile std::sig_atomic_t asked_to_end = 0;

/// After 2 s of processor time a run is asked to end, after 30 s it hangs.
extern "C" void out_of_time(int) {
  if (asked_to_end == 0) {
    asked_to_end = 1;
    itimerval const rest{{0, 0}, {28, 0}};
    setitimer(ITIMER_PROF, &rest, nullptr);
    kill(getpid(), SIGTERM);
  } else {
    signal(SIGPROF, SIG_DFL);
    raise(SIGPROF);
  }
}

void keep(std::string const& kind, std::string const& folder, std::string const& wrong, unsigned seed, long trial,
          std::set<std::string>& known) {
  std::string message = wrong;
  // findings that differ in numbers and words of the case alone are one
  std::erase_if(message, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  for (auto at = message.find('\''); at != std::string::npos; at = message.find('\'', at + 1)) {
    auto const end = message.find('\'', at + 1);
    if (end == std::string::npos) break;
    message.erase(at + 1, end - at - 1);
    ++at;
  }
  if (!known.insert(message).second) return;
  auto const kept = std::filesystem::temp_directory_path() / ("tessera_fuzz_" + kind + "_" + std::to_string(trial));
  std::error_code none;
  std::filesystem::remove_all(kept, none);
  std::filesystem::copy(folder, kept, std::filesystem::copy_options::recursive, none);
  std::printf("  %s\n    case %s, --seed %u --trial %ld\n", wrong.c_str(), kept.c_str(), seed, trial);
  std::fflush(stdout);
}

/// Runs of one kind for so many seconds; true where nothing was found.
bool fuzz_runs(std::string const& kind, double seconds, unsigned seed, int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  auto const seeds = run_seeds(kind);
  if (seeds.empty()) {
    std::printf("%s: unknown kind\n", kind.c_str());
    return false;
  }
  std::string scratch = (std::filesystem::temp_directory_path() / "tessera_fuzz_XXXXXX").string();
  if (mkdtemp(scratch.data()) == nullptr) return false;
  std::string const folder = scratch + "/case";
  void* const page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const shared = new (page) Shared;
  std::set<std::string> known;
  std::printf("%s, seed %u\n", kind.c_str(), seed);
  std::fflush(stdout);
  auto const begin = Clock::now();
  auto const left = [&] { return seconds - std::chrono::duration<double>(Clock::now() - begin).count(); };
  while (left() > 0) {
    std::string const said = scratch + "/said";
    int const child = fork();
    if (child == 0) {
      int const log = open((scratch + "/log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(log, 1);
      dup2(log, 2);
      signal(SIGTERM, SIG_IGN);
      signal(SIGPROF, out_of_time);
      int code = 0;
      {
        core::Runtime runtime(argc, argv);
        MemoryLimit const limit(std::size_t{1} << 30);
        while (left() > 0 && code == 0) {
          auto const wrong = fuzz_run(kind, seeds, seed, shared->next, folder, shared->counts, [] {
            asked_to_end = 0;
            end_after(2);
          });
          end_after(0);
          if (!wrong.empty()) {
            tests::write_bytes(said, wrong);
            code = 1;
          } else {
            ++shared->next;
          }
        }
      }
      _exit(code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    std::string wrong = tests::bytes_of(said);
    if (wrong.empty())
      wrong = WIFSIGNALED(status)
                  ? (WTERMSIG(status) == SIGPROF ? std::string("hangs") : fmt::format("signal {}", WTERMSIG(status)))
                  : fmt::format("exit status {}", WEXITSTATUS(status));
    if (tests::bytes_of(said).empty()) {
      std::string const text = tests::bytes_of(scratch + "/log");
      // the sanitizers' operator new ends the process where ours throws
      if (text.find("allocator is out of memory") != std::string::npos && asks_for_much(files_of(folder))) {
        ++shared->counts.too_large;
        ++shared->next;
        continue;
      }
      wrong += ": " + text.substr(0, 300);
    }
    std::filesystem::remove(said);
    ++shared->findings;
    keep(kind, folder, wrong, seed, shared->next, known);
    ++shared->next;
  }
  auto const& c = shared->counts;
  std::printf("  %ld runs: %ld done, %ld refused, %ld failed at run time, %ld not converged, %ld too large; %ld "
              "findings, %zu unlike\n",
              shared->next, c.done, c.refused, c.failed, c.not_converged, c.too_large, shared->findings, known.size());
  std::error_code none;
  std::filesystem::remove_all(scratch, none);
  bool const good = shared->findings == 0;
  munmap(page, sizeof(Shared));
  return good;
}

bool fuzz_readers(std::vector<std::string> const& names, double seconds, unsigned seed) {
  bool good = true;
  for (auto const& name : names) {
    std::printf("%-10s seed %u ", name.c_str(), seed);
    std::fflush(stdout);
    auto const r = fuzz(name, seconds, seed);
    std::printf("%ld read, %ld refused, %ld too wide, slowest %.3f s%s\n", r.read, r.refused, r.too_wide, r.slowest,
                r.wrong.empty() ? "" : (": " + r.wrong).c_str());
    good = good && r.wrong.empty();
  }
  return good;
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera;
  double seconds = 600;
  unsigned seed = std::random_device()();
  long trial = -1;
  std::vector<std::string> runs, readers;
  for (int n = 1; n < argc; ++n) {
    std::string const word = argv[n];
    if (word == "--seed" && n + 1 < argc)
      seed = static_cast<unsigned>(std::stoul(argv[++n]));
    else if (word == "--trial" && n + 1 < argc)
      trial = std::stol(argv[++n]);
    else if (n == 1)
      seconds = std::atof(argv[n]);
    else
      (word.starts_with("runs-") ? runs : readers).push_back(word);
  }
  bool const all = runs.empty() && readers.empty();
  if (all) runs.assign(bench::run_kinds.begin(), bench::run_kinds.end());
  bool good = true;
  if (trial < 0)
    for (auto const& kind : runs) good = bench::fuzz_runs(kind, seconds, seed, argc, argv) && good;
  if (!all && readers.empty() && trial < 0) return good ? 0 : 1;
  core::Runtime runtime(argc, argv);
  return runtime.run([&] {
    for (auto const& kind : trial < 0 ? std::vector<std::string>{} : runs) {
      bench::RunCounts counts;
      std::string const folder = (std::filesystem::current_path() / ("fuzz_" + std::to_string(trial))).string();
      auto const wrong = bench::fuzz_run(kind, bench::run_seeds(kind), seed, trial, folder, counts, [] {});
      std::printf("%s, trial %ld in %s: %s\n", kind.c_str(), trial, folder.c_str(),
                  wrong.empty() ? "nothing wrong" : wrong.c_str());
      good = good && wrong.empty();
    }
    if (all)
      for (auto const& [name, entry] : io::Readers::entries()) readers.push_back(name);
    return bench::fuzz_readers(readers, seconds, seed) && good ? 0 : 1;
  });
}
