// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_INTERPRETER_KERNELS_CONTRACTION_H
#define SHARDSMITH_LIB_INTERPRETER_KERNELS_CONTRACTION_H

#include "shardsmith/Interpreter/Tensor.h"

namespace shardsmith::inline interpreter {

struct ContractionDims {
  llvm::ArrayRef<int64_t> lhsBatch, rhsBatch;
  llvm::ArrayRef<int64_t> lhsContracting, rhsContracting;
};

/// The general dot product. Result dimensions are batch, free of lhs, free of
/// rhs. Floats are summed in double precision and rounded once to the result
/// type; integers wrap around in it.
Tensor contract(const Tensor &lhs, const Tensor &rhs,
                const ContractionDims &dims, ElementType resultType);

struct ConvolutionGeometry {
  int64_t lhsBatchDim, lhsFeatureDim;
  int64_t rhsInputFeatureDim, rhsOutputFeatureDim;
  int64_t resultBatchDim, resultFeatureDim;
  /// Spatial dimensions in corresponding order.
  Shape lhsSpatial, rhsSpatial, resultSpatial;
  /// One entry per spatial dimension; padding may be negative.
  Shape strides, paddingLow, lhsDilation, rhsDilation;
  llvm::SmallVector<bool> reversed;
  int64_t featureGroups = 1, batchGroups = 1;
};

/// Convolution by definition, summed as `contract` sums.
Tensor convolve(const Tensor &lhs, const Tensor &rhs,
                const ConvolutionGeometry &geometry, ElementType resultType,
                llvm::ArrayRef<int64_t> resultShape);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_KERNELS_CONTRACTION_H
