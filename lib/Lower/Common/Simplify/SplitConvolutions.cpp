// SPDX-License-Identifier: Apache-2.0
//
// The gradient of a small kernel on many images has few results, each of a sum
// over all samples and places: a block per tile would leave the device idle.
// The features that are summed over, there the samples, are split into groups,
// whose partial sums are added up by a kernel:
//
//     y[o] = Σ over c of x[c] · k[c, o]              n features c, 9 tiles
//
//     part[p, o] = Σ over c of x[p, c] · k[c, p, o]  p groups of n / p, 9 p
//     tiles y[o] = Σ over p of part[p, o]
//
// x is as it was, k has a group's outputs beside those of other groups, which
// is a transpose, and partial sums are of f32.

#include "SplitConvolutions.h"
#include "TargetPattern.h"

#include "shardsmith/Lower/Common/ConvolutionShape.h"
#include "shardsmith/Support/TensorTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

/// The least terms of a sum that are left to a block: enough loads to wait for
/// the first of them once.
constexpr int64_t leastTerms = 512;
/// Sums are whole where the device has room for fewer parts than this.
constexpr int64_t worthParts = 4;

struct SplitConvolution : TargetPattern<stablehlo::ConvolutionOp> {
  using TargetPattern::TargetPattern;

  LogicalResult matchAndRewrite(stablehlo::ConvolutionOp op,
                                PatternRewriter &rewriter) const override {
    int64_t parts = partsOf(op);
    if (parts == 1)
      return failure();
    Location location = op.getLoc();
    auto numbers = op.getDimensionNumbers();
    Type f32 = rewriter.getF32Type();
    Value kernel = grouped(
        rewriter, location, op.getRhs(), parts,
        static_cast<int64_t>(numbers.getKernelInputFeatureDimension()),
        static_cast<int64_t>(numbers.getKernelOutputFeatureDimension()));
    RankedTensorType type = op.getType();
    auto outputs = static_cast<int64_t>(numbers.getOutputFeatureDimension());
    SmallVector<int64_t> sizes(type.getShape());
    sizes[outputs] *= parts;
    auto partial = cast<stablehlo::ConvolutionOp>(rewriter.clone(*op));
    partial.getRhsMutable().assign(kernel);
    partial.setFeatureGroupCount(parts);
    partial.getResult().setType(RankedTensorType::get(sizes, f32));
    // Parts become a dimension of their own, in front of the outputs.
    sizes[outputs] = type.getDimSize(outputs);
    sizes.insert(sizes.begin() + outputs, parts);
    Value split = stablehlo::ReshapeOp::create(rewriter, location,
                                               partial.getResult(), sizes);
    Value zero = stablehlo::ConstantOp::create(
        rewriter, location,
        DenseElementsAttr::get(RankedTensorType::get({}, f32),
                               rewriter.getF32FloatAttr(0)));
    auto sum = stablehlo::ReduceOp::create(rewriter, location,
                                           ValueRange{split}, ValueRange{zero},
                                           ArrayRef<int64_t>{outputs});
    addAddition(rewriter, sum, f32);
    if (type.getElementType() == f32)
      rewriter.replaceOp(op, sum.getResult(0));
    else
      rewriter.replaceOpWithNewOp<stablehlo::ConvertOp>(op, type,
                                                        sum.getResult(0));
    return success();
  }

private:
  /// The largest number of parts that divides the features, gives the device
  /// no more tiles than occupy it, and leaves sums that are worth a block.
  int64_t partsOf(stablehlo::ConvolutionOp op) const {
    ConvolutionShape shape(op);
    for (Value tensor : {op.getLhs(), op.getRhs(), op.getResult()}) {
      Type element = getElementTypeOrSelf(tensor);
      if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() > 32)
        return 1;
    }
    int64_t positions = shape.samples, terms = shape.features;
    for (const ConvolutionShape::Space &space : shape.space) {
      positions *= space.resultSize;
      terms *= space.rhsSize;
    }
    int64_t tile = target.convolutionTile;
    if (shape.groups != 1 || positions == 0 || shape.outputs < tile / 8)
      return 1;
    int64_t tiles = llvm::divideCeil(positions, tile) *
                    llvm::divideCeil(shape.outputs, tile);
    // Partial sums of large results would cost more than idle blocks do.
    if (target.enoughTiles / tiles < worthParts)
      return 1;
    int64_t most = std::min(
        {target.enoughTiles / tiles, terms / leastTerms, shape.features});
    for (int64_t parts = most; parts > 1; --parts)
      if (shape.features % parts == 0)
        return parts;
    return 1;
  }

  /// Of a kernel [i, o], in any order, the kernel [i / parts, parts · o] of as
  /// many groups of features.
  static Value grouped(PatternRewriter &rewriter, Location location,
                       Value kernel, int64_t parts, int64_t inputs,
                       int64_t outputs) {
    ArrayRef<int64_t> shape = shapeOf(kernel);
    SmallVector<int64_t> split, order, joined(shape);
    for (auto [d, size] : llvm::enumerate(shape)) {
      if (static_cast<int64_t>(d) == inputs)
        split.push_back(parts);
      split.push_back(static_cast<int64_t>(d) == inputs ? size / parts : size);
    }
    // Dimension d is behind that of parts from the inputs on.
    for (int64_t d = 0, e = shape.size(); d < e; ++d) {
      if (d == outputs)
        order.push_back(inputs);
      order.push_back(d + (d >= inputs ? 1 : 0));
    }
    joined[inputs] /= parts;
    joined[outputs] *= parts;
    Value apart =
        stablehlo::ReshapeOp::create(rewriter, location, kernel, split);
    Value moved =
        stablehlo::TransposeOp::create(rewriter, location, apart, order);
    return stablehlo::ReshapeOp::create(rewriter, location, moved, joined);
  }

  static void addAddition(PatternRewriter &rewriter, stablehlo::ReduceOp sum,
                          Type element) {
    OpBuilder::InsertionGuard guard(rewriter);
    Type scalar = RankedTensorType::get({}, element);
    Location location = sum.getLoc();
    Block *body = rewriter.createBlock(&sum.getBody(), {}, {scalar, scalar},
                                       {location, location});
    Value added = stablehlo::AddOp::create(
        rewriter, location, body->getArgument(0), body->getArgument(1));
    stablehlo::ReturnOp::create(rewriter, location, added);
  }
};

} // namespace

void populateConvolutionSplitPatterns(RewritePatternSet &patterns,
                                      const TargetTraits &target) {
  if (target.convolutionTile > 0)
    patterns.add<SplitConvolution>(patterns.getContext(), target);
}

} // namespace shardsmith::lower
