// SPDX-License-Identifier: Apache-2.0
// How the cells of a plane without end get their values.
#include "ca/unbounded/hash_plane.hpp"
#include "core/error.hpp"
#include "io/files/together.hpp"
#include "io/reader.hpp"
#include "io/readers/live_cells.hpp"
#include "io/readers/square_tree.hpp"
#include "run/models/automaton/initial.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tessera::run::automaton {
namespace {

using ca::unbounded::Cell;
using core::Count;

/// The cells of a source that are not 0, some at a time.
class Living {
 public:
  Living(std::string const& file, ca::unbounded::Plane const& plane, std::string const& rule)
      : file_(file),
        rule_(rule),
        states_(plane.states()),
        source_(io::open_cells(file)) {
    auto const n = source_->cells();
    if (n[2] != 1) throw core::Error(file, 0, fmt::format("has {} layers of cells, expected one", n[2]));
    if (source_->element() != core::Element::uint8)
      throw core::Error(file, 0, "holds other values than 0 .. 255, expected states of cells");
    known_ = dynamic_cast<io::LiveCells const*>(source_.get());
    if (known_ == nullptr) row_.resize(static_cast<std::size_t>(n[0]));
  }

  Count nx() const { return source_->cells()[0]; }
  Count ny() const { return source_->cells()[1]; }
  /// The cell of the plane at which the file says that its lower left corner lies.
  std::optional<core::Index> place() const {
    if (known_ != nullptr) return core::Index{known_->corner()[0], known_->corner()[1], 0};
    auto const placement = source_->placement();
    if (!placement) return std::nullopt;
    return core::Index{std::llround(placement->origin[0]), std::llround(placement->origin[1]), 0};
  }
  /// Adds the source's squares to a tree that is 0 there, where the source is one. False: nothing is done.
  bool add_to(ca::unbounded::Tree& tree) const {
    auto const root = make_squares([&](auto const& states) { return tree.square_of(states); },
                                   [&](auto const& parts) { return tree.square(parts); });
    if (root) tree.add(*root);
    return root.has_value();
  }
  /// Goes through all for what cannot be read or is no state of the rule.
  void check() {
    auto const any = [](auto const&) { return std::uint32_t{1}; };
    if (make_squares(any, any)) return;
    std::vector<Cell> cells;
    while (take({}, cells)) cells.clear();
  }
  /// Adds those of the next rows, about 64 Ki of them at least, or all. False after the last row.
  bool take(core::Index at, std::vector<Cell>& cells) {
    if (known_ != nullptr) {
      known_->for_live_cells([&](Count i, Count j, std::uint8_t state) { add({at.i + i, at.j + j, state}, cells); });
      return false;
    }
    std::size_t const enough = cells.size() + (1 << 16);
    for (; next_ < ny() && cells.size() < enough; ++next_) {
      source_->next(1, std::as_writable_bytes(std::span(row_)));
      Count const j = source_->top_down() ? ny() - 1 - next_ : next_;
      for (std::size_t i = 0; i < row_.size();) {
        // eight at once: most of a large pattern is empty
        std::uint64_t eight = 1;
        if (row_.size() - i >= sizeof eight) std::memcpy(&eight, row_.data() + i, sizeof eight);
        if (eight == 0) {
          i += sizeof eight;
          continue;
        }
        if (row_[i] != 0) add({at.i + static_cast<Count>(i), at.j + j, row_[i]}, cells);
        ++i;
      }
    }
    return next_ < ny();
  }

 private:
  /// Nothing where the source is no tree.
  template <class OfStates, class OfSquares>
  std::optional<std::uint32_t> make_squares(OfStates const& of_states, OfSquares const& of_squares) const {
    auto const* const squares = dynamic_cast<io::SquareTree const*>(source_.get());
    if (squares == nullptr) return std::nullopt;
    return squares->make_squares({[&](std::array<std::uint8_t, 64> const& states) {
                                    auto const state = *std::max_element(states.begin(), states.end());
                                    if (state >= states_) refuse(state, "a cell");
                                    return of_states(states);
                                  },
                                  [&](std::array<std::uint32_t, 4> const& parts) { return of_squares(parts); }});
  }
  [[noreturn]] void refuse(std::uint8_t state, std::string const& where) const {
    throw core::Error(
        file_, 0,
        fmt::format("has state {} for {}, but rule '{}' has states 0 .. {}", state, where, rule_, states_ - 1));
  }
  void add(Cell const& cell, std::vector<Cell>& cells) const {
    if (cell.state >= states_) refuse(cell.state, fmt::format("cell ({} {})", cell.i, cell.j));
    cells.push_back(cell);
  }

  std::string file_, rule_;
  int states_;
  std::unique_ptr<io::RowSource> source_;
  io::LiveCells const* known_ = nullptr;  // the source, where it need not be read by rows
  std::vector<std::uint8_t> row_;
  Count next_ = 0;
};

/// Lays what the root reads over what the plane has; `find_place` gives the cell of the lower left corner. A tree that lies where it says comes
/// to that of the plane as it is.
template <class F>
void put_file(core::Comm const& comm, ca::unbounded::Plane& plane, std::string const& file, std::string const& rule,
              F const& find_place) {
  std::unique_ptr<Living> source;
  core::Box box{};
  io::on_root(comm, [&] {
    source = std::make_unique<Living>(file, plane, rule);
    core::Index const at = find_place(*source);
    box = {at, at + core::Index{source->nx(), source->ny(), 1}};
  });
  comm.broadcast(box);
  plane.erase(box);
  core::Index const at = box.lo;
  bool done = false;
  io::on_root(comm, [&] {
    auto* const hash = dynamic_cast<ca::unbounded::HashPlane*>(&plane);
    done = hash != nullptr && at == source->place() && source->add_to(hash->tree());
  });
  if (comm.any(done)) return;
  for (bool more = true; more;) {
    std::vector<Cell> cells;
    bool goes_on = false;
    io::on_root(comm, [&] { goes_on = source->take(at, cells); });
    plane.put(cells);
    more = comm.any(goes_on);
  }
}

}  // namespace

void InitialState::check_unbounded(ca::unbounded::Plane const& plane) const {
  for (auto const& layer : layers_) {
    if (!layer.field.empty())
      layer.entry->fail("type", "rules of an unbounded plane have one field, expected initial { type ...; }");
    if (layer.type == Type::picture || layer.type == Type::uniform || layer.type == Type::ball)
      layer.entry->fail("type",
                        "an unbounded plane begins with few cells, expected pattern, snapshot, or random with a box");
    if (layer.type == Type::random && !layer.box)
      layer.entry->fail("type", "is random everywhere, but the plane has no end, expected an entry 'box'");
    if (layer.type == Type::random && layer.between)
      layer.entry->fail("low", "is there, expected `probability` on an unbounded plane");
    if (layer.box && (layer.box->lo.k != 0 || layer.box->hi.k != 1))
      layer.entry->fail_expected("box", "cells of the one layer of a plane, as ((0 0 0) (20 20 1))");
    if (layer.position.k != 0) layer.entry->fail_expected("position", "a cell of the one layer of a plane, as (0 0 0)");
    if (layer.margin)
      layer.entry->fail("margin", "is there, but an unbounded plane has no sides, expected no such entry");
    if (!layer.has_place()) continue;
    compare_rule(layer, rule_);
    if (session_.checks) io::on_root(session_.comm, [&] { Living(layer.file, plane, rule_).check(); });
  }
}

void InitialState::fill(ca::unbounded::Plane& plane) const {
  for (auto const& layer : layers_) {
    if (layer.type == Type::random) {
      plane.erase(*layer.box);
      std::vector<Cell> cells;
      core::Index const n = layer.box->shape();
      for (Count j = session_.comm.rank(); j < n.j; j += session_.comm.size())
        for (Count i = 0; i < n.i; ++i)
          if (layer.random.uniform(static_cast<std::uint64_t>(j * n.i + i)) < layer.value)
            cells.push_back({layer.box->lo.i + i, layer.box->lo.j + j, 1});
      plane.put(cells);
      continue;
    }
    put_file(session_.comm, plane, layer.file, rule_, [&](Living const& source) {
      if (layer.entry->contains("position"))
        return layer.centred ? core::Index{-source.nx() / 2, -source.ny() / 2, 0} : layer.position;
      if (layer.type == Type::snapshot && layer.corner) return core::Index{(*layer.corner)[0], (*layer.corner)[1], 0};
      // a file that does not say it has its upper left cell at (0 0), as in Golly, where y runs downwards
      return source.place().value_or(core::Index{0, -source.ny(), 0});
    });
    session_.log.line("Pattern {}: {} x {} cells, rule {}", layer.file, layer.cells[0], layer.cells[1], rule_);
  }
}

void InitialState::fill(ca::unbounded::Plane& plane, std::string const& file,
                        std::optional<core::Index> const& corner) const {
  put_file(session_.comm, plane, file, rule_,
           [&](Living const& source) { return corner ? *corner : source.place().value_or(core::Index{}); });
}

double InitialState::cells_of_patterns() const {
  double cells = 0;
  for (auto const& layer : layers_)
    cells += layer.box ? static_cast<double>(layer.box->cells())
                       : static_cast<double>(layer.cells[0]) * static_cast<double>(layer.cells[1]);
  return cells;
}

}  // namespace tessera::run::automaton
