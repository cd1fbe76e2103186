// SPDX-License-Identifier: Apache-2.0
#include "io/checkpoint/node.hpp"

#include "core/error.hpp"
#include "core/times.hpp"
#include "io/files/together.hpp"
#include "io/stream/routers.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <set>
#include <unistd.h>

namespace tessera::io {
namespace {

namespace fs = std::filesystem;
using checkpoint::Key;
using checkpoint::PieceFile;
using core::Bytes;

constexpr int usual_data = 8;

int data_for(core::Comm const& comm, NodeCheckpoint::Settings const& settings) {
  if (settings.data != 0) return settings.data;
  return std::clamp(comm.size() - settings.parity, 1, usual_data);
}

}  // namespace

NodeCheckpoint::NodeCheckpoint(core::Comm const& comm, std::string name, Settings const& settings)
    : comm_(comm),
      name_(std::move(name)),
      folder_(checkpoint::folder_for(settings.folder, name_)),
      k_(data_for(comm, settings)),
      m_(settings.parity),
      code_(checkpoint::make_code(k_, m_)) {
  if (comm.size() < k_ + m_)
    throw core::Error(fmt::format("a checkpoint in memory of ({} {}) pieces needs at least {} ranks, there {} {}", k_,
                                  m_, k_ + m_, comm.size() == 1 ? "is" : "are", comm.size()));
  on_all(comm_, [&] {
    if (access(settings.folder.c_str(), W_OK | X_OK) != 0)
      throw core::Error(fmt::format("{}: is no folder to write to, which a checkpoint in memory needs on each node",
                                    settings.folder));
    std::error_code none;
    if (fs::symlink_status(folder_, none).type() != fs::file_type::not_found && !checkpoint::is_own_folder(folder_))
      throw core::Error(fmt::format("{}: is no folder that this user alone may write to, so what lies there cannot be "
                                    "believed: remove it, or name another 'folder'",
                                    folder_));
  });
  auto const nodes = nodes_of(comm_);
  int const leader = nodes[comm_.rank()];
  node_size_ = static_cast<int>(std::count(nodes.begin(), nodes.end(), leader));
  node_rank_ = static_cast<int>(std::count(nodes.begin(), nodes.begin() + comm_.rank(), leader));
  std::random_device random;
  run_ = std::uint64_t{random()} << 32 | random();
  comm_.broadcast(run_);
  auto const keys = all_keys();
  if (!keys.empty()) generation_ = keys.front().generation;
}

/// The files of the node that this rank reads.
std::vector<checkpoint::Entry> NodeCheckpoint::my_share() const {
  std::vector<checkpoint::Entry> mine;
  auto const all = checkpoint::entries_of(folder_);
  for (std::size_t n = static_cast<std::size_t>(node_rank_); n < all.size(); n += static_cast<std::size_t>(node_size_))
    if (all[n].complete) mine.push_back(all[n]);
  return mine;
}

/// Of all nodes, the newest first. Collective.
std::vector<Key> NodeCheckpoint::all_keys() const {
  Bytes mine;
  for (auto const& entry : my_share()) core::append(mine, entry.key);
  std::set<Key, std::greater<>> found;
  for (auto const& bytes : comm_.gather_to_root(mine))
    for (core::ByteReader in(bytes); !in.done();) found.insert(in.take<Key>());
  std::vector<Key> keys(found.begin(), found.end());
  comm_.broadcast(keys);
  return keys;
}

void NodeCheckpoint::save(std::int64_t step, double time, std::span<core::FieldBase const* const> fields,
                          State const& state) {
  core::Timed const timed(core::Part::io);
  int const n = k_ + m_, ranks = comm_.size(), stride = ranks / n;
  Bytes block = checkpoint::pack(step, time, fields, state);
  std::map<int, Bytes> outgoing;
  std::vector<Bytes> pieces;
  on_all(comm_, [&] {
    pieces = checkpoint::encode(*code_, k_, m_, block);
    block = {};
    for (int p = 1; p < n; ++p) outgoing[(comm_.rank() + p * stride) % ranks] = std::move(pieces[p]);
  });
  auto incoming = comm_.exchange(outgoing);
  outgoing.clear();
  on_all(comm_, [&] {
    PieceFile file{{generation_ + 1, run_}, step, time, ranks, k_, m_, comm_.rank(), {}, name_};
    for (int p = 0; p < n; ++p) {
      auto const from = static_cast<int>(checkpoint::block_kept(comm_.rank(), p, ranks, n));
      file.pieces.push_back({from, p, 0, 0, 0});
      if (p > 0) pieces[p] = std::move(incoming.at(from));
    }
    checkpoint::make_own_folder(folder_);
    checkpoint::write_pieces(checkpoint::path_of(folder_, file.key, comm_.rank()), file, pieces);
  });
  // the new one is complete on all ranks
  ++generation_;
  choice_.reset();
  remove_before({generation_, run_});
}

void NodeCheckpoint::remove_before(Key const& key) const {
  if (node_rank_ != 0) return;
  for (auto const& entry : checkpoint::entries_of(folder_))
    if (entry.key < key) std::remove(entry.path.c_str());
}

void NodeCheckpoint::clear(bool keep_found) {
  comm_.barrier();
  if (node_rank_ == 0) {
    for (auto const& entry : checkpoint::entries_of(folder_))
      if (!keep_found || !choice_ || entry.key != choice_->key) std::remove(entry.path.c_str());
    std::error_code not_empty;
    fs::remove(folder_, not_empty);
  }
  // nobody saves before all is removed
  comm_.barrier();
}

/// The checkpoint that this rank's files are of, and their whole pieces.
Bytes NodeCheckpoint::pieces_here(Key const& key) const {
  Bytes report;
  for (auto const& entry : my_share()) {
    if (entry.key != key) continue;
    auto const file = checkpoint::read_header(entry.path);
    if (!file || file->key != key || file->name != name_) continue;
    for (auto const& piece : file->pieces) {
      auto const bytes = checkpoint::read_piece(entry.path, piece);
      if (!bytes) continue;
      if (piece.index == 0 && !checkpoint::may_begin(*bytes, file->step, file->time)) break;
      core::append(report, Heard{{file->step, file->ranks, file->data, file->parity, file->time},
                                 file->holder,
                                 piece.block,
                                 piece.index,
                                 static_cast<std::int64_t>(piece.length)});
    }
  }
  return report;
}

/// Root: k pieces of each block, or what is lacking.
std::optional<NodeCheckpoint::Choice> NodeCheckpoint::choose(std::vector<Bytes> const& reports,
                                                             std::string& lacking) const {
  // whole files agree on what they are of; one that says otherwise is as good as lost
  std::map<Origin, std::vector<std::pair<Heard, int>>> heard;
  for (std::size_t rank = 0; rank < reports.size(); ++rank)
    for (core::ByteReader in(reports[rank]); !in.done();) {
      auto const piece = in.take<Heard>();
      heard[piece.origin].emplace_back(piece, static_cast<int>(rank));
    }
  if (heard.empty()) {
    lacking = "a checkpoint in memory is damaged";
    return std::nullopt;
  }
  std::vector<std::map<Origin, std::vector<std::pair<Heard, int>>>::const_iterator> order;
  for (auto place = heard.cbegin(); place != heard.cend(); ++place) order.push_back(place);
  std::stable_sort(order.begin(), order.end(), [](auto a, auto b) { return a->second.size() > b->second.size(); });
  for (auto const place : order) {
    std::string reason;
    if (auto choice = complete(place->first, place->second, reason)) return choice;
    if (lacking.empty()) lacking = reason;
  }
  return std::nullopt;
}

/// Root: k pieces of each block of those that say alike where they are from, or what is lacking.
std::optional<NodeCheckpoint::Choice> NodeCheckpoint::complete(Origin const& origin,
                                                               std::vector<std::pair<Heard, int>> const& heard,
                                                               std::string& lacking) const {
  std::set<std::pair<std::int64_t, std::int64_t>> seen;  // the folder may be one that several nodes see
  std::map<std::int64_t, std::int64_t> whole;            // pieces of a holder
  std::map<std::int64_t, std::map<std::int64_t, std::vector<Piece>>> pieces;  // of a block, by their length
  for (auto const& [piece, reader] : heard) {
    if (!seen.insert({piece.block, piece.index}).second) continue;
    ++whole[piece.holder];
    pieces[piece.block][piece.length].push_back({static_cast<int>(piece.block), static_cast<int>(piece.index), reader});
  }
  Choice choice;
  choice.origin = origin;
  for (auto const& [block, by_length] : pieces)
    for (auto const& [length, same] : by_length)
      if (static_cast<std::int64_t>(same.size()) >= origin.data) {
        choice.pieces.insert(choice.pieces.end(), same.begin(), same.begin() + origin.data);
        break;
      }
  if (static_cast<std::int64_t>(choice.pieces.size()) == origin.ranks * origin.data) return choice;
  auto const good = std::count_if(whole.begin(), whole.end(),
                                  [&](auto const& held) { return held.second == origin.data + origin.parity; });
  lacking =
      fmt::format("the checkpoint in memory of step {} lacks the pieces of {} of {} ranks, it stands the loss of {}",
                  origin.step, origin.ranks - good, origin.ranks, origin.parity);
  return std::nullopt;
}

NodeCheckpoint::Found NodeCheckpoint::find() {
  core::Timed const timed(core::Part::io);
  Found found;
  choice_.reset();
  for (auto const& key : all_keys()) {
    auto const reports = comm_.gather_to_root(pieces_here(key));
    Bytes answer;
    std::string lacking;
    on_root(comm_, [&] {
      if (auto choice = choose(reports, lacking)) {
        core::append(answer, choice->origin);
        core::append(answer, std::span<Piece const>(choice->pieces));
      }
    });
    comm_.broadcast(answer);
    comm_.broadcast(lacking);
    if (answer.empty()) {
      found.passed_over.push_back(lacking);
      continue;
    }
    Choice choice;
    choice.key = key;
    core::ByteReader in(answer);
    choice.origin = in.take<Origin>();
    while (!in.done()) choice.pieces.push_back(in.take<Piece>());
    found.step = choice.origin.step;
    found.time = choice.origin.time;
    found.whole = true;
    choice_ = std::move(choice);
    break;
  }
  return found;
}

/// The chosen pieces that this rank reads, for those who put the blocks together: block by block to the ranks in turns.
std::map<int, Bytes> NodeCheckpoint::chosen_pieces() const {
  std::set<std::pair<int, int>> mine;
  for (auto const& piece : choice_->pieces)
    if (piece.reader == comm_.rank()) mine.insert({piece.block, piece.index});
  std::map<int, Bytes> outgoing;
  for (auto const& entry : my_share()) {
    if (mine.empty() || entry.key != choice_->key) continue;
    auto const file = checkpoint::read_header(entry.path);
    if (!file) continue;
    for (auto const& piece : file->pieces) {
      if (mine.erase({static_cast<int>(piece.block), static_cast<int>(piece.index)}) == 0) continue;
      auto const bytes = checkpoint::read_piece(entry.path, piece);
      if (!bytes) throw core::RunError(entry.path + ": was damaged while it was restored");
      Bytes& message = outgoing[static_cast<int>(piece.block) % comm_.size()];
      core::append(message, piece.block);
      core::append(message, piece.index);
      core::append(message, piece.length);
      core::append(message, std::span<std::byte const>(*bytes));
    }
  }
  if (!mine.empty()) throw core::RunError(folder_ + ": a file of the checkpoint is gone");
  return outgoing;
}

NodeCheckpoint::Saved NodeCheckpoint::restore(std::span<core::FieldBase* const> fields, std::size_t needed) const {
  core::Timed const timed(core::Part::io);
  core::expect(choice_.has_value(), "a checkpoint was found");
  int const k = static_cast<int>(choice_->origin.data), m = static_cast<int>(choice_->origin.parity);
  std::map<int, Bytes> outgoing;
  on_all(comm_, [&] { outgoing = chosen_pieces(); });
  auto incoming = comm_.exchange(outgoing);
  outgoing.clear();
  checkpoint::Unpacked unpacked(fields, needed);
  on_all(comm_, [&] {
    std::map<std::int64_t, std::vector<Bytes>> blocks;
    for (auto& [from, message] : incoming) {
      for (core::ByteReader in(message); !in.done();) {
        auto& pieces = blocks[in.take<std::int64_t>()];
        pieces.resize(k + m);
        Bytes& piece = pieces[in.take<std::int64_t>()];
        piece.resize(in.take<std::uint64_t>());
        in.take(std::span<std::byte>(piece));
      }
      message = {};
    }
    auto const code = checkpoint::make_code(k, m);
    for (auto& [block, pieces] : blocks) unpacked.add(checkpoint::decode(*code, k, std::move(pieces)));
  });
  Saved saved = unpacked.deliver(comm_);
  if (saved.step != choice_->origin.step || saved.time != choice_->origin.time)
    throw core::RunError("the checkpoint in memory is damaged: its pieces are of another step than its files say");
  return saved;
}

}  // namespace tessera::io
