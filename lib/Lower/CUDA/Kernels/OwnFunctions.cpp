// SPDX-License-Identifier: Apache-2.0

#include "OwnFunctions.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/Smith/AttentionOps.h"
#include "shardsmith/Dialect/Smith/GroupedOps.h"
#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Dialect/Smith/SortRunsOp.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

template <typename... Ops> bool isAny(Operation *op) { return isa<Ops...>(op); }

constexpr OwnFunction ownFunctions[] = {
    {smith::isAttention, "attention", whyNotAttention, emitAttention},
    {isAny<stablehlo::ConvolutionOp>, "convolution", whyNotConvolution,
     emitConvolution},
    {isAny<smith::GroupedDotOp, smith::GroupedOuterOp>, "grouped",
     whyNotGroupedProduct, emitGroupedProduct},
    {isAny<smith::LimitRowsOp>, "limit_rows", nullptr, emitLimitRows},
    {isAny<smith::PackRowsOp, smith::UnpackRowsOp>, "move_rows", nullptr,
     emitMoveRows},
    {isAny<smith::PlaceRowsOp>, "place_rows", nullptr, emitPlaceRows},
    {isAny<stablehlo::SortOp, smith::SortRunsOp>, "sort", whyNotSort, emitSort},
    {isAny<stablehlo::CholeskyOp, stablehlo::TriangularSolveOp>, "triangular",
     whyNotTriangular, emitTriangular},
    {isAny<chlo::TopKOp>, "top_k", whyNotTopK, emitTopK},
};

} // namespace

const OwnFunction *findOwnFunction(Operation *op) {
  for (const OwnFunction &own : ownFunctions)
    if (own.isFor(op))
      return &own;
  return nullptr;
}

std::string whyNotFloats(Operation *op, ArrayRef<Value> values) {
  for (Value value : values) {
    Type element = getElementTypeOrSelf(value);
    if (element.isF32() || element.isBF16() || element.isF16())
      continue;
    std::string reason;
    llvm::raw_string_ostream(reason)
        << "'" << op->getName() << "' of " << element << " has no lowering";
    return reason;
  }
  return "";
}

} // namespace shardsmith::cuda
