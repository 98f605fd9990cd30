// SPDX-License-Identifier: Apache-2.0

#include "CustomDerivative.h"

#include "Activity.h"

#include "shardsmith/Dialect/StableHLO/TensorValue.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardsmith {

DenseSet<Value> findStoppedValues(Block &block) {
  DenseSet<Value> stopped;
  for (auto op : block.getOps<smith::StopGradientOp>())
    stopped.insert(op.getResult());
  return stopped;
}

SmallVector<Value> buildCustomDerivative(smith::WithDerivativeOp op,
                                         ArrayRef<Value> resultCotangents,
                                         ImplicitLocOpBuilder &builder) {
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getDerivativeAttr());
  SmallVector<Value> operands(op.getInputs());
  for (auto [result, cotangent] :
       llvm::zip_equal(op.getResults(), resultCotangents))
    operands.push_back(
        cotangent
            ? cotangent
            : filled(builder, cast<RankedTensorType>(result.getType()), 0.0)
                  .value());

  Block &body = function.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), operands);
  for (Operation &nested : body.without_terminator())
    builder.clone(nested, mapping);

  SmallVector<Value> inputCotangents;
  auto next = body.getTerminator()->operand_begin();
  for (Value input : op.getInputs())
    inputCotangents.push_back(
        isFloatTensor(input) ? mapping.lookupOrDefault(*next++) : Value());
  return inputCotangents;
}

} // namespace shardsmith
