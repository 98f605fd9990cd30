// SPDX-License-Identifier: Apache-2.0

#include "../Kernels/Ordering.h"
#include "Register.h"
#include "shardsmith/Dialect/Smith/SortRunsOp.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

/// Runs of `most` elements of each line, in stable order.
LogicalResult sortRuns(mlir::Region &comparator, int64_t dim, int64_t most,
                       Arguments operands, const Device &device,
                       Tensors &results) {
  const Tensor &first = operands.front();
  for (const Tensor &operand : operands)
    results.push_back(operand.denseCopy());
  if (first.size() == 0 || first.rank() == 0)
    return success();
  const int64_t lineLength = first.dim(dim);
  const int64_t stride = rowMajorStrides(first.shape())[dim];
  const int64_t runs = (lineLength + most - 1) / most;

  bool isGood = true;
  for (int64_t run = 0; run < first.size() / lineLength * runs; ++run) {
    const int64_t line = run / runs, begin = run % runs * most;
    const int64_t length = std::min(most, lineLength - begin);
    const int64_t base =
        line / stride * stride * lineLength + line % stride + begin * stride;
    auto comesBefore = [&](int64_t a, int64_t b) {
      if (!isGood)
        return false;
      Tensors arguments, answer;
      for (const Tensor &operand : operands) {
        arguments.push_back(operand.element(base + a * stride));
        arguments.push_back(operand.element(base + b * stride));
      }
      isGood = succeeded(device.call(comparator, std::move(arguments), answer));
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

/// Always stable, which `is_stable = false` allows.
LogicalResult evaluateSort(stablehlo::SortOp op, Arguments operands,
                           const Device &device, Tensors &results) {
  const Tensor &first = operands.front();
  int64_t dim = op.getDimension();
  if (dim < 0)
    dim += first.rank();
  const int64_t length = first.rank() == 0 ? 1 : first.dim(dim);
  return sortRuns(op.getComparator(), dim, length, operands, device, results);
}

LogicalResult evaluateSortRuns(smith::SortRunsOp op, Arguments operands,
                               const Device &device, Tensors &results) {
  return sortRuns(op.getComparator(), static_cast<int64_t>(op.getDimension()),
                  static_cast<int64_t>(op.getTo()), operands, device, results);
}

} // namespace

void registerSorting(EvaluatorRegistry &registry) {
  registry.add(evaluateSort);
  registry.add(evaluateSortRuns);
}

} // namespace shardsmith::inline interpreter
