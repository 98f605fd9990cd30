// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/CUDA/Target.h"

#include "Kernels/OwnFunctions.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/Smith/AddGemmOp.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/Elements/ScatterShape.h"

using namespace mlir;

namespace shardsmith {
namespace {

bool hasDoubles(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) {
    return getElementTypeOrSelf(type).isF64();
  });
}

/// cuBLASLt multiplies two of a type to a third of that type, halves also to
/// f32.
bool hasGemmOfOneType(Type lhs, Type rhs, Type result) {
  bool isHalf = lhs.isF16() || lhs.isBF16();
  return lower::isTypeOfLibraryProducts(lhs) && rhs == lhs &&
         (result == lhs || (isHalf && result.isF32()));
}

/// And two floats of eight bits, at least one of them f8E4M3FN, to wider ones:
/// cuBLAS documentation, `cublasLtMatmul`, the table of supported types.
bool hasGemmOrFloat8(Type lhs, Type rhs, Type result) {
  if (!lower::isFloat8(lhs) || !lower::isFloat8(rhs))
    return hasGemmOfOneType(lhs, rhs, result);
  return (isa<Float8E4M3FNType>(lhs) || isa<Float8E4M3FNType>(rhs)) &&
         (result.isF32() || result.isBF16() || result.isF16());
}

/// NCCL has no integers of 16 bits.
Type reducedAs(Type element) {
  element = lower::reducedInF32(element);
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || integer.getWidth() != 16)
    return element;
  return IntegerType::get(element.getContext(), 32, integer.getSignedness());
}

bool hasEmitter(Operation *op) {
  if (!lower::findElementRule(op))
    return false;
  // Functions that no instruction computes are expanded for f32 only.
  if (lower::findElementOp(op)->cost == lower::ElementCost::Expensive &&
      hasDoubles(op))
    return false;
  // These would be calls of the processor's runtime.
  return !isa<chlo::PolygammaOp, chlo::ZetaOp>(op);
}

/// Grids and blocks of functions are made of the sizes of their tensors.
bool hasEmptyTensors(Operation *op) {
  auto isEmpty = [](Type type) {
    return cast<RankedTensorType>(type).getNumElements() == 0;
  };
  return llvm::any_of(op->getOperandTypes(), isEmpty) ||
         llvm::any_of(op->getResultTypes(), isEmpty);
}

std::string whyNotLowered(Operation *op) {
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
    std::string reason = lower::whyNotScatter(scatter);
    for (Operation &inner :
         scatter.getUpdateComputation().front().without_terminator())
      if (reason.empty() && !hasEmitter(&inner))
        reason = "scatter with " + inner.getName().getStringRef().str() +
                 lower::typesToBlame(&inner, cudaTarget()) + " in its body";
    return reason;
  }
  if (const cuda::OwnFunction *own = cuda::findOwnFunction(op)) {
    if (hasEmptyTensors(op))
      return "'" + op->getName().getStringRef().str() +
             "' of a tensor without elements has no lowering";
    return own->whyNot ? own->whyNot(op) : "";
  }
  if (lower::isOpOfEveryTarget(op) || isa<smith::AddGemmOp>(op))
    return "";
  return lower::describeNoLowering(op, cudaTarget());
}

lower::TargetTraits makeTarget() {
  return {
      .name = "cuda",
      .displayName = "CUDA",
      .isElement = lower::isSupportedElement,
      .hasEmitter = hasEmitter,
      .costOf = lower::costInTable,
      .hasGemm = hasGemmOfOneType,
      .float8Multiple = 0,
      .gemmAdds = lower::GemmAddends::Any,
      // How exact the library's tanh is does not show behind 16 bits.
      .hasGelu = [](Type result) { return result.isBF16() || result.isF16(); },
      .reducedAs = reducedAs,
      .hasTopK = [](Operation *op) { return cuda::whyNotTopK(op).empty(); },
      .longestSort = 2048,    // whose positions fit into shared memory, twice
      .exchangesRows = false, // NCCL takes sizes from the host
      .multipliesConvolutions = true,
      .convolutionTile = 64,
      .enoughTiles = 256, // some blocks for each of 108 or more multiprocessors
      .whyNotLowered = whyNotLowered,
      .gemmBatchDimensions = 4, // a batched product takes a list of addresses
      .bufferAlignment = 256,   // as the device's own allocator does
      .largeReduction = 64 * 1024,
      .fewResults = 64,
      .columnPiece = 512,
      .fewColumns = 64 * 1024,
      .bucketBytes = 0,
      .overlapBytes = 0,          // collectives have a stream of their own
      .mostBytesToJoin = 1 << 20, // 0.5 µs of an A100, less than a launch
      // ptxas loads all addresses at once: 86 take 94 registers, 478 spill.
      // Drivers take 4,096 bytes of parameters, 512 addresses.
      .mostBuffersOfLaunch = 48,
      .longestRecomputedChain = 4,
      .mostRecomputedOps = 32,
      .freeRepetition = 8,
      .mostKernelOps = 96,
      .mostKernelInputs = 48,
  };
}

lower::TargetTraits makeTargetWithFloat8() {
  lower::TargetTraits target = makeTarget();
  target.name = "cuda-f8";
  target.hasGemm = hasGemmOrFloat8;
  target.float8Multiple = 16; // addresses are to be multiples of 16 bytes
  return target;
}

} // namespace

const lower::TargetTraits &cudaTarget(bool multipliesFloat8) {
  static const lower::TargetTraits plain = makeTarget(),
                                   withFloat8 = makeTargetWithFloat8();
  return multipliesFloat8 ? withFloat8 : plain;
}

} // namespace shardsmith
