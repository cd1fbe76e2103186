// SPDX-License-Identifier: Apache-2.0
#include "solvers/heat/fixed_cells.hpp"

#include "core/grid/upload.hpp"

#include <utility>

namespace tessera::solvers::heat {
namespace detail {

struct Mark {
  core::FieldView<std::uint8_t> mask;
  std::uint8_t zone;
  KOKKOS_FUNCTION void operator()(core::BoxCopy const& box, int k, int j, int i, core::Count) const {
    cell(mask, box, k, j, i) = zone;
  }
};

/// field += sum of f, or of f value where there are values; in place of what is there with `replace`.
struct AddContacts {
  core::FieldView<double> field;
  Contact const* contact;
  int const* first;
  double const* values;  // or nullptr
  bool replace;
  KOKKOS_FUNCTION void operator()(core::BoxCopy const& box, int, int, int, core::Count at) const {
    double& y = cell(field, box, 0, 0, 0);
    double sum = replace ? 0 : y;
    for (int n = first[at]; n < first[at + 1]; ++n)
      sum += values ? contact[n].conductance * values[contact[n].zone] : contact[n].conductance;
    y = sum;
  }
};

struct Impose {
  core::FieldView<double> t;
  Contact const* contact;
  int const* first;
  double const* values;
  KOKKOS_FUNCTION void operator()(core::BoxCopy const& box, int, int, int, core::Count at) const {
    cell(t, box, 0, 0, 0) = values[contact[first[at]].zone];
  }
};

struct ContactHeat {
  core::FieldView<double const> t;
  Contact const* contact;
  int const* first;
  double const* values;
  KOKKOS_FUNCTION double operator()(core::BoxCopy const& box, int, int, int, core::Count at) const {
    double sum = 0;
    for (int n = first[at]; n < first[at + 1]; ++n)
      sum += contact[n].conductance * (values[contact[n].zone] - cell(t, box, 0, 0, 0));
    return sum;
  }
};

}  // namespace detail

namespace {

constexpr double felt_by_no_norm = 1e-14;

/// Contacts while they are collected, cell after cell.
class ContactList {
 public:
  void add(int slot, int k, int j, int i, Contact contact) {
    bool const same = !boxes_.empty() && boxes_.back().from_slot == slot && boxes_.back().from[0] == i &&
                      boxes_.back().from[1] == j && boxes_.back().from[2] == k;
    if (!same) {
      boxes_.push_back({slot, slot, {i, j, k}, {i, j, k}, {1, 1, 1}, static_cast<core::Count>(boxes_.size())});
      first_.push_back(static_cast<int>(contacts_.size()));
    }
    contacts_.push_back(contact);
  }

  Contacts upload() {
    first_.push_back(static_cast<int>(contacts_.size()));
    return {core::upload("boxes", boxes_), core::upload("contacts", contacts_), core::upload("first", first_)};
  }

 private:
  std::vector<core::BoxCopy> boxes_;
  std::vector<Contact> contacts_;
  std::vector<int> first_;
};

}  // namespace

FixedCells::FixedCells(std::vector<Cells> const& zones, bool absent)
    : layout_(zones.front().layout()),
      mask_("fixed cells", layout_, 1, 0),
      absent_(absent ? static_cast<std::uint8_t>(zones.size()) : std::uint8_t{0}),
      values_("fixed values", zones.size()) {
  core::expect(zones.size() < 255, "more than 254 zones of fixed cells");
  for (std::size_t n = 0; n < zones.size(); ++n)
    core::for_each_in_boxes("mark fixed", zones[n].boxes(),
                            detail::Mark{mask_.view(), static_cast<std::uint8_t>(n + 1)});
  core::Halo(layout_, 1, core::Reach::faces).exchange(mask_);
  if (absent) count_absent_ = layout_.comm().sum(static_cast<std::int64_t>(zones.back().count()));
}

void FixedCells::set(std::size_t zone, double value) { Kokkos::deep_copy(Kokkos::subview(values_, zone), value); }

void FixedCells::cut(Coefficients& a) {
  ContactList neighbours, own;
  auto const mask = std::as_const(mask_).host();
  core::for_own_cells(layout_, [&](int slot, int k, int j, int i) {
    int const zone = mask(slot, k, j, i);
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (!a.has(axis)) continue;
      auto const face = std::as_const(a).face(axis).host();
      int const x = axis == 0, y = axis == 1, z = axis == 2;
      for (int const side : {-1, 1}) {
        double const f = side < 0 ? face(slot, k, j, i) : face(slot, k + z, j + y, i + x);
        sum += f;
        int const other = f != 0 ? mask(slot, k + side * z, j + side * y, i + side * x) : 0;
        if (zone == 0 && other != 0 && other != absent_) neighbours.add(slot, k, j, i, {f, other - 1});
      }
    }
    if (zone == 0) return;
    double const d = sum > 0 ? sum : 1;
    own.add(slot, k, j, i, {zone == absent_ ? felt_by_no_norm * d : d, zone - 1});
  });
  neighbours_ = neighbours.upload();
  own_ = own.upload();
  for (int axis = 0; axis < 3; ++axis) {
    if (!a.has(axis)) continue;
    auto const face = a.face(axis).host();
    core::for_each_on_host("cut", layout_, [&](int slot, int k, int j, int i) {
      if (face(slot, k, j, i) != 0 &&
          (mask(slot, k, j, i) != 0 || mask(slot, k - (axis == 2), j - (axis == 1), i - (axis == 0)) != 0))
        face(slot, k, j, i) = 0;
    });
  }
}

void FixedCells::add_to_diagonal(core::Field<double>& diagonal) const {
  auto const add = [&](Contacts const& c, bool replace) {
    core::for_each_in_boxes("fixed, diagonal", c.boxes,
                            detail::AddContacts{diagonal.view(), c.contact.data(), c.first.data(), nullptr, replace});
  };
  add(neighbours_, false);
  add(own_, true);
}

void FixedCells::add_to_right_side(core::Field<double>& b) const {
  auto const add = [&](Contacts const& c, bool replace) {
    core::for_each_in_boxes("fixed, right side", c.boxes,
                            detail::AddContacts{b.view(), c.contact.data(), c.first.data(), values_.data(), replace});
  };
  add(neighbours_, false);
  add(own_, true);
}

void FixedCells::impose(core::Field<double>& t) const {
  core::for_each_in_boxes("impose", own_.boxes,
                          detail::Impose{t.view(), own_.contact.data(), own_.first.data(), values_.data()});
}

double FixedCells::heat(core::Field<double> const& t) const {
  return core::sum_over_boxes(
      "fixed, heat", layout_.comm(), neighbours_.boxes,
      detail::ContactHeat{t.view(), neighbours_.contact.data(), neighbours_.first.data(), values_.data()});
}

}  // namespace tessera::solvers::heat
