// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/checkpoint/erasure.hpp"

#include <algorithm>
#include <cstdint>
#include <isa-l/erasure_code.h>
#include <vector>

namespace tessera::io {
namespace {

/// Reed-Solomon over GF(2^8) by ISA-L: byte b of the pieces is a codeword, parity = C data with a Cauchy matrix C below
/// the identity. Any k rows of (I; C) are invertible, for all k + m <= 255.
///
/// Source: Blömer et al. 1995, An XOR-Based Erasure-Resilient Coding Scheme; Intel ISA-L, erasure_code.h.
class ReedSolomon final : public ErasureCode {
 public:
  ReedSolomon(int data, int parity) : k_(data), m_(parity), matrix_(static_cast<std::size_t>((data + parity) * data)) {
    core::expect(data >= 1 && parity >= 1 && data + parity <= 255, "1 .. 255 pieces, at least one of each kind");
    gf_gen_cauchy1_matrix(matrix_.data(), k_ + m_, k_);
  }

  void encode(Pieces pieces) const override {
    std::vector<unsigned char> rows(matrix_.begin() + k_ * k_, matrix_.end());
    std::vector<unsigned char*> from, to;
    for (int p = 0; p < k_ + m_; ++p) (p < k_ ? from : to).push_back(bytes(pieces, p));
    multiply(rows, from, to, pieces[0].size());
  }

  void decode(Pieces pieces, std::span<bool const> there) const override {
    std::vector<unsigned char*> from, to;
    std::vector<unsigned char> known, inverse(static_cast<std::size_t>(k_ * k_)), rows;
    for (int p = 0; p < k_ + m_ && from.size() < static_cast<std::size_t>(k_); ++p)
      if (there[p]) {
        from.push_back(bytes(pieces, p));
        known.insert(known.end(), matrix_.begin() + p * k_, matrix_.begin() + (p + 1) * k_);
      }
    core::expect(from.size() == static_cast<std::size_t>(k_), "k pieces are there");
    // data = (rows of the pieces that are there)^-1 pieces
    core::expect(gf_invert_matrix(known.data(), inverse.data(), k_) == 0, "the code's rows are independent");
    for (int p = 0; p < k_; ++p)
      if (!there[p]) {
        to.push_back(bytes(pieces, p));
        rows.insert(rows.end(), inverse.begin() + p * k_, inverse.begin() + (p + 1) * k_);
      }
    multiply(rows, from, to, pieces[0].size());
  }

 private:
  static unsigned char* bytes(Pieces pieces, int p) { return reinterpret_cast<unsigned char*>(pieces[p].data()); }
  /// to = rows from, in lengths that an int counts.
  void multiply(std::vector<unsigned char>& rows, std::vector<unsigned char*> from, std::vector<unsigned char*> to,
                std::size_t length) const {
    if (to.empty()) return;
    std::vector<unsigned char> tables(32 * static_cast<std::size_t>(k_) * to.size());
    int const outputs = static_cast<int>(to.size());
    ec_init_tables(k_, outputs, rows.data(), tables.data());
    constexpr std::size_t most = std::size_t{1} << 30;
    for (std::size_t at = 0; at < length; at += most) {
      std::size_t const part = std::min(most, length - at);
      ec_encode_data(static_cast<int>(part), k_, outputs, tables.data(), from.data(), to.data());
      for (auto& pointer : from) pointer += part;
      for (auto& pointer : to) pointer += part;
    }
  }

  int k_, m_;
  std::vector<unsigned char> matrix_;
};

[[maybe_unused]] bool const reed_solomon_added =
    ErasureCodes::add<ReedSolomon>("reedSolomon", "Reed-Solomon over bytes, by ISA-L");

}  // namespace
}  // namespace tessera::io
