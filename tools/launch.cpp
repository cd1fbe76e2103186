// SPDX-License-Identifier: Apache-2.0
// The command launch: one run of several programs on several hosts.
#include "tools/launch.hpp"

#include "core/case/wrong_command.hpp"
#include "core/comm/child.hpp"
#include "core/comm/cores.hpp"
#include "core/comm/runtime.hpp"
#include "core/files.hpp"
#include "run/guard/case_code.hpp"
#include "run/log.hpp"
#include "tools/commands.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <unistd.h>
#include <utility>

namespace tessera::tools {

using run::code_allowed;
using run::Log;
using run::parse_machine;
using run::RunOptions;

void share_cores(MachineLine& line, std::string const& backend) {
  if (line.cores == 0) return;
  bool const has_threads = backend != "Serial";
  auto const devices = static_cast<int>(std::count(line.devices.begin(), line.devices.end(), ',')) + 1;
  if (!line.has_ranks)
    line.ranks = line.has_threads                        ? line.cores / line.threads
                 : backend == "Cuda" || backend == "HIP" ? devices
                 : has_threads                           ? line.sockets
                                                         : line.cores;
  if (!line.has_threads) line.threads = has_threads ? line.cores / std::max(line.ranks, 1) : 1;
  if (line.ranks < 1 || line.threads < 1 || line.ranks * line.threads > line.cores)
    throw core::Error(fmt::format("{}: {} cores, expected at least as many as {} times threads", line.where, line.cores,
                                  line.has_threads ? "ranks" : "ranks, each with one core,"));
}

namespace {

constexpr char const* this_host = "localhost";

/// One name for all names of this host that may be in a machine file.
std::string same_host(std::string const& name) {
  char own[256] = {};
  return gethostname(own, sizeof own - 1) == 0 && name == own ? this_host : name;
}

void require_one_node(MachineLine const& line) {
  if (line.nodes > 1)
    throw core::Error(fmt::format("{}: nodes={} describes hosts for `tessera plan`, expected a line for each host",
                                  line.where, line.nodes));
}

}  // namespace

std::vector<std::string> launch_command(std::vector<MachineLine> const& machines, std::string const& directory,
                                        std::vector<std::string> const& arguments) {
  std::vector<std::string> command{"mpirun"};
  if (std::any_of(machines.begin(), machines.end(), [](auto const& m) { return m.threads > 1; }))
    command.insert(command.end(), {"--bind-to", "none"});
  // mpirun counts a host's slots over all of its lines, and a line without a host has those of the hosts that others name
  bool const all_here =
      std::all_of(machines.begin(), machines.end(), [](auto const& m) { return m.host == this_host; });
  std::map<std::string, int> slots;
  for (auto const& m : machines) slots[same_host(m.host)] += m.ranks;
  bool first = true;
  for (auto const& m : machines) {
    if (!std::exchange(first, false)) command.push_back(":");
    auto const add = [&](std::initializer_list<std::string> words) {
      command.insert(command.end(), words.begin(), words.end());
    };
    require_one_node(m);
    if (m.host == "any" || !m.slurm.empty())
      throw core::Error(fmt::format("{}: {} is for Slurm, expected the name of a host or the option --slurm", m.where,
                                    m.host == "any" ? "'any'" : "slurm="));
    // slots are named with the host, so that no host file is needed
    if (!all_here) add({"--host", fmt::format("{}:{}", m.host, slots[same_host(m.host)])});
    add({"-np", std::to_string(m.ranks), "-x", fmt::format("OMP_NUM_THREADS={}", m.threads)});
    if (!m.devices.empty()) add({"-x", fmt::format("CUDA_VISIBLE_DEVICES={}", m.devices)});
    add({m.program, "run", directory});
    command.insert(command.end(), arguments.begin(), arguments.end());
  }
  return command;
}

namespace {

/// The beginning of a batch script, with a log CASE/slurm-JOB.log.
std::string slurm_head(std::string const& directory) {
  std::string const name = std::filesystem::absolute(directory).lexically_normal().filename().string();
  return fmt::format(
      "#!/bin/bash\n#SBATCH --job-name={} --output={} --open-mode=append\n#SBATCH --requeue --signal=TERM@120\n",
      shell_line({name.empty() ? "tessera" : name}), shell_line({directory + "/slurm-%j.log"}));
}

/// What a line asks of Slurm, as options of sbatch; the first two are srun's, too.
std::vector<std::string> slurm_options(MachineLine const& m) {
  if (m.host == this_host)
    throw core::Error(
        fmt::format("{}: localhost says nothing to Slurm, expected 'any' or the name of a node", m.where));
  require_one_node(m);
  std::vector<std::string> wanted{fmt::format("--ntasks={}", m.ranks), fmt::format("--cpus-per-task={}", m.threads)};
  if (m.host != "any") wanted.push_back("--nodelist=" + m.host);
  if (!m.devices.empty())
    wanted.push_back(fmt::format("--gpus={}", std::count(m.devices.begin(), m.devices.end(), ',') + 1));
  wanted.insert(wanted.end(), m.slurm.begin(), m.slurm.end());
  return wanted;
}

}  // namespace

std::string slurm_array_script(std::vector<MachineLine> const& machines, std::string const& directory, int shards,
                               std::vector<std::string> const& arguments) {
  auto const& m = machines.front();
  if (machines.size() > 1)
    throw core::Error(
        fmt::format("{}: a sweep's shards are jobs on one kind of node, expected one line", machines[1].where));
  std::vector<std::string> words{"srun",    "--mpi=pmix", fmt::format("--export=ALL,OMP_NUM_THREADS={}", m.threads),
                                 m.program, "sweep",      directory};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return slurm_head(directory) + fmt::format("#SBATCH {}\n", shell_line(slurm_options(m))) +
         fmt::format(
             "# a job of the array runs its shard of the tasks; the one after the array what is left, and makes "
             "the tables\n"
             "shard=()\n[ -z \"${{SLURM_ARRAY_TASK_ID:-}}\" ] || shard=(--shard \"$SLURM_ARRAY_TASK_ID/{}\")\n{} "
             "\"${{shard[@]}}\"\n",
             shards, shell_line(words));
}

std::string slurm_script(std::vector<MachineLine> const& machines, std::string const& directory,
                         std::vector<std::string> const& arguments) {
  std::string script = slurm_head(directory);
  std::string steps;
  for (std::size_t n = 0; n < machines.size(); ++n) {
    auto const& m = machines[n];
    if (n > 0) script += "#SBATCH hetjob\n";
    auto const wanted = slurm_options(m);
    script += fmt::format("#SBATCH {}\n", shell_line(wanted));
    std::vector<std::string> words;
    if (machines.size() > 1) words.push_back(fmt::format("--het-group={}", n));
    words.insert(words.end(), {wanted[0], wanted[1], fmt::format("--export=ALL,OMP_NUM_THREADS={}", m.threads),
                               m.program, "run", directory});
    words.insert(words.end(), arguments.begin(), arguments.end());
    steps += fmt::format("{}{} \"${{again[@]}}\"", n > 0 ? " \\\n  : " : " ", shell_line(words));
  }
  script += "# begun again, the run goes on from its last snapshot\nagain=()\n"
            "[ \"${SLURM_RESTART_COUNT:-0}\" = 0 ] || again=(--set system/controlDict:startFrom=latestTime)\n";
  return script + fmt::format("srun --mpi=pmix{}\n", steps);
}

std::string shell_line(std::vector<std::string> const& command) {
  std::string line;
  for (auto const& word : command) {
    bool const plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
      return std::isalnum(c) || std::strchr("-_./:=,+@%", c) != nullptr;
    });
    std::string quoted = "'";
    for (char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += (line.empty() ? "" : " ") + (plain ? word : quoted + "'");
  }
  return line;
}

namespace {

/// The backend that a program says it was built for, `VERSION (BACKEND)`; none where it cannot be asked on this host.
std::optional<std::string> backend_of(MachineLine const& line) {
  std::string text;
  if (std::FILE* const out = popen((shell_line({line.program, "--version"}) + " 2> /dev/null").c_str(), "r")) {
    for (int c = 0; (c = std::fgetc(out)) != EOF;) text += static_cast<char>(c);
    if (pclose(out) != 0) text.clear();
  }
  std::size_t const open = text.find_first_not_of("0123456789.");
  if (text.size() < 5 || open == 0 || text.compare(open, 2, " (") != 0 || !text.ends_with(")\n")) return std::nullopt;
  return text.substr(open + 2, text.size() - open - 4);
}

/// `starts`: the ranks are started at once, not by a script.
void choose_ranks(MachineLine& line, bool starts, Log& log) {
  if (line.cores == 0 && line.threads == 1) return;
  auto const backend = backend_of(line);
  if (starts && backend == "Serial" && line.threads > 1)
    log.line("{}: threads={}, of which {} takes one a rank: it was built without (Serial)", line.where, line.threads,
             line.program);
  if (line.cores == 0) return;
  if (!backend)
    throw core::Error(fmt::format(
        "{}: {} --version does not tell its backend on this host, expected ranks=N and threads=N instead of cores",
        line.where, line.program));
  if (line.cores < 0) {
    auto const here = core::host_cores();
    line.cores = here.cores;
    line.sockets = here.sockets;
  }
  share_cores(line, *backend);
  log.line("{}: {} ranks of {} threads on {} cores in {} sockets ({})", line.host, line.ranks, line.threads, line.cores,
           line.sockets, *backend);
}

}  // namespace

int launch_case(core::Comm const& comm, std::string const& machine_file, RunOptions const& options, bool dry_run,
                bool slurm, int shards) {
  if (comm.size() > 1) throw core::WrongCommand("launch starts the ranks itself, expected no mpirun around it");
  if (!std::filesystem::is_directory(options.directory))
    throw core::Error(fmt::format("{}: no such case directory", options.directory));
  Log log(!options.quiet || dry_run);
  auto machines = parse_machine(core::read_file(machine_file), machine_file);
  for (auto& line : machines) choose_ranks(line, !slurm, log);
  std::vector<std::string> arguments;
  for (auto const& setting : options.settings) arguments.insert(arguments.end(), {"--set", setting});
  if (!options.report.empty()) arguments.insert(arguments.end(), {"--report", options.report});
  if (code_allowed(options.allow_code)) arguments.push_back("--allow-code");
  if (options.quiet) arguments.push_back("--quiet");
  std::vector<std::string> command;
  if (slurm) {
    bool const sweep = shards > 0;
    auto const script = sweep ? slurm_array_script(machines, options.directory, shards, arguments)
                              : slurm_script(machines, options.directory, arguments);
    std::string const file = (std::filesystem::path(options.directory) / "postProcessing/slurm.sh").string();
    log.line("{}", script);
    if (dry_run) return core::Exit::done;
    core::make_folder_of(file);
    core::write_file(file, script);
    command = {"sbatch", file};
    if (sweep)  // the job behind the array begins when all of its jobs have ended, however
      command = {"bash", "-ec",
                 fmt::format("array=$(sbatch --parsable --array=0-{} \"$0\")\n"
                             "echo \"Submitted array of {} jobs ${{array%%;*}}\"\n"
                             "exec sbatch --dependency=afterany:\"${{array%%;*}}\" \"$0\"",
                             shards - 1, shards),
                 file};
  } else {
    command = launch_command(machines, options.directory, arguments);
    log.line("{}", shell_line(command));
    if (dry_run) return core::Exit::done;
  }
  auto words = command;
  auto environment = core::child_environment();
  auto const pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (auto& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
  };
  std::fflush(nullptr);
  execvpe(words.front().c_str(), pointers(words).data(), pointers(environment).data());
  throw core::RunError(fmt::format("cannot start {}: {}", command.front(), std::strerror(errno)));
}

}  // namespace tessera::tools
