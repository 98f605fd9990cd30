// SPDX-License-Identifier: Apache-2.0

#include "Dependence.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/ElementOps.h"
#include "shardsmith/Support/TensorTypes.h"

#include <set>

using namespace mlir;

namespace shardsmith::lower {
namespace {

using Dimensions = SmallVector<int64_t, 4>;

/// Positions in the operand of a reshape that only adds or drops dimensions
/// of size 1; otherwise opaque.
Dimensions throughReshape(ArrayRef<int64_t> dimensions, ArrayRef<int64_t> to,
                          ArrayRef<int64_t> from) {
  Dimensions kept, result;
  SmallVector<int64_t> toSizes, fromSizes;
  for (auto [size, d] : llvm::zip_equal(to, dimensions))
    if (size != 1) {
      kept.push_back(d);
      toSizes.push_back(size);
    }
  for (int64_t size : from)
    if (size != 1)
      fromSizes.push_back(size);
  bool onlyUnits = toSizes == fromSizes;
  size_t next = 0;
  for (int64_t size : from)
    result.push_back(size == 1   ? unitDimension
                     : onlyUnits ? kept[next++]
                                 : opaqueDimension);
  return result;
}

class Tracer {
public:
  explicit Tracer(const llvm::DenseSet<Operation *> &inlined)
      : inlined(inlined) {}

  void follow(Value value, Dimensions dimensions) {
    for (auto [d, size] : llvm::zip_equal(dimensions, shapeOf(value)))
      if (size == 1)
        d = unitDimension;
    std::vector<int64_t> key(dimensions.begin(), dimensions.end());
    if (!visited.insert({value.getAsOpaquePointer(), key}).second)
      return;
    Operation *op = value.getDefiningOp();
    if (!op || !inlined.contains(op)) {
      found.push_back({value, dimensions});
      return;
    }
    through(op, dimensions);
  }

  /// Follows the operands of `op`, whose element is read at `dimensions`.
  void through(Operation *op, const Dimensions &dimensions) {
    if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
      Dimensions source;
      for (int64_t d : broadcast.getBroadcastDimensions())
        source.push_back(dimensions[d]);
      return follow(broadcast.getOperand(), source);
    }
    if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
      Dimensions source(dimensions.size());
      for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
        source[from] = dimensions[to];
      return follow(transpose.getOperand(), source);
    }
    if (isa<stablehlo::ReshapeOp>(op))
      return follow(op->getOperand(0),
                    throughReshape(dimensions, shapeOf(op->getResult(0)),
                                   shapeOf(op->getOperand(0))));
    bool isPointwise = findElementOp(op)->kind == ElementKind::Pointwise;
    for (Value operand : op->getOperands()) {
      size_t rank = shapeOf(operand).size();
      if (isPointwise && rank == dimensions.size())
        follow(operand, dimensions);
      else
        follow(operand, Dimensions(rank, opaqueDimension));
    }
  }

  SmallVector<Dependence> found;

private:
  const llvm::DenseSet<Operation *> &inlined;
  std::set<std::pair<const void *, std::vector<int64_t>>> visited;
};

Dimensions identity(size_t rank) {
  Dimensions dimensions(rank);
  for (size_t d = 0; d < rank; ++d)
    dimensions[d] = d;
  return dimensions;
}

} // namespace

SmallVector<Dependence>
findDependences(Operation *reader, const llvm::DenseSet<Operation *> &inlined) {
  Tracer tracer(inlined);
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(reader)) {
    for (Value input : reduce.getInputs())
      tracer.follow(input, identity(shapeOf(input).size()));
    for (Value initial : reduce.getInitValues())
      tracer.follow(initial, {});
  } else if (findElementOp(reader)) {
    tracer.through(reader, identity(shapeOf(reader->getResult(0)).size()));
  }
  return tracer.found;
}

} // namespace shardsmith::lower
