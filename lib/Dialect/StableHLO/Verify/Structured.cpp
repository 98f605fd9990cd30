// SPDX-License-Identifier: Apache-2.0
// Contractions, linear algebra, transforms and normalisation.

#include "Rules.h"

using namespace mlir;

namespace shardsmith::stablehlo {

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

namespace {

/// Batching and contracting dimensions of one side are valid and disjoint.
LogicalResult checkDotSide(const Reporter &report, StringRef side,
                           ArrayRef<int64_t> batching,
                           ArrayRef<int64_t> contracting, int64_t rank) {
  SmallVector<int64_t> used(batching);
  llvm::append_range(used, contracting);
  return checkUnique(report,
                     (side + " batching and contracting dimensions").str(),
                     used, rank);
}

/// Dimensions paired between lhs and rhs have equal sizes.
LogicalResult checkDotPairs(const Reporter &report, StringRef kind,
                            RankedTensorType lhs, ArrayRef<int64_t> lhsDims,
                            RankedTensorType rhs, ArrayRef<int64_t> rhsDims) {
  if (lhsDims.size() != rhsDims.size())
    return report("needs as many ", kind,
                  " dimensions of lhs as of rhs, found ", toText(lhsDims),
                  " and ", toText(rhsDims));
  for (auto [left, right] : llvm::zip(lhsDims, rhsDims))
    if (!agree(lhs.getDimSize(left), rhs.getDimSize(right)))
      return report("pairs ", kind, " dimension ", left, " of lhs, of size ",
                    lhs.getDimSize(left), ", with dimension ", right,
                    " of rhs, of size ", rhs.getDimSize(right));
  return success();
}

} // namespace

FailureOr<Shape> inferDotGeneralShape(const Reporter &report,
                                      RankedTensorType lhs,
                                      RankedTensorType rhs,
                                      DotDimensionNumbersAttr numbers) {
  ArrayRef<int64_t> lhsBatching = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhsBatching = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsContracting = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsContracting = numbers.getRhsContractingDimensions();
  if (failed(checkDotSide(report, "lhs", lhsBatching, lhsContracting,
                          lhs.getRank())) ||
      failed(checkDotSide(report, "rhs", rhsBatching, rhsContracting,
                          rhs.getRank())) ||
      failed(checkDotPairs(report, "batching", lhs, lhsBatching, rhs,
                           rhsBatching)) ||
      failed(checkDotPairs(report, "contracting", lhs, lhsContracting, rhs,
                           rhsContracting)))
    return failure();
  Shape shape;
  for (int64_t dim : lhsBatching)
    shape.push_back(lhs.getDimSize(dim));
  auto appendFree = [&](RankedTensorType type, ArrayRef<int64_t> batching,
                        ArrayRef<int64_t> contracting) {
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!llvm::is_contained(batching, dim) &&
          !llvm::is_contained(contracting, dim))
        shape.push_back(type.getDimSize(dim));
  };
  appendFree(lhs, lhsBatching, lhsContracting);
  appendFree(rhs, rhsBatching, rhsContracting);
  return shape;
}

LogicalResult DotGeneralOp::verify() {
  Reporter report = reporterOf(*this);
  if (getPrecisionConfig() && !getPrecisionConfig()->empty() &&
      getPrecisionConfig()->size() != 2)
    return report("needs a precision per operand, found ",
                  getPrecisionConfig()->size());
  FailureOr<Shape> shape = inferDotGeneralShape(
      report, getLhs().getType(), getRhs().getType(), getDotDimensionNumbers());
  if (failed(shape))
    return failure();
  return checkResultShape(report, getType(), *shape);
}

LogicalResult DotOp::verify() {
  Reporter report = reporterOf(*this);
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  if (lhs.getRank() < 1 || lhs.getRank() > 2 || rhs.getRank() < 1 ||
      rhs.getRank() > 2)
    return report("needs vectors or matrices, found ", lhs, " and ", rhs);
  auto numbers = DotDimensionNumbersAttr::get(getContext(), {}, {},
                                              {lhs.getRank() - 1}, {0});
  FailureOr<Shape> shape = inferDotGeneralShape(report, lhs, rhs, numbers);
  if (failed(shape))
    return failure();
  return checkResultShape(report, getType(), *shape);
}

//===----------------------------------------------------------------------===//
// Linear algebra
//===----------------------------------------------------------------------===//

namespace {

/// The two minor dimensions are equal.
LogicalResult checkSquare(const Reporter &report, StringRef name,
                          RankedTensorType type) {
  if (type.getRank() < 2)
    return report("needs ", name, " of rank 2 or more, found ", type);
  int64_t rows = type.getDimSize(type.getRank() - 2);
  int64_t columns = type.getDimSize(type.getRank() - 1);
  if (agree(rows, columns))
    return success();
  return report("needs square matrices in ", name, ", found ", rows, " by ",
                columns);
}

} // namespace

LogicalResult CholeskyOp::inferReturnTypes(MLIRContext *,
                                           OptionalLocation location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  types.push_back(adaptor.getA().getType());
  return checkSquare(report, "a", tensorType(adaptor.getA()));
}

LogicalResult
TriangularSolveOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  RankedTensorType a = tensorType(adaptor.getA());
  RankedTensorType b = tensorType(adaptor.getB());
  if (a.getElementType() != b.getElementType())
    return report("needs operands of one element type, found ",
                  a.getElementType(), " and ", b.getElementType());
  if (failed(checkSquare(report, "a", a)))
    return failure();
  if (a.getRank() != b.getRank() ||
      !agree(a.getShape().drop_back(2), b.getShape().drop_back(2)))
    return report("needs a and b of the same batch dimensions, found ", a,
                  " and ", b);
  int64_t dim = b.getRank() - (adaptor.getLeftSide() ? 2 : 1);
  if (!agree(a.getShape().back(), b.getDimSize(dim)))
    return report("needs dimension ", dim, " of b to be of size ",
                  a.getShape().back(), ", found ", b.getDimSize(dim));
  if (adaptor.getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return report("needs transpose_a NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  types.push_back(b);
  return success();
}

LogicalResult FftOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  RankedTensorType operand = tensorType(adaptor.getOperand());
  ArrayRef<int64_t> length = adaptor.getFftLength();
  int64_t rank = length.size();
  if (rank < 1 || rank > 3 || rank > operand.getRank())
    return report("needs 1 to 3 lengths, at most one per operand dimension, "
                  "found ",
                  rank, " for rank ", operand.getRank());
  FftType kind = adaptor.getFftType();
  Type element = operand.getElementType();
  bool isComplex = isa<ComplexType>(element);
  if (isComplex == (kind == FftType::RFFT))
    return report("of type ", stringifyFftType(kind), " needs ",
                  isComplex ? "real" : "complex", " elements, found ", element);
  // A real transform keeps length / 2 + 1 of the minor frequencies.
  Shape shape(operand.getShape());
  Shape expected(length);
  if (kind == FftType::IRFFT && expected.back() != 0)
    expected.back() = expected.back() / 2 + 1;
  ArrayRef<int64_t> found = operand.getShape().take_back(rank);
  if (!agree(expected, found))
    return report("of type ", stringifyFftType(kind), " and length ",
                  toText(length), " needs minor dimensions ", toText(expected),
                  ", found ", toText(found));
  if (kind == FftType::RFFT) {
    if (shape.back() != 0 && !ShapedType::isDynamic(shape.back()))
      shape.back() = shape.back() / 2 + 1;
    element = ComplexType::get(element);
  }
  if (kind == FftType::IRFFT) {
    shape.back() = length.back();
    element = cast<ComplexType>(element).getElementType();
  }
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

//===----------------------------------------------------------------------===//
// Normalisation
//===----------------------------------------------------------------------===//

namespace {

/// Per-feature operands are vectors of the feature dimension's size.
LogicalResult checkFeatures(const Reporter &report, Value operand,
                            int64_t featureIndex, ValueRange perFeature) {
  RankedTensorType type = tensorType(operand);
  if (featureIndex < 0 || featureIndex >= type.getRank())
    return report("has feature_index ", featureIndex, ", outside [0, ",
                  type.getRank(), ")");
  int64_t features = type.getDimSize(featureIndex);
  for (Value value : perFeature) {
    RankedTensorType vector = tensorType(value);
    if (vector.getRank() != 1 || !agree(vector.getDimSize(0), features))
      return report("needs vectors of the ", features,
                    " features of dimension ", featureIndex, ", found ",
                    vector);
  }
  return success();
}

RankedTensorType featureType(Value operand, int64_t featureIndex) {
  return RankedTensorType::get({tensorType(operand).getDimSize(featureIndex)},
                               elementType(operand));
}

} // namespace

LogicalResult
BatchNormTrainingOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  int64_t index = adaptor.getFeatureIndex();
  Value operand = adaptor.getOperand();
  if (failed(checkFeatures({location, getOperationName()}, operand, index,
                           {adaptor.getScale(), adaptor.getOffset()})))
    return failure();
  Type vector = featureType(operand, index);
  types.append({operand.getType(), vector, vector});
  return success();
}

LogicalResult
BatchNormInferenceOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getOperand().getType());
  return checkFeatures({location, getOperationName()}, adaptor.getOperand(),
                       adaptor.getFeatureIndex(),
                       {adaptor.getScale(), adaptor.getOffset(),
                        adaptor.getMean(), adaptor.getVariance()});
}

LogicalResult BatchNormGradOp::inferReturnTypes(MLIRContext *,
                                                OptionalLocation location,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  int64_t index = adaptor.getFeatureIndex();
  Value operand = adaptor.getOperand();
  if (failed(checkFeatures(
          report, operand, index,
          {adaptor.getScale(), adaptor.getMean(), adaptor.getVariance()})))
    return failure();
  if (!areCompatibleTypes(operand.getType(), adaptor.getGradOutput().getType()))
    return report("needs grad_output of the operand's type ", operand.getType(),
                  ", found ", adaptor.getGradOutput().getType());
  Type vector = featureType(operand, index);
  types.append({operand.getType(), vector, vector});
  return success();
}

} // namespace shardsmith::stablehlo
