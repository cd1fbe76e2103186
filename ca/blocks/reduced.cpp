// SPDX-License-Identifier: Apache-2.0
#include "ca/blocks/reduced.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace tessera::ca::blocks {

core::Bytes Reduced::packed() const {
  std::array<std::size_t, 4> const counts{ends, places.size(), begin.size(), members.size()};
  std::array<std::span<std::byte const>, 5> const parts{
      std::as_bytes(std::span(counts)), std::as_bytes(std::span(places)), std::as_bytes(std::span(leaving)),
      std::as_bytes(std::span(begin)), std::as_bytes(std::span(members))};
  std::size_t size = 0;
  for (auto const& part : parts) size += part.size();
  core::Bytes bytes(size);
  auto at = bytes.begin();
  for (auto const& part : parts) at = std::copy(part.begin(), part.end(), at);
  return bytes;
}

Reduced Reduced::unpacked(core::Bytes const& bytes) {
  core::ByteReader in(bytes);
  Reduced r;
  auto const counts = in.take<std::array<std::size_t, 4>>();
  r.ends = counts[0] != 0;
  r.places.resize(counts[1]);
  r.leaving.resize(counts[1]);
  r.begin.resize(counts[2]);
  r.members.resize(counts[3]);
  in.take(std::span(r.places));
  in.take(std::span(r.leaving));
  in.take(std::span(r.begin));
  in.take(std::span(r.members));
  return r;
}

void Forest::close(Id u, Id w, Id dropped) {
  std::size_t p = open_.size();
  attached_.clear();
  Id x;
  do {
    x = open_[--p];
    if ((flag[x] & (terminal | one | several)) != 0) attached_.push_back(x);
  } while (x != w);
  if (!single.empty() && open_.size() - p == 1) single[w] = 1;
  if (attached_.empty() && !several_at(u)) {
    flag[u] |= cut;
    for (std::size_t q = p; q < open_.size(); ++q) label[open_[q]] = dropped;
    open_.resize(p);
    return;
  }
  Id element;
  bool const edge = attached_.size() == 1 && !several_at(u) && !several_at(attached_[0]);
  if (edge && (flag[attached_[0]] & (terminal | one | several)) == one) {
    x = attached_[0];
    element = label[x];
    members[begin[element]] = u;
    swallowed.push_back(x);
    into.push_back(element);
  } else {
    element = static_cast<Id>(begin.size() - 1);
    members.push_back(u);
    members.insert(members.end(), attached_.begin(), attached_.end());
    begin.push_back(static_cast<Id>(members.size()));
  }
  for (std::size_t q = p; q < open_.size(); ++q) label[open_[q]] = element;
  open_.resize(p);
  if ((flag[u] & (one | several)) != 0) {
    flag[u] = static_cast<std::uint8_t>((flag[u] & ~one) | several);
  } else {
    flag[u] |= edge ? one : several;
    label[u] = element;
  }
}

}  // namespace tessera::ca::blocks
