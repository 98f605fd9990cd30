// SPDX-License-Identifier: Apache-2.0
//
// Executes programs on N virtual devices, op by op and in lockstep: every op
// is evaluated on all devices before the next one is looked at. A collective
// is then a plain function of the operands of all devices.
//
// Control flow may send devices different ways. A region runs with the set of
// devices that enter it; a collective that some device of its group did not
// reach would hang on a real machine and is an error here.

#ifndef SHARDSMITH_INTERPRETER_MACHINE_H
#define SHARDSMITH_INTERPRETER_MACHINE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "shardsmith/Interpreter/Tensor.h"
#include "shardsmith/Sharding/Mesh.h"

#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <string>

namespace shardsmith::inline interpreter {

class EvaluatorRegistry;
class RoundingNoise;
struct Evaluators;

/// How an execution ended.
enum class Outcome {
  Completed,
  /// An op or type is not supported; the diagnostic names it.
  Unsupported,
  /// The program is wrong (or, after an internal error, the interpreter).
  Failed,
  /// It ran to the end, but a check of its own did not hold.
  CheckFailed,
};

using Tensors = llvm::SmallVector<Tensor>;
/// Tensors per device, by position in the list of devices they belong to.
using DeviceTensors = llvm::SmallVector<Tensors>;
using Devices = llvm::ArrayRef<int64_t>;

class Machine {
public:
  Machine(mlir::ModuleOp module, int64_t deviceCount,
          const EvaluatorRegistry &registry);

  /// Runs `function` on all devices. Diagnostics have been emitted where the
  /// outcome is not `Completed`.
  Outcome run(mlir::func::FuncOp function, DeviceTensors arguments,
              DeviceTensors &results);

  /// Runs on each device the program of its coordinate along the axis of
  /// stages; devices exchange messages along it.
  Outcome runRanks(llvm::ArrayRef<mlir::func::FuncOp> programs,
                   const Mesh &mesh, const DeviceTensors &arguments,
                   DeviceTensors &results);

  /// Makes all ops round at random; for machines of one device.
  void addNoise(RoundingNoise &added) { noise = &added; }

  mlir::ModuleOp getModule() const { return module; }
  int64_t getDeviceCount() const { return deviceCount; }

  /// For evaluators: runs the only block of `region` on some devices.
  llvm::LogicalResult runRegion(mlir::Region &region, Devices devices,
                                DeviceTensors arguments,
                                DeviceTensors &results);
  /// For evaluators: calls a function of the module by name.
  llvm::LogicalResult call(mlir::Operation *caller, llvm::StringRef callee,
                           Devices devices, DeviceTensors arguments,
                           DeviceTensors &results);
  /// For evaluators: reports that `op` is not supported and why.
  llvm::LogicalResult unsupported(mlir::Operation *op,
                                  const llvm::Twine &reason);
  /// For evaluators: counts a check the program makes of its own values.
  void recordCheck(bool holds);

  int64_t getCheckCount() const { return checkCount; }
  int64_t getFailedCheckCount() const { return failedCheckCount; }

private:
  /// An op with what is needed to run it, looked up once.
  struct Step {
    mlir::Operation *op;
    const Evaluators *evaluators;
    /// Values that no later op of the block reads.
    llvm::SmallVector<mlir::Value, 2> dying;
  };
  using BlockPlan = std::vector<Step>;

  llvm::LogicalResult runBlock(mlir::Block &block, Devices devices,
                               DeviceTensors arguments, DeviceTensors &results);
  llvm::LogicalResult runStep(const Step &step, Devices devices);
  llvm::LogicalResult evaluate(const Step &step, Tensors &operands,
                               int64_t device, Tensors &results);
  const BlockPlan &planOf(mlir::Block &block);
  llvm::LogicalResult checkSupported(mlir::func::FuncOp function,
                                     llvm::DenseSet<mlir::Operation *> &seen);
  llvm::LogicalResult checkTypes(mlir::Operation *op, mlir::TypeRange types);
  llvm::LogicalResult checkResults(mlir::Operation *op,
                                   llvm::ArrayRef<Tensor> results);

  mlir::ModuleOp module;
  int64_t deviceCount;
  const EvaluatorRegistry &registry;
  RoundingNoise *noise = nullptr;
  /// Per device the values that are still needed.
  std::vector<llvm::DenseMap<mlir::Value, Tensor>> values;
  llvm::DenseMap<mlir::Block *, std::unique_ptr<BlockPlan>> plans;
  int64_t callDepth = 0;
  int64_t checkCount = 0;
  int64_t failedCheckCount = 0;
  bool foundUnsupported = false;
};

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_INTERPRETER_MACHINE_H
