// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERFACES_LOCALIZEINTERFACE_H
#define SHARDSMITH_INTERFACES_LOCALIZEINTERFACE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"

namespace shardsmith {
class LocalizeContext; // Defined by the partitioner, which alone makes one.
} // namespace shardsmith

#include "shardsmith/Interfaces/LocalizeInterface.h.inc"

#endif // SHARDSMITH_INTERFACES_LOCALIZEINTERFACE_H
