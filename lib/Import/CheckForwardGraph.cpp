// SPDX-License-Identifier: Apache-2.0

#include "SizeLimits.h"
#include "Unsupported.h"

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
  if (isa<Float8E4M3FNType, Float8E5M2Type, Float16Type, BFloat16Type,
          Float32Type, Float64Type>(element))
    return "";
  return "has elements that are neither booleans, integers of 8 to 64 bits "
         "nor f8E4M3FN, f8E5M2, f16, bf16, f32 or f64";
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
    ErrorList unsupported;
    for (auto function : getOperation().getOps<func::FuncOp>())
      findUnsupported(function, unsupported);
    unsupported.emit();
    if (!unsupported.empty() || hasUnsupported(getOperation()))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(checkBatch(function)) ||
          failed(smith::verifyLoops(function.front())))
        return signalPassFailure();
  }

private:
  /// The samples of a step, as --global-batch may give them.
  static LogicalResult checkBatch(func::FuncOp main) {
    for (BlockArgument argument : main.getArguments())
      if (failed(checkBatch(main, argument)))
        return failure();
    return success();
  }

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

  void findUnsupported(func::FuncOp function, ErrorList &unsupported) {
    bool isDerivative =
        function.isPrivate() &&
        !SymbolTable::symbolKnownUseEmpty(function, getOperation());
    if (function.getName() != "main" && !isDerivative)
      return unsupported.add(function.getLoc(),
                             "unsupported: a second function, '@" +
                                 function.getName().str() +
                                 "'; a model is one function, @main");
    if (!function.getBody().hasOneBlock())
      return unsupported.add(function.getLoc(),
                             "unsupported: @main must have one block");
    for (BlockArgument argument : function.getArguments())
      if (StringRef reason = whyUnsupported(argument.getType());
          !reason.empty())
        unsupported.add(argument.getLoc(),
                        "unsupported: argument " +
                            std::to_string(argument.getArgNumber()) + ", a " +
                            quoted(argument.getType()) + ", " + reason.str());
    for (Operation &op : function.front())
      findUnsupported(op, unsupported);
  }

  static void findUnsupported(Operation &op, ErrorList &unsupported) {
    std::string name = "'" + op.getName().getStringRef().str() + "'";
    if (speaksToOthers(op))
      return unsupported.add(
          op.getLoc(),
          "unsupported: " + name +
              ", of a program that is already split over devices or talks to "
              "the host; export the function for the whole batch, without pmap "
              "or callbacks");
    for (Type type : op.getResultTypes())
      if (StringRef reason = whyUnsupported(type); !reason.empty())
        unsupported.add(op.getLoc(),
                        "unsupported: " + name + " with a result of type " +
                            quoted(type) + ", which " + reason.str());
  }
};

} // namespace
} // namespace shardsmith
