// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SUPPORT_LOCATIONTEXT_H
#define SHARDSMITH_SUPPORT_LOCATIONTEXT_H

#include "mlir/IR/Location.h"

#include <string>

namespace shardsmith {

/// `model.mlir:12:8`, or MLIR's notation where no file is known.
std::string locationText(mlir::Location location);

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_LOCATIONTEXT_H
