// SPDX-License-Identifier: Apache-2.0

#include "Softmax.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

/// True if `op` is the sum of `summand`.
bool isSumOf(ReduceOp op, Value summand) {
  if (!op || op.getInputs().size() != 1 || op.getInputs().front() != summand)
    return false;
  Block &body = op.getBody().front();
  return llvm::hasSingleElement(body.without_terminator()) &&
         isa<AddOp>(body.front()) &&
         matchPattern(op.getInitValues().front(), m_AnyZeroFloat());
}

/// True if `value` is `source` with its elements repeated along `dimensions`,
/// and nowhere else.
bool isBroadcastAlong(Value value, Value source, ArrayRef<int64_t> dimensions) {
  // For each dimension of the value at hand, its dimension in the first one.
  auto rank = cast<RankedTensorType>(value.getType()).getRank();
  SmallVector<int64_t> position = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  while (value != source) {
    auto broadcast = value.getDefiningOp<BroadcastInDimOp>();
    if (!broadcast)
      return false;
    SmallVector<int64_t> inner;
    for (int64_t dimension : broadcast.getBroadcastDimensions())
      inner.push_back(position[dimension]);
    position = std::move(inner);
    value = broadcast.getOperand();
  }
  SmallVector<int64_t> kept;
  for (int64_t dimension = 0; dimension < rank; ++dimension)
    if (!llvm::is_contained(dimensions, dimension))
      kept.push_back(dimension);
  return position == kept;
}

} // namespace

std::optional<Softmax> Softmax::match(Operation *op) {
  auto division = dyn_cast<DivOp>(op);
  if (!division)
    return std::nullopt;
  auto exponential = division.getLhs().getDefiningOp<ExpOp>();
  if (!exponential)
    return std::nullopt;
  Value source = division.getRhs();
  while (auto broadcast = source.getDefiningOp<BroadcastInDimOp>())
    source = broadcast.getOperand();
  auto sum = source.getDefiningOp<ReduceOp>();
  if (!isSumOf(sum, exponential.getResult()) ||
      !isBroadcastAlong(division.getRhs(), source, sum.getDimensions()))
    return std::nullopt;
  return Softmax{exponential.getOperand(), division.getResult(),
                 llvm::to_vector(sum.getDimensions())};
}

TensorValue Softmax::inputCotangent(TensorValue outputCotangent) const {
  TensorValue y(outputCotangent.builder(), output);
  TensorValue weighted = sum(outputCotangent * y, dimensions);
  return y *
         (outputCotangent - broadcastAlong(weighted, y.shape(), dimensions));
}

} // namespace shardsmith
