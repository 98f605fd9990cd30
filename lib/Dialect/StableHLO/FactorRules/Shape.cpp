// SPDX-License-Identifier: Apache-2.0
//
// Ops that move elements without computing.

#include "Families.h"
#include "Neighbours.h"

#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include <numeric>

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

/// Constants and counters can be made in any split, at no cost.
template <typename OpTy> FactorRule generatorRule(OpTy op) {
  FactorRuleBuilder builder(0, 1);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op)))
    builder.add(size, {}, {{0, unsigned(dim)}});
  return builder.build();
}

FactorRule broadcastRule(BroadcastInDimOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand()), to = shapeOf(op);
  FactorRuleBuilder builder(1, 1);
  SmallVector<std::optional<unsigned>> source(to.size());
  for (auto [dim, target] : llvm::enumerate(op.getBroadcastDimensions()))
    source[target] = dim;
  for (auto [dim, size] : llvm::enumerate(to)) {
    FactorRuleBuilder::Place result{0, unsigned(dim)};
    if (source[dim] && from[*source[dim]] == size) {
      builder.add(size, {{0, *source[dim]}}, {result});
      continue;
    }
    builder.add(size, {}, {result});
    if (source[dim])
      builder.add(1, {{0, *source[dim]}}, {}, FactorKind::NeedReplication);
  }
  builder.addLinearSet({0});
  return builder.build();
}

FactorRule transposeRule(TransposeOp op) {
  FactorRuleBuilder builder(1, 1);
  for (auto [dim, from] : llvm::enumerate(op.getPermutation()))
    builder.add(shapeOf(op)[dim], {{0, unsigned(from)}}, {{0, unsigned(dim)}});
  builder.addLinearSet({0});
  return builder.build();
}

/// One side of a reshape, walked from the major end. `taken` is how much of
/// the current dimension its factors cover so far.
struct ReshapeSide {
  ArrayRef<int64_t> shape;
  unsigned dim = 0;
  int64_t taken = 1;

  bool atEnd() const { return dim == shape.size(); }
  int64_t remaining() const { return shape[dim] / taken; }
  void take(int64_t size) {
    taken *= size;
    if (taken == shape[dim]) {
      ++dim;
      taken = 1;
    }
  }
};

/// Both sides are walked together while they agree: the greatest common
/// divisor of what remains of the two dimensions is a shared factor.
///
///   [8, 4] -> [2, 16]:   gcd(8, 2) = 2 | gcd(4, 16) = 4 | gcd(4, 4) = 4
///   ([ij, k])->([i, jk]) {i=2, j=4, k=4}
///
/// Where nothing is shared (gcd 1), the sides stop matching until their
/// products meet again; what lies between must be replicated.
FactorRule reshapeRule(ReshapeOp op) {
  ReshapeSide from{shapeOf(op.getOperand())}, to{shapeOf(op)};
  FactorRuleBuilder builder(1, 1);
  if (op.getType().getNumElements() == 0)
    return replicatedRule(op);

  auto skipOnes = [&](ReshapeSide &side, bool isResult) {
    while (!side.atEnd() && side.taken == 1 && side.shape[side.dim] == 1) {
      FactorRuleBuilder::Place place{0, side.dim};
      if (isResult)
        builder.add(1, {}, {place}, FactorKind::NeedReplication);
      else
        builder.add(1, {place}, {}, FactorKind::NeedReplication);
      ++side.dim;
    }
  };
  auto takePrivate = [&](ReshapeSide &side, bool isResult) {
    int64_t size = side.remaining();
    FactorRuleBuilder::Place place{0, side.dim};
    if (isResult)
      builder.add(size, {}, {place}, FactorKind::NeedReplication);
    else
      builder.add(size, {place}, {}, FactorKind::NeedReplication);
    side.take(size);
    return size;
  };

  // Products of the private factors since the sides last agreed.
  int64_t fromProduct = 1, toProduct = 1;
  while (true) {
    skipOnes(from, /*isResult=*/false);
    skipOnes(to, /*isResult=*/true);
    if (from.atEnd() || to.atEnd())
      break;
    if (fromProduct == toProduct) {
      fromProduct = toProduct = 1;
      int64_t shared = std::gcd(from.remaining(), to.remaining());
      if (shared > 1) {
        builder.add(shared, {{0, from.dim}}, {{0, to.dim}});
        from.take(shared);
        to.take(shared);
        continue;
      }
      fromProduct *= takePrivate(from, /*isResult=*/false);
      toProduct *= takePrivate(to, /*isResult=*/true);
    } else if (fromProduct < toProduct) {
      fromProduct *= takePrivate(from, /*isResult=*/false);
    } else {
      toProduct *= takePrivate(to, /*isResult=*/true);
    }
  }
  while (!from.atEnd())
    takePrivate(from, /*isResult=*/false);
  while (!to.atEnd())
    takePrivate(to, /*isResult=*/true);
  builder.addLinearSet({0});
  return builder.build();
}

/// A slice takes element `start + p * stride` for position p.
ReachingRule sliceRule(SliceOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand()), to = shapeOf(op);
  ReachingRuleBuilder builder(1, 1);
  for (unsigned dim = 0; dim < to.size(); ++dim)
    builder.addReaching(
        {{0, dim}}, {{0, dim}}, from[dim], to[dim],
        {.first = op.getStartIndices()[dim], .step = op.getStrides()[dim]});
  builder.addLinearSet({0});
  return builder.buildReaching();
}

ReachingRule padRule(PadOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand()), to = shapeOf(op);
  ReachingRuleBuilder builder(2, 1);
  for (unsigned dim = 0; dim < to.size(); ++dim)
    builder.addReaching({{0, dim}}, {{0, dim}}, from[dim], to[dim],
                        {.first = -op.getEdgePaddingLow()[dim],
                         .dilation = op.getInteriorPadding()[dim] + 1});
  // Padding with anything but zero would be added once per shard.
  if (isZero(op.getPaddingValue()))
    builder.addLinearSet({0});
  return builder.buildReaching();
}

ReachingRule reverseRule(ReverseOp op) {
  ReachingRuleBuilder builder(1, 1);
  for (auto [index, size] : llvm::enumerate(shapeOf(op))) {
    unsigned dim = index;
    Reach reach;
    if (llvm::is_contained(op.getDimensions(), int64_t(dim)))
      reach = {.first = size - 1, .step = -1};
    builder.addReaching({{0, dim}}, {{0, dim}}, size, size, reach);
  }
  builder.addLinearSet({0});
  return builder.buildReaching();
}

/// Position p of the result is element `p - offset` of the operand that it
/// comes from.
ReachingRule concatenateRule(ConcatenateOp op) {
  unsigned count = op->getNumOperands();
  ReachingRuleBuilder builder(count, 1);
  SmallVector<unsigned> all = llvm::to_vector(llvm::seq<unsigned>(0, count));
  for (auto [index, size] : llvm::enumerate(shapeOf(op))) {
    unsigned dim = index;
    SmallVector<FactorRuleBuilder::Place> places;
    for (unsigned operand : all)
      places.push_back({operand, dim});
    if (dim != op.getDimension() || count == 1) {
      builder.add(size, places, {{0, dim}});
      continue;
    }
    int64_t least = size;
    for (Value operand : op->getOperands())
      least = std::min(least, shapeOf(operand)[dim]);
    if (least == 0) {
      for (FactorRuleBuilder::Place place : places)
        builder.add(
            shapeOf(op->getOperand(place.tensor)) [dim], { place }, {},
            FactorKind::NeedReplication);
      builder.add(size, {}, {{0, dim}}, FactorKind::NeedReplication);
      continue;
    }
    FactorIndex factor =
        builder.add(least, places, {{0, dim}}, FactorKind::Permutation);
    int64_t offset = 0;
    for (unsigned operand : all) {
      int64_t elements = shapeOf(op->getOperand(operand))[dim];
      builder.neighbourhoods.push_back(
          {factor, operand, dim, size, elements, {.first = -offset}});
      offset += elements;
    }
  }
  builder.addLinearSet(all);
  return builder.buildReaching();
}

/// A change of element width moves elements into or out of a minor dimension,
/// which must be whole.
FactorRule bitcastRule(BitcastConvertOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand()), to = shapeOf(op);
  FactorRuleBuilder builder(1, 1);
  size_t common = std::min(from.size(), to.size());
  for (unsigned dim = 0; dim < common; ++dim)
    builder.add(from[dim], {{0, dim}}, {{0, dim}});
  if (from.size() > common)
    builder.add(from.back(), {{0, unsigned(common)}}, {},
                FactorKind::NeedReplication);
  if (to.size() > common)
    builder.add(to.back(), {}, {{0, unsigned(common)}},
                FactorKind::NeedReplication);
  return builder.build();
}

} // namespace

void attachShapeFactorRules(MLIRContext *context) {
  FactorRuleModel<BitcastConvertOp, bitcastRule>::attach(context);
  FactorRuleModel<BroadcastInDimOp, broadcastRule>::attach(context);
  ReachingRuleModel<ConcatenateOp, concatenateRule>::attach(context);
  FactorRuleModel<ConstantOp, generatorRule<ConstantOp>>::attach(context);
  FactorRuleModel<IotaOp, generatorRule<IotaOp>>::attach(context);
  ReachingRuleModel<PadOp, padRule>::attach(context);
  FactorRuleModel<ReshapeOp, reshapeRule>::attach(context);
  ReachingRuleModel<ReverseOp, reverseRule>::attach(context);
  ReachingRuleModel<SliceOp, sliceRule>::attach(context);
  FactorRuleModel<TransposeOp, transposeRule>::attach(context);
}

} // namespace shardsmith::stablehlo
