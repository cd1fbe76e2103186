// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/checkpoint/node.hpp"
#include "io/files/values.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::io {
namespace {

namespace fs = std::filesystem;

constexpr core::Grid::Shape cells{37, 23, 3}, tile{8, 5, 2};

/// Fields on a grid whose edge tiles are smaller, filled by number.
struct Fields {
  std::unique_ptr<core::Layout> layout;
  core::Field<double> temperature{"T", *layout};
  core::Field<std::uint8_t> mask{"mask", *layout, 2};
  explicit Fields(std::unique_ptr<core::Layout> over = tests::shuffled_layout(cells, tile)) : layout(std::move(over)) {
    tests::fill_by_number(temperature);
    tests::fill_by_number(mask);
  }
  std::array<core::FieldBase const*, 2> saved() const { return {&temperature, &mask}; }
  std::array<core::FieldBase*, 2> restored() { return {&temperature, &mask}; }
  std::array<std::string, 2> hashes() const { return {core::hash(temperature), core::hash(mask)}; }
  void spoil() {
    temperature.fill(-1);
    mask.fill(9);
  }
};

class NodeCheckpoints : public testing::Test {
 protected:
  void SetUp() override {
    if (!ErasureCodes::contains("reedSolomon")) GTEST_SKIP() << "built without ISA-L";
  }
  NodeCheckpoint make(int data, int parity, std::string const& name = "case") const {
    return {world, name, {folder, data, parity}};
  }
  /// The file of a rank with the pieces of a checkpoint, by its place among its files from the oldest on.
  std::string file_of(std::string const& in, int rank, std::size_t n = 0) const {
    std::vector<std::string> files;
    for (auto const& entry : checkpoint::entries_of(in))
      if (entry.path.ends_with(fmt::format(".{:06d}", rank))) files.push_back(entry.path);
    EXPECT_LT(n, files.size());
    return files.at(n);
  }
  /// On the root, between barriers.
  template <class F>
  void alone(F const& f) const {
    world.barrier();
    if (world.root()) f();
    world.barrier();
  }
  core::Comm world;
  tests::Scratch scratch;
  std::string folder = scratch / "memory";
  NodeCheckpoints() {
    alone([&] { fs::create_directories(folder); });
  }
};

TEST_F(NodeCheckpoints, OutliveTheLossOfAnyMRanks) {
  for (int k = 1; k < world.size(); ++k)
    for (int m = 1; k + m <= world.size(); ++m)
      for (int lost = 0; lost < 1 << world.size(); ++lost) {
        SCOPED_TRACE(fmt::format("code ({} {}), lost {:b}", k, m, lost));
        Fields fields;
        auto const before = fields.hashes();
        {
          auto store = make(k, m);
          store.save(7, 0.5, fields.saved(), {{"residual", "1e-7"}, {"seed", world.root() ? "3" : "other"}});
          alone([&] {
            for (int rank = 0; rank < world.size(); ++rank)
              if (lost >> rank & 1) fs::remove(file_of(store.folder(), rank));
          });
        }
        fields.spoil();
        auto store = make(1, 1);  // what was saved says how
        auto const found = store.find();
        int const number = __builtin_popcount(static_cast<unsigned>(lost));
        if (number <= m) {
          ASSERT_TRUE(found.whole);
          EXPECT_EQ(found.step, 7);
          EXPECT_EQ(found.time, 0.5);
          auto const saved = store.restore(fields.restored(), 2);
          EXPECT_EQ(fields.hashes(), before);
          EXPECT_EQ(saved.step, 7);
          EXPECT_EQ(saved.state, (State{{"residual", "1e-7"}, {"seed", "3"}}));
        } else if (k + m == world.size()) {  // else the pieces lost may be of different blocks
          ASSERT_FALSE(found.whole);
          if (number < world.size()) {
            ASSERT_EQ(found.passed_over.size(), 1u);
            EXPECT_NE(found.passed_over[0].find(fmt::format(
                          "lacks the pieces of {} of {} ranks, it stands the loss of {}", number, world.size(), m)),
                      std::string::npos)
                << found.passed_over[0];
          }
        }
        store.clear();
        EXPECT_FALSE(fs::exists(store.folder()));
      }
}

TEST_F(NodeCheckpoints, GoOnWithOtherRanksAndOwners) {
  if (world.size() < 2) GTEST_SKIP() << "needs two ranks";
  Fields before;
  auto const hashes = before.hashes();
  {
    auto store = make(world.size() - 1, 1);
    store.save(3, 3, before.saved());
    alone([&] { fs::remove(file_of(store.folder(), 0)); });
  }
  // by all ranks but the first
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm_split(world.handle(), world.root() ? 0 : 1, 0, &handle);
  core::Comm const some(handle);
  if (some.size() >= 2) {  // the code needs two ranks to save, so it does to go on
    auto const grid = before.layout->shared_grid();
    Fields fields(std::make_unique<core::Layout>(grid, tests::owner_tables(*grid, some.size())[1], some));
    fields.spoil();
    NodeCheckpoint store(some, "case", {folder, 1, 1});
    ASSERT_TRUE(store.find().whole);
    std::array<core::FieldBase*, 1> const mask{&fields.mask};
    EXPECT_EQ(store.restore(mask, 1).found, std::vector<std::string>{"mask"});
    EXPECT_EQ(core::hash(fields.mask), hashes[1]) << "one of the fields alone";
    store.restore(fields.restored(), 2);
    EXPECT_EQ(core::hash(fields.temperature), hashes[0]);
  }
  MPI_Comm_free(&handle);
}

TEST_F(NodeCheckpoints, KeepTheOneBeforeUntilTheNextIsComplete) {
  if (world.size() < 2) GTEST_SKIP() << "needs two ranks";
  Fields fields;
  auto const first = fields.hashes();
  auto store = make(1, 1);
  store.save(1, 1, fields.saved());
  // as if all were killed in the middle of the next save: it has reached one rank, and a part of another's file is there
  std::string const before = world.root() ? file_of(store.folder(), 0) : "";
  alone([&] { fs::copy(store.folder(), scratch / "kept"); });
  fields.temperature.fill(3);
  store.save(2, 2, fields.saved());
  alone([&] {
    EXPECT_FALSE(fs::exists(before)) << "the one before is gone when the next is complete";
    for (int rank = 1; rank < world.size(); ++rank) fs::remove(file_of(store.folder(), rank));
    for (auto const& entry : fs::directory_iterator(scratch / "kept")) fs::copy(entry.path(), store.folder());
    std::ofstream(checkpoint::path_of(store.folder(), {2, 5}, 1) + ".part") << "half";
  });
  if (world.size() == 2) {  // one of two is as good as both
    EXPECT_EQ(make(1, 1).find().step, 2);
    return;
  }
  auto again = make(1, 1);
  auto const found = again.find();
  ASSERT_TRUE(found.whole);
  EXPECT_EQ(found.step, 1);
  EXPECT_EQ(found.passed_over.size(), 1u);
  fields.spoil();
  again.restore(fields.restored(), 2);
  EXPECT_EQ(fields.hashes(), first);
  // what is of no use goes; what was restored stays until the next is complete
  again.clear(true);
  alone([&] { EXPECT_EQ(checkpoint::entries_of(again.folder()).size(), static_cast<std::size_t>(world.size())); });
  again.save(5, 5, fields.saved());
  alone([&] { EXPECT_EQ(checkpoint::entries_of(again.folder()).size(), static_cast<std::size_t>(world.size())); });
  EXPECT_EQ(make(1, 1).find().step, 5);
}

TEST_F(NodeCheckpoints, TakeDamagedFilesForLost) {
  if (world.size() < 2) GTEST_SKIP() << "needs two ranks";
  for (std::string const damage : {"header", "pieces", "cut", "other name"}) {
    SCOPED_TRACE(damage);
    Fields fields;
    auto const before = fields.hashes();
    auto store = make(1, world.size() - 1);
    store.save(1, 1, fields.saved());
    alone([&] {
      for (int rank = 1; rank < world.size(); ++rank) {
        std::string const file = file_of(store.folder(), rank);
        if (damage == "cut") {
          fs::resize_file(file, fs::file_size(file) / 2);
          continue;
        }
        std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
        auto const size = static_cast<std::streamoff>(fs::file_size(file));
        if (damage == "header") out.seekp(40).put('x');
        if (damage == "other name") out.seekp(3).put('x');
        if (damage == "pieces")
          for (auto at = size / 64; at < size; at += size / 64) out.seekp(at).put('\x55');
      }
    });
    fields.spoil();
    auto again = make(1, world.size() - 1);
    ASSERT_TRUE(again.find().whole);
    again.restore(fields.restored(), 2);
    EXPECT_EQ(fields.hashes(), before);
    again.clear();
  }
}

/// What damage and forgers write where a number should be.
constexpr std::int64_t extremes[] = {-1,
                                     0,
                                     1,
                                     2,
                                     3,
                                     5,
                                     100,
                                     1000000,
                                     -5,
                                     std::int64_t{1} << 31,
                                     std::int64_t{1} << 40,
                                     std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int64_t>::min(),
                                     0x7ff8000000000000};

std::int64_t word(std::string const& bytes, std::size_t at) {
  std::int64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// The file with a word of its header changed, and the header's checksum made anew.
std::string forged(std::string bytes, std::size_t at, std::int64_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  std::vector<std::int64_t> header(static_cast<std::size_t>(word(bytes, 8)) / 8);
  std::memcpy(header.data(), bytes.data() + 24, header.size() * 8);
  detail::Checksum sum;
  sum.add(0, std::span<std::int64_t const>(header));
  std::uint64_t const made = sum.sum();
  std::memcpy(bytes.data() + 16, &made, sizeof made);
  return bytes;
}

TEST_F(NodeCheckpoints, WhoseNumbersAreForgedAreTakenForLost) {
  if (world.size() != 2) GTEST_SKIP() << "needs two ranks, either of whose files is enough";
  Fields fields;
  auto const before = fields.hashes();
  auto store = make(1, 1);
  store.save(7, 0.5, fields.saved(), {{"residual", "1e-7"}});
  std::array const files{file_of(store.folder(), 0), file_of(store.folder(), 1)};
  std::array const bytes{tests::bytes_of(files[0]), tests::bytes_of(files[1])};
  // ten numbers, and five of each of two pieces
  for (std::size_t at = 24; at < 24 + 8 * (10 + 2 * 5); at += 8)
    for (std::int64_t const value : extremes)
      for (int const both : {0, 1}) {
        SCOPED_TRACE(fmt::format("word {} is {}{}", (at - 24) / 8, value, both ? " in both files" : ""));
        alone([&] {
          for (std::size_t f = both ? 0 : 1; f < 2; ++f) tests::write_bytes(files[f], forged(bytes[f], at, value));
        });
        fields.spoil();
        auto again = make(1, 1);
        auto const found = again.find();
        bool restored = false;
        if (found.whole) {
          try {
            auto const saved = again.restore(fields.restored(), 2);
            restored = true;
            EXPECT_EQ(fields.hashes(), before);
            EXPECT_EQ(saved.step, 7);
            EXPECT_EQ(saved.time, 0.5);
          } catch (core::RunError const&) {
          }
        }
        EXPECT_TRUE(restored || both) << "the other file is whole";
        alone([&] { tests::write_bytes(files[0], bytes[0]); });
      }
}

TEST_F(NodeCheckpoints, WithForgedBlocksAreErrorsAndNeverAnotherState) {
  core::Comm const one(MPI_COMM_SELF);
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({9, 7, 1}, {4, 3, 1}));
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), one);
  core::Field<double> t("T", layout);
  core::Field<std::uint8_t> mask("mask", layout);
  tests::fill_by_number(t);
  tests::fill_by_number(mask);
  std::array<core::FieldBase const*, 2> const saved{&t, &mask};
  std::array<core::FieldBase*, 2> const asked{&t, &mask};
  std::array const before{core::hash(t), core::hash(mask)};
  auto const block = checkpoint::pack(7, 0.5, saved, {{"residual", "1e-7"}, {"seed", "3"}});
  int refused = 0;
  for (std::size_t at = 0; at + 8 <= block.size(); ++at)
    for (std::int64_t const value : extremes) {
      auto changed = block;
      std::memcpy(changed.data() + at, &value, sizeof value);
      t.fill(-1);
      mask.fill(9);
      try {
        checkpoint::Unpacked unpacked(asked, 2);
        unpacked.add(changed);
        unpacked.deliver(one);
        EXPECT_EQ((std::array{core::hash(t), core::hash(mask)}), before) << "byte " << at << " is " << value;
      } catch (core::Error const&) {
        ++refused;
      } catch (core::RunError const&) {
        ++refused;
      }
    }
  EXPECT_GT(refused, 1000);
  for (std::size_t length = 0; length < block.size(); ++length) {
    checkpoint::Unpacked unpacked(asked, 2);
    core::Bytes const cut(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THROW(unpacked.add(cut), core::RunError) << length;
  }
}

TEST_F(NodeCheckpoints, ThatSomebodyElseMayHaveWrittenAreNotBelieved) {
  if (world.size() < 2) GTEST_SKIP() << "needs two ranks";
  Fields fields;
  auto const before = fields.hashes();
  auto const mask = umask(0);  // the mode of files is not left to it
  auto store = make(1, world.size() - 1);
  store.save(1, 1, fields.saved());
  umask(mask);
  for (std::string const how : {"link", "second name", "others may write", "other user", "fifo"}) {
    SCOPED_TRACE(how);
    bool const possible = how != "other user" || geteuid() == 0;
    alone([&] {  // each file but the first
      for (int rank = 1; possible && rank < world.size(); ++rank) {
        std::string const file = file_of(store.folder(), rank), away = scratch / fmt::format("{}.{}", how, rank);
        if (how == "second name") fs::create_hard_link(file, away);
        if (how == "others may write") fs::permissions(file, fs::perms(0666));
        if (how == "other user" && chown(file.c_str(), 65534, 65534) != 0) ADD_FAILURE() << file;
        if (how == "link" || how == "fifo") fs::rename(file, away);
        if (how == "link") fs::create_symlink(away, file);
        if (how == "fifo" && mkfifo(file.c_str(), 0600) != 0) ADD_FAILURE() << file;
      }
    });
    fields.spoil();
    auto again = make(1, world.size() - 1);
    ASSERT_TRUE(again.find().whole) << "the first is enough";
    again.restore(fields.restored(), 2);
    EXPECT_EQ(fields.hashes(), before);
    alone([&] { fs::remove(file_of(store.folder(), 0)); });
    EXPECT_EQ(make(1, world.size() - 1).find().whole, !possible);
    again.clear();
    store.save(1, 1, fields.saved());
  }
  auto const refused = [&](std::string const& what) {
    try {
      make(1, 1);
      ADD_FAILURE() << what;
    } catch (core::Error const& error) {
      EXPECT_EQ(std::string(error.what()),
                store.folder() + ": is no folder that this user alone may write to, so what lies there cannot be "
                                 "believed: remove it, or name another 'folder'");
    }
  };
  alone([&] { fs::permissions(store.folder(), fs::perms(0770)); });
  refused("a folder that the group may write to");
  alone([&] { fs::permissions(store.folder(), fs::perms(0755)); });
  EXPECT_TRUE(make(1, 1).find().whole) << "others may look";
  alone([&] {
    fs::rename(store.folder(), scratch / "away");
    fs::create_directory_symlink(scratch / "away", store.folder());
  });
  refused("a link to a folder");
}

TEST_F(NodeCheckpoints, OfAGridElsewhereAreRefused) {
  if (world.size() < 2) GTEST_SKIP() << "needs two ranks";
  Fields fields;
  auto store = make(1, 1);
  store.save(1, 1, fields.saved());
  ASSERT_TRUE(store.find().whole);
  for (double const origin : {0.0, 1.0}) {
    std::array const axes{core::Axis::make_uniform(cells[0], origin, 37), core::Axis::make_uniform(cells[1], 0, 23),
                          core::Axis::make_uniform(cells[2], 0, 3)};
    auto const grid = std::make_shared<core::Grid const>(axes, tile);
    core::Layout const layout(grid, core::block_owners(grid->tiles(), world.size()), world);
    core::Field<double> t("T", layout);
    std::array<core::FieldBase*, 1> const asked{&t};
    if (origin == 0)
      EXPECT_NO_THROW(store.restore(asked, 1));
    else
      EXPECT_THROW(store.restore(asked, 1), core::Error);
  }
}

TEST_F(NodeCheckpoints, OfOneNameDoNotDisturbThoseOfAnother) {
  if (world.size() < 2) GTEST_SKIP() << "needs two ranks";
  Fields fields;
  auto one = make(1, 1, "one"), other = make(1, 1, "other");
  one.save(1, 1, fields.saved());
  EXPECT_FALSE(other.find().whole);
  other.save(2, 2, fields.saved());
  other.clear();
  EXPECT_EQ(make(1, 1, "one").find().step, 1);
}

TEST_F(NodeCheckpoints, RefuseWhatCannotBe) {
  EXPECT_THROW(make(-1, 1), core::Error);
  EXPECT_THROW(make(2, 0), core::Error);
  EXPECT_THROW(make(world.size(), 1), core::Error) << "one rank too few";
  EXPECT_THROW(make(200, 56), core::Error);
  if (world.size() < 2) return;
  EXPECT_THROW(NodeCheckpoint(world, "case", {scratch / "none", 1, 1}), core::Error);
  EXPECT_EQ(make(0, 1).data(), world.size() - 1) << "what the ranks allow";
  Fields fields;
  auto store = make(1, 1);
  EXPECT_FALSE(store.find().whole);
  store.save(1, 1, fields.saved());
  ASSERT_TRUE(store.find().whole);
  core::Field<double> unknown("other", *fields.layout), of_other_type("mask", *fields.layout);
  for (core::FieldBase* const field : {&unknown, &of_other_type}) {
    std::array<core::FieldBase*, 1> const asked{field};
    EXPECT_THROW(store.restore(asked, 1), core::Error) << field->name();
  }
  // a field that is only wanted may be missing
  std::array<core::FieldBase*, 2> const wanted{&fields.mask, &unknown};
  EXPECT_EQ(store.restore(wanted, 1).found, std::vector<std::string>{"mask"});
  auto const smaller = tests::shuffled_layout({cells[0] - 1, cells[1], cells[2]}, {9, 5, 2});
  core::Field<double> of_other_cells("T", *smaller);
  std::array<core::FieldBase*, 1> const shrunk{&of_other_cells};
  EXPECT_THROW(store.restore(shrunk, 1), core::Error);
}

TEST_F(NodeCheckpoints, AreRestoredToTilesOfAnyShape) {
  if (world.size() < 2) GTEST_SKIP() << "needs two ranks";
  Fields fields;
  auto store = make(1, 1);
  store.save(1, 1, fields.saved());
  for (core::Grid::Shape const tile : {core::Grid::Shape{9, 5, 2}, {1, 3, 1}, {100, 100, 100}}) {
    if (core::Grid::unit(cells, tile).tiles() < world.size()) continue;
    ASSERT_TRUE(store.find().whole);
    auto const layout = tests::shuffled_layout(cells, tile);
    core::Field<double> moved("T", *layout);
    std::array<core::FieldBase*, 1> const asked{&moved};
    store.restore(asked, 1);
    EXPECT_EQ(core::hash(moved), core::hash(*fields.saved()[0])) << tile[0];
  }
}

TEST_F(NodeCheckpoints, ThatCannotBeWrittenLeaveSomethingToGoOnFrom) {
  if (world.size() < 2) GTEST_SKIP() << "needs two ranks";
  Fields fields;
  auto store = make(1, 1);
  store.save(1, 1, fields.saved());
  // a folder in the place of a file that is to be written
  auto const entries = checkpoint::entries_of(store.folder());
  auto key = entries.at(0).key;
  ++key.generation;
  alone([&] { fs::create_directories(checkpoint::path_of(store.folder(), key, 1) + ".part"); });
  EXPECT_THROW(store.save(2, 2, fields.saved()), core::RunError);
  EXPECT_TRUE(make(1, 1).find().whole) << "the files of the others are all that the new one needs";
}

}  // namespace
}  // namespace tessera::io
