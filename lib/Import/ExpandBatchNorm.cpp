// SPDX-License-Identifier: Apache-2.0
//
// With x̂ = (x - mean) / sqrt(variance + epsilon), per feature, and g the
// gradient of the result, over count elements per feature:
//
//     training      mean and variance of x itself, then as inference
//     inference     scale · x̂ + offset
//     gradients     of the offset  sum(g)
//                   of the scale   sum(g · x̂)
//                   of x           scale / sqrt(variance + epsilon) ·
//                                  (g - (sum(g) + x̂ · sum(g · x̂)) / count)
//
// Floats narrower than 32 bits are computed in f32.

#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Import/Passes.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_EXPANDBATCHNORM
#include "shardsmith/Import/Passes.h.inc"

namespace {

/// The operands of one op in the type that is computed in, and moves between
/// tensors with one value per feature and whole ones.
class Features {
public:
  template <typename Op>
  Features(ImplicitLocOpBuilder &builder, Op op)
      : builder(builder), type(op.getOperand().getType()),
        feature(op.getFeatureIndex()),
        epsilon(op.getEpsilon().convertToFloat()) {
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (dim == feature)
        continue;
      others.push_back(dim);
      count *= double(type.getDimSize(dim));
    }
  }

  TensorValue wide(Value value) const {
    TensorValue tensor(builder, value);
    bool isNarrow = tensor.elementType().getIntOrFloatBitWidth() < 32;
    return isNarrow ? convert(tensor, builder.getF32Type()) : tensor;
  }
  TensorValue spread(TensorValue perFeature) const {
    return broadcastInDim(perFeature, type.getShape(), {feature});
  }
  TensorValue total(TensorValue whole) const { return sum(whole, others); }
  TensorValue mean(TensorValue whole) const { return total(whole) / count; }
  TensorValue inverseDeviation(TensorValue variance) const {
    return spread(reciprocalSquareRoot(variance + epsilon));
  }
  double elementsPerFeature() const { return count; }

private:
  ImplicitLocOpBuilder &builder;
  RankedTensorType type;
  int64_t feature;
  double epsilon;
  SmallVector<int64_t> others;
  double count = 1;
};

using Results = SmallVector<TensorValue>;

/// scale · centred / deviation + offset
TensorValue normalize(const Features &features, TensorValue centred,
                      TensorValue variance, Value scale, Value offset) {
  TensorValue factor = features.spread(features.wide(scale));
  TensorValue normalized = centred * features.inverseDeviation(variance);
  TensorValue scaled = factor * normalized;
  return scaled + features.spread(features.wide(offset));
}

Results expand(const Features &features, stablehlo::BatchNormTrainingOp op) {
  TensorValue x = features.wide(op.getOperand());
  TensorValue mean = features.mean(x);
  TensorValue centred = x - features.spread(mean);
  TensorValue variance = features.mean(square(centred));
  TensorValue output =
      normalize(features, centred, variance, op.getScale(), op.getOffset());
  return {output, mean, variance};
}

Results expand(const Features &features, stablehlo::BatchNormInferenceOp op) {
  TensorValue x = features.wide(op.getOperand());
  TensorValue centred = x - features.spread(features.wide(op.getMean()));
  return {normalize(features, centred, features.wide(op.getVariance()),
                    op.getScale(), op.getOffset())};
}

Results expand(const Features &features, stablehlo::BatchNormGradOp op) {
  TensorValue x = features.wide(op.getOperand());
  TensorValue centred = x - features.spread(features.wide(op.getMean()));
  TensorValue inverse =
      features.inverseDeviation(features.wide(op.getVariance()));
  TensorValue normalized = centred * inverse;
  TensorValue g = features.wide(op.getGradOutput());
  TensorValue byOffset = features.total(g);
  TensorValue byScale = features.total(g * normalized);
  TensorValue slope = normalized * features.spread(byScale);
  TensorValue shared =
      (slope + features.spread(byOffset)) / features.elementsPerFeature();
  TensorValue factor = features.spread(features.wide(op.getScale())) * inverse;
  return {factor * (g - shared), byScale, byOffset};
}

template <typename Op> void expandAll(func::FuncOp function) {
  function.walk([](Op op) {
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    Results results = expand(Features(builder, op), op);
    for (auto [old, made] : llvm::zip_equal(op->getResults(), results)) {
      Type element = getElementTypeOrSelf(old);
      old.replaceAllUsesWith(convert(made, element));
    }
    op.erase();
  });
}

struct ExpandBatchNorm : impl::ExpandBatchNormBase<ExpandBatchNorm> {
  void runOnOperation() override {
    expandAll<stablehlo::BatchNormTrainingOp>(getOperation());
    expandAll<stablehlo::BatchNormInferenceOp>(getOperation());
    expandAll<stablehlo::BatchNormGradOp>(getOperation());
  }
};

} // namespace
} // namespace shardsmith
