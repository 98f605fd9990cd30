// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LOWER_CPU_TARGET_H
#define SHARDSMITH_LOWER_CPU_TARGET_H

#include "shardsmith/Lower/Common/Target.h"

namespace shardsmith {

/// Processors with vector registers, oneDNN and threads. `registerTarget` of it
/// makes `target=cpu` known to the passes.
const lower::TargetTraits &cpuTarget();

} // namespace shardsmith

#endif // SHARDSMITH_LOWER_CPU_TARGET_H
