// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CPU_PROGRAM_CONVOLUTIONCALL_H
#define SHARDSMITH_LIB_LOWER_CPU_PROGRAM_CONVOLUTIONCALL_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Runtime/ABI.h"

#include <string>

namespace shardsmith::cpu {

/// Why a convolution cannot be lowered; empty if it can.
std::string whyNotConvolution(stablehlo::ConvolutionOp op);

/// The convolution as the runtime takes it, on row-major tensors.
smith_convolution describeConvolution(stablehlo::ConvolutionOp op, int32_t id);

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_PROGRAM_CONVOLUTIONCALL_H
