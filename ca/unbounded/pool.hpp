// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/pages.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace tessera::ca::unbounded {

/// Things that are there once: each gets a number, 1 or more, and equal ones the same. Item is trivially copyable, with
/// `hash()`, `same(Item)`, `std::uint32_t next` and `bool kept`, of which the last two are the pool's.
template <class Item>
class Pool {
 public:
  using Number = std::uint32_t;
  Pool() : buckets_(1 << 10) { reserve(1 << 10); }

  /// The number of the one that is equal, which is put in where there is none.
  Number find(Item const& item) {
    std::size_t const bucket = item.hash() & (buckets_.size() - 1);
    for (Number n = buckets_[bucket]; n != 0; n = items_.get()[n].next)
      if (items_.get()[n].same(item)) return n;
    Number const n = take();
    Item& added = items_.get()[n] = item;
    added.next = buckets_[bucket];
    added.kept = false;
    buckets_[bucket] = n;
    if (++size_ > buckets_.size()) double_buckets();
    return n;
  }
  Item& operator[](Number n) { return items_.get()[n]; }
  Item const& operator[](Number n) const { return items_.get()[n]; }

  std::size_t size() const { return size_; }
  Number end() const { return end_; }  ///< all numbers are less
  double bytes() const { return static_cast<double>(size_) * sizeof(Item) + static_cast<double>(buckets_.size()) * 4; }

  /// Of so many.
  static double bytes_of(std::size_t items) { return static_cast<double>(items) * (sizeof(Item) + 6); }

  /// None is `kept`.
  void release() {
    for (Number n = 1; n < end_; ++n) items_.get()[n].kept = false;
  }
  /// Those that are `kept` stay, and are no longer so; all others go.
  void sweep() {
    std::fill(buckets_.begin(), buckets_.end(), 0);
    free_ = 0;
    size_ = 0;
    for (Number n = end_ - 1; n > 0; --n) {
      Item& item = items_.get()[n];
      if (!item.kept) {
        item.next = free_;
        free_ = n;
        continue;
      }
      item.kept = false;
      put(n);
      ++size_;
    }
  }

 private:
  static_assert(std::is_trivially_copyable_v<Item>);
  struct Free {
    void operator()(Item* items) const { std::free(items); }
  };

  Number take() {
    if (free_ != 0) {
      Number const n = free_;
      free_ = items_.get()[n].next;
      return n;
    }
    if (end_ == capacity_) reserve(capacity_ + capacity_ / 2);
    return end_++;
  }
  void put(Number n) {
    Item& item = items_.get()[n];
    Number& first = buckets_[item.hash() & (buckets_.size() - 1)];
    item.next = first;
    first = n;
  }
  void double_buckets() {
    std::vector<Number> const before(std::move(buckets_));
    buckets_ = std::vector<Number>(2 * before.size());
    for (Number first : before)
      while (first != 0) {
        Number const n = first;
        first = items_.get()[n].next;
        put(n);
      }
  }
  /// Large memory grows in its place, or moves by its pages.
  void reserve(std::size_t n) {
    void* const grown = std::realloc(static_cast<void*>(items_.get()), n * sizeof(Item));
    if (grown == nullptr) throw std::bad_alloc();
    static_cast<void>(items_.release());
    items_.reset(static_cast<Item*>(grown));
    capacity_ = n;
    if (n * sizeof(Item) >= core::large_memory) core::prefer_huge_pages(grown, n * sizeof(Item));
  }

  std::unique_ptr<Item[], Free> items_;
  std::vector<Number> buckets_;  // numbers of the first of each
  std::size_t capacity_ = 0, size_ = 0;
  Number end_ = 1, free_ = 0;
};

}  // namespace tessera::ca::unbounded
