// SPDX-License-Identifier: Apache-2.0
// `implementation catalyst2;`: Catalyst by libcatalyst, for users who bring a ParaView that has it. Which library does the
// work is the user's choice, by the environment: CATALYST_IMPLEMENTATION_NAME=paraview,
// CATALYST_IMPLEMENTATION_PATHS=PREFIX/lib/catalyst. Arrays are passed by set_external, without copying.
#include "io/insitu/insitu.h"

#include <catalyst.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

std::vector<int> channels;

char const* init(MPI_Comm comm, int n, insitu_script const* scripts, int* wrong) {
  *wrong = -1;
  conduit_cpp::Node node;
  channels.clear();
  for (int k = 0; k < n; ++k) {
    auto s = node["catalyst/scripts/script" + std::to_string(k)];
    s["filename"].set_string(scripts[k].file);
    for (auto const* a = scripts[k].args; *a; ++a) s["args"].append().set_string(*a);
    channels.push_back(scripts[k].channels);
  }
  node["catalyst/mpi_comm"].set_int64(MPI_Comm_c2f(comm));
  if (catalyst_initialize(conduit_cpp::c_node(&node)) == catalyst_status_ok) return nullptr;
  return "libcatalyst found no implementation: set CATALYST_IMPLEMENTATION_NAME and CATALYST_IMPLEMENTATION_PATHS";
}

/// libcatalyst cannot be asked, so the engine's triggers decide. It runs every script when one is due: those that make
/// something at other steps have triggers of their own.
int due(std::int64_t, double, int, unsigned char const* wanted) {
  int bits = 0;
  bool any = false;
  for (std::size_t k = 0; k < channels.size(); ++k) {
    any |= wanted[k] != 0;
    bits |= channels[k];
  }
  return any ? bits : 0;
}

void put(conduit_cpp::Node& mesh, char const* name, int type, void const* data, std::size_t cells) {
  auto field = mesh[std::string("fields/") + name];
  field["association"].set_string("element");
  field["topology"].set_string("mesh");
  field["volume_dependent"].set_string("false");
  auto values = field["values"];
  auto* const x = const_cast<void*>(data);
  switch (type) {
  case insitu_uint8:
    return values.set_external(static_cast<std::uint8_t*>(x), cells);
  case insitu_int32:
    return values.set_external(static_cast<std::int32_t*>(x), cells);
  case insitu_int64:
    return values.set_external(static_cast<std::int64_t*>(x), cells);
  case insitu_float32:
    return values.set_external(static_cast<float*>(x), cells);
  default:
    return values.set_external(static_cast<double*>(x), cells);
  }
}

bool same_cells(insitu_array const& a, insitu_array const& b) {
  for (int d = 0; d < 3; ++d)
    if (a.lo[d] != b.lo[d] || a.n[d] != b.n[d]) return false;
  return true;
}

/// Face coordinate i, going on beyond the grid, where cells are hidden.
double face(insitu_channel const& c, int axis, std::int64_t i) {
  double const* x = c.faces[axis];
  std::int64_t const last = c.cells[axis];
  if (i < 0) return x[0] + static_cast<double>(i) * (x[1] - x[0]);
  if (i > last) return x[last] + static_cast<double>(i - last) * (x[last] - x[last - 1]);
  return x[i];
}

/// One domain: the stored cells of `fields`, which are stored alike.
void domain(conduit_cpp::Node mesh, insitu_channel const& c, int id, insitu_tile const& tile,
            std::vector<int> const& fields) {
  static char const* const index[] = {"i", "j", "k"};
  static char const* const axis[] = {"x", "y", "z"};
  insitu_array const& stored = tile.arrays[fields.front()];
  bool const flat = c.cells[2] == 1;
  mesh["state/domain_id"].set_int64(id);
  mesh["coordsets/coords/type"].set_string(c.uniform ? "uniform" : "rectilinear");
  std::size_t cells = 1;
  for (int d = 0; d < 3; ++d) cells *= static_cast<std::size_t>(stored.n[d]);
  for (int d = 0; d < (flat ? 2 : 3); ++d) {
    if (c.uniform) {
      // no global extents: every domain has an origin of its own
      mesh[std::string("coordsets/coords/dims/") + index[d]].set_int64(stored.n[d] + 1);
      mesh[std::string("coordsets/coords/origin/") + axis[d]].set_float64(face(c, d, stored.lo[d]));
      mesh[std::string("coordsets/coords/spacing/d") + axis[d]].set_float64((c.faces[d][c.cells[d]] - c.faces[d][0]) /
                                                                            static_cast<double>(c.cells[d]));
      continue;
    }
    std::vector<double> x;
    for (std::int64_t i = 0; i <= stored.n[d]; ++i) x.push_back(face(c, d, stored.lo[d] + i));
    mesh[std::string("coordsets/coords/values/") + axis[d]].set_float64_vector(x);
  }
  mesh["topologies/mesh/type"].set_string(c.uniform ? "uniform" : "rectilinear");
  mesh["topologies/mesh/coordset"].set_string("coords");
  for (int f : fields) put(mesh, c.fields[f].name, c.fields[f].type, tile.arrays[f].data, cells);
  if (!stored.ghost) return;
  put(mesh, "vtkGhostType", insitu_uint8, stored.ghost, cells);
  mesh["state/metadata/vtk_fields/vtkGhostType/attribute_type"].set_string("Ghosts");
}

void channel(conduit_cpp::Node node, insitu_channel const& c) {
  node["type"].set_string("multimesh");
  for (int t = 0; t < c.tiles_count; ++t) {
    // fields stored alike share a domain; others, of another element size, get domains of their own
    std::vector<std::vector<int>> groups;
    for (int f = 0; f < c.fields_count; ++f) {
      bool found = false;
      for (auto& g : groups)
        if (!found && same_cells(c.tiles[t].arrays[g.front()], c.tiles[t].arrays[f])) {
          g.push_back(f);
          found = true;
        }
      if (!found) groups.push_back({f});
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      int const id = c.tiles[t].id + static_cast<int>(g) * c.tiles_global;
      domain(node["data/tile_" + std::to_string(id)], c, id, c.tiles[t], groups[g]);
    }
  }
}

int execute(insitu_frame const* frame, insitu_value* values, int most) {
  conduit_cpp::Node node;
  node["catalyst/state/timestep"].set_int64(frame->step);
  node["catalyst/state/time"].set_float64(frame->time);
  for (int k = 0; k < frame->channels_count; ++k) {
    insitu_channel const& c = frame->channels[k];
    channel(node[std::string("catalyst/channels/") + (c.bit == insitu_grid ? "grid" : "preview")], c);
  }
  if (catalyst_execute(conduit_cpp::c_node(&node)) != catalyst_status_ok) return -1;
  // numbers of a steering channel `steer`
  conduit_cpp::Node results;
  std::string const path = "catalyst/steer/fields";
  if (catalyst_results(conduit_cpp::c_node(&results)) != catalyst_status_ok || !results.has_path(path)) return 0;
  auto fields = results[path];
  int n = 0;
  for (; n < most && n < static_cast<int>(fields.number_of_children()); ++n) {
    std::string const name = fields.child(n).name().substr(0, sizeof values[n].name - 1);
    name.copy(values[n].name, name.size());
    values[n].name[name.size()] = 0;
    values[n].value = fields.child(n)["values"].to_float64();
  }
  return n;
}

void finalize() {
  conduit_cpp::Node node;
  catalyst_finalize(conduit_cpp::c_node(&node));
}

constexpr insitu_module module{insitu_version, 0, init, due, execute, finalize};

}  // namespace

extern "C" insitu_module const* insitu_get_module(void) { return &module; }
