// SPDX-License-Identifier: Apache-2.0

#include "../Kernels/Movement.h"
#include "../Kernels/Reduction.h"
#include "Register.h"
#include "ScalarBody.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

/// Reduces several tensors together through a body of any form.
LogicalResult reduceCalling(mlir::Region &body, Arguments inputs,
                            Arguments inits, ArrayRef<int64_t> dims,
                            const Device &device, Tensors &results) {
  const Tensor &first = inputs.front();
  const Shape strides = rowMajorStrides(first.shape());
  Shape keptShape, keptStrides, reducedShape, reducedStrides;
  for (int64_t dim = 0; dim < first.rank(); ++dim) {
    const bool isReduced = is_contained(dims, dim);
    (isReduced ? reducedShape : keptShape).push_back(first.dim(dim));
    (isReduced ? reducedStrides : keptStrides).push_back(strides[dim]);
  }
  for (const Tensor &init : inits)
    results.push_back(Tensor::uninitialized(init.type(), keptShape));

  auto offset = [](ArrayRef<int64_t> position, ArrayRef<int64_t> strides) {
    int64_t sum = 0;
    for (auto [at, stride] : zip_equal(position, strides))
      sum += at * stride;
    return sum;
  };
  Shape kept(keptShape.size(), 0);
  int64_t resultPosition = 0;
  if (elementCount(keptShape) == 0)
    return success();
  do {
    Tensors sums(inits);
    Shape reduced(reducedShape.size(), 0);
    if (elementCount(reducedShape) != 0)
      do {
        const int64_t source =
            offset(kept, keptStrides) + offset(reduced, reducedStrides);
        Tensors arguments = sums;
        for (const Tensor &input : inputs)
          arguments.push_back(input.element(source));
        if (failed(device.call(body, std::move(arguments), sums)))
          return failure();
      } while (advance(reduced, reducedShape));
    for (auto [result, sum] : zip_equal(results, sums))
      result.setElement(resultPosition, sum);
    ++resultPosition;
  } while (advance(kept, keptShape));
  return success();
}

LogicalResult evaluateReduce(stablehlo::ReduceOp op, Arguments operands,
                             const Device &device, Tensors &results) {
  const size_t count = op.getInputs().size();
  const Arguments inputs = operands.take_front(count);
  const Arguments inits = operands.take_back(count);
  if (count == 1)
    if (std::optional<BinaryKind> kind = foldOf(op.getBody())) {
      results.push_back(reduce(*kind, inputs[0], inits[0], op.getDimensions()));
      return success();
    }
  return reduceCalling(op.getBody(), inputs, inits, op.getDimensions(), device,
                       results);
}

LogicalResult evaluateMap(stablehlo::MapOp op, Arguments operands,
                          const Device &device, Tensors &results) {
  const StaticType type = *staticTypeOf(op.getType());
  Tensor result = Tensor::uninitialized(type.element, type.shape);
  for (int64_t i = 0; i < result.size(); ++i) {
    Tensors arguments, returned;
    for (const Tensor &operand : operands)
      arguments.push_back(operand.element(i));
    if (failed(
            device.call(op.getComputation(), std::move(arguments), returned)))
      return failure();
    result.setElement(i, returned.front());
  }
  results.push_back(result);
  return success();
}

} // namespace

void registerReductions(EvaluatorRegistry &registry) {
  registry.add(evaluateMap);
  registry.add(evaluateReduce, Rounding::Sum);
}

} // namespace shardsmith::inline interpreter
