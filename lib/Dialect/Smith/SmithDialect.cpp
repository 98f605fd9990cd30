// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/AddGemmOp.h"
#include "shardsmith/Dialect/Smith/AttentionOps.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/Smith/GroupedOps.h"
#include "shardsmith/Dialect/Smith/LoopOps.h"
#include "shardsmith/Dialect/Smith/MatrixOps.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/Smith/QuantizeOp.h"
#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/Smith/SortRunsOp.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "shardsmith/Dialect/Smith/SmithDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "shardsmith/Dialect/Smith/SmithAttributes.cpp.inc"

namespace shardsmith::smith {

void SmithDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shardsmith/Dialect/Smith/SmithAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "shardsmith/Dialect/Smith/SmithOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "shardsmith/Dialect/Smith/SmithDerivativeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "shardsmith/Dialect/Smith/SmithAddGemmOp.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "shardsmith/Dialect/Smith/SmithAttentionOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "shardsmith/Dialect/Smith/SmithGroupedOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "shardsmith/Dialect/Smith/SmithMatrixOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "shardsmith/Dialect/Smith/SmithQuantizeOp.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "shardsmith/Dialect/Smith/SmithRowOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "shardsmith/Dialect/Smith/SmithSortRunsOp.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "shardsmith/Dialect/Smith/SmithMicroBatchOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "shardsmith/Dialect/Smith/SmithLoopOps.cpp.inc"
      >();
}

sdy::MeshAttr getMesh(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  if (!module)
    return nullptr;
  sdy::MeshAttr mesh;
  for (auto meshOp : module.getOps<sdy::MeshOp>()) {
    if (mesh)
      return nullptr;
    mesh = meshOp.getMesh();
  }
  return mesh;
}

int64_t getGroupSize(sdy::MeshAttr mesh, ArrayAttr axes) {
  int64_t size = 1;
  for (auto axis : axes.getAsRange<StringAttr>())
    size *= *mesh.getAxisSize(axis.getValue());
  return size;
}

} // namespace shardsmith::smith
