// SPDX-License-Identifier: Apache-2.0
#include "io/files/text_table.hpp"

#include "core/files.hpp"
#include "io/files/file.hdf5.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace tessera::io {
namespace {

/// The numbers of a column; none where a cell is a word or all are empty.
std::vector<double> numbers(TextTable const& table, std::size_t column) {
  std::vector<double> values;
  bool any = false;
  for (auto const& row : table.rows) {
    std::string const& cell = row[column];
    double value = std::numeric_limits<double>::quiet_NaN();
    auto const [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (!cell.empty() && (error != std::errc() || end != cell.data() + cell.size())) return {};
    any = any || !cell.empty();
    values.push_back(value);
  }
  if (!any) values.clear();
  return values;
}

void write_column(hid_t group, TextTable const& table, std::size_t column) {
  std::string name = table.head[column];
  std::replace(name.begin(), name.end(), '/', '.');
  hsize_t const rows = table.rows.size();
  hdf5::Handle const space(H5Screate_simple(1, &rows, nullptr), H5Sclose);
  auto const write = [&](hid_t on_disk, hid_t in_memory, void const* values) {
    hdf5::Handle const dataset = hdf5::make_dataset(group, name.c_str(), on_disk, space);
    hdf5::checked(H5Dwrite(dataset, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "a column cannot be written");
  };
  auto const values = numbers(table, column);
  if (!values.empty()) return write(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data());
  std::size_t longest = 1;
  for (auto const& row : table.rows) longest = std::max(longest, row[column].size());
  std::string texts;
  for (auto const& row : table.rows) texts.append(row[column]).append(longest - row[column].size(), '\0');
  hdf5::Handle const type = hdf5::text_type(longest);
  write(type, type, texts.data());
}

}  // namespace

void write_tables(std::string const& file, std::span<TextTable const> tables) {
  hdf5::Quiet const quiet;
  std::string image;
  {
    // in memory first: a file in which a write has failed HDF5 can neither close nor forget
    hdf5::Handle const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    constexpr std::size_t growth = 1 << 20;
    H5Pset_fapl_core(access, growth, 0);
    hdf5::Handle const out(H5Fcreate("tables", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
    hdf5::checked(hid_t{out}, "tables cannot be made");
    for (TextTable const& table : tables) {
      hdf5::Handle const group = hdf5::make_group(out, table.name.c_str());
      for (std::size_t column = 0; column < table.head.size(); ++column) write_column(group, table, column);
    }
    hdf5::checked(H5Fflush(out, H5F_SCOPE_LOCAL), "tables cannot be finished");
    auto const bytes = hdf5::checked(H5Fget_file_image(out, nullptr, 0), "tables have no size");
    image.resize(static_cast<std::size_t>(bytes));
    hdf5::checked(H5Fget_file_image(out, image.data(), image.size()), "tables cannot be taken");
  }
  core::write_file(file, image);
}

}  // namespace tessera::io
