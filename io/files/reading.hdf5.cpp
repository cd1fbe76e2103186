// SPDX-License-Identifier: Apache-2.0
#include "io/files/reading.hdf5.hpp"

#include "core/error.hpp"
#include "core/files.hpp"

namespace tessera::io::hdf5 {

void fail_damaged(std::string const& file) {
  throw core::Error(file, 0, "is damaged: HDF5 does not survive reading it");
}

Handle open_hdf5(std::string const& file) {
  core::require_regular(file);
  Handle const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  Handle handle(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  if (!handle.ok()) throw core::Error(file, 0, "cannot be read as HDF5: " + hdf5::reason());
  return handle;
}

std::vector<std::string> members(hid_t file, char const* group_name) {
  std::vector<std::string> names;
  if (H5Lexists(file, group_name, H5P_DEFAULT) <= 0) return names;
  Handle const group(H5Gopen2(file, group_name, H5P_DEFAULT), H5Gclose);
  auto const add = [](hid_t, char const* name, H5L_info_t const*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->push_back(name);
    return 0;
  };
  if (group.ok()) H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names);
  return names;
}

bool is_boolean(hid_t type) {
  if (H5Tget_class(type) != H5T_ENUM || H5Tget_nmembers(type) != 2 || H5Tget_size(type) != 1) return false;
  bool found[2] = {false, false};
  for (unsigned n = 0; n < 2; ++n) {
    unsigned char value = 2;
    if (H5Tget_member_value(type, n, &value) >= 0 && value < 2) found[value] = true;
  }
  return found[0] && found[1];
}

std::optional<core::Element> element_for(hid_t type) {
  std::size_t const bits = 8 * H5Tget_size(type);
  switch (H5Tget_class(type)) {
  case H5T_ENUM: {
    if (is_boolean(type)) return core::Element::uint8;
    Handle const numbers(H5Tget_super(type), H5Tclose);
    return element_for(numbers);
  }
  case H5T_FLOAT:
    return bits <= 32 ? core::Element::float32 : core::Element::float64;
  case H5T_INTEGER: {
    bool const is_signed = H5Tget_sign(type) == H5T_SGN_2;
    if (!is_signed && bits == 8) return core::Element::uint8;
    return bits + (is_signed ? 0 : 1) <= 32 ? core::Element::int32 : core::Element::int64;
  }
  default:
    return std::nullopt;
  }
}

}  // namespace tessera::io::hdf5
