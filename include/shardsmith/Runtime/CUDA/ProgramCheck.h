// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_RUNTIME_CUDA_PROGRAMCHECK_H
#define SHARDSMITH_RUNTIME_CUDA_PROGRAMCHECK_H

#include "shardsmith/Runtime/Device/StepProgram.h"

#include <string>

namespace shardsmith::runtime::cuda {

/// Why GPUs cannot run a program, for the first step that they cannot: products
/// in a form that cuBLASLt does not have, reductions that NCCL does not have,
/// kernels of more threads than there are. Empty: they can.
std::string whyGpusCannotRun(const device::StepProgram &program);

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_RUNTIME_CUDA_PROGRAMCHECK_H
