// SPDX-License-Identifier: Apache-2.0
#include "solvers/heat.hpp"

#include <cstdint>
#include <cstring>
#include <fmt/format.h>

namespace tessera::solvers {
namespace {

/// A hash of 64 bits by Fowler, Noll and Vo (FNV-1a) over the numbers that are added.
class KeyOfNumbers {
 public:
  void add(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    for (int byte = 0; byte < 8; ++byte) {
      hash_ ^= (bits >> (8 * byte)) & 0xff;
      hash_ *= 0x100000001b3;
    }
  }
  void add(FaceValues const& values) {
    add(static_cast<double>(values.size()));
    for (std::size_t n = 0; n < values.size(); ++n) add(values[n]);
  }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace

std::string Heat::matrix_key() const {
  KeyOfNumbers key;
  key.add(now_);
  auto const add_boundary = [&](Boundary const& b) {
    using Type = Boundary::Type;
    key.add(static_cast<double>(b.type));
    if (b.type == Type::mixed || b.type == Type::convective) key.add(b.weight);
    if (b.lambda) key.add(*b.lambda);
  };
  for (auto const& side : properties_.sides) add_boundary(side);
  for (auto const& part : properties_.parts) add_boundary(part.boundary);
  for (auto const& source : properties_.sources) key.add(source.implicit ? source.Sp : 0);
  return key.text();
}

}  // namespace tessera::solvers
