// SPDX-License-Identifier: Apache-2.0
#include "io/readers/held.hpp"

#include "core/error.hpp"
#include "io/files/types.hpp"

#include <cstring>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace tessera::io {
namespace {

std::map<std::string, HeldValues>& held() {
  static std::map<std::string, HeldValues> files;
  return files;
}

detail::RawType const& type_of(HeldValues const& values, std::string const& path) {
  return values.type == detail::boolean.name ? detail::boolean : detail::raw_type(values.type, {}, path);
}

class HeldRows final : public RowSource {
 public:
  HeldRows(std::string path, HeldValues values)
      : path_(std::move(path)),
        values_(std::move(values)),
        type_(type_of(values_, path_)) {}
  core::Grid::Shape cells() const override { return values_.cells; }
  core::Element element() const override { return type_.element; }
  std::string name() const override { return path_; }
  StoredType stored() const override { return detail::stored_type(type_); }
  bool seek(core::Count row) override {
    row_ = row;
    return true;
  }
  void next(core::Count rows, std::span<std::byte> values) override {
    auto const count = static_cast<std::size_t>(rows * values_.cells[0]);
    auto const* const from =
        static_cast<std::byte const*>(values_.first) + static_cast<std::size_t>(row_ * values_.cells[0]) * type_.bytes;
    std::memcpy(values.data(), from, count * type_.bytes);
    detail::unpack_values(type_, false, count, values, path_);
    row_ += rows;
  }

 private:
  std::string path_;
  HeldValues values_;
  detail::RawType const& type_;
  core::Count row_ = 0;
};

/// Chosen by the path, not by a file's beginning or ending.
class HeldReader final : public Reader {
 public:
  std::vector<std::string> extensions() const override { return {}; }
  bool knows(std::span<std::byte const>) const override { return false; }
  std::unique_ptr<RowSource> open(std::string const& path, std::string const& item) const override {
    refuse_item(path, item, "array in memory");
    return std::make_unique<HeldRows>(path, held().at(path));
  }
};

}  // namespace

HeldFile::HeldFile(std::string path, HeldValues values) : path_(std::move(path)) {
  type_of(values, path_);
  if (!held().emplace(path_, std::move(values)).second) throw core::Error(path_, 0, "is an array in memory already");
}

HeldFile::~HeldFile() { held().erase(path_); }

std::unique_ptr<Reader> HeldFile::reader_of(std::string const& path) {
  if (!held().contains(path)) return nullptr;
  return std::make_unique<HeldReader>();
}

}  // namespace tessera::io
