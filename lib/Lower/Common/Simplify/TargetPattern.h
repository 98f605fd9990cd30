// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_TARGETPATTERN_H
#define SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_TARGETPATTERN_H

#include "mlir/IR/PatternMatch.h"
#include "shardsmith/Lower/Common/Target.h"

namespace shardsmith::lower {

/// A pattern that knows for which target it simplifies; the target outlives it.
template <typename Op> struct TargetPattern : mlir::OpRewritePattern<Op> {
  TargetPattern(mlir::MLIRContext *context, const TargetTraits &target,
                mlir::PatternBenefit benefit = 1)
      : mlir::OpRewritePattern<Op>(context, benefit), target(target) {}

  const TargetTraits &target;
};

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_TARGETPATTERN_H
