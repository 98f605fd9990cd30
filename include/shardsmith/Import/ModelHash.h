// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_IMPORT_MODELHASH_H
#define SHARDSMITH_IMPORT_MODELHASH_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shardsmith {

/// 16 hexadecimal digits over the module's text without locations. The module
/// must not carry a hash.
std::string computeModelHash(mlir::ModuleOp module);

} // namespace shardsmith

#endif // SHARDSMITH_IMPORT_MODELHASH_H
