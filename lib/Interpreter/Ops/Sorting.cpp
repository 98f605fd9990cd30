// SPDX-License-Identifier: Apache-2.0

#include "../Kernels/Ordering.h"
#include "Register.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

/// Always stable, which `is_stable = false` allows.
LogicalResult evaluateSort(stablehlo::SortOp op, Arguments operands,
                           const Device &device, Tensors &results) {
  const Tensor &first = operands.front();
  for (const Tensor &operand : operands)
    results.push_back(operand.denseCopy());
  if (first.size() == 0 || first.rank() == 0)
    return success();
  int64_t dim = op.getDimension();
  if (dim < 0)
    dim += first.rank();
  const int64_t length = first.dim(dim);
  const int64_t stride = rowMajorStrides(first.shape())[dim];

  bool isGood = true;
  for (int64_t line = 0; line < first.size() / length; ++line) {
    const int64_t base = line / stride * stride * length + line % stride;
    auto comesBefore = [&](int64_t a, int64_t b) {
      if (!isGood)
        return false;
      Tensors arguments, answer;
      for (const Tensor &operand : operands) {
        arguments.push_back(operand.element(base + a * stride));
        arguments.push_back(operand.element(base + b * stride));
      }
      isGood = succeeded(
          device.call(op.getComparator(), std::move(arguments), answer));
      return isGood && answer.front().asInteger(0) != 0;
    };
    const auto order = stableOrder(length, comesBefore);
    if (!isGood)
      return failure();
    for (auto [operand, result] : zip_equal(operands, results))
      for (int64_t i = 0; i < length; ++i)
        result.setElement(base + i * stride,
                          operand.element(base + order[i] * stride));
  }
  return success();
}

} // namespace

void registerSorting(EvaluatorRegistry &registry) {
  registry.add(evaluateSort);
}

} // namespace shardsmith::inline interpreter
