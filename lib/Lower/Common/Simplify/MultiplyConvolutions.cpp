// SPDX-License-Identifier: Apache-2.0
//
// A convolution is a product of matrices if each of its spatial dimensions is
// one of these:
//
//     kept     the window has one place, and the result all of lhs:
//              1 × 1 convolutions, and the gradients of their inputs
//     summed   the window has all places of lhs, and the result has one:
//              the gradients of their kernels, and dense layers on images
//
//     y[n, h, w, o] = Σ over c of x[n, h, w, c] · k[0, 0, c, o]
//                   = dot_general(x, reshape(k))
//
// Only where the product has the result's order of dimensions: a transpose
// behind it would go through memory once more.

#include "MultiplyConvolutions.h"
#include "TargetPattern.h"

#include "shardsmith/Lower/Common/ConvolutionShape.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

/// What dimensions stand for, in the order of a tensor. Spatial dimensions are
/// numbered from zero.
using Roles = SmallVector<int64_t>;
constexpr int64_t sample = -1, feature = -2, output = -3;

bool isKept(const ConvolutionShape::Space &space) {
  return space.rhsSize == 1 && space.resultSize == space.lhsSize &&
         space.step == 1 && space.lhsDilation == 1 && space.padding == 0;
}

bool isSummed(const ConvolutionShape::Space &space) {
  return space.resultSize == 1 && space.rhsSize == space.lhsSize &&
         space.lhsDilation == 1 && space.rhsDilation == 1 &&
         space.padding == 0 && !space.isReversed;
}

/// The roles of a tensor's dimensions, without those for which `isDropped`.
Roles rolesOf(Value tensor, int64_t first, int64_t firstRole, int64_t second,
              int64_t secondRole, ArrayRef<int64_t> space,
              const SmallVector<bool> &isDropped) {
  Roles all(shapeOf(tensor).size());
  all[first] = firstRole;
  all[second] = secondRole;
  for (auto [i, dimension] : llvm::enumerate(space))
    all[dimension] = static_cast<int64_t>(i);
  llvm::erase_if(all, [&](int64_t role) {
    return role >= 0 && !isDropped.empty() && isDropped[role];
  });
  return all;
}

Roles without(const Roles &roles, const Roles &others) {
  Roles rest;
  llvm::copy_if(roles, std::back_inserter(rest), [&](int64_t role) {
    return !llvm::is_contained(others, role);
  });
  return rest;
}

struct MultiplyConvolution : TargetPattern<stablehlo::ConvolutionOp> {
  using TargetPattern::TargetPattern;

  LogicalResult matchAndRewrite(stablehlo::ConvolutionOp op,
                                PatternRewriter &rewriter) const override {
    ConvolutionShape shape(op);
    SmallVector<bool> isOfResult, isOfWindow;
    for (const ConvolutionShape::Space &space : shape.space) {
      if (!isKept(space) && !isSummed(space))
        return failure();
      isOfResult.push_back(isKept(space));
      isOfWindow.push_back(!isKept(space));
    }
    auto elementOf = [](Value value) { return getElementTypeOrSelf(value); };
    if (shape.groups != 1 ||
        !target.hasGemm(elementOf(op.getLhs()), elementOf(op.getRhs()),
                        elementOf(op.getResult())))
      return failure();
    auto numbers = op.getDimensionNumbers();
    Roles lhs = rolesOf(op.getLhs(), numbers.getInputBatchDimension(), sample,
                        numbers.getInputFeatureDimension(), feature,
                        numbers.getInputSpatialDimensions(), {});
    Roles rhs =
        rolesOf(op.getRhs(), numbers.getKernelInputFeatureDimension(), feature,
                numbers.getKernelOutputFeatureDimension(), output,
                numbers.getKernelSpatialDimensions(), /*isDropped=*/isOfResult);
    Roles result =
        rolesOf(op.getResult(), numbers.getOutputBatchDimension(), sample,
                numbers.getOutputFeatureDimension(), output,
                numbers.getOutputSpatialDimensions(), /*isDropped=*/isOfWindow);
    Roles summed = without(lhs, without(lhs, rhs));
    Roles lhsFirst = without(lhs, summed), rhsFirst = without(rhs, summed);
    Roles lhsFree = lhsFirst;
    llvm::append_range(lhsFirst, rhsFirst);
    llvm::append_range(rhsFirst, lhsFree);
    if (result != lhsFirst && result != rhsFirst)
      return failure();
    auto placesIn = [&](const Roles &roles) {
      SmallVector<int64_t> places;
      for (int64_t role : summed)
        places.push_back(llvm::find(roles, role) - roles.begin());
      return places;
    };
    SmallVector<int64_t> window;
    for (int64_t role : rhs)
      window.push_back(role == feature  ? shape.features
                       : role == output ? shape.outputs
                                        : shape.space[role].rhsSize);
    Location location = op.getLoc();
    Value left = op.getLhs(), right = stablehlo::ReshapeOp::create(
                                  rewriter, location, op.getRhs(), window);
    SmallVector<int64_t> ofLeft = placesIn(lhs), ofRight = placesIn(rhs);
    if (result != lhsFirst) {
      std::swap(left, right);
      std::swap(ofLeft, ofRight);
    }
    Value product = stablehlo::DotGeneralOp::create(
        rewriter, location, left, right,
        stablehlo::DotDimensionNumbersAttr::get(op.getContext(), {}, {}, ofLeft,
                                                ofRight),
        op.getPrecisionConfigAttr(), elementOf(op.getResult()));
    rewriter.replaceOp(op,
                       stablehlo::ReshapeOp::create(rewriter, location, product,
                                                    shapeOf(op.getResult())));
    return success();
  }
};

} // namespace

void populateConvolutionProductPatterns(RewritePatternSet &patterns,
                                        const TargetTraits &target) {
  // Before sums are split, which libraries do as they see fit.
  patterns.add<MultiplyConvolution>(patterns.getContext(), target,
                                    /*benefit=*/2);
}

} // namespace shardsmith::lower
