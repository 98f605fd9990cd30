// SPDX-License-Identifier: Apache-2.0

#include "../Kernels/Contraction.h"
#include "Register.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

LogicalResult evaluateDot(stablehlo::DotOp op, Arguments operands,
                          const Device &, Tensors &results) {
  // The last dimension of lhs meets the first of rhs.
  const int64_t lhsDim = operands[0].rank() - 1, rhsDim = 0;
  results.push_back(contract(operands[0], operands[1], {{}, {}, lhsDim, rhsDim},
                             staticTypeOf(op.getType())->element));
  return success();
}

LogicalResult evaluateDotGeneral(stablehlo::DotGeneralOp op, Arguments operands,
                                 const Device &, Tensors &results) {
  stablehlo::DotDimensionNumbersAttr dims = op.getDotDimensionNumbers();
  results.push_back(contract(
      operands[0], operands[1],
      {dims.getLhsBatchingDimensions(), dims.getRhsBatchingDimensions(),
       dims.getLhsContractingDimensions(), dims.getRhsContractingDimensions()},
      staticTypeOf(op.getType())->element));
  return success();
}

Shape orOnes(std::optional<ArrayRef<int64_t>> values, size_t count) {
  return values ? Shape(*values) : Shape(count, 1);
}

LogicalResult evaluateConvolution(stablehlo::ConvolutionOp op,
                                  Arguments operands, const Device &,
                                  Tensors &results) {
  stablehlo::ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  const size_t spatialRank = dims.getInputSpatialDimensions().size();
  ConvolutionGeometry geometry;
  geometry.lhsBatchDim = dims.getInputBatchDimension();
  geometry.lhsFeatureDim = dims.getInputFeatureDimension();
  geometry.rhsInputFeatureDim = dims.getKernelInputFeatureDimension();
  geometry.rhsOutputFeatureDim = dims.getKernelOutputFeatureDimension();
  geometry.resultBatchDim = dims.getOutputBatchDimension();
  geometry.resultFeatureDim = dims.getOutputFeatureDimension();
  geometry.lhsSpatial = Shape(dims.getInputSpatialDimensions());
  geometry.rhsSpatial = Shape(dims.getKernelSpatialDimensions());
  geometry.resultSpatial = Shape(dims.getOutputSpatialDimensions());
  geometry.strides = orOnes(op.getWindowStrides(), spatialRank);
  geometry.lhsDilation = orOnes(op.getLhsDilation(), spatialRank);
  geometry.rhsDilation = orOnes(op.getRhsDilation(), spatialRank);
  geometry.paddingLow = Shape(spatialRank, 0);
  if (op.getPadding()) {
    const Tensor padding = tensorFrom(*op.getPadding());
    for (size_t dim = 0; dim < spatialRank; ++dim)
      geometry.paddingLow[dim] = padding.asInteger(2 * dim);
  }
  geometry.reversed.assign(spatialRank, false);
  if (op.getWindowReversal())
    geometry.reversed.assign(op.getWindowReversal()->begin(),
                             op.getWindowReversal()->end());
  geometry.featureGroups = op.getFeatureGroupCount();
  geometry.batchGroups = op.getBatchGroupCount();
  const StaticType type = *staticTypeOf(op.getType());
  results.push_back(
      convolve(operands[0], operands[1], geometry, type.element, type.shape));
  return success();
}

} // namespace

void registerContractions(EvaluatorRegistry &registry) {
  registry.add(evaluateConvolution, Rounding::Sum);
  registry.add(evaluateDot, Rounding::Sum);
  registry.add(evaluateDotGeneral, Rounding::Sum);
}

} // namespace shardsmith::inline interpreter
