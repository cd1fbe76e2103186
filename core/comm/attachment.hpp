// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <memory>

namespace tessera::core {

/// A value of type T that a communicator carries, so that it ends with it; one for each T.
template <class T>
class Attachment {
 public:
  /// nullptr where there is none.
  static T* of(Comm const& comm) {
    void* found = nullptr;
    int there = 0;
    MPI_Comm_get_attr(comm.handle(), key(), &found, &there);
    return there != 0 ? static_cast<T*>(found) : nullptr;
  }
  /// In place of the one before.
  static T& put(Comm const& comm, std::unique_ptr<T> value) {
    T& result = *value;
    MPI_Comm_set_attr(comm.handle(), key(), value.release());
    return result;
  }
  static void remove(Comm const& comm) { MPI_Comm_delete_attr(comm.handle(), key()); }

 private:
  static int forget(MPI_Comm, int, void* kept, void*) {
    delete static_cast<T*>(kept);
    return MPI_SUCCESS;
  }
  static int key() {
    static int const value = [] {
      int made = MPI_KEYVAL_INVALID;
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget, &made, nullptr);
      return made;
    }();
    return value;
  }
};

}  // namespace tessera::core
