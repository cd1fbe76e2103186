// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/kernels.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace tessera::ca::parts {
namespace {

/// A tile of random cells, its runs, and a component for each run.
struct Sample {
  BitTile tile;
  std::vector<std::uint8_t> bytes;
  std::vector<Word> starts;
  std::vector<Id> first_run;

  Sample(int ni, int nj, double p, unsigned seed) {
    std::mt19937_64 random(seed);
    std::bernoulli_distribution draw(p);
    tile.shape(ni, nj, 1);
    bytes.resize(64 * static_cast<std::size_t>(tile.words) + 64);
    for (auto& b : bytes) b = draw(random);
    starts.resize(tile.bits.size());
    Id n = 0;
    for (int r = 0; r < tile.rows(); ++r) {
      first_run.push_back(n);
      Word last = 0;
      for (int w = 0; w < tile.words; ++w) {
        Word c = 0;
        for (int x = 0; x < 64; ++x) c |= static_cast<Word>(draw(random)) << x;
        c &= tile.valid(w);
        tile.row(r)[w] = c;
        Word const s = c & ~(c << 1 | last);
        starts_of(r)[w] = s;
        n += static_cast<Id>(std::popcount(s));
        last = c >> 63;
      }
    }
    first_run.push_back(n);
  }
  Word* starts_of(int r) { return starts.data() + static_cast<std::ptrdiff_t>(r) * tile.words; }
  Id runs() const { return first_run.back(); }
};

template <class F>
void for_each_sample(F const& f) {
  unsigned seed = 1;
  for (int ni : {1, 2, 61, 62, 63, 64, 130, 512, 700})
    for (double p : {0.0, 0.1, 0.4, 0.593, 0.9, 1.0}) {
      Sample sample(ni, 9, p, ++seed);
      SCOPED_TRACE(testing::Message() << ni << " cells, p = " << p);
      f(sample);
    }
  // runs of single cells, shifted from row to row: the most runs and contacts that there can be
  Sample comb(510, 4, 0, 99);
  Id n = 0;
  for (int r = 0; r < comb.tile.rows(); ++r) {
    comb.first_run[r] = n;
    for (int w = 0; w < comb.tile.words; ++w, n += 32)
      comb.tile.row(r)[w] = comb.starts_of(r)[w] = r % 2 == 0 ? 0x5555555555555555u : 0xaaaaaaaaaaaaaaaau;
  }
  comb.first_run.back() = n;
  SCOPED_TRACE("comb");
  f(comb);
}

/// Both kinds of kernels, or nullptr where the processor has one only.
Kernels const* wide() { return wide_kernels(); }
Kernels const& plain() { return portable_kernels(); }

TEST(Kernels, PackTheSameBits) {
  if (wide() == nullptr) GTEST_SKIP() << "no wide vectors here";
  for_each_sample([](Sample& s) {
    for (std::uint8_t wanted : {0, 1}) {
      auto const words = static_cast<std::size_t>(s.tile.ni + 63) / 64;
      std::vector<Word> row(words, 7), other(words, 9);
      plain().pack_row(s.bytes.data(), wanted, s.tile.ni, row.data());
      wide()->pack_row(s.bytes.data(), wanted, s.tile.ni, other.data());
      EXPECT_EQ(row, other);
      for (std::size_t i = 0; i < 64 * words; ++i)
        EXPECT_EQ(row[i / 64] >> (i % 64) & 1, i < static_cast<std::size_t>(s.tile.ni) && s.bytes[i] == wanted);
    }
  });
}

TEST(Kernels, UnpackTheSameBytes) {
  if (wide() == nullptr) GTEST_SKIP() << "no wide vectors here";
  for_each_sample([](Sample& s) {
    for (std::size_t shift : {0u, 1u, 2u}) {  // rows that begin at a line of the cache, and others
      bool const soon = shift == 2;
      std::vector<std::uint8_t> out[2];
      for (int kind = 0; kind < 2; ++kind) {
        out[kind].assign(static_cast<std::size_t>(s.tile.ni) + 192, 5);
        auto const line = (64 - reinterpret_cast<std::uintptr_t>(out[kind].data()) % 64) % 64;
        (kind == 0 ? plain() : *wide()).unpack_row(s.tile.row(1), s.tile.ni, out[kind].data() + line + shift % 2, soon);
        std::rotate(out[kind].begin(), out[kind].begin() + static_cast<std::ptrdiff_t>(line), out[kind].end());
      }
      EXPECT_EQ(out[0], out[1]);
      for (int i = 0; i < s.tile.ni; ++i)
        EXPECT_EQ(out[0][shift % 2 + static_cast<std::size_t>(i)], s.tile.test(1, i) ? 1 : 0);
      EXPECT_EQ(out[0][shift % 2 + static_cast<std::size_t>(s.tile.ni)], 5);
    }
  });
}

TEST(Kernels, JoinNumberAndMeasureTheSameComponents) {
  if (wide() == nullptr) GTEST_SKIP() << "no wide vectors here";
  for_each_sample([](Sample& s) {
    std::vector<Id> found[2];
    std::vector<std::uint32_t> columns[2];
    std::vector<std::uint32_t> cells[2];
    for (int kind = 0; kind < 2; ++kind) {
      Kernels const& k = kind == 0 ? plain() : *wide();
      std::vector<Id> parent(s.runs() + 64);
      for (Id n = 0; n < parent.size(); ++n) parent[n] = n;
      std::vector<Id> scratch(join_scratch(s.tile.words));
      for (int r = 1; r < s.tile.rows(); ++r) {
        std::vector<Contacts> contacts;
        Word carry = 0;
        for (int w = 0; w < s.tile.words; ++w) {
          Word const c = s.tile.row(r)[w], a = s.starts_of(r)[w], b = s.starts_of(r - 1)[w];
          Word const touching = c & s.tile.row(r - 1)[w] & (a | b), sum = add_with_carry(c, touching, carry);
          contacts.push_back({touching & ~sum, touching & sum, a, 0, b, 0});
        }
        auto const at = static_cast<std::size_t>(r);
        k.join_row(contacts.data(), s.tile.words, s.first_run[at] - 1, s.first_run[at - 1] - 1, parent.data(),
                   scratch.data());
      }
      auto whole_tile = parent;
      Id count = 0;
      columns[kind].resize(s.runs() + 64);
      for (int r = 0; r < s.tile.rows(); ++r)
        count = k.number_row(s.starts_of(r), s.tile.words, s.first_run[r], parent.data(), count,
                             columns[kind].data() + count);
      columns[kind].resize(count);
      EXPECT_EQ(k.number(whole_tile.data(), s.runs()), count);
      EXPECT_EQ(whole_tile, parent);
      cells[kind].assign(count, 0);
      for (int r = 0; r < s.tile.rows(); ++r)
        k.add_cells(s.tile.row(r), s.starts_of(r), s.tile.words, parent.data() + s.first_run[r], cells[kind].data());
      // any numbers will do as values
      std::vector<Id> value(count);
      for (Id c = 0; c < count; ++c) value[c] = 3 * c + 1;
      k.relabel(whole_tile.data(), s.runs(), value.data());
      for (Id n = 0; n < s.runs(); ++n) EXPECT_EQ(whole_tile[n], 3 * parent[n] + 1);
      parent.resize(s.runs());
      found[kind] = parent;
    }
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(columns[0], columns[1]);
    EXPECT_EQ(cells[0], cells[1]);
    std::int64_t sum = 0;
    for (auto n : cells[0]) sum += n;
    EXPECT_EQ(sum, count(s.tile));
  });
}

TEST(Kernels, JoinTheSameRunsWhereCellsBeginTwo) {
  if (wide() == nullptr) GTEST_SKIP() << "no wide vectors here";
  for_each_sample([](Sample& s) {
    std::mt19937_64 random(5);
    int const words = s.tile.words;
    // any numbers will do, as long as there is a run at each contact, with one first contact at most
    std::vector<Contacts> contacts;
    Id here = 0, below = 0;
    for (int w = 0; w < words; ++w) {
      Word const a = s.starts_of(1)[w] | (w == 0), b = s.starts_of(0)[w] | (w == 0);
      Word const more = random() & random(), more_below = random() & random();
      contacts.push_back({a & ~more, more & random(), a, more, b, more_below});
      here += static_cast<Id>(std::popcount(a) + std::popcount(more));
      below += static_cast<Id>(std::popcount(b) + std::popcount(more_below));
    }
    std::vector<Id> parent(here + below);
    for (Id n = 0; n < parent.size(); ++n) parent[n] = n;
    auto other = parent;
    std::vector<Id> scratch(join_scratch(words));
    plain().join_row(contacts.data(), words, below - 1, Id(-1), parent.data(), scratch.data());
    wide()->join_row(contacts.data(), words, below - 1, Id(-1), other.data(), scratch.data());
    EXPECT_EQ(parent, other);
  });
}

TEST(Kernels, DealTheSameBits) {
  if (wide() == nullptr) GTEST_SKIP() << "no wide vectors here";
  for_each_sample([](Sample& s) {
    std::mt19937_64 random(3);
    std::vector<std::uint8_t> in(100);
    for (auto& i : in) i = random() & 1;
    int const words = s.tile.words;
    std::vector<Word> more(words);
    for (auto& m : more) m = random() % 3 == 0 ? random() & random() : 0;
    Id const n = static_cast<Id>(words) * 128 + 70;
    std::vector<Id> of(n);
    for (auto& o : of) o = static_cast<Id>(random() % 100);
    std::vector<Word> chosen[2], first[2], second[2], alone[2];
    for (int kind = 0; kind < 2; ++kind) {
      Kernels const& k = kind == 0 ? plain() : *wide();
      chosen[kind].resize(n / 64 + 2);
      for (auto* v : {&first[kind], &second[kind], &alone[kind]}) v->resize(static_cast<std::size_t>(words));
      choose(of.data(), n, in.data(), chosen[kind].data());
      k.deal(chosen[kind].data(), 7, s.starts_of(2), more.data(), words, first[kind].data(), second[kind].data());
      k.deal(chosen[kind].data(), 64, s.starts_of(2), nullptr, words, alone[kind].data(), nullptr);
    }
    for (Id k = 0; k < n; ++k) EXPECT_EQ(chosen[0][k / 64] >> (k % 64) & 1, in[of[k]]);
    EXPECT_EQ(first[0], first[1]);
    EXPECT_EQ(second[0], second[1]);
    EXPECT_EQ(alone[0], alone[1]);
  });
}

template <class Label, class Write>
void expect_same_labels(Write const& write) {
  for_each_sample([&](Sample& s) {
    std::vector<Id> of(s.runs() + 64);
    std::vector<Label> value;
    for (Id n = 0; n < of.size(); ++n) {
      of[n] = static_cast<Id>(of.size()) - 1 - n;
      value.push_back(static_cast<Label>(7 * n + 1));
    }
    std::vector<Label> scratch(static_cast<std::size_t>(s.tile.words) * 32 + 64);
    for (std::size_t shift : {0u, 1u})  // rows that begin at a line of the cache, and others
      for (int r = 1; r <= s.tile.nj; ++r) {
        auto const room = static_cast<std::size_t>(s.tile.ni) + 32;
        std::vector<Label> out[2] = {std::vector<Label>(room, -1), std::vector<Label>(room, -1)};
        for (int kind = 0; kind < 2; ++kind) {
          auto const line = (64 - reinterpret_cast<std::uintptr_t>(out[kind].data()) % 64) % 64 / sizeof(Label);
          write(kind == 0 ? plain() : *wide(), s, r, of.data() + s.first_run[r], value.data(), scratch.data(),
                out[kind].data() + line + shift);
          std::rotate(out[kind].begin(), out[kind].begin() + static_cast<std::ptrdiff_t>(line), out[kind].end());
        }
        EXPECT_EQ(out[0], out[1]);
        for (std::size_t i = 0; i < static_cast<std::size_t>(s.tile.ni); ++i)
          EXPECT_EQ(out[0][shift + i] != 0, s.tile.test(r, static_cast<int>(i)));
        EXPECT_EQ(out[0][shift + static_cast<std::size_t>(s.tile.ni)], -1);
      }
  });
}

TEST(Kernels, WriteTheSameLabels) {
  if (wide() == nullptr) GTEST_SKIP() << "no wide vectors here";
  expect_same_labels<std::int32_t>(
      [](Kernels const& k, Sample& s, int r, Id const* of, std::int32_t const* value, std::int32_t* scratch,
         std::int32_t* out) { k.write_row_32(s.tile.row(r), s.starts_of(r), s.tile.ni, of, value, scratch, out); });
  expect_same_labels<std::int64_t>(
      [](Kernels const& k, Sample& s, int r, Id const* of, std::int64_t const* value, std::int64_t* scratch,
         std::int64_t* out) { k.write_row_64(s.tile.row(r), s.starts_of(r), s.tile.ni, of, value, scratch, out); });
}

}  // namespace
}  // namespace tessera::ca::parts
