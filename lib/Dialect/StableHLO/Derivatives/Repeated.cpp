// SPDX-License-Identifier: Apache-2.0

#include "Repeated.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

/// The factor of a product that is constant along `dimensions`.
struct ConstantFactor {
  Value rest;
  Repeated factor;
};

std::optional<ConstantFactor>
matchConstantFactor(Value value, ArrayRef<int64_t> dimensions) {
  auto product = value.getDefiningOp<MulOp>();
  if (!product)
    return std::nullopt;
  for (unsigned index : {1u, 0u}) {
    std::optional<Repeated> repeated =
        matchRepeated(product->getOperand(index));
    if (repeated && llvm::all_of(dimensions, [&](int64_t dimension) {
          return repeated->isConstantAlong(dimension);
        }))
      return ConstantFactor{product->getOperand(1 - index), *repeated};
  }
  return std::nullopt;
}

/// `factor` broadcast to what is left of `shape` without `summed`.
TensorValue broadcastToKept(ImplicitLocOpBuilder &builder,
                            const Repeated &factor, ArrayRef<int64_t> shape,
                            ArrayRef<int64_t> summed) {
  SmallVector<int64_t> position(shape.size(), -1);
  SmallVector<int64_t> keptShape;
  for (auto [dimension, size] : llvm::enumerate(shape)) {
    if (llvm::is_contained(summed, static_cast<int64_t>(dimension)))
      continue;
    position[dimension] = keptShape.size();
    keptShape.push_back(size);
  }
  // Dimensions of the source that were summed over have size 1.
  TensorValue source(builder, factor.source);
  SmallVector<int64_t> sourceShape, dimensions;
  for (auto [size, dimension] :
       llvm::zip_equal(source.shape(), factor.dimensions)) {
    if (position[dimension] < 0)
      continue;
    sourceShape.push_back(size);
    dimensions.push_back(position[dimension]);
  }
  return broadcastInDim(reshape(source, sourceShape), keptShape, dimensions);
}

} // namespace

bool Repeated::isConstantAlong(int64_t dimension) const {
  auto shape = cast<RankedTensorType>(source.getType()).getShape();
  for (auto [size, mapped] : llvm::zip_equal(shape, dimensions))
    if (mapped == dimension)
      return size == 1;
  return true;
}

std::optional<Repeated> matchRepeated(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastInDimOp>();
  if (!broadcast)
    return std::nullopt;
  Repeated repeated{broadcast.getOperand(),
                    llvm::to_vector(broadcast.getBroadcastDimensions())};
  while (auto inner = repeated.source.getDefiningOp<BroadcastInDimOp>()) {
    SmallVector<int64_t> composed;
    for (int64_t dimension : inner.getBroadcastDimensions())
      composed.push_back(repeated.dimensions[dimension]);
    repeated = {inner.getOperand(), std::move(composed)};
  }
  auto elements = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getNumElements();
  };
  if (elements(repeated.source) >= elements(value))
    return std::nullopt;
  return repeated;
}

TensorValue sumFactored(TensorValue operand, ArrayRef<int64_t> dimensions) {
  ImplicitLocOpBuilder &builder = operand.builder();
  if (auto negation = operand.value().getDefiningOp<NegOp>())
    return -sumFactored({builder, negation.getOperand()}, dimensions);
  std::optional<ConstantFactor> match =
      matchConstantFactor(operand.value(), dimensions);
  if (!match)
    return sum(operand, dimensions);
  TensorValue rest = sumFactored({builder, match->rest}, dimensions);
  return rest *
         broadcastToKept(builder, match->factor, operand.shape(), dimensions);
}

} // namespace shardsmith
