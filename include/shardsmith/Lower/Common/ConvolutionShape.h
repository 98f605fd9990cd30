// SPDX-License-Identifier: Apache-2.0
//
// A convolution on row-major tensors, without dimension numbers:
//
//     result[g, n, o, y] = Σ over c and w of lhs[g, n, c, x] · rhs[g, o, c, w]
//
// for the x of lhs that meets y and w in every spatial dimension:
//
//     lhsDilation · x + padding = step · y + rhsDilation · w
//
// The groups g are the major part of these dimensions:
//
//                      lhs        rhs       result
//     feature groups   features   outputs   features
//     batch groups     samples    outputs   features

#ifndef SHARDSMITH_LOWER_COMMON_CONVOLUTIONSHAPE_H
#define SHARDSMITH_LOWER_COMMON_CONVOLUTIONSHAPE_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

namespace shardsmith::lower {

/// Strides are in elements.
struct ConvolutionShape {
  explicit ConvolutionShape(stablehlo::ConvolutionOp op);

  /// Sizes of g, n, c and o.
  int64_t groups, samples, features, outputs;
  struct {
    int64_t group, sample, feature;
  } lhs;
  struct {
    int64_t group, output, feature;
  } rhs;
  struct {
    int64_t group, sample, output;
  } result;

  struct Space {
    int64_t lhsSize, rhsSize, resultSize;
    int64_t lhsStride, rhsStride, resultStride;
    int64_t step, padding, lhsDilation, rhsDilation;
    /// The window is read from its end.
    bool isReversed;
  };
  llvm::SmallVector<Space> space;
};

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_CONVOLUTIONSHAPE_H
