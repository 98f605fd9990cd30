// SPDX-License-Identifier: Apache-2.0

#include "../Kernels/Indexing.h"
#include "../Kernels/Elementwise.h"
#include "Register.h"
#include "ScalarBody.h"
#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

LogicalResult evaluateGather(stablehlo::GatherOp op, Arguments operands,
                             const Device &, Tensors &results) {
  stablehlo::GatherDimensionNumbersAttr dims = op.getDimensionNumbers();
  results.push_back(
      gather(operands[0], operands[1],
             {dims.getOffsetDims(), dims.getCollapsedSliceDims(),
              dims.getOperandBatchingDims(), dims.getStartIndicesBatchingDims(),
              dims.getStartIndexMap(), dims.getIndexVectorDim()},
             op.getSliceSizes(), staticTypeOf(op.getType())->shape));
  return success();
}

/// The places an update tensor of a scatter goes to.
struct Destination {
  const Tensor &indices;
  IndexingDims dims;
};

/// Scatters one tensor with a fold the kernels know.
Tensor scatterFolding(BinaryKind kind, const Tensor &input,
                      const Tensor &updates, const Destination &destination) {
  const ElementType type = widened(input.type());
  Tensor result = convert(input, type).denseCopy();
  const Tensor source = convert(updates, type).dense();
  dispatchBinary(kind, [&](auto kindTag) {
    constexpr BinaryKind fixed = decltype(kindTag)::value;
    dispatchArithmetic(type, [&]<typename T>(Tag<T>) {
      if constexpr (isFold(fixed) && isBinaryDefined<fixed, T>()) {
        T *out = result.mutableData<T>();
        const T *in = source.data<T>();
        visitScatter(input.shape(), destination.indices, updates.shape(),
                     destination.dims, [&](int64_t target, int64_t update) {
                       out[target] =
                           applyBinary<fixed, T>(out[target], in[update]);
                     });
      }
    });
  });
  return convert(result, input.type());
}

/// Scatters one tensor so that updates replace what was there.
Tensor scatterReplacing(const Tensor &input, const Tensor &updates,
                        const Destination &destination) {
  Tensor result = input.denseCopy();
  const Tensor source = updates.dense();
  dispatchWidth(input.type(), [&]<typename T>(Tag<T>) {
    T *out = result.mutableData<T>();
    const T *in = source.data<T>();
    visitScatter(
        input.shape(), destination.indices, updates.shape(), destination.dims,
        [&](int64_t target, int64_t update) { out[target] = in[update]; });
  });
  return result;
}

/// Scatters tensors together through a body of any form.
LogicalResult scatterCalling(mlir::Region &body, Arguments inputs,
                             Arguments updates, const Destination &destination,
                             const Device &device, Tensors &results) {
  for (const Tensor &input : inputs)
    results.push_back(input.denseCopy());
  bool isGood = true;
  visitScatter(
      inputs.front().shape(), destination.indices, updates.front().shape(),
      destination.dims, [&](int64_t target, int64_t update) {
        if (!isGood)
          return;
        Tensors arguments, combined;
        for (const Tensor &result : results)
          arguments.push_back(result.element(target));
        for (const Tensor &source : updates)
          arguments.push_back(source.element(update));
        isGood = succeeded(device.call(body, std::move(arguments), combined));
        if (!isGood)
          return;
        for (auto [result, value] : zip_equal(results, combined))
          result.setElement(target, value);
      });
  return success(isGood);
}

LogicalResult evaluateScatter(stablehlo::ScatterOp op, Arguments operands,
                              const Device &device, Tensors &results) {
  stablehlo::ScatterDimensionNumbersAttr dims = op.getScatterDimensionNumbers();
  const size_t count = op.getInputs().size();
  const Arguments inputs = operands.take_front(count);
  const Arguments updates = operands.take_back(count);
  const Destination destination{
      operands[count],
      {dims.getUpdateWindowDims(), dims.getInsertedWindowDims(),
       dims.getInputBatchingDims(), dims.getScatterIndicesBatchingDims(),
       dims.getScatterDimsToOperandDims(), dims.getIndexVectorDim()}};
  mlir::Region &body = op.getUpdateComputation();
  if (count == 1 && inputs[0].type() == updates[0].type()) {
    if (std::optional<BinaryKind> kind = foldOf(body)) {
      results.push_back(
          scatterFolding(*kind, inputs[0], updates[0], destination));
      return success();
    }
    if (stablehlo::returnsSecondArgument(body)) {
      results.push_back(scatterReplacing(inputs[0], updates[0], destination));
      return success();
    }
  }
  return scatterCalling(body, inputs, updates, destination, device, results);
}

} // namespace

void registerIndexing(EvaluatorRegistry &registry) {
  registry.add(evaluateGather);
  registry.add(evaluateScatter, Rounding::Sum);
}

} // namespace shardsmith::inline interpreter
