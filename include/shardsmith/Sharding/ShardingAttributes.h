// SPDX-License-Identifier: Apache-2.0
//
// Between attributes, which name axes, and the values of this folder, which
// number them.

#ifndef SHARDSMITH_SHARDING_SHARDINGATTRIBUTES_H
#define SHARDSMITH_SHARDING_SHARDINGATTRIBUTES_H

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Sharding/FactorAxes.h"

namespace shardsmith {

/// A mesh together with its symbol in the IR.
struct NamedMesh {
  Mesh mesh;
  std::string name;
};

/// The module's only mesh. Emits an error if there is none or more than one,
/// or if it orders devices other than row-major.
mlir::FailureOr<NamedMesh> getMesh(mlir::ModuleOp module);
/// The same for passes that do something for every device: emits an error as
/// well if the mesh has more devices than programs have ranks.
mlir::FailureOr<NamedMesh> getProgramMesh(mlir::ModuleOp module);

Mesh toMesh(sdy::MeshAttr attribute);

/// The layout an attribute describes, open dimensions taken as closed. Null
/// attributes mean whole on every device. Emits an error at `op` for parts of
/// axes and for meshes other than `mesh`.
mlir::FailureOr<Layout> toLayout(sdy::TensorShardingAttr attribute,
                                 unsigned rank, const NamedMesh &mesh,
                                 mlir::Operation *op);

sdy::TensorShardingAttr toAttribute(mlir::MLIRContext *context,
                                    const NamedMesh &mesh,
                                    const Layout &layout);

/// Emits an error at `op` if the attribute names unknown axes.
mlir::FailureOr<FactorAxes> toFactorAxes(smith::FactorAxesAttr attribute,
                                         const Mesh &mesh, mlir::Operation *op);

smith::FactorAxesAttr toAttribute(mlir::MLIRContext *context, const Mesh &mesh,
                                  const FactorAxes &axes);

/// `["a", "b"]`, as the collectives of the local program name axes.
mlir::ArrayAttr toAxisNames(mlir::MLIRContext *context, const Mesh &mesh,
                            llvm::ArrayRef<MeshAxis> axes);

/// Axes by name; all must exist in `mesh`.
AxisList toAxes(const Mesh &mesh, mlir::ArrayAttr names);

/// Bytes of one element in memory; a boolean takes one byte.
int64_t getElementBytes(mlir::Type elementType);

} // namespace shardsmith

#endif // SHARDSMITH_SHARDING_SHARDINGATTRIBUTES_H
