// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/reader.hpp"

#include <string_view>

namespace tessera::io::readers {

/// The reader of files that hold one thing, which T(file) reads. `T::thing` is what messages call it, `T::extensions` are
/// the endings of its files, `T::knows(text)` says whether they begin so; `T::pattern` stands for Reader::pattern.
template <class T>
class ReaderOf final : public Reader {
 public:
  std::vector<std::string> extensions() const override { return {T::extensions.begin(), T::extensions.end()}; }
  bool pattern() const override {
    return requires { T::pattern; };
  }
  bool knows(std::span<std::byte const> beginning) const override {
    return T::knows(std::string_view(reinterpret_cast<char const*>(beginning.data()), beginning.size()));
  }
  std::unique_ptr<RowSource> open(std::string const& file, std::string const& item) const override {
    refuse_item(file, item, T::thing);
    return std::make_unique<T>(file);
  }
};

}  // namespace tessera::io::readers
