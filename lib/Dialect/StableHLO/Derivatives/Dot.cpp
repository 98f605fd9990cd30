// SPDX-License-Identifier: Apache-2.0
// Derivative of contractions: two contractions of the cotangent.
//
//     z[b, m, n] = x[b, m, k] · y[b, k, n]
//     dx[b, m, k] = g[b, m, n] · y[b, k, n]     contracts the free dims of y
//     dy[b, k, n] = x[b, m, k] · g[b, m, n]     contracts the free dims of x
//
// Here m, n, k and b stand for any number of dimensions in any order. Either
// factor may come first, which only changes the order of the result's
// dimensions; the order that needs no transpose is chosen where there is one.

#include "Families.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

/// One side of a contraction: a tensor, and its dimensions by meaning.
struct Side {
  Value tensor;
  SmallVector<int64_t> batching;
  SmallVector<int64_t> contracting;
  SmallVector<int64_t> free;
};

Side makeSide(Value tensor, ArrayRef<int64_t> batching,
              ArrayRef<int64_t> contracting) {
  Side side{
      tensor, llvm::to_vector(batching), llvm::to_vector(contracting), {}};
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  for (int64_t dimension = 0; dimension < rank; ++dimension)
    if (!llvm::is_contained(batching, dimension) &&
        !llvm::is_contained(contracting, dimension))
      side.free.push_back(dimension);
  return side;
}

/// For each dimension of a tensor where a contraction's result has it.
using Positions = SmallVector<int64_t>;

bool isIdentity(ArrayRef<int64_t> positions) {
  return llvm::equal(positions, llvm::seq<int64_t>(0, positions.size()));
}

/// The contraction that yields a side's cotangent.
///
/// `self` is the side, `other` the other one. `free` and `otherFree` are the
/// positions of their free dimensions in the cotangent `g`, whose leading
/// dimensions are the batching ones.
class SideDerivative {
public:
  SideDerivative(DotGeneralOp op, TensorValue g, const Side &self,
                 const Side &other, int64_t freeOffset, int64_t otherFreeOffset)
      : op(op), g(g), self(self), other(other) {
    int64_t batchRank = self.batching.size();
    batching = llvm::to_vector(llvm::seq<int64_t>(0, batchRank));
    free = llvm::to_vector(
        llvm::seq<int64_t>(freeOffset, freeOffset + self.free.size()));
    otherFree = llvm::to_vector(llvm::seq<int64_t>(
        otherFreeOffset, otherFreeOffset + other.free.size()));
  }

  TensorValue build() {
    // A narrower operand is computed with in the cotangent's precision.
    TensorValue factor = convert({g.builder(), other.tensor}, g.elementType());
    Positions cotangentFirst = resultPositions(/*freeFirst=*/true);
    Positions otherFirst = resultPositions(/*freeFirst=*/false);
    bool swap = !isIdentity(cotangentFirst) && isIdentity(otherFirst);

    auto dimensions = DotDimensionNumbersAttr::get(
        op.getContext(), swap ? other.batching : batching,
        swap ? batching : other.batching, swap ? other.free : otherFree,
        swap ? otherFree : other.free);
    ImplicitLocOpBuilder &builder = g.builder();
    auto contraction =
        DotGeneralOp::create(builder, swap ? factor.value() : g.value(),
                             swap ? g.value() : factor.value(), dimensions,
                             op.getPrecisionConfigAttr(), g.elementType());
    if (DotAlgorithmAttr algorithm = op.getAlgorithmAttr())
      contraction.setAlgorithmAttr(algorithm);
    TensorValue result =
        transpose({builder, contraction}, swap ? otherFirst : cotangentFirst);
    return convert(
        result, cast<RankedTensorType>(self.tensor.getType()).getElementType());
  }

private:
  /// The contraction's result has the batching dimensions, then the free
  /// dimensions of its factors: `self.free` from the cotangent, and what the
  /// forward pass contracted, in the order in which `other` has it.
  Positions resultPositions(bool freeFirst) const {
    SmallVector<std::pair<int64_t, int64_t>> contracted;
    for (auto [otherDimension, selfDimension] :
         llvm::zip_equal(other.contracting, self.contracting))
      contracted.emplace_back(otherDimension, selfDimension);
    llvm::sort(contracted);

    SmallVector<int64_t> order = llvm::to_vector(self.batching);
    if (freeFirst)
      llvm::append_range(order, self.free);
    llvm::append_range(order, llvm::make_second_range(contracted));
    if (!freeFirst)
      llvm::append_range(order, self.free);

    Positions positions(order.size());
    for (auto [position, dimension] : llvm::enumerate(order))
      positions[dimension] = position;
    return positions;
  }

  DotGeneralOp op;
  TensorValue g;
  const Side &self;
  const Side &other;
  SmallVector<int64_t> batching;
  SmallVector<int64_t> free;
  SmallVector<int64_t> otherFree;
};

LogicalResult deriveDotGeneral(DotGeneralOp op, TensorValue g,
                               Cotangents &cotangents) {
  DotDimensionNumbersAttr dimensions = op.getDotDimensionNumbers();
  Side lhs = makeSide(op.getLhs(), dimensions.getLhsBatchingDimensions(),
                      dimensions.getLhsContractingDimensions());
  Side rhs = makeSide(op.getRhs(), dimensions.getRhsBatchingDimensions(),
                      dimensions.getRhsContractingDimensions());
  int64_t lhsFree = lhs.batching.size();
  int64_t rhsFree = lhsFree + lhs.free.size();
  if (hasCotangent(op.getLhs()))
    cotangents[0] = SideDerivative(op, g, lhs, rhs, lhsFree, rhsFree).build();
  if (hasCotangent(op.getRhs()))
    cotangents[1] = SideDerivative(op, g, rhs, lhs, rhsFree, lhsFree).build();
  return success();
}

} // namespace

void attachDotDerivatives(MLIRContext *context) {
  attachDerivative<DotGeneralOp>(context,
                                 [](auto op, TensorValue g, Cotangents &dx) {
                                   return deriveDotGeneral(op, g, dx);
                                 });
}

} // namespace shardsmith
