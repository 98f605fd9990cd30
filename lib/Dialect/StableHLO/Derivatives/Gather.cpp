// SPDX-License-Identifier: Apache-2.0
// Derivative of gather: the cotangent of each window is added where the window
// was read.

#include "Families.h"
#include "Indexing.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

/// One element per row, as when the logit of the right class is looked up:
///
///     operand [b0, b1, n]   indices [b0, b1, 1, 1]   result [b0, b1, 1]
///
/// All operand dimensions but one are batching dimensions, and each row has a
/// single index. The derivative is then a comparison of positions with the
/// index, element by element, instead of a scatter into a tensor of zeros:
///
///     dx[b0, b1, i] = i == index[b0, b1] ? g[b0, b1] : 0
class RowLookup {
public:
  static std::optional<RowLookup> match(const IndexedWindows &windows) {
    int64_t rows = 1;
    for (int64_t d : windows.operandBatchingDims)
      rows *= windows.operandType.getDimSize(d);
    auto indicesType = cast<RankedTensorType>(windows.indices.getType());
    bool isOneElementPerRow =
        windows.startIndexMap.size() == 1 &&
        windows.sliceSizes[windows.startIndexMap.front()] == 1 &&
        static_cast<int64_t>(windows.operandBatchingDims.size()) + 1 ==
            windows.operandType.getRank() &&
        indicesType.getNumElements() == rows;
    if (!isOneElementPerRow)
      return std::nullopt;
    return RowLookup(windows);
  }

  TensorValue derive(TensorValue g) const {
    TensorValue index = broadcastRows({g.builder(), windows.indices});
    TensorValue position =
        iota(g.builder(), index.type(), windows.startIndexMap.front());
    TensorValue cotangent = broadcastRows(g);
    TensorValue isChosen = compare(position, ComparisonDirection::EQ, index);
    return select(isChosen, cotangent, cotangent.filled(0.0));
  }

private:
  explicit RowLookup(const IndexedWindows &windows) : windows(windows) {}

  /// A value per row, repeated along the row.
  TensorValue broadcastRows(TensorValue operand) const {
    // Rows are in the order of the indices' batching dimensions.
    SmallVector<std::pair<int64_t, int64_t>> indicesToOperand;
    for (auto [indicesDim, operandDim] : llvm::zip_equal(
             windows.indicesBatchingDims, windows.operandBatchingDims))
      indicesToOperand.emplace_back(indicesDim, operandDim);
    llvm::sort(indicesToOperand);
    SmallVector<int64_t> shape, dimensions;
    for (auto [indicesDim, operandDim] : indicesToOperand) {
      shape.push_back(windows.operandType.getDimSize(operandDim));
      dimensions.push_back(operandDim);
    }
    return broadcastInDim(reshape(operand, shape),
                          windows.operandType.getShape(), dimensions);
  }

  const IndexedWindows &windows;
};

LogicalResult deriveGather(GatherOp op, TensorValue g, Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  // Indices outside are clamped by gather but would be skipped by scatter.
  IndexedWindows windows = IndexedWindows::of(op).clamped(builder);
  if (std::optional<RowLookup> lookup = RowLookup::match(windows)) {
    cotangents[0] = lookup->derive(g);
    return success();
  }
  TensorValue zero = filled(builder, windows.operandType, 0.0);
  cotangents[0] = windows.scatterAdd(zero, g);
  return success();
}

} // namespace

void attachGatherDerivatives(MLIRContext *context) {
  attachDerivative<GatherOp>(context,
                             [](auto op, TensorValue g, Cotangents &dx) {
                               return deriveGather(op, g, dx);
                             });
}

} // namespace shardsmith
