// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/packed.hpp"

#include "ca/engine/activity.hpp"
#include "ca/engine/packed_rows.hpp"
#include "ca/engine/packed_steps.hpp"
#include "ca/engine/synchronous.hpp"
#include "core/grid/upload.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::ca {
namespace {

using core::Count;

/// The grid of words on the tiles and owners of the cells': with two words along x at least, so that the axis has a halo.
std::shared_ptr<core::Grid const> grid_of_words(core::Grid const& grid) {
  auto const cells = grid.cells(), tile = grid.tile();
  bool const one_tile = tile[0] >= cells[0];
  Count const words = std::max<Count>(2, (cells[0] + 63) / 64);
  return std::make_shared<core::Grid const>(core::Grid::unit({words, cells[1], 1},
                                                             {one_tile ? words : tile[0] / 64, tile[1], 1},
                                                             {grid.periodic(0) && !one_tile, grid.periodic(1), false}));
}

/// The automaton of a rule on words (bits::Aging).
template <class Rule>
class Packed final : public Automaton {
 public:
  Packed(Rule const& rule, int states, RuleContext& context)
      : Automaton(context.word),
        rule_(rule),
        states_(states),
        field_(context.field),
        cells_(context.layout),
        layout_(grid_of_words(context.grid()), context.layout.owners(), context.layout.comm()),
        sides_(Boundaries::read(context.properties, context.grid())),
        rows_(states),
        changed_("changed cells", static_cast<std::size_t>(context.layout.tiles())) {
    detail::check_dimensions(context, 2);
    sides_.check_states(context.properties, states - 1);
    lay_out(1);
  }

  int work_ahead(int depth) override {
    if (!sides_.constant()) return 1;
    // a fringe of half as many rows on either side is computed anew: one row in sixteen
    if (depth == 0) depth = Activity::restful(static_cast<int>(std::clamp<Count>(cells_.grid().tile()[1] / 16, 1, 30)));
    depth = std::min(depth, 64);
    if constexpr (!core::on_host) {
      depth = std::min(depth, Blocks::most_steps);
      // a word beside a tile that goes round the grid by itself has fewer cells than generations may ask for
      if (auto const at = ends(); at.around && at.one_tile && at.rest() != 0) depth = 1;
    }
    if (depth > 1) lay_out(depth);
    return depth_;
  }
  bool behind() const override { return put_off_ > 0; }
  std::int64_t states() const override { return states_; }
  std::vector<core::FieldBase const*> words() const override {
    std::vector<core::FieldBase const*> all;
    for (auto const& plane : words_) all.push_back(&plane);
    return all;
  }

  std::int64_t step() override {
    take_states();
    ++generation_;
    if (depth_ > 1) {
      if (++put_off_ == depth_) catch_up();
      return -1;
    }
    core::Timed const timed(core::Part::compute);
    std::int64_t changes = 0;
    Kokkos::deep_copy(changed_, 0);
    into_next([&](core::Tiles const& tiles) { advance(tiles); });
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), changed_);
    for (std::size_t n = 0; n < host.extent(0); ++n) changes += host(n);
    core::Timed const reduction(core::Part::reduce);
    return cells_.comm().sum(changes);
  }

  core::FieldBase& state() override {
    give_states();
    rows_.open(words_);
    written_ = true;
    return *shown_;
  }
  core::FieldBase const& look() override {
    give_states();
    return *shown_;
  }

 private:
  static constexpr int planes = Rule::planes, rows_at_once = 64;
  using Field = core::Field<std::int64_t>;

  /// Fields for so many generations at once, all dead. Deep enough for rows that are shifted round a periodic axis.
  void lay_out(int depth) {
    depth_ = depth;
    int const halo = std::max(2, depth);
    next_.clear();
    words_.clear();
    // what goes ahead on a host reads a register of words beyond those it computes, of which one may lie beside the tile
    constexpr int read_beside = bits::words_at_once + 1;
    add_planes(words_, "cells in words", depth > 1 && core::on_host ? std::max(halo, read_beside) : halo);
    activity_.reset();
    if (depth > 1 && core::on_host) activity_.emplace(cells_, depth);
    halo_.clear();
    for (int p = 0; p < planes; ++p) halo_.emplace_back(layout_, halo, core::Reach::all);
    std::array<std::vector<core::BoxCopy>, 2> boxes;
    for (int edge = 0; edge < 2; ++edge) {
      auto const& slots = (edge ? halo_.front().edge() : halo_.front().interior()).slots;
      auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), slots);
      for (std::size_t q = 0; q < host.extent(0); ++q) {
        auto const& tile = cells_.info(host(q));
        auto const span = ends().span(tile, true);
        if (!span.low && !span.high) continue;
        // the halos and some rows at a time, so that those that moved nowhere can be passed over
        int const last = tile.nj + halo;
        for (int first = -halo, end; first < last; first = end) {
          end = std::min(first + rows_at_once, first < 0 ? 0 : first < tile.nj ? tile.nj : last);
          boxes[edge].push_back({host(q), host(q), {}, {0, first, 0}, {1, end - first, 1}, 0});
        }
      }
      end_rows_[edge] = core::upload("ends of rows", boxes[edge]);
    }
    std::vector<bits::Word> rows;
    for (std::size_t high = 0; high < 2; ++high)
      for (int p = 0; p < planes; ++p)
        rows.insert(rows.end(), static_cast<std::size_t>(stride()),
                    bits::bit_of(static_cast<int>(sides_.side[2 + high].value), p));
    beyond_ = core::upload("rows beyond the sides", rows);
  }
  void add_planes(std::vector<Field>& to, char const* name, int halo) const {
    to.reserve(planes);
    for (int p = 0; p < planes; ++p) to.emplace_back(name, layout_, halo);
  }
  /// Words of a row with what may be read beside it.
  Count stride() const { return Ahead::ring_stride(layout_.grid().tile()[0]); }

  bits::RowEnds ends() const { return {sides_, cells_.grid()}; }
  bits::Surroundings around() const {
    bits::Word const* const rows = beyond_.data() + 8;
    return {cells_.all().info.data(),
            ends(),
            cells_.grid().cells()[1],
            cells_.grid().periodic(1),
            {sides_.side[2].copies(), sides_.side[3].copies()},
            {rows, rows + planes * stride()},
            stride()};
  }
  static bits::Fields<planes> views(std::vector<Field>& fields) {
    bits::Fields<planes> views;
    for (std::size_t p = 0; p < planes; ++p) views.plane[p] = fields[p].view();
    return views;
  }

  /// Exchanges halos and calls work(tiles), first for those that touch no other rank.
  template <class F>
  void exchange(F const& work) {
    auto const moved = [this](core::BoxCopy const& box) {
      return activity_->moved_before(box.from_slot, box.from[1], box.from[1] + box.n[1]);
    };
    for (std::size_t p = 0; p < planes; ++p)
      keeps_halos() ? halo_[p].start(words_[p], moved) : halo_[p].start(words_[p]);
    open(0);
    halo_.front().over_interior(work);
    for (std::size_t p = 0; p < planes; ++p) halo_[p].finish(words_[p]);
    open(1);
    work(halo_.front().edge());
  }
  /// The same for work that leaves words_ as it was: what it made is there afterwards.
  template <class F>
  void into_next(F const& work) {
    if (next_.empty()) add_planes(next_, "next cells in words", halo_.front().depth());
    exchange(work);
    for (std::size_t p = 0; p < planes; ++p) words_[p].swap_values(next_[p]);
  }
  /// Whether the halos and ends of rows that moved nowhere hold what they must. Where rows of words are shifted as they go round the grid,
  /// that is done to what has come.
  bool keeps_halos() const { return activity_ && !(ends().around && !ends().one_tile && ends().rest() != 0); }
  void open(int edge) {
    auto const moved = [this](core::BoxCopy const& box) {
      return activity_->moved_before(box.to_slot, box.to[1], box.to[1] + box.n[1]);
    };
    for (int p = 0; p < planes; ++p) {
      auto& words = words_[static_cast<std::size_t>(p)];
      if (keeps_halos())
        core::for_each_in_some_boxes("ends of rows", end_rows_[edge], moved, bits::OpenRows{words.host(), p, around()});
      else
        core::for_each_in_boxes("ends of rows", end_rows_[edge], bits::OpenRows{words.view(), p, around()});
    }
  }

  void advance(core::Tiles const& tiles) {
    bits::StepTile<Rule> const step{views(words_), views(next_),          around(),
                                    rule_,         halo_.front().depth(), changed_.data()};
    if constexpr (core::on_host)
      core::for_each_tile("step", tiles, step);
    else
      core::count_by_tiles("step", tiles, bits::StepWord<Rule>{step}, changed_.data());
  }

  /// The generations put off, all at once.
  void catch_up() {
    if (put_off_ == 0) return;
    core::Timed const timed(core::Part::compute);
    if constexpr (core::on_host) {
      activity_->begin(put_off_);
      exchange([&](core::Tiles const& tiles) { advance_in_place(tiles); });
    } else {
      into_next([&](core::Tiles const& tiles) { advance_by_blocks(tiles); });
    }
    put_off_ = 0;
  }
  void advance_by_blocks(core::Tiles const& tiles) {
    Blocks blocks{.from = views(words_),
                  .to = views(next_),
                  .around = around(),
                  .rule = rule_,
                  .slots = tiles.slots.data(),
                  .steps = put_off_,
                  .halo = halo_.front().depth()};
    blocks.share_out(tiles.row_cells, tiles.rows_y);
    core::for_each_team("steps", blocks.teams(tiles), blocks);
  }
  /// Tiles shared over threads, each of which has a ring of rows.
  void advance_in_place(core::Tiles const& tiles) {
    core::Sweep const sweep;
    Ahead const steps{views(words_), around(), rule_, put_off_};
    Count const width = layout_.grid().tile()[0], all = tiles.count(),
                threads = std::min<Count>(core::host_threads(), all);
    if (threads == 0) return;
    Count const ring = Ahead::ring_words(put_off_, width), a_thread = layout_.cells() * put_off_ / threads;
    if (static_cast<Count>(rings_.extent(0)) < threads * ring) rings_ = decltype(rings_)("rings", threads * ring);
    core::for_each_by_threads("steps", threads, a_thread, [&](Count n) {
      static thread_local std::vector<Activity::Area> areas;
      for (Count t = n * all / threads; t < (n + 1) * all / threads; ++t) {
        int const slot = tiles.slots(t);
        activity_->find_areas(slot, areas);
        activity_->compute(slot, areas);
        for (auto const& area : areas)
          steps(slot, area, rings_.data() + n * ring, width,
                [&](int row, Activity::Words const& words) { activity_->moved(slot, row, words); });
      }
    });
  }

  void give_states() {
    catch_up();
    if (shown_) return;
    rows_.open(std::as_const(words_));
    shown_.emplace(core::FieldInfo{.name = field_, .description = "state of the cells", .units = "1", .restart = true},
                   cells_, rows_, 1);
  }
  /// What was written to states, as rows or to a copy of all; they are given back.
  void take_states() {
    if (!shown_) return;
    if (std::exchange(written_, false) && shown_->store() == nullptr) {
      core::for_each_tile_on_host("pack", cells_, [&, from = std::as_const(*shown_).host()](int slot) {
        core::TileInfo const& tile = cells_.info(slot);
        core::for_rows(tile, [&](int k, int j) { rows_.put({slot, k, j, 0, tile.ni}, from.row(slot, k, j)); });
      });
    }
    if (rows_.close() && activity_) activity_->wake();
    shown_.reset();
  }

  using Ahead = bits::StepsInPlace<Rule>;
  using Blocks = bits::StepsOfBlocks<Rule>;
  Rule rule_;
  int states_;
  std::string const field_;  // the states' name
  core::Layout const& cells_;
  core::Layout layout_;  // of words
  Boundaries sides_;
  std::vector<Field> words_, next_;                             // one a bit plane
  std::vector<core::Halo> halo_;                                // each is on its way with one plane
  std::optional<Activity> activity_;                            // where generations are put off
  std::array<Kokkos::View<core::BoxCopy const*>, 2> end_rows_;  // of interior tiles and of those at other ranks
  Kokkos::View<bits::Word const*> beyond_;                      // below the bottom, above the top
  bits::Rows rows_;
  std::optional<core::Field<State>> shown_;  // between steps, where they are asked for: of rows_, or a copy of all
  bool written_ = false;                     // to the copy, perhaps
  Kokkos::View<std::int64_t*> changed_;      // cells, by slot
  Kokkos::View<bits::Word*, Kokkos::HostSpace> rings_;  // of the threads
  int depth_ = 1, put_off_ = 0;
};

template <int planes, class Counts>
std::unique_ptr<Automaton> make_planes(Counts const& counts, int states, RuleContext& context) {
  using Rule = bits::Aging<Counts, planes>;
  return std::make_unique<Packed<Rule>>(Rule(counts, states), states, context);
}
template <class Counts>
std::unique_ptr<Automaton> make(Counts const& counts, int states, RuleContext& context) {
  static_assert(most_planes == 4);
  switch (planes_of(states)) {
  case 1:
    return make_planes<1>(counts, states, context);
  case 2:
    return make_planes<2>(counts, states, context);
  case 3:
    return make_planes<3>(counts, states, context);
  default:
    return make_planes<4>(counts, states, context);
  }
}

}  // namespace

bool keeps_bits(RuleContext const& context, int states) {
  auto const wanted = context.properties.get_choice("storage", {"auto", "bits", "bytes"}, "auto");
  Count const width = context.grid().tile()[0], cells = context.grid().cells()[0];
  if (auto& properties = context.properties; Boundaries::read(properties).surface.joined()) {
    if (wanted == "bits")
      properties.fail_entry("storage", "is bits, but the sides are joined to a surface, expected bytes or auto");
    return false;
  }
  if (planes_of(states) == 0) {
    if (wanted == "bits")
      context.properties.fail_entry(
          "storage", fmt::format("is bits, but the rule has {} states, expected at most {}, or bytes or auto", states,
                                 1 << most_planes));
    return false;
  }
  bool const fits = width >= cells || width % 64 == 0;
  if (wanted == "bits" && !fits)
    context.properties.fail_entry(
        "storage", fmt::format("is bits, but tiles are {} cells wide, expected a multiple of 64, or tiles as wide as "
                               "the grid of {}",
                               width, cells));
  return fits && wanted != "bytes";
}

std::unique_ptr<Automaton> make_packed(bits::Totals const& rule, Neighbours neighbours, int states,
                                       RuleContext& context) {
  bits::AnyChoice const any(rule);
  if (neighbours == Neighbours::four) return make(bits::FewerCountRule<bits::AnyChoice, false>{any}, states, context);
  if (neighbours == Neighbours::six) return make(bits::FewerCountRule<bits::AnyChoice, true>{any}, states, context);
  // Conway's, which most patterns are for, takes two thirds of the time of any other
  using Conway = bits::FixedChoice<1u << 3, 1u << 2 | 1u << 3>;
  if (states == 2 && rule == bits::Totals{1u << 3, 1u << 2 | 1u << 3})
    return make_planes<1>(bits::CountRule<Conway>{}, states, context);
  return make(bits::CountRule<bits::AnyChoice>{any}, states, context);
}

}  // namespace tessera::ca
