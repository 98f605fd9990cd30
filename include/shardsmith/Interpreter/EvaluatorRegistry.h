// SPDX-License-Identifier: Apache-2.0
//
// Which function evaluates which op. An op is evaluated either device by
// device, seeing only its own operands, or for all devices at once
// (collectives, and control flow around them).

#ifndef SHARDSMITH_INTERPRETER_EVALUATORREGISTRY_H
#define SHARDSMITH_INTERPRETER_EVALUATORREGISTRY_H

#include "mlir/IR/Operation.h"
#include "shardsmith/Interpreter/Machine.h"

#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace shardsmith::inline interpreter {

/// One device that evaluates an op.
struct Device {
  Machine &machine;
  int64_t index;

  /// Calls the only block of `region` on this device.
  llvm::LogicalResult call(mlir::Region &region, Tensors arguments,
                           Tensors &results) const;
  llvm::LogicalResult unsupported(mlir::Operation *op,
                                  const llvm::Twine &reason) const {
    return machine.unsupported(op, reason);
  }
};

using Arguments = llvm::ArrayRef<Tensor>;

/// Appends the results; a failure has been reported.
using LocalEvaluator =
    std::function<llvm::LogicalResult(mlir::Operation *op, Arguments operands,
                                      const Device &device, Tensors &results)>;

/// The same for several devices; `operands` and `results` by position in
/// `devices`.
using LockstepEvaluator = std::function<llvm::LogicalResult(
    mlir::Operation *op, Devices devices, const DeviceTensors &operands,
    Machine &machine, DeviceTensors &results)>;

/// How an op's floats come to differ from the exact results of its operands.
enum class Rounding {
  /// They do not: elements are moved, chosen, or computed exactly.
  None,
  /// One rounding to the type of the result.
  Once,
  /// The same if the type of the result is the coarser one.
  Conversion,
  /// An approximation of a real function, then a rounding.
  Function,
  /// Sums of products or elements, in any order and in several parts, each of
  /// which may be rounded.
  Sum,
};

/// Exactly one of the two functions is set.
struct Evaluators {
  LocalEvaluator local;
  LockstepEvaluator lockstep;
  Rounding rounding = Rounding::None;
};

class EvaluatorRegistry {
public:
  /// Everything the project's dialects have.
  static const EvaluatorRegistry &standard();

  template <typename OpTy>
  void add(llvm::LogicalResult (*function)(OpTy, Arguments, const Device &,
                                           Tensors &),
           Rounding rounding = Rounding::None) {
    Evaluators &entry = byType[mlir::TypeID::get<OpTy>()];
    entry.rounding = rounding;
    entry.local = [function](mlir::Operation *op, Arguments operands,
                             const Device &device, Tensors &results) {
      return function(llvm::cast<OpTy>(op), operands, device, results);
    };
  }

  /// For ops that need neither their attributes nor the device.
  template <typename OpTy>
  void addFunction(std::function<Tensor(Arguments)> function,
                   Rounding rounding = Rounding::None) {
    Evaluators &entry = byType[mlir::TypeID::get<OpTy>()];
    entry.rounding = rounding;
    entry.local =
        [function = std::move(function)](mlir::Operation *, Arguments operands,
                                         const Device &, Tensors &results) {
          results.push_back(function(operands));
          return llvm::success();
        };
  }

  template <typename OpTy>
  void addLockstep(llvm::LogicalResult (*function)(
      OpTy, Devices, const DeviceTensors &, Machine &, DeviceTensors &)) {
    byType[mlir::TypeID::get<OpTy>()].lockstep =
        [function](mlir::Operation *op, Devices devices,
                   const DeviceTensors &operands, Machine &machine,
                   DeviceTensors &results) {
          return function(llvm::cast<OpTy>(op), devices, operands, machine,
                          results);
        };
  }

  /// Null if the op cannot be evaluated.
  const Evaluators *lookup(mlir::Operation *op) const {
    auto found = byType.find(op->getName().getTypeID());
    return found == byType.end() ? nullptr : &found->second;
  }

private:
  llvm::DenseMap<mlir::TypeID, Evaluators> byType;
};

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_INTERPRETER_EVALUATORREGISTRY_H
