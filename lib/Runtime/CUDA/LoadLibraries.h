// SPDX-License-Identifier: Apache-2.0
//
// Opens NVIDIA's driver and libraries when a program first needs them.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_LOADLIBRARIES_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_LOADLIBRARIES_H

#include "CublasLtApi.h"
#include "DriverApi.h"
#include "NcclApi.h"

namespace shardsmith::runtime::cuda {

// Each throws a Failure (Environment) of one line that says which library or
// function is missing, and where it comes from.

DriverApi loadDriver();
/// The newest version that there is.
CublasLtApi loadCublasLt();
NcclApi loadNccl();

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_LOADLIBRARIES_H
