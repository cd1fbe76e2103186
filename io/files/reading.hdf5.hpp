// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/files/file.hdf5.hpp"

#include <optional>
#include <string>
#include <vector>

/// What the readers of HDF5 files share. Not for use outside of io.
namespace tessera::io::hdf5 {

/// Throws core::Error for a file that `survives` did not survive.
[[noreturn]] void fail_damaged(std::string const& file);

/// Throws core::Error with HDF5's reason.
Handle open_hdf5(std::string const& file);

/// Names of the members of a group, sorted; empty where there is no such group.
std::vector<std::string> members(hid_t file, char const* group_name);

/// Whether a type is the boolean that h5py writes: an enumeration of FALSE = 0 and TRUE = 1.
bool is_boolean(hid_t type);

/// The narrowest of our element types that holds all values of a type in a file.
std::optional<core::Element> element_for(hid_t type);

}  // namespace tessera::io::hdf5
