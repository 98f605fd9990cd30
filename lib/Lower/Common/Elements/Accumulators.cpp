// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/Elements/Accumulators.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::lower {

SmallVector<Value> initialAccumulators(ElementEmitter &emitter,
                                       Operation *reduce) {
  SmallVector<Value> accumulators;
  for (Value initial : cast<stablehlo::ReduceOp>(reduce).getInitValues())
    accumulators.push_back(spread(emitter.builder, emitter.emit(initial, {}),
                                  emitter.arithmetic.laneCount()));
  return accumulators;
}

SmallVector<Value> accumulate(ElementEmitter &emitter, Operation *reduce,
                              ArrayRef<LaneIndex> index,
                              ValueRange accumulators) {
  auto op = cast<stablehlo::ReduceOp>(reduce);
  SmallVector<Value> elements;
  for (Value input : op.getInputs())
    elements.push_back(spread(emitter.builder, emitter.emit(input, index),
                              emitter.arithmetic.laneCount()));
  return combine(emitter.builder, reduce, emitter.arithmetic.laneCount(),
                 accumulators, elements);
}

SmallVector<Value> combine(ImplicitLocOpBuilder &builder, Operation *reduce,
                           int64_t lanes, ValueRange left, ValueRange right) {
  ElementMemory noMemory;
  auto noHook = [](ElementEmitter &, Value, ArrayRef<LaneIndex>) -> Value {
    return {};
  };
  ElementEmitter emitter(builder, lanes, noMemory, noHook);
  SmallVector<Value> arguments(left);
  llvm::append_range(arguments, right);
  SmallVector<Value> results =
      emitter.emitBody(cast<stablehlo::ReduceOp>(reduce).getBody(), arguments);
  for (Value &result : results)
    result = spread(builder, result, lanes);
  return results;
}

/// Lanes [first, first + count) of each vector.
static SmallVector<Value> slice(ImplicitLocOpBuilder &builder,
                                ValueRange vectors, int64_t first,
                                int64_t count) {
  SmallVector<Value> slices;
  for (Value vector : vectors) {
    if (count == 1) {
      slices.push_back(vector::ExtractOp::create(builder, vector, first));
      continue;
    }
    slices.push_back(vector::ExtractStridedSliceOp::create(
        builder, vector, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{count},
        ArrayRef<int64_t>{1}));
  }
  return slices;
}

// Halves the number of lanes until one is left. Lanes beyond the largest
// power of two are combined on their own first:
//
//     13 lanes = 8 + 5 = 8 + (4 + 1)
SmallVector<Value> combineLanes(ImplicitLocOpBuilder &builder,
                                Operation *reduce, int64_t lanes,
                                ValueRange accumulators) {
  SmallVector<Value> current(accumulators);
  if (lanes == 1)
    return current;
  int64_t even = llvm::bit_floor(static_cast<uint64_t>(lanes));
  if (even != lanes) {
    SmallVector<Value> first =
        combineLanes(builder, reduce, even, slice(builder, current, 0, even));
    SmallVector<Value> rest =
        combineLanes(builder, reduce, lanes - even,
                     slice(builder, current, even, lanes - even));
    return combine(builder, reduce, 1, first, rest);
  }
  while (lanes > 1) {
    lanes /= 2;
    current = combine(builder, reduce, lanes, slice(builder, current, 0, lanes),
                      slice(builder, current, lanes, lanes));
  }
  return current;
}

} // namespace shardsmith::lower
