// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_PARTITION_LOCALCOLLECTIVES_H
#define SHARDSMITH_LIB_PARTITION_LOCALCOLLECTIVES_H

#include "shardsmith/Localization/LocalizeContext.h"

namespace shardsmith {

/// Builds the local form of a collective of the global program from its local
/// operand. Returns null after an error; `op` must be an sdy collective.
mlir::Value localizeCollective(mlir::ImplicitLocOpBuilder &builder,
                               mlir::Operation *op, const NamedMesh &mesh,
                               ShardIndices &indices, mlir::Value local);

/// True for the collectives of the sdy dialect.
bool isGlobalCollective(mlir::Operation *op);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_PARTITION_LOCALCOLLECTIVES_H
