// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/CPU/Target.h"

#include "Elements/ElementEmitter.h"
#include "Kernels/ScatterEmitter.h"
#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/Smith/GroupedOps.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Runtime/ABI.h"

using namespace mlir;

namespace shardsmith {
namespace {

bool hasEmitter(Operation *op) { return cpu::findElementRule(op) != nullptr; }

lower::ElementCost costOf(Operation *op) {
  return lower::findElementOp(op)->cost;
}

bool hasGemm(Type element) {
  return element.isF32() || element.isBF16() || element.isF16() ||
         element.isF64();
}

std::string whyNotLowered(Operation *op) {
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return cpu::whyNotScatter(scatter);
  if (auto topK = dyn_cast<chlo::TopKOp>(op);
      topK && cpu::isSupportedElement(getElementTypeOrSelf(topK.getValues())))
    return "";
  if (isa<smith::KernelOp, smith::GemmOp, stablehlo::ConstantOp,
          stablehlo::ReshapeOp, smith::AllReduceOp, smith::AllGatherOp,
          smith::ReduceScatterOp, smith::ExchangeBlocksOp,
          smith::CollectivePermuteOp, smith::ShardIndexOp, smith::RepeatOp,
          smith::RunOp, smith::SendOp, smith::ReceiveOp, smith::GroupedDotOp,
          smith::GroupedOuterOp>(op))
    return "";
  return ("'" + op->getName().getStringRef() +
          "' with these types has no lowering")
      .str();
}

} // namespace

const lower::TargetTraits &cpuTarget() {
  static const lower::TargetTraits target = {
      .name = "cpu",
      .displayName = "CPU",
      .isElement = cpu::isSupportedElement,
      .hasEmitter = hasEmitter,
      .costOf = costOf,
      .hasGemm = hasGemm,
      .whyNotLowered = whyNotLowered,
      .gemmBatchDimensions = SMITH_GEMM_MAX_BATCH,
      .bufferAlignment = 64, // a cache line, and a full vector register
      .largeReduction = 64 * 1024,
      .fewResults = 64,
      .longestRecomputedChain = 4,
      .freeRepetition = 8,
      .mostKernelOps = 96,
      .mostKernelInputs = 48,
  };
  return target;
}

} // namespace shardsmith
