// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/reading.hdf5.hpp"
#include "io/snapshot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <span>

namespace tessera::io {
namespace {

using hdf5::Handle;
using hdf5::members;

/// The places of the faces along an axis of a graded grid; empty where the file has none.
std::vector<double> read_faces(hid_t grid, char const* name, core::Count cells) {
  if (H5Lexists(grid, name, H5P_DEFAULT) <= 0) return {};
  Handle const dataset(H5Dopen2(grid, name, H5P_DEFAULT), H5Dclose);
  if (!dataset.ok()) return {};
  Handle const type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
  bool const numbers = H5Tget_class(type) == H5T_FLOAT && H5Sget_simple_extent_npoints(space) == cells + 1 &&
                       H5Dget_storage_size(dataset) == (static_cast<hsize_t>(cells) + 1) * H5Tget_size(type);
  if (!numbers) return {};
  std::vector<double> faces(static_cast<std::size_t>(cells) + 1);
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, faces.data()) < 0) return {};
  return faces;
}

}  // namespace

bool same_places(SnapshotInfo const& info, core::Grid const& grid, std::string& what) {
  for (std::size_t a = 0; a < 3; ++a) {
    auto const& saved = info.faces[a];
    auto const& here = grid.axis(static_cast<int>(a));
    if (saved.empty()) continue;  // of another program
    double const tolerance = 1e-9 * (std::abs(here.low()) + std::abs(here.high()));
    auto const near = [&](double x, double y) { return std::abs(x - y) <= tolerance; };
    if (!near(saved.front(), here.low()) || !near(saved.back(), here.high())) {
      what = fmt::format("lies at {:.6g} .. {:.6g} along {}, but the case's grid at {:.6g} .. {:.6g}", saved.front(),
                         saved.back(), "xyz"[a], here.low(), here.high());
      return false;
    }
    bool const all = static_cast<core::Count>(saved.size()) == here.cells() + 1;
    if (!(all ? std::ranges::equal(saved, here.faces(), near) : here.uniform())) {
      what = fmt::format("has another grading along {} than the case's grid", "xyz"[a]);
      return false;
    }
  }
  return true;
}

SnapshotInfo read_snapshot(std::string const& file, bool own) {
  hdf5::Quiet const quiet;
  if (!own && !hdf5::survives([&] { read_snapshot(file, true); })) hdf5::fail_damaged(file);
  Handle const handle = hdf5::open_hdf5(file);
  SnapshotInfo info;
  info.file = file;
  Handle const state(H5Gopen2(handle, "/state", H5P_DEFAULT), H5Gclose),
      grid(H5Gopen2(handle, "/grid", H5P_DEFAULT), H5Gclose);
  bool const ok = state.ok() && grid.ok() && hdf5::read_numbers(state, "step", std::span(&info.step, 1)) &&
                  hdf5::read_numbers(state, "time", std::span(&info.time, 1)) &&
                  hdf5::read_numbers(grid, "cells", info.cells);
  if (!ok || info.step < 0 || !std::isfinite(info.time))
    throw core::Error(file, 0, "is no snapshot: /state step, time and /grid cells expected");
  std::array<double, 3> origin{}, spacing{};
  if (hdf5::read_numbers(grid, "origin", origin) && hdf5::read_numbers(grid, "spacing", spacing))
    for (std::size_t a = 0; a < 3; ++a)
      info.faces[a] = {origin[a], origin[a] + spacing[a] * static_cast<double>(info.cells[a])};
  for (std::size_t a = 0; a < 3; ++a)
    if (auto faces = read_faces(grid, std::array{"x", "y", "z"}[a], info.cells[a]); !faces.empty())
      info.faces[a] = std::move(faces);
  info.state = hdf5::read_texts(state);
  for (auto const& name : members(handle, "/state"))  // those that are too long for attributes
    if (auto text = hdf5::read_text_dataset(state, name.c_str()); !text.empty()) info.state[name] = std::move(text);
  for (auto const& name : members(handle, "/fields")) {
    Handle const dataset(H5Dopen2(handle, ("/fields/" + name).c_str(), H5P_DEFAULT), H5Dclose);
    Handle const type(dataset.ok() ? H5Dget_type(dataset) : -1, H5Tclose);
    auto const element = type.ok() ? hdf5::element_for(type) : std::nullopt;
    if (!element) throw core::Error(file, 0, fmt::format("/fields/{} holds no numbers", name));
    info.fields.push_back({name, *element});
  }
  for (auto const& name : members(handle, "/provenance")) {
    H5O_info_t object;
    std::string const path = "/provenance/" + name;
    if (H5Oget_info_by_name(handle, path.c_str(), &object, H5P_DEFAULT) < 0) continue;
    if (object.type == H5O_TYPE_DATASET)
      info.provenance[name] = hdf5::read_text_dataset(handle, path.c_str());
    else
      for (auto const& below : members(handle, path.c_str()))
        info.provenance[name + "/" + below] = hdf5::read_text_dataset(handle, (path + "/" + below).c_str());
  }
  return info;
}

}  // namespace tessera::io
