// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_ARGUMENTNAMES_H
#define SHARDSMITH_LIB_IMPORT_ARGUMENTNAMES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace shardsmith {

/// A path as JAX writes it, in the spelling of `smith.name`:
/// `params['blocks'][0]['w_q']` becomes `params.blocks[0].w_q`.
std::string simplifyKeyPath(llvm::StringRef path);

/// The name that a location gives to its value, if any.
std::optional<std::string> nameInLocation(mlir::Location location);

/// The indices in a list such as `0-147,150`, which must ascend and be below
/// `count`. Returns nothing and fills `error` if the list is wrong.
std::optional<llvm::SmallVector<unsigned>>
parseIndexRanges(llvm::StringRef text, unsigned count, std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_IMPORT_ARGUMENTNAMES_H
