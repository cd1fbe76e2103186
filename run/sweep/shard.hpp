// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/sweep/axes.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::run {

/// Some of a sweep's tasks, which a job of its own runs beside those of the other shards: task `number` and each `of`-th after
/// it. The whole sweep is shard 0 of 1.
struct Shard {
  std::int64_t number = 0, of = 1;

  /// From `I/N`, I = 0 .. N - 1; the whole sweep from an empty text. Throws core::Error.
  static Shard read(std::string const& text);
  bool whole() const { return of == 1; }
  /// Its own points of all.
  std::vector<Point> points(std::vector<Point> const& all) const;
  /// What the names of its files in the sweep's folder begin with behind their first dot; empty for the whole sweep.
  std::string mark() const;
  /// Whether a file `tasks.REST` is a record that this shard may read: its own, or one that no other shard may be writing.
  bool reads(std::string const& rest) const;
};

}  // namespace tessera::run
