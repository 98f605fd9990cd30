// SPDX-License-Identifier: Apache-2.0

#include "ModelGraph.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::workload {
namespace {

unsigned bitWidth(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
}

/// Elements of a dimension that a view reads, if no factor says so.
int64_t elementsRead(Operation *op, unsigned dim) {
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op))
    return slice.getType().getDimSize(dim);
  return cast<RankedTensorType>(op->getOperand(0).getType()).getDimSize(dim);
}

/// Follows one value from view to view.
class Tracer {
public:
  Tracer(const ModelGraph &graph, Value value) : graph(graph) {
    source.root = value;
    source.narrowest = bitWidth(value);
    source.narrowestType = getElementTypeOrSelf(value.getType());
    size_t count = graph.leavesOf(value).size();
    for (size_t leaf = 0; leaf < count; ++leaf)
      source.leafOf.push_back(leaf);
    source.reads.assign(count, 0);
    source.starts.assign(count, 0);
  }

  Source run() {
    while (Operation *op = source.root.getDefiningOp()) {
      if (!isView(op) || graph.isStackedElement(op) || graph.isMaterialized(op))
        break;
      step(op);
    }
    return std::move(source);
  }

private:
  void step(Operation *op) {
    LeafRule rule = graph.leafRuleOf(op);
    Value operand = op->getOperand(0);
    ArrayRef<Leaf> leaves = graph.leavesOf(operand);
    const auto &to = rule.results[0];
    const auto &from = rule.operands[0];
    // Where a leaf of the result is in the operand.
    SmallVector<int, 4> moved(to.size(), -1);
    SmallVector<int64_t, 4> reads(from.size(), 0), starts(from.size(), 0);
    SmallVector<bool, 4> isTied(from.size(), false);
    for (auto [index, factor] : llvm::enumerate(from)) {
      auto found = llvm::find(to, factor);
      if (found == to.end())
        continue;
      size_t result = found - to.begin();
      moved[result] = index;
      reads[index] = source.reads[result];
      starts[index] = source.starts[result];
      isTied[index] = true;
    }
    for (size_t index = 0; index < from.size(); ++index)
      if (!isTied[index]) {
        reads[index] = untiedRead(op, leaves, isTied, index);
        starts[index] = untiedStart(op, leaves, index);
      }
    for (int &leaf : source.leafOf)
      leaf = leaf < 0 ? -1 : moved[leaf];
    source.isPartial |= isa<stablehlo::SliceOp>(op);
    source.reads = std::move(reads);
    source.starts = std::move(starts);
    source.root = operand;
    if (bitWidth(operand) < source.narrowest) {
      source.narrowest = bitWidth(operand);
      source.narrowestType = getElementTypeOrSelf(operand.getType());
    }
  }

  /// What a dimension reads is shared out from its first untied leaf on.
  int64_t untiedRead(Operation *op, ArrayRef<Leaf> leaves,
                     ArrayRef<bool> isTied, size_t index) {
    unsigned dim = leaves[index].dim;
    int64_t read = elementsRead(op, dim);
    for (size_t other = 0; other < leaves.size(); ++other) {
      if (leaves[other].dim != dim)
        continue;
      if (isTied[other])
        read = ceilDivide(read, leaves[other].size);
      else if (other < index)
        return 1;
    }
    return std::clamp<int64_t>(read, 1, leaves[index].size);
  }

  /// Where in the leaf a slice begins, if the leaf is the major one.
  static int64_t untiedStart(Operation *op, ArrayRef<Leaf> leaves,
                             size_t index) {
    auto slice = dyn_cast<stablehlo::SliceOp>(op);
    if (!slice)
      return 0;
    int64_t start = slice.getStartIndices()[leaves[index].dim];
    for (size_t other = index + 1; other < leaves.size(); ++other)
      if (leaves[other].dim == leaves[index].dim)
        start /= leaves[other].size;
    return start;
  }

  const ModelGraph &graph;
  Source source;
};

} // namespace

bool isView(Operation *op) {
  if (auto convert = dyn_cast<stablehlo::ConvertOp>(op))
    return isa<FloatType>(
               getElementTypeOrSelf(convert.getOperand().getType())) &&
           isa<FloatType>(getElementTypeOrSelf(convert.getType()));
  return isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
             stablehlo::SliceOp, stablehlo::TransposeOp,
             sdy::PropagationBarrierOp, sdy::ShardingConstraintOp,
             smith::LoopEnterOp, smith::StopGradientOp>(op);
}

Source sourceOf(const ModelGraph &graph, Value value) {
  return Tracer(graph, value).run();
}

} // namespace shardsmith::workload
