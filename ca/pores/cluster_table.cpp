// SPDX-License-Identifier: Apache-2.0
#include "ca/pores/cluster_table.hpp"

#include "core/grid/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace tessera::ca {
namespace {

using core::Count;
__extension__ using Wide = unsigned __int128;  ///< squares of many large numbers

/// Sums over cells of one label.
struct Sums {
  std::int64_t cells = 0;
  std::array<Count, 3> low{1, 1, 1}, high{};  ///< none yet
  std::array<std::int64_t, 3> first{};
  std::array<Wide, 3> second{};

  void add(Sums const& other) {
    if (other.cells == 0) return;
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = cells == 0 ? other.low[a] : std::min(low[a], other.low[a]);
      high[a] = cells == 0 ? other.high[a] : std::max(high[a], other.high[a]);
      first[a] += other.first[a];
      second[a] += other.second[a];
    }
    cells += other.cells;
  }
  void add(std::array<Count, 3> const& x) {
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = cells == 0 ? x[a] : std::min(low[a], x[a]);
      high[a] = cells == 0 ? x[a] : std::max(high[a], x[a]);
      first[a] += x[a];
      second[a] += static_cast<Wide>(x[a]) * static_cast<Wide>(x[a]);
    }
    ++cells;
  }
};
struct Entry {
  std::int64_t label;
  Sums sums;
};
using Table = std::unordered_map<std::int64_t, Sums>;

/// The ranks share the labels: each adds up some.
Table gathered(Table own, core::Comm const& comm) {
  if (comm.size() == 1) return own;
  std::map<int, core::Bytes> away;
  Table result;
  for (auto const& [label, sums] : own) {
    int const to = static_cast<int>(label % comm.size());
    if (to == comm.rank())
      result[label].add(sums);
    else
      core::append(away[to], Entry{label, sums});
  }
  for (auto const& [from, data] : comm.exchange(away))
    for (core::ByteReader reader(data); !reader.done();) {
      auto const entry = reader.take<Entry>();
      result[entry.label].add(entry.sums);
    }
  return result;
}

ClusterShape shape(core::Grid const& grid, Entry const& entry) {
  Sums const& s = entry.sums;
  ClusterShape result{
      entry.label, s.cells, {{s.low[0], s.low[1], s.low[2]}, {s.high[0] + 1, s.high[1] + 1, s.high[2] + 1}}, {}, 0};
  auto const n = static_cast<double>(s.cells);
  double square = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    core::Axis const& axis = grid.axis(static_cast<int>(a));
    double const width = axis.length() / static_cast<double>(axis.cells());
    result.centre[a] = axis.low() + width * (static_cast<double>(s.first[a]) / n + 0.5);
    // n times the sum of the squares less the square of the sum: whole numbers, of which nothing is lost
    Wide const first = static_cast<Wide>(s.first[a]);
    Wide const spread = static_cast<Wide>(s.cells) * s.second[a] - first * first;
    square += width * width * static_cast<double>(spread) / (n * n);
  }
  result.gyration = std::sqrt(square);
  return result;
}

}  // namespace

std::vector<ClusterShape> cluster_table(core::FieldBase const& labels, std::int64_t least) {
  core::Timed const timed(core::Part::compute);
  core::Layout const& layout = labels.layout();
  Table table;
  core::visit(labels, [&]<class T>(core::Field<T> const& field) {
    if constexpr (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>) {
      auto const label = field.host();
      for (int s = 0; s < layout.tiles(); ++s) {
        std::int64_t last = 0;  // cells of one label lie in a row: their sums are looked up once
        Sums run;
        auto const flush = [&] {
          if (last != 0) table[last].add(run);
          run = {};
        };
        core::for_cells(layout.info(s), [&](int k, int j, int i) {
          std::int64_t const here = label(s, k, j, i);
          if (here != last) flush();
          last = here;
          if (here == 0) return;
          core::Index const x = layout.info(s).global(k, j, i);
          run.add(std::array<Count, 3>{x.i, x.j, x.k});
        });
        flush();
      }
    }
  });
  table = gathered(std::move(table), layout.comm());
  core::Bytes mine;
  for (auto const& [label, sums] : table)
    if (sums.cells >= least) core::append(mine, Entry{label, sums});
  std::vector<ClusterShape> result;
  for (core::Bytes const& bytes : layout.comm().gather_to_root(mine))
    for (core::ByteReader reader(bytes); !reader.done();) result.push_back(shape(layout.grid(), reader.take<Entry>()));
  std::sort(result.begin(), result.end(), [](ClusterShape const& a, ClusterShape const& b) {
    return a.cells != b.cells ? a.cells > b.cells : a.label < b.label;
  });
  return result;
}

}  // namespace tessera::ca
