// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent, op for op as optax computes it. With momentum a
// trace of past gradients takes the gradient's place:
//
//     t' = g + momentum t
//     u  = t', or with Nesterov's look-ahead u = g + momentum t'
//     p' = p + (-lr) u

#include "shardsmith/Train/Optimizer.h"

using namespace mlir;

namespace shardsmith {
namespace {

class Sgd final : public Optimizer {
public:
  explicit Sgd(const OptimizerOptions &options) : options(options) {}

  StringRef name() const override { return options.name; }

  SmallVector<OptimizerState>
  parameterStates(RankedTensorType parameter) const override {
    if (options.momentum == 0.0)
      return {};
    return {{"trace", parameter}};
  }

  ParameterUpdate
  updateParameter(TensorValue parameter, TensorValue gradient,
                  ArrayRef<TensorValue> states,
                  ArrayRef<TensorValue> sharedScalars) const override {
    if (options.momentum == 0.0)
      return {descend(parameter, gradient), {}};
    TensorValue trace = gradient + options.momentum * states.front();
    TensorValue update =
        options.nesterov ? gradient + options.momentum * trace : trace;
    return {descend(parameter, update), {trace}};
  }

private:
  TensorValue descend(TensorValue parameter, TensorValue update) const {
    return parameter + -options.learningRate * update;
  }

  OptimizerOptions options;
};

} // namespace

std::unique_ptr<Optimizer> createSgd(const OptimizerOptions &options) {
  return std::make_unique<Sgd>(options);
}

} // namespace shardsmith
