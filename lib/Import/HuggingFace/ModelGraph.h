// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_HUGGINGFACE_MODELGRAPH_H
#define SHARDSMITH_LIB_IMPORT_HUGGINGFACE_MODELGRAPH_H

#include "ModelSpec.h"

#include "shardsmith/Dialect/Smith/RepeatedCalls.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace shardsmith::huggingface {

struct GraphShape {
  int64_t batch = 1;
  /// Positions per sequence; unused by models of images.
  int64_t length = 1;
  mlir::FloatType elementType;
};

/// The loss graph of `spec` in folded form; sizes must have been checked. Long
/// runs of equal layers are three calls if there is a list for those that stand
/// for several.
mlir::OwningOpRef<mlir::ModuleOp> buildGraph(mlir::MLIRContext &context,
                                             const ModelSpec &spec,
                                             const GraphShape &shape,
                                             smith::RepeatedCalls *repeated);

} // namespace shardsmith::huggingface

#endif // SHARDSMITH_LIB_IMPORT_HUGGINGFACE_MODELGRAPH_H
