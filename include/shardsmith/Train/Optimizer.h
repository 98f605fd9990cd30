// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TRAIN_OPTIMIZER_H
#define SHARDSMITH_TRAIN_OPTIMIZER_H

#include "shardsmith/Dialect/StableHLO/TensorValue.h"

#include <memory>
#include <string>

namespace shardsmith {

/// A tensor that an optimizer carries from step to step. It starts as zeros.
struct OptimizerState {
  std::string name;
  mlir::RankedTensorType type;
};

/// The shared state after the step, and scalars that every update uses.
struct SharedUpdate {
  llvm::SmallVector<TensorValue> states;
  llvm::SmallVector<TensorValue> scalars;
};

/// A parameter and its own state after the step.
struct ParameterUpdate {
  TensorValue parameter;
  llvm::SmallVector<TensorValue> states;
};

/// Builds the update of parameters from their gradients. Implementations are
/// stateless: what they carry between steps is described by the two functions
/// that return states, and passed in and out as tensors in the same order.
class Optimizer {
public:
  virtual ~Optimizer() = default;

  /// First part of the states' names, as in `adamw.mu.blocks[0].w`.
  virtual llvm::StringRef name() const = 0;

  /// States that exist once, such as a step count.
  virtual llvm::SmallVector<OptimizerState>
  sharedStates(mlir::MLIRContext *context) const {
    return {};
  }

  /// States of each parameter of the given type.
  virtual llvm::SmallVector<OptimizerState>
  parameterStates(mlir::RankedTensorType parameter) const = 0;

  /// Advances the shared states.
  virtual SharedUpdate updateShared(mlir::ImplicitLocOpBuilder &builder,
                                    llvm::ArrayRef<TensorValue> states) const {
    return {};
  }

  /// Updates one parameter.
  virtual ParameterUpdate
  updateParameter(TensorValue parameter, TensorValue gradient,
                  llvm::ArrayRef<TensorValue> states,
                  llvm::ArrayRef<TensorValue> sharedScalars) const = 0;
};

/// The numbers all optimizers choose from; each reads those it knows.
struct OptimizerOptions {
  /// `sgd`, `adam` or `adamw`.
  std::string name = "adamw";
  double learningRate = 1e-3;
  /// sgd: decay of the trace; 0 keeps none.
  double momentum = 0.0;
  bool nesterov = false;
  /// adam: decays of the means of gradients and of their squares.
  double firstDecay = 0.9;
  double secondDecay = 0.999;
  double epsilon = 1e-8;
  /// adamw only.
  double weightDecay = 1e-4;
};

/// Null if there is no optimizer of that name.
std::unique_ptr<Optimizer> createOptimizer(const OptimizerOptions &options);

/// p' = p - lr g, with a trace of past gradients if `momentum` is not 0.
std::unique_ptr<Optimizer> createSgd(const OptimizerOptions &options);

/// Adam, or AdamW with the weight decay of `options`.
std::unique_ptr<Optimizer> createAdam(const OptimizerOptions &options);

} // namespace shardsmith

#endif // SHARDSMITH_TRAIN_OPTIMIZER_H
