// SPDX-License-Identifier: Apache-2.0

#include "Combination.h"
#include "LocalizeModel.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

/// Every shard would combine the initial value once: only the first does.
///
///   sum over shards of (init + part)  ->  init on shard 0, 0 on the others
SmallVector<Value> localizeReduce(ReduceOp op, ImplicitLocOpBuilder &builder,
                                  const LocalizeContext &context,
                                  ValueRange operands) {
  Combination combination = getCombination(context);
  unsigned inputs = op.getInputs().size();
  SmallVector<Value> locals;
  for (auto [index, value] : llvm::enumerate(operands)) {
    bool isInit = index >= inputs;
    if (!isInit)
      value = maskReducedPadding(builder, context, index, value);
    else if (!combination.axes.empty())
      value = keepOnFirstShard(builder, value,
                               context.getShardIndex(combination.axes),
                               combination.kind);
    locals.push_back(value);
  }
  return context.rebuild(builder, locals)->getResults();
}

} // namespace

void attachReductionLocalization(MLIRContext *context) {
  LocalizeModel<ReduceOp, localizeReduce>::attach(context);
}

} // namespace shardsmith::stablehlo
