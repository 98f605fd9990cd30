// SPDX-License-Identifier: Apache-2.0
//
// What passes that change meshes have in common.

#ifndef SHARDSMITH_LIB_IMPORT_MESHAXES_H
#define SHARDSMITH_LIB_IMPORT_MESHAXES_H

#include "shardsmith/Dialect/Sdy/Sdy.h"

namespace shardsmith {

/// A new name for a part of an axis, which no axis of `mesh` has.
std::string nameOfPart(sdy::MeshAttr mesh, llvm::StringRef axis, size_t part);

/// The same sharding over axes of `mesh`, called `name`: for every axis those
/// that `axesOf` gives, major first, which may be none.
sdy::TensorShardingAttr withAxes(
    sdy::TensorShardingAttr sharding, llvm::StringRef name, sdy::MeshAttr mesh,
    llvm::function_ref<llvm::SmallVector<sdy::AxisRefAttr>(sdy::AxisRefAttr)>
        axesOf);

/// Calls `visit` for every sharding that an attribute in `module` holds.
void forEachSharding(mlir::ModuleOp module,
                     llvm::function_ref<void(sdy::TensorShardingAttr)> visit);

/// Puts what `replace` returns in the place of every sharding in `module`.
void replaceShardings(
    mlir::ModuleOp module,
    llvm::function_ref<sdy::TensorShardingAttr(sdy::TensorShardingAttr)>
        replace);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_IMPORT_MESHAXES_H
