// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tessera::core {

/// Whether MPI sends from a device's memory and receives into it, so that messages need no way by the host: what MPI says
/// of itself (Open MPI and MPICH, built for CUDA or ROCm). False where the program computes on the host, also in fenced
/// builds. To be asked after the start of MPI.
bool mpi_takes_device_addresses();

}  // namespace tessera::core
