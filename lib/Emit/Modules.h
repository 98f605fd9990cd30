// SPDX-License-Identifier: Apache-2.0
//
// Modules of a PyTorch model by the names of its parameters.

#ifndef SHARDSMITH_LIB_EMIT_MODULES_H
#define SHARDSMITH_LIB_EMIT_MODULES_H

#include "shardsmith/Workload/Workload.h"

#include <string>
#include <vector>

namespace shardsmith::emit {

/// Modules that hold the parameters of a unit: of a layer the one module that
/// holds them all, if there is one; else one for each parameter.
std::vector<std::string> modulesOf(const workload::Workload &workload,
                                   int64_t unit);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_MODULES_H
