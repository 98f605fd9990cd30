// SPDX-License-Identifier: Apache-2.0
//
// Random errors as large as those of rounding, for programs that run on one
// device. A program that runs with them shows how much another correct
// execution of it may differ: one that sums in another order, in several parts,
// or keeps in registers what this one rounds. docs/verify.md has the model.

#ifndef SHARDSMITH_INTERPRETER_ROUNDINGNOISE_H
#define SHARDSMITH_INTERPRETER_ROUNDINGNOISE_H

#include "mlir/IR/Operation.h"
#include "shardsmith/Interpreter/Machine.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <set>

namespace shardsmith::inline interpreter {

enum class Rounding;

/// Half the distance from 1 to the next value of a float type, 0 for others.
double unitRoundoff(ElementType type);

class RoundingNoise {
public:
  explicit RoundingNoise(uint64_t seed) : state(seed) {}

  /// Before an op that sums is evaluated: each term differs as much as all
  /// roundings of sums of such length add up to.
  void shakeOperands(mlir::Operation *op, Rounding rounding, Tensors &operands);
  /// After an op: its results differ by as much as they are rounded.
  void shakeResults(mlir::Operation *op, Rounding rounding,
                    llvm::ArrayRef<Tensor> operands, Tensors &results);

  /// What has been shaken so far: types of results, and the most terms that
  /// were summed to one element.
  const std::set<ElementType> &types() const { return shakenTypes; }
  int64_t longestSum() const { return mostTerms; }

private:
  /// `tensor` with each element off by up to `relative` of its magnitude,
  /// rounded to one of the two nearest values. Zeros stay; if `isZero` is
  /// given, those of which it says that they are no underflow.
  Tensor shaken(const Tensor &tensor, double relative,
                llvm::function_ref<bool(int64_t)> isZero = nullptr);
  uint64_t draw();

  uint64_t state;
  std::set<ElementType> shakenTypes;
  int64_t mostTerms = 0;
};

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_INTERPRETER_ROUNDINGNOISE_H
