// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/Machine.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"

#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/RoundingNoise.h"
#include "shardsmith/Interpreter/TensorAttributes.h"
#include "shardsmith/Interpreter/TensorMemory.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace mlir;

namespace shardsmith::inline interpreter {
namespace {

/// Deeper calls are taken for endless recursion.
constexpr int64_t deepestCall = 200;

} // namespace

LogicalResult Device::call(Region &region, Tensors arguments,
                           Tensors &results) const {
  DeviceTensors all(1);
  all.front() = std::move(arguments);
  DeviceTensors returned;
  if (failed(machine.runRegion(region, index, std::move(all), returned)))
    return failure();
  results = std::move(returned.front());
  return success();
}

Machine::Machine(ModuleOp module, int64_t deviceCount,
                 const EvaluatorRegistry &registry)
    : module(module), deviceCount(deviceCount), registry(registry),
      values(deviceCount) {}

Outcome Machine::run(func::FuncOp function, DeviceTensors arguments,
                     DeviceTensors &results) {
  foundUnsupported = false;
  checkCount = failedCheckCount = 0;
  llvm::DenseSet<Operation *> seen;
  auto all = to_vector(seq<int64_t>(0, deviceCount));
  if (failed(checkSupported(function, seen)) ||
      failed(runBlock(function.getBody().front(), all, std::move(arguments),
                      results)))
    return foundUnsupported ? Outcome::Unsupported : Outcome::Failed;
  return failedCheckCount == 0 ? Outcome::Completed : Outcome::CheckFailed;
}

LogicalResult Machine::runRegion(Region &region, Devices devices,
                                 DeviceTensors arguments,
                                 DeviceTensors &results) {
  return runBlock(region.front(), devices, std::move(arguments), results);
}

LogicalResult Machine::call(Operation *caller, StringRef callee,
                            Devices devices, DeviceTensors arguments,
                            DeviceTensors &results) {
  auto function = module.lookupSymbol<func::FuncOp>(callee);
  if (!function || function.isExternal())
    return caller->emitOpError()
           << "calls @" << callee << ", which this module does not define";
  if (++callDepth > deepestCall)
    return caller->emitOpError()
           << "calls are nested deeper than " << deepestCall << "; is @"
           << callee << " recursive?";
  LogicalResult result = runBlock(function.getBody().front(), devices,
                                  std::move(arguments), results);
  --callDepth;
  return result;
}

LogicalResult Machine::unsupported(Operation *op, const Twine &reason) {
  foundUnsupported = true;
  return op->emitOpError() << "cannot be interpreted: " << reason;
}

void Machine::recordCheck(bool holds) {
  ++checkCount;
  failedCheckCount += !holds;
}

LogicalResult Machine::runBlock(Block &block, Devices devices,
                                DeviceTensors arguments,
                                DeviceTensors &results) {
  for (auto [position, device] : enumerate(devices))
    for (auto [argument, tensor] :
         zip_equal(block.getArguments(), arguments[position]))
      values[device][argument] = std::move(tensor);
  arguments.clear();

  const BlockPlan &plan = planOf(block);
  for (const Step &step : ArrayRef<Step>(plan).drop_back())
    if (failed(runStep(step, devices)))
      return failure();

  const Step &last = plan.back();
  results.clear();
  for (int64_t device : devices) {
    Tensors &returned = results.emplace_back();
    for (Value operand : last.op->getOperands())
      returned.push_back(values[device].lookup(operand));
    for (Value value : last.dying)
      values[device].erase(value);
  }
  return success();
}

LogicalResult Machine::runStep(const Step &step, Devices devices) try {
  DeviceTensors operands(devices.size()), results(devices.size());
  for (auto [position, device] : enumerate(devices))
    for (Value operand : step.op->getOperands())
      operands[position].push_back(values[device].lookup(operand));

  if (step.evaluators->lockstep) {
    if (failed(step.evaluators->lockstep(step.op, devices, operands, *this,
                                         results)))
      return failure();
  } else {
    for (auto [position, device] : enumerate(devices))
      if (failed(evaluate(step, operands[position], device, results[position])))
        return failure();
  }

  for (auto [position, device] : enumerate(devices)) {
    if (failed(checkResults(step.op, results[position])))
      return failure();
    for (auto [value, tensor] :
         zip_equal(step.op->getResults(), results[position]))
      values[device][value] = std::move(tensor);
    for (Value value : step.dying)
      values[device].erase(value);
  }
  return success();
} catch (OutOfMemory &problem) {
  // Of regions within regions the innermost op says it.
  if (!std::exchange(problem.isReported, true))
    step.op->emitOpError() << problem.what();
  throw;
}

LogicalResult Machine::evaluate(const Step &step, Tensors &operands,
                                int64_t device, Tensors &results) {
  const Rounding rounding = step.evaluators->rounding;
  if (noise)
    noise->shakeOperands(step.op, rounding, operands);
  if (failed(step.evaluators->local(step.op, operands, Device{*this, device},
                                    results)))
    return failure();
  if (noise)
    noise->shakeResults(step.op, rounding, operands, results);
  return success();
}

/// A value dies after the last op of its block that reads it, directly or in a
/// nested region. Values of enclosing blocks are left to those.
const Machine::BlockPlan &Machine::planOf(Block &block) {
  std::unique_ptr<BlockPlan> &plan = plans[&block];
  if (plan)
    return *plan;
  plan = std::make_unique<BlockPlan>();
  llvm::DenseMap<Operation *, size_t> positions;
  for (Operation &op : block) {
    positions[&op] = plan->size();
    plan->push_back({&op, registry.lookup(&op), {}});
  }
  auto schedule = [&](Value value, size_t definedAt) {
    size_t last = definedAt;
    for (Operation *user : value.getUsers())
      last = std::max(last, positions[block.findAncestorOpInBlock(*user)]);
    (*plan)[last].dying.push_back(value);
  };
  for (Value argument : block.getArguments())
    schedule(argument, 0);
  for (Operation &op : block)
    for (Value result : op.getResults())
      schedule(result, positions[&op]);
  return *plan;
}

LogicalResult Machine::checkSupported(func::FuncOp function,
                                      llvm::DenseSet<Operation *> &seen) {
  if (!seen.insert(function).second)
    return success();
  if (function.isExternal())
    return function.emitOpError() << "has no body to interpret";
  if (!function.getBody().hasOneBlock())
    return unsupported(function, "its body has more than one block");
  WalkResult result = function.walk([&](Operation *op) {
    if (op == function)
      return failed(checkTypes(op, function.getArgumentTypes()))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    for (Region &region : op->getRegions())
      if (!region.hasOneBlock()) {
        (void)unsupported(op, "a region has not exactly one block");
        return WalkResult::interrupt();
      }
    if (failed(checkTypes(op, op->getOperandTypes())) ||
        failed(checkTypes(op, op->getResultTypes())))
      return WalkResult::interrupt();
    // Of programs of ranks (RankPrograms.cpp).
    bool isOfRanks = isa<smith::RunOp, smith::SendOp, smith::ReceiveOp>(op) &&
                     function->hasAttr(smith::kCoordinateAttributeName);
    if (!op->hasTrait<OpTrait::IsTerminator>() && !isOfRanks &&
        !registry.lookup(op)) {
      (void)unsupported(op, "no evaluator is known for this op");
      return WalkResult::interrupt();
    }
    StringRef name;
    if (auto call = dyn_cast<func::CallOp>(op))
      name = call.getCallee();
    else if (isa<smith::RepeatOp, smith::RunOp>(op))
      name = smith::getCallee(op).getName();
    if (auto callee = module.lookupSymbol<func::FuncOp>(name))
      if (failed(checkSupported(callee, seen)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult Machine::checkTypes(Operation *op, TypeRange types) {
  for (Type type : types)
    if (!staticTypeOf(type))
      return unsupported(op, whyUnsupported(type));
  return success();
}

/// A safety net under the evaluators: what they return is what the op says.
LogicalResult Machine::checkResults(Operation *op, ArrayRef<Tensor> results) {
  if (results.size() != op->getNumResults())
    return op->emitOpError() << "was evaluated to " << results.size()
                             << " results instead of " << op->getNumResults();
  for (auto [type, tensor] : zip_equal(op->getResultTypes(), results)) {
    if (!tensor)
      return unsupported(op, "it is not defined on these element types");
    auto expected = cast<RankedTensorType>(type);
    if (expected.getShape() != tensor.shape() ||
        elementTypeOf(expected.getElementType()) != tensor.type())
      return op->emitOpError() << "was evaluated to a tensor<"
                               << describeType(tensor.type(), tensor.shape())
                               << "> instead of " << type;
  }
  return success();
}

} // namespace shardsmith::inline interpreter
