// SPDX-License-Identifier: Apache-2.0

#include "Fusible.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::workload {

bool isFusible(Operation *op) {
  // Picks the best of a row, or one element of it.
  if (isa<chlo::TopKOp>(op))
    return true;
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op)) {
    auto indices = cast<RankedTensorType>(gather.getStartIndices().getType());
    bool isOneSlice =
        indices.getRank() - (gather.getDimensionNumbers().getIndexVectorDim() <
                             indices.getRank()) ==
        0;
    return isOneSlice || llvm::all_of(gather.getSliceSizes(),
                                      [](int64_t size) { return size == 1; });
  }
  OpWork::Kind kind = workOf(op).kind;
  return kind == OpWork::Kind::Elementwise || kind == OpWork::Kind::Free;
}

OpWork workOf(Operation *op) {
  auto interface = dyn_cast<CostInterface>(op);
  if (!interface) {
    OpWork work;
    work.kind = OpWork::Kind::Standalone;
    return work;
  }
  SmallVector<RankedTensorType> operands, results;
  for (Type type : op->getOperandTypes())
    operands.push_back(cast<RankedTensorType>(type));
  for (Type type : op->getResultTypes())
    results.push_back(cast<RankedTensorType>(type));
  return interface.getWork(operands, results);
}

bool isProductOfTwo(Operation *op) {
  OpWork work = workOf(op);
  return work.kind == OpWork::Kind::Matmul &&
         (op->getNumOperands() == 2 ||
          (work.product && work.product->groupDimension));
}

std::optional<unsigned> groupDimensionOf(Operation *op) {
  std::optional<MatrixProduct> product = workOf(op).product;
  return product ? product->groupDimension : std::nullopt;
}

Flops flopsPerSequence(const ModelGraph &graph, Operation *op) {
  Flops flops = workOf(op).flops;
  if (flops.isSaturated())
    return flops;
  auto hasBatch = [&](Value value) {
    return llvm::any_of(graph.leavesOf(value), [&](const Leaf &leaf) {
      return graph.axes.roleOf(leaf.axis) == FactorRole::Batch;
    });
  };
  bool isPerSequence = llvm::any_of(op->getOperands(), hasBatch) ||
                       llvm::any_of(op->getResults(), hasBatch);
  return isPerSequence ? Flops(flops.count() / graph.getBatchSize()) : flops;
}

} // namespace shardsmith::workload
