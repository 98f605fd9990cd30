// SPDX-License-Identifier: Apache-2.0
//
// Batch normalization, in double precision. With x̂ = (x - mean) / deviation
// and deviation = sqrt(variance + epsilon), all per feature:
//
//   output       scale · x̂ + offset
//   grad offset  sum(g)
//   grad scale   sum(g · x̂)
//   grad operand scale / deviation ·
//                (g - (sum(g) + x̂ · sum(g · x̂)) / count)

#include "../Kernels/Elementwise.h"
#include "../Kernels/Movement.h"
#include "../Kernels/Reduction.h"
#include "../Kernels/SpecialFunctions.h"
#include "Register.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

/// Arithmetic on float64 tensors of one shape.
Tensor operator+(const Tensor &a, const Tensor &b) {
  return applyBinary(BinaryKind::Add, a, b);
}
Tensor operator-(const Tensor &a, const Tensor &b) {
  return applyBinary(BinaryKind::Subtract, a, b);
}
Tensor operator*(const Tensor &a, const Tensor &b) {
  return applyBinary(BinaryKind::Multiply, a, b);
}
Tensor operator/(const Tensor &a, const Tensor &b) {
  return applyBinary(BinaryKind::Divide, a, b);
}

/// Moves between tensors with one value per feature and whole ones.
class Features {
public:
  Features(const Tensor &operand, int64_t featureDim)
      : shape(operand.shape()), featureDim(featureDim),
        count(static_cast<double>(operand.size()) /
              static_cast<double>(
                  std::max<int64_t>(operand.dim(featureDim), 1))) {}

  Tensor spread(const Tensor &perFeature) const {
    return broadcastInDim(convert(perFeature, ElementType::F64), featureDim,
                          shape);
  }
  Tensor constant(double value) const {
    return Tensor::filled(ElementType::F64, shape, value);
  }
  Tensor sum(const Tensor &whole) const {
    Shape dims;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (static_cast<int64_t>(dim) != featureDim)
        dims.push_back(dim);
    return reduce(BinaryKind::Add, whole,
                  Tensor::filled(ElementType::F64, {}, 0), dims);
  }
  Tensor mean(const Tensor &whole) const {
    const Tensor total = sum(whole);
    return total / Tensor::filled(ElementType::F64, total.shape(), count);
  }
  /// 1 / sqrt(variance + epsilon), spread.
  Tensor inverseDeviation(const Tensor &variance,
                          const APFloat &epsilon) const {
    return applyReal(reciprocalSquareRoot,
                     spread(variance) + constant(epsilon.convertToFloat()));
  }
  double elementsPerFeature() const { return count; }

private:
  Shape shape;
  int64_t featureDim;
  double count;
};

LogicalResult evaluateTraining(stablehlo::BatchNormTrainingOp op,
                               Arguments operands, const Device &,
                               Tensors &results) {
  const ElementType type = operands[0].type();
  const Features features(operands[0], op.getFeatureIndex());
  const Tensor x = convert(operands[0], ElementType::F64);
  const Tensor mean = features.mean(x);
  const Tensor centred = x - features.spread(mean);
  const Tensor variance = features.mean(centred * centred);
  const Tensor output =
      features.spread(operands[1]) * centred *
          features.inverseDeviation(variance, op.getEpsilon()) +
      features.spread(operands[2]);
  for (const Tensor &result : {output, mean, variance})
    results.push_back(convert(result, type));
  return success();
}

LogicalResult evaluateInference(stablehlo::BatchNormInferenceOp op,
                                Arguments operands, const Device &,
                                Tensors &results) {
  const Features features(operands[0], op.getFeatureIndex());
  const Tensor centred =
      convert(operands[0], ElementType::F64) - features.spread(operands[3]);
  const Tensor output =
      features.spread(operands[1]) * centred *
          features.inverseDeviation(operands[4], op.getEpsilon()) +
      features.spread(operands[2]);
  results.push_back(convert(output, operands[0].type()));
  return success();
}

LogicalResult evaluateGradient(stablehlo::BatchNormGradOp op,
                               Arguments operands, const Device &,
                               Tensors &results) {
  const ElementType type = operands[0].type();
  const Features features(operands[0], op.getFeatureIndex());
  const Tensor inverse =
      features.inverseDeviation(operands[3], op.getEpsilon());
  const Tensor normalized =
      (convert(operands[0], ElementType::F64) - features.spread(operands[2])) *
      inverse;
  const Tensor gradient = convert(operands[4], ElementType::F64);
  const Tensor gradOffset = features.sum(gradient);
  const Tensor gradScale = features.sum(gradient * normalized);
  const Tensor shared =
      (features.spread(gradOffset) + normalized * features.spread(gradScale)) /
      features.constant(features.elementsPerFeature());
  const Tensor gradOperand =
      features.spread(operands[1]) * inverse * (gradient - shared);
  for (const Tensor &result : {gradOperand, gradScale, gradOffset})
    results.push_back(convert(result, type));
  return success();
}

} // namespace

void registerNormalization(EvaluatorRegistry &registry) {
  registry.add(evaluateGradient, Rounding::Sum);
  registry.add(evaluateInference, Rounding::Sum);
  registry.add(evaluateTraining, Rounding::Sum);
}

} // namespace shardsmith::inline interpreter
