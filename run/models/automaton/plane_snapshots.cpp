// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/plane_snapshots.hpp"

#include "core/error.hpp"
#include "io/files/together.hpp"
#include "io/reader.hpp"
#include "io/readers/square_tree.hpp"
#include "io/writer.hpp"
#include "io/writers/square_sink.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <tuple>

namespace tessera::run::automaton {
namespace {
namespace fs = std::filesystem;

void look_at_cells(PlaneSnapshots::Said& said) {
  auto info = io::read_snapshot(said.from.source);
  said.from.step = info.step;
  said.from.state = std::move(info.state);
  if (auto const text = info.provenance.find("constant/automatonProperties"); text != info.provenance.end())
    said.rule = core::Dictionary::parse(text->second, said.from.source).get_or<std::string>("rule", "");
  said.from.dictionaries = std::move(info.provenance);
}

void look_at_tree(PlaneSnapshots::Said& said) {
  std::string const& file = said.from.source;
  auto const source = io::open_cells(file);
  auto const* const tree = dynamic_cast<io::SquareTree const*>(source.get());
  if (tree == nullptr) throw core::Error(file, 0, "is no Macrocell pattern, expected '[M2]' in its first line");
  said.rule = source->rule();
  said.from.state = tree->notes();
  said.from.step = std::stoll(fs::path(file).stem().string());
  if (auto const generation = source->generation().value_or(said.from.step); generation != said.from.step)
    throw core::Error(file, 0,
                      fmt::format("is of generation {}, expected {} as its name says", generation, said.from.step));
}

}  // namespace

std::string PlaneSnapshots::tree_of(std::int64_t generation) const {
  return session_.files.output(fmt::format("results/{:06d}.mc", generation));
}

std::vector<std::string> PlaneSnapshots::find(std::optional<std::int64_t> only) const {
  std::vector<std::string> files;
  io::on_root(session_.comm, [&] {
    std::vector<std::tuple<std::int64_t, fs::file_time_type, std::string>> found;
    for (char const* kind : {".h5", ".mc"})
      for (auto const& [step, file] : io::snapshots_in(session_.files.output("results"), kind))
        if (!only || step == *only) found.emplace_back(step, fs::last_write_time(file), file);
    std::sort(found.rbegin(), found.rend());
    for (auto const& place : found) files.push_back(std::get<2>(place));
  });
  session_.comm.broadcast(files);
  return files;
}

PlaneSnapshots::Said PlaneSnapshots::look_at(std::string const& file) const {
  Said said;
  said.from.source = file;
  said.from.from_file = true;
  io::on_root(session_.comm, [&] { is_tree(file) ? look_at_tree(said) : look_at_cells(said); });
  session_.comm.broadcast(said.from.step);
  for (char const* name : {"changed", "history", "hash", "corner"}) session_.comm.broadcast(said.from.state[name]);
  if (!is_tree(file)) said.corner = io::corner_of(said.from.state, file);
  return said;
}

std::string PlaneSnapshots::write_tree(ca::unbounded::HashPlane const& plane, std::string const& rule,
                                       std::int64_t generation, io::State const& state, int keep) {
  std::string const file = tree_of(generation);
  io::on_root(session_.comm, [&] {
    io::RowFormat format;
    format.cells = {1, 1, 1};  // squares know theirs
    format.rule = rule;
    format.states = plane.states();
    format.notes = state;
    format.generation = generation;
    format.synced = true;
    auto const sink = io::writer_for(file)->create(file, format);
    auto& squares = dynamic_cast<io::SquareSink&>(*sink);
    plane.tree().hand_over(
        {[&](std::uint64_t cells) { return squares.leaf(cells); },
         [&](int level, std::array<std::uint32_t, 4> const& parts) { return squares.square(level, parts); }});
    sink->finish();
    trees_.insert(generation);
    for (; keep > 0 && std::ssize(trees_) > keep; trees_.erase(trees_.begin())) fs::remove(tree_of(*trees_.begin()));
  });
  return file;
}

void PlaneSnapshots::go_on_from(std::int64_t generation) {
  io::on_root(session_.comm, [&] {
    for (auto const& [step, file] : io::snapshots_in(session_.files.output("results"), ".mc"))
      if (step <= generation) trees_.insert(step);
  });
}

}  // namespace tessera::run::automaton
