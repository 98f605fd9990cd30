// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/CPU/Target.h"

#include "Kernels/SortEmitter.h"
#include "Program/AttentionCall.h"
#include "Program/ConvolutionCall.h"
#include "Program/LinearAlgebraCall.h"
#include "shardsmith/Dialect/Smith/AddGemmOp.h"
#include "shardsmith/Dialect/Smith/AttentionOps.h"
#include "shardsmith/Dialect/Smith/GroupedOps.h"
#include "shardsmith/Dialect/Smith/MatrixOps.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/Elements/ScatterShape.h"
#include "shardsmith/Runtime/ABI.h"

using namespace mlir;

namespace shardsmith {
namespace {

bool hasGemm(Type lhs, Type rhs, Type result) {
  return llvm::all_of(ArrayRef{lhs, rhs, result},
                      lower::isTypeOfLibraryProducts);
}

bool hasEmitter(Operation *op) { return lower::findElementRule(op) != nullptr; }

std::string whyNotLowered(Operation *op) {
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return lower::whyNotScatter(scatter);
  if (auto sort = dyn_cast<stablehlo::SortOp>(op))
    return cpu::whyNotSort(sort);
  if (auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op))
    return cpu::whyNotConvolution(convolution);
  if (isa<stablehlo::CholeskyOp, stablehlo::TriangularSolveOp, smith::EighOp,
          smith::LuOp, smith::QrOp>(op))
    return cpu::whyNotLinearAlgebra(op);
  if (smith::isAttention(op))
    return cpu::whyNotAttention(op);
  if (auto product = dyn_cast<smith::AddGemmOp>(op))
    return product.getBias() ? "a bias that a product adds" : "";
  if (lower::isOpOfEveryTarget(op) ||
      isa<smith::GroupedDotOp, smith::GroupedOuterOp, smith::PlaceRowsOp,
          smith::PackRowsOp, smith::UnpackRowsOp, smith::LimitRowsOp,
          smith::ExchangeRowsOp>(op))
    return "";
  return lower::describeNoLowering(op, cpuTarget());
}

} // namespace

const lower::TargetTraits &cpuTarget() {
  static const lower::TargetTraits target = {
      .name = "cpu",
      .displayName = "CPU",
      .isElement = lower::isSupportedElement,
      .hasEmitter = hasEmitter,
      .costOf = lower::costInTable,
      .hasGemm = hasGemm,
      .float8Multiple = 0,
      .gemmAdds = lower::GemmAddends::Sums,
      .hasGelu = [](Type) { return false; },
      .reducedAs = lower::reducedInF32,
      .hasTopK = [](Operation *) { return false; },
      .longestSort = 0,
      .exchangesRows = true,
      .multipliesConvolutions = false, // oneDNN finds out
      .convolutionTile = 0,
      .enoughTiles = 0,
      .whyNotLowered = whyNotLowered,
      .gemmBatchDimensions = SMITH_GEMM_MAX_BATCH,
      .bufferAlignment = 64, // a cache line, and a full vector register
      .largeReduction = 64 * 1024,
      .fewResults = 64,
      .columnPiece = 0,
      .fewColumns = 0,
      .bucketBytes = 256 * 1024,  // beyond, copies cost more than a message
      .overlapBytes = 128 * 1024, // takes as long as to wake a thread
      .mostBytesToJoin = 0,       // a launch is a call
      .mostBuffersOfLaunch = 0,
      .longestRecomputedChain = 4,
      .mostRecomputedOps = 0, // caches hold what the next kernel reads
      .freeRepetition = 8,
      .mostKernelOps = 96,
      .mostKernelInputs = 48,
  };
  return target;
}

} // namespace shardsmith
