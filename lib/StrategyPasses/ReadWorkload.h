// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_STRATEGYPASSES_READWORKLOAD_H
#define SHARDSMITH_LIB_STRATEGYPASSES_READWORKLOAD_H

#include "shardsmith/Workload/ExtractWorkload.h"

#include <optional>

namespace shardsmith {

/// The workload of a loss graph without derivatives of its own. Where there is
/// none, a diagnostic says why.
std::optional<workload::Workload> readWorkload(mlir::ModuleOp module,
                                               workload::GraphMap *map);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_STRATEGYPASSES_READWORKLOAD_H
