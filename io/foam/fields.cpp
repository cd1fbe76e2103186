// SPDX-License-Identifier: Apache-2.0
#include "io/foam/fields.hpp"

#include "core/case/error_list.hpp"
#include "core/grid/exact_sum.hpp"
#include "core/grid/sweep.hpp"
#include "io/files/together.hpp"
#include "io/foam/turned_block.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>

namespace tessera::io::foam {
namespace {

/// Groups that caseDicts/setConstraintTypes has entries for, whatever the mesh has.
constexpr std::array<std::string_view, 12> constraint_types{
    "cyclic",    "cyclicAMI",       "cyclicACMI",    "cyclicSlip", "empty", "nonuniformTransformCyclic",
    "processor", "processorCyclic", "symmetryPlane", "symmetry",   "wedge", "overset"};

void read_header(FieldFile& file) {
  core::Dictionary const* header = file.dictionary.find_sub("FoamFile");
  if (header == nullptr)
    throw core::Error(file.path, 1, "no FoamFile header, expected 'FoamFile { ... class volScalarField; ... }'");
  auto const type = header->get<std::string>("class");
  if (type != "volScalarField") header->fail("class", "class '" + type + "' is not supported, expected volScalarField");
  auto const arch = header->get_or<std::string>("arch", "");
  bool const binary = header->get_or<std::string>("format", "ascii") == "binary";
  if (binary && arch.find("MSB") != std::string::npos)
    header->fail("arch", "binary data of arch \"" + arch + "\" is not supported, expected LSB");
  file.name = header->get_or<std::string>("object", std::filesystem::path(file.path).filename().string());
  header->mark_read();
}

void read_internal(FieldFile& file) {
  if (file.dictionary.contains("referenceLevel"))
    file.dictionary.fail("referenceLevel", "is not added to values here, expected values that have it");
  if (file.list) {
    file.dictionary.mark_read("internalField");
    return;
  }
  auto const* span = file.dictionary.list_span("internalField");
  if (span != nullptr && !span->repeated) {
    if (span->type != "scalar")
      file.dictionary.fail("internalField", "List<" + span->type + "> is not supported, expected List<scalar>");
    return;  // a list in an included file: the dictionary holds it
  }
  if (span != nullptr) {
    if (span->count == 0) file.dictionary.fail("internalField", "the list is empty");
    core::ListSpan one = *span;  // not as often as it says, which is checked when the cells are known
    one.count = 1;
    file.uniform = one.numbers().front();
    return;
  }
  auto in = file.dictionary.stream("internalField");
  if (!in.at_word() || in.peek().text != "uniform")
    in.fail_expected("'uniform VALUE' or 'nonuniform List<scalar> N (...)'");
  in.next();
  file.uniform = in.read<double>();
  in.end();
}

std::string shape(core::Grid const& grid, core::Count cells) {
  auto const n = grid.cells();
  if (cells != grid.total()) return fmt::format("{} cells", cells);
  return fmt::format("{} x {} x {} = {} cells", n[0], n[1], n[2], cells);
}

}  // namespace

std::optional<std::int64_t> FieldFile::announced() const {
  if (list) return list->count;
  auto const* const span = dictionary.list_span("internalField");
  return span != nullptr ? std::optional(static_cast<std::int64_t>(span->count)) : std::nullopt;
}

std::string to_string(Dimensions const& dimensions) { return fmt::format("[{}]", fmt::join(dimensions, " ")); }

void check_dimensions(Dimensions const& found, Dimensions const& expected, std::string_view where) {
  for (std::size_t d = 0; d < found.size(); ++d)
    if (!(std::abs(found[d] - expected[d]) <= 1e-12))
      throw core::Error(fmt::format("{}: dimensions {}, expected {}", where, to_string(found), to_string(expected)));
}

FieldFile read_field(std::string const& path, core::Comm const& comm, core::Dictionary::Reader const& reader) {
  ListFile text = read_list_file(path, comm);
  FieldFile file;
  file.path = path;
  file.list = std::move(text.list);
  file.dictionary = core::Dictionary::parse(std::move(text.text), path, reader);
  read_header(file);
  file.dimensions = file.dictionary.dimensions("dimensions");
  read_internal(file);
  file.dictionary.sub("boundaryField");
  return file;
}

core::Dictionary* patch_entry(FieldFile& file, Patch const& patch) {
  core::Dictionary& boundary = file.dictionary.sub("boundaryField");
  auto const names = boundary.names();
  if (std::find(names.begin(), names.end(), patch.name) == names.end()) {
    auto const group =
        std::find_if(names.rbegin(), names.rend(), [&](std::string const& name) { return patch.in_group(name); });
    if (group != names.rend()) return boundary.find_sub(*group);
    if (patch.type == "empty") return nullptr;
  }
  core::Dictionary* const entry = boundary.find_sub(patch.name);
  if (entry == nullptr)
    throw core::Error(fmt::format("{}: boundaryField has no entry for the patch '{}', expected '{} {{ type ...; }}'",
                                  file.dictionary.location("boundaryField"), patch.name, patch.name));
  return entry;
}

std::vector<std::string> check_patches(FieldFile& file, Mesh const& mesh, StrangePatches strange) {
  core::Dictionary& boundary = file.dictionary.sub("boundaryField");
  std::vector<core::Dictionary const*> used;
  auto const check_type = [&](Patch const& patch) {
    core::Dictionary const* const entry = patch_entry(file, patch);
    if (entry == nullptr) return;
    used.push_back(entry);
    if (patch.pieces.empty()) entry->mark_read();  // a patch without faces
    auto const type = entry->get<std::string>("type");
    // a direction of one cell may be left unsolved, whatever the mesh calls its sides
    bool const flat = std::all_of(patch.sides.begin(), patch.sides.end(),
                                  [&](core::Side s) { return mesh.grid.thin(static_cast<int>(s) / 2); });
    if (type == "empty" && patch.type == "patch" && flat) return;
    for (char const* bound : {"empty", "cyclic", "wedge", "symmetryPlane", "symmetry"})
      if ((type == bound) != (patch.type == bound) && !(patch.untyped && std::string(bound).starts_with("symmetry")))
        entry->fail("type", fmt::format("type {} on the patch '{}' of type {}, expected {}", type, patch.name,
                                        patch.type, patch.type == bound ? patch.type : std::string("another type")));
  };
  for (auto const& patch : mesh.patches) core::attempt([&] { check_type(patch); });
  std::vector<std::string> passed_over;
  // of a pattern or group that gives a patch its entry all is read; where all patches have their own it is not
  auto const pass_over_idle = [&](std::string const& key) {
    if (std::find(used.begin(), used.end(), boundary.find_sub(key)) == used.end()) boundary.mark_read(key);
  };
  auto const check_name = [&](std::string const& name) {
    if (mesh.find(name) != nullptr) return;
    if (std::any_of(mesh.patches.begin(), mesh.patches.end(), [&](Patch const& patch) { return patch.in_group(name); }))
      return pass_over_idle(name);
    if (std::find(constraint_types.begin(), constraint_types.end(), name) == constraint_types.end()) {
      auto const unknown = core::unknown_name("patch", name, mesh.patch_names());
      if (strange == StrangePatches::refused) boundary.fail(name, unknown);
      passed_over.push_back(fmt::format("{}: passed over, as OpenFOAM does: {}", boundary.location(name), unknown));
    }
    boundary.mark_read(name);
  };
  for (auto const& pattern : boundary.patterns()) core::attempt([&] { pass_over_idle(pattern); });
  for (auto const& name : boundary.names()) core::attempt([&] { check_name(name); });
  return passed_over;
}

void set_cells(FieldFile const& file, core::Field<double>& field, std::vector<CellBlock> blocks) {
  core::Grid const& grid = field.layout().grid();
  if (blocks.empty()) blocks = {grid.box()};
  core::Count cells = 0;
  for (auto const& block : blocks) cells += block.cells();
  auto const count = file.announced();
  if (count && *count != cells)
    throw core::Error(fmt::format("{}: internalField has {} values, but the grid has {}",
                                  file.location("internalField"), *count, shape(grid, cells)));
  if (file.uniform) return field.fill(*file.uniform);
  auto const* span = file.list ? nullptr : file.dictionary.list_span("internalField");

  std::unique_ptr<ListRows> source;
  on_root(field.layout().comm(), [&] {
    if (span != nullptr)
      source =
          std::make_unique<ListRows>(std::make_unique<std::istringstream>(std::string(span->data()) + ")"),
                                     ListPlace{span->file, span->line, 0, *count, span->binary, span->scalar_bytes});
    else
      source = open_list(*file.list);
  });
  for (auto const& block : blocks) distribute_block(source.get(), field, block);
}

void fill_absent(core::Field<double>& field, Mesh const& mesh, std::optional<double> value) {
  if (mesh.absent.empty()) return;
  core::Layout const& layout = field.layout();
  auto const view = field.host();
  if (!value) {
    std::array<core::ExactSum, 1> sum;  // exact: what is taken away leaves nothing
    core::for_own_cells(layout, [&](int s, int k, int j, int i) { sum[0].add(view(s, k, j, i)); });
    for (auto const& box : mesh.absent)
      core::for_own_cells(layout, box, [&](int s, int k, int j, int i) { sum[0].add(-view(s, k, j, i)); });
    core::ExactSum::all_reduce(layout.comm(), sum);
    value = sum[0].round() / static_cast<double>(mesh.total());
  }
  for (auto const& box : mesh.absent)
    core::for_own_cells(layout, box, [&](int s, int k, int j, int i) { view(s, k, j, i) = *value; });
}

namespace {

/// Of `uniform VALUE`, or a number alone.
double uniform_value(core::Dictionary const& entry, std::string_view key) {
  auto in = entry.stream(key);
  in.refuse_dimensions();
  if (in.at_word() && in.peek().text != "uniform")
    in.fail_expected("a number, 'uniform VALUE' or 'nonuniform List<scalar> N (...)'");
  if (in.at_word()) in.next();
  in.refuse_dimensions();
  double const value = in.read<double>();
  in.end();
  return value;
}

/// The list of an entry; nullptr where it is none.
core::ListSpan const* scalar_list(core::Dictionary const& entry, std::string_view key) {
  auto const* span = entry.list_span(key);
  if (span && span->type != "scalar")
    entry.fail(key, "List<" + span->type + "> is not supported, expected List<scalar>");
  return span;
}

}  // namespace

void check_values(core::Dictionary const& entry, std::string_view key) {
  auto const* span = scalar_list(entry, key);
  if (span == nullptr) {
    auto in = entry.stream(key);
    if (!in.at_word() || in.peek().text != "nonuniform") {
      uniform_value(entry, key);
      return;
    }
    in.next();  // `nonuniform 0()`, or `$internalField` where the list stayed in the file
    if (!in.done()) in.read<std::vector<double>>();
    return in.end();
  }
  core::ListSpan some = *span;
  if (some.repeated) some.count = std::min<std::size_t>(some.count, 1);  // not as often as it says
  some.numbers();
}

std::vector<double> face_values(core::Dictionary const& entry, std::string_view key, Patch const& patch) {
  auto const faces_of_patch = static_cast<std::size_t>(patch.faces());
  auto const* span = scalar_list(entry, key);
  if (span == nullptr) return std::vector<double>(faces_of_patch, uniform_value(entry, key));
  if (span->count != faces_of_patch)
    entry.fail(key, fmt::format("entry '{}' has {} values, but the patch '{}' has {} faces", key, span->count,
                                patch.name, faces_of_patch));
  if (patch.order.empty()) return span->numbers();
  auto const given = span->numbers();
  std::vector<double> values;
  for (auto const place : patch.order) values.push_back(given[static_cast<std::size_t>(place)]);
  return values;
}

std::vector<double> patch_values(core::Dictionary const& entry, std::string_view key, Mesh const& mesh,
                                 Patch const& patch, Patch::Plane const& plane) {
  core::Side const side = plane.side;
  auto const list = face_values(entry, key, patch);
  // the faces of the side, the lower axis fastest
  auto const [lo, hi] = cells_along(mesh.grid, side);
  std::vector<double> values(static_cast<std::size_t>(faces(mesh.grid, side)),
                             entry.list_span(key) == nullptr && !list.empty() ? list.front() : 0.0);
  std::size_t total = 0;
  for (auto const& piece : patch.pieces) {
    auto const count = static_cast<std::size_t>(piece.cells.cells());
    bool const lies = piece.side == side && piece.layer() == plane.layer;
    for (std::size_t n = 0; lies && n < count; ++n) {
      core::Index const x = piece.cell(static_cast<core::Count>(n));
      core::Count const place = static_cast<int>(side) / 2 == 0   ? x.k * (hi.j - lo.j) + x.j
                                : static_cast<int>(side) / 2 == 1 ? x.k * (hi.i - lo.i) + x.i
                                                                  : x.j * (hi.i - lo.i) + x.i;
      values[place] = list[total + n];
    }
    total += count;
  }
  return values;
}

}  // namespace tessera::io::foam
