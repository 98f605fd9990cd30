// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_COMMON_FUSION_COLLAPSEDIMENSIONS_H
#define SHARDSMITH_LIB_LOWER_COMMON_FUSION_COLLAPSEDIMENSIONS_H

#include "shardsmith/Dialect/Smith/Smith.h"

namespace shardsmith::lower {

/// Joins the kept and the reduced dimensions of a kernel whose ops treat them
/// alike: [4, 64, 768] reduced over the last becomes [256, 768], and a
/// pointwise kernel gets one long row. Fewer and longer loops, lanes that do
/// not cross dimensions, and more kernels that are equal.
void collapseDimensions(smith::KernelOp kernel);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_FUSION_COLLAPSEDIMENSIONS_H
