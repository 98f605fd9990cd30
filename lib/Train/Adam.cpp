// SPDX-License-Identifier: Apache-2.0
// Adam (Kingma and Ba, 2015) and AdamW (Loshchilov and Hutter, 2019), op for
// op as optax computes them:
//
//     t' = t + 1
//     m' = (1 - b1) g + b1 m
//     v' = (1 - b2) g² + b2 v
//     u  = (m' / (1 - b1^t')) / (sqrt(v' / (1 - b2^t')) + eps)
//     p' = p + (-lr) (u + weight_decay p)

#include "shardsmith/Train/Optimizer.h"

#include <limits>

using namespace mlir;

namespace shardsmith {
namespace {

class Adam final : public Optimizer {
public:
  explicit Adam(const OptimizerOptions &options) : options(options) {}

  StringRef name() const override { return options.name; }

  SmallVector<OptimizerState>
  sharedStates(MLIRContext *context) const override {
    return {
        {"count", RankedTensorType::get({}, IntegerType::get(context, 32))}};
  }

  SmallVector<OptimizerState>
  parameterStates(RankedTensorType parameter) const override {
    return {{"mu", parameter}, {"nu", parameter}};
  }

  SharedUpdate updateShared(ImplicitLocOpBuilder &builder,
                            ArrayRef<TensorValue> states) const override {
    TensorValue count = increment(states.front());
    TensorValue steps = convert(count, builder.getF32Type());
    auto correction = [&](double decay) {
      return 1.0 - power(steps.filled(decay), steps);
    };
    return {{count},
            {correction(options.firstDecay), correction(options.secondDecay)}};
  }

  ParameterUpdate
  updateParameter(TensorValue parameter, TensorValue gradient,
                  ArrayRef<TensorValue> states,
                  ArrayRef<TensorValue> sharedScalars) const override {
    auto like = [&](TensorValue scalarValue) {
      return broadcastScalar(convert(scalarValue, parameter.elementType()),
                             parameter.shape());
    };
    double b1 = options.firstDecay, b2 = options.secondDecay;
    TensorValue mean = (1.0 - b1) * gradient;
    mean = mean + b1 * states[0];
    TensorValue meanSquare = (1.0 - b2) * square(gradient);
    meanSquare = meanSquare + b2 * states[1];
    TensorValue corrected = mean / like(sharedScalars[0]);
    TensorValue correctedSquare = meanSquare / like(sharedScalars[1]);
    TensorValue update =
        corrected / (squareRoot(correctedSquare) + options.epsilon);
    if (options.weightDecay != 0.0)
      update = update + options.weightDecay * parameter;
    return {parameter + -options.learningRate * update, {mean, meanSquare}};
  }

private:
  /// Stays at the largest count instead of wrapping around.
  static TensorValue increment(TensorValue count) {
    double largest = std::numeric_limits<int32_t>::max();
    TensorValue canGrow =
        compare(count, stablehlo::ComparisonDirection::LT, largest);
    TensorValue next = count + 1.0;
    return select(canGrow, next, count.filled(largest));
  }

  OptimizerOptions options;
};

} // namespace

std::unique_ptr<Optimizer> createAdam(const OptimizerOptions &options) {
  return std::make_unique<Adam>(options);
}

} // namespace shardsmith
