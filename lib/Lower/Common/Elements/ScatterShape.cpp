// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/Elements/ScatterShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::lower {

ScatterShape::ScatterShape(stablehlo::ScatterOp scatter)
    : numbers(scatter.getScatterDimensionNumbers()),
      operand(shapeOf(scatter.getInputs().front())),
      updates(shapeOf(scatter.getUpdates().front())),
      indices(shapeOf(scatter.getScatterIndices())) {
  for (int64_t d = 0, e = updates.size(); d < e; ++d)
    if (!llvm::is_contained(numbers.getUpdateWindowDims(), d))
      scatterDimensions.push_back(d);
  for (int64_t d = 0, e = operand.size(); d < e; ++d)
    if (!llvm::is_contained(numbers.getInsertedWindowDims(), d) &&
        !llvm::is_contained(numbers.getInputBatchingDims(), d))
      windowOperandDimensions.push_back(d);
}

bool ScatterShape::hasLanes() const {
  ArrayRef<int64_t> window = numbers.getUpdateWindowDims();
  int64_t last = operand.size() - 1;
  return !window.empty() &&
         window.back() == static_cast<int64_t>(updates.size()) - 1 &&
         windowOperandDimensions.back() == last &&
         !llvm::is_contained(numbers.getScatterDimsToOperandDims(), last) &&
         operand[last] == updates.back();
}

ScatterPlace placeOf(ElementEmitter &emitter, stablehlo::ScatterOp scatter,
                     const ScatterShape &shape, ArrayRef<LaneIndex> index) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  LaneArithmetic &arithmetic = emitter.arithmetic;
  auto numbers = shape.numbers;

  LaneIndices position(shape.operand.size(), LaneIndex::constant(0));
  for (auto [update, operand] : llvm::zip_equal(numbers.getUpdateWindowDims(),
                                                shape.windowOperandDimensions))
    position[operand] = index[update];

  // Position of this update in the indices, without the vector dimension.
  LaneIndices batch;
  for (int64_t d : shape.scatterDimensions)
    batch.push_back(index[d]);
  int64_t vectorDimension = numbers.getIndexVectorDim();
  auto component = [&](int64_t number) {
    LaneIndices at(batch);
    if (vectorDimension < static_cast<int64_t>(shape.indices.size()))
      at.insert(at.begin() + vectorDimension, LaneIndex::constant(number));
    return at;
  };
  LaneIndices first = component(0);
  for (auto [operand, indices] :
       llvm::zip_equal(numbers.getInputBatchingDims(),
                       numbers.getScatterIndicesBatchingDims()))
    position[operand] = first[indices];

  LaneCondition inside;
  for (auto [number, d] :
       llvm::enumerate(numbers.getScatterDimsToOperandDims())) {
    Value start = emitter.emit(scatter.getScatterIndices(), component(number));
    if (laneType(start).getIntOrFloatBitWidth() < 64) {
      bool isUnsigned =
          getElementTypeOrSelf(scatter.getScatterIndices()).isUnsignedInteger();
      start = isUnsigned
                  ? Value(arith::ExtUIOp::create(builder, builder.getI64Type(),
                                                 start))
                  : Value(arith::ExtSIOp::create(builder, builder.getI64Type(),
                                                 start));
    }
    position[d] =
        arithmetic.restrict(arithmetic.plus(position[d], LaneIndex::at(start)),
                            0, shape.operand[d], inside);
  }
  return {position, inside.uniform};
}

std::string whyNotScatter(stablehlo::ScatterOp scatter) {
  if (scatter.getInputs().size() != 1)
    return "scatter of several tensors at once";
  for (Operation &op :
       scatter.getUpdateComputation().front().without_terminator())
    if (!findElementRule(&op))
      return ("scatter with " + op.getName().getStringRef() + " in its body")
          .str();
  for (Type type : scatter->getOperandTypes())
    if (Type element = getElementTypeOrSelf(type);
        !isSupportedElement(element)) {
      std::string text;
      llvm::raw_string_ostream(text) << "scatter of " << element;
      return text;
    }
  return "";
}

} // namespace shardsmith::lower
