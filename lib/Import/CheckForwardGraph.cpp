// SPDX-License-Identifier: Apache-2.0

#include "SizeLimits.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Import/Passes.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_CHECKFORWARDGRAPH
#include "shardsmith/Import/Passes.h.inc"

namespace {

/// Why no value may have this type, or an empty string.
StringRef whyUnsupported(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "is not a tensor";
  if (!tensor.hasStaticShape())
    return "has a dynamic shape; export the model with concrete shapes";
  Type element = tensor.getElementType();
  auto integer = dyn_cast<IntegerType>(element);
  if (integer &&
      llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth()))
    return "";
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
    return "";
  return "has elements that are neither booleans, integers of 8 to 64 bits "
         "nor f16, bf16, f32 or f64";
}

/// Ops of programs that are written for one of several devices, or that talk
/// to the host.
bool speaksToOthers(Operation &op) {
  using namespace stablehlo;
  return isa<AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp,
             CollectivePermuteOp, InfeedOp, OutfeedOp, PartitionIdOp, RecvOp,
             ReduceScatterOp, ReplicaIdOp, SendOp, sdy::ManualComputationOp>(
      op);
}

struct CheckForwardGraph : impl::CheckForwardGraphBase<CheckForwardGraph> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool isDerivative =
          function.isPrivate() &&
          !SymbolTable::symbolKnownUseEmpty(function, getOperation());
      if (function.getName() != "main" && !isDerivative) {
        function.emitError()
            << "unsupported: a second function, '@" << function.getName()
            << "'; a model is one function, @main";
        return signalPassFailure();
      }
      if (failed(check(function)))
        return signalPassFailure();
    }
  }

private:
  /// The samples of a step, as --global-batch may give them.
  static LogicalResult checkBatch(func::FuncOp main, BlockArgument argument) {
    unsigned index = argument.getArgNumber();
    auto role =
        main.getArgAttrOfType<StringAttr>(index, smith::kRoleAttributeName);
    auto given = main.getArgAttrOfType<IntegerAttr>(
        index, smith::kBatchDimAttributeName);
    int64_t dim = given ? given.getInt() : 0;
    auto type = cast<RankedTensorType>(argument.getType());
    bool isBatch = role && role.getValue() == "batch";
    if (!isBatch || dim < 0 || dim >= type.getRank() ||
        type.getDimSize(dim) <= largestSize)
      return success();
    return emitError(argument.getLoc())
           << "the global batch must be from 1 to " << largestSize << ", got "
           << type.getDimSize(dim);
  }

  static LogicalResult check(func::FuncOp main) {
    if (!main.getBody().hasOneBlock())
      return main.emitError() << "unsupported: @main must have one block";
    for (BlockArgument argument : main.getArguments()) {
      StringRef reason = whyUnsupported(argument.getType());
      if (!reason.empty())
        return emitError(argument.getLoc())
               << "unsupported: argument " << argument.getArgNumber() << ", a "
               << argument.getType() << ", " << reason;
      if (failed(checkBatch(main, argument)))
        return failure();
    }
    for (Operation &op : main.getBody().front()) {
      if (speaksToOthers(op))
        return op.emitError()
               << "unsupported: a program that is already split over devices "
               << "or talks to the host; export the function for the whole "
               << "batch, without pmap or callbacks";
      for (Type type : op.getResultTypes()) {
        StringRef reason = whyUnsupported(type);
        if (!reason.empty())
          return op.emitError() << "unsupported: result of type " << type
                                << ", which " << reason;
      }
    }
    return smith::verifyLoops(main.front());
  }
};

} // namespace
} // namespace shardsmith
