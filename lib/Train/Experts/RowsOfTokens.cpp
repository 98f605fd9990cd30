// SPDX-License-Identifier: Apache-2.0
//
// The ops at which tokens become rows, and rows become tokens again: lookups
// and sums at positions that are the sort's order divided by rows per token.

#include "SortedRows.h"

#include "IndexViews.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardsmith {
namespace {

/// Positions in a table whose rows are looked up or added to whole: `[r]` or
/// `[r, 1]`, with `rest` dimensions of the table behind them.
bool takesRows(ArrayRef<int64_t> windowDims, ArrayRef<int64_t> insertedDims,
               ArrayRef<int64_t> indexMap, ArrayRef<int64_t> batching,
               RankedTensorType positions, int64_t vectorDim, int64_t rest) {
  if (!batching.empty() || insertedDims != ArrayRef<int64_t>{0} ||
      indexMap != ArrayRef<int64_t>{0} || vectorDim != 1 ||
      positions.getRank() > 2 || int64_t(windowDims.size()) != rest)
    return false;
  for (auto [number, dim] : llvm::enumerate(windowDims))
    if (dim != int64_t(number) + 1)
      return false;
  return true;
}

} // namespace

std::optional<int64_t> SortedRows::rowsPerToken(Value positions,
                                                int64_t tokens) {
  if (tokens == 0 || rowCount % tokens != 0 ||
      typeOf(positions).getNumElements() != rowCount)
    return std::nullopt;
  int64_t perToken = rowCount / tokens;
  if (!known.isDigit(positions, perToken, tokens))
    return std::nullopt;
  return perToken;
}

/// Whether the op looks up whole rows of a table.
static bool looksUpRows(stablehlo::GatherOp op) {
  auto numbers = op.getDimensionNumbers();
  RankedTensorType table = typeOf(op.getOperand());
  return takesRows(numbers.getOffsetDims(), numbers.getCollapsedSliceDims(),
                   numbers.getStartIndexMap(), numbers.getOperandBatchingDims(),
                   typeOf(op.getStartIndices()), numbers.getIndexVectorDim(),
                   table.getRank() - 1) &&
         op.getSliceSizes().drop_front() == table.getShape().drop_front();
}

/// Sorted rows that are looked up at the inverse of the order are those of the
/// tokens.
bool SortedRows::putBack(stablehlo::GatherOp op) {
  const Row *sorted = find(op.getOperand());
  Value positions = withoutGuards(op.getStartIndices());
  if (!sorted || !inverse || positions != inverse || !looksUpRows(op))
    return false;
  ImplicitLocOpBuilder builder = builderAt(op);
  Value value = whole(builder, *sorted);
  if (!value)
    return false;
  if (!sorted->isSpread)
    value = withoutDropped({builder, value});
  replacements.push_back({op->getResult(0), value});
  return true;
}

/// Rows of a table of tokens are that table with each row repeated.
bool SortedRows::rebuildGather(stablehlo::GatherOp op) {
  const Row *positions = find(op.getStartIndices());
  if (!positions)
    return putBack(op);
  if (positions->isSpread || find(op.getOperand()) || !looksUpRows(op))
    return false;
  RankedTensorType table = typeOf(op.getOperand());
  ImplicitLocOpBuilder builder = builderAt(op);
  int64_t tokens = table.getDimSize(0);
  std::optional<int64_t> perToken = rowsPerToken(positions->value, tokens);
  if (!perToken) {
    IRMapping mapping;
    mapping.map(op.getStartIndices(), positions->value);
    Operation *copy = builder.clone(*op, mapping);
    copy->removeAttr(sdy::kShardingAttributeName);
    copy->removeAttr(smith::kFactorAxesAttributeName);
    define(op.getResult(), {copy->getResult(0)});
    return true;
  }
  TensorValue value(builder, op.getOperand());
  if (*perToken > 1) {
    SmallVector<int64_t> shape(table.getShape());
    shape.insert(shape.begin() + 1, *perToken);
    SmallVector<int64_t> dims{0};
    for (int64_t dim = 1; dim < table.getRank(); ++dim)
      dims.push_back(dim + 1);
    Value table = value;
    value = reshape(broadcastInDim(value, shape, dims),
                    typeOf(op.getResult()).getShape());
    if (*perToken == choices)
      repeated[value] = table;
  }
  define(op.getResult(), {value});
  return true;
}

/// Rows that are added to their tokens are a sum over the rows of each token.
bool SortedRows::rebuildScatter(stablehlo::ScatterOp op) {
  if (op.getInputs().size() != 1)
    return false;
  Value input = op.getInputs().front();
  const Row *positions = find(op.getScatterIndices());
  const Row *updates = find(op.getUpdates().front());
  if (!positions || positions->isSpread || !updates || find(input))
    return false;
  auto numbers = op.getScatterDimensionNumbers();
  int64_t tokens = typeOf(input).getDimSize(0);
  std::optional<int64_t> perToken = rowsPerToken(positions->value, tokens);
  bool isPlain =
      perToken &&
      takesRows(numbers.getUpdateWindowDims(), numbers.getInsertedWindowDims(),
                numbers.getScatterDimsToOperandDims(),
                numbers.getInputBatchingDims(), typeOf(op.getScatterIndices()),
                numbers.getIndexVectorDim(), typeOf(input).getRank() - 1);
  if (!isPlain)
    return false;
  bool replaces = stablehlo::returnsSecondArgument(op.getUpdateComputation());
  bool adds = stablehlo::matchReduction(op.getUpdateComputation()) ==
              ReductionKind::Sum;
  if (!adds && !(replaces && *perToken == 1))
    return false;
  bool hasSlots = updates->isSpread && partRows == PartRows::OfExperts;
  if (hasSlots && *perToken != choices)
    return false;
  ImplicitLocOpBuilder builder = builderAt(op);
  Row row = *updates;
  if (row.isSpread && partRows == PartRows::Exchanged)
    row = {whole(builder, row)};
  if (!row.isSpread)
    row.value = withoutDropped({builder, row.value});
  TensorValue value(builder, byTokens(builder, row, tokens));
  SmallVector<int64_t> dims;
  if (row.isSpread)
    dims.push_back(0);
  if (value.rank() > typeOf(input).getRank() + int64_t(dims.size()))
    dims.push_back(row.isSpread ? 2 : 1);
  if (!dims.empty())
    value = sum(value, dims);
  if (adds && !stablehlo::isZero(input))
    value = TensorValue(builder, input) + value;
  replacements.push_back({op->getResult(0), value});
  return true;
}

} // namespace shardsmith
