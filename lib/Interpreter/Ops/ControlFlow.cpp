// SPDX-License-Identifier: Apache-2.0
//
// Loops, branches and calls. Regions run with the devices that enter them.

#include "../Kernels/Elementwise.h"
#include "Register.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

LogicalResult evaluateWhile(stablehlo::WhileOp op, Devices devices,
                            const DeviceTensors &operands, Machine &machine,
                            DeviceTensors &results) {
  // Devices that are still looping, and where their results go.
  SmallVector<int64_t> active(devices);
  SmallVector<size_t> places = to_vector(seq<size_t>(0, devices.size()));
  DeviceTensors carried = operands;
  while (!active.empty()) {
    DeviceTensors conditions;
    if (failed(machine.runRegion(op.getCond(), active, carried, conditions)))
      return failure();
    SmallVector<int64_t> looping;
    SmallVector<size_t> loopingPlaces;
    DeviceTensors loopingCarried;
    for (size_t i = 0; i < active.size(); ++i) {
      if (conditions[i].front().asInteger(0) == 0) {
        results[places[i]] = std::move(carried[i]);
        continue;
      }
      looping.push_back(active[i]);
      loopingPlaces.push_back(places[i]);
      loopingCarried.push_back(std::move(carried[i]));
    }
    active = std::move(looping);
    places = std::move(loopingPlaces);
    carried.clear();
    if (!active.empty() &&
        failed(machine.runRegion(op.getBody(), active,
                                 std::move(loopingCarried), carried)))
      return failure();
  }
  return success();
}

/// Runs each of `branches` with the devices that choose it.
template <typename Choice>
LogicalResult runBranches(MutableArrayRef<mlir::Region> branches,
                          Devices devices, Machine &machine, Choice choice,
                          DeviceTensors &results) {
  for (auto [index, branch] : enumerate(branches)) {
    SmallVector<int64_t> entering;
    SmallVector<size_t> places;
    for (auto [place, device] : enumerate(devices))
      if (choice(place) == static_cast<int64_t>(index)) {
        entering.push_back(device);
        places.push_back(place);
      }
    if (entering.empty())
      continue;
    DeviceTensors returned;
    if (failed(machine.runRegion(branch, entering,
                                 DeviceTensors(entering.size()), returned)))
      return failure();
    for (auto [place, values] : zip_equal(places, returned))
      results[place] = std::move(values);
  }
  return success();
}

LogicalResult evaluateIf(stablehlo::IfOp op, Devices devices,
                         const DeviceTensors &operands, Machine &machine,
                         DeviceTensors &results) {
  return runBranches(
      op->getRegions(), devices, machine,
      [&](size_t place) -> int64_t {
        return operands[place].front().asInteger(0) ? 0 : 1;
      },
      results);
}

LogicalResult evaluateCase(stablehlo::CaseOp op, Devices devices,
                           const DeviceTensors &operands, Machine &machine,
                           DeviceTensors &results) {
  const int64_t count = op->getNumRegions();
  return runBranches(
      op->getRegions(), devices, machine,
      [&](size_t place) {
        const int64_t index = operands[place].front().asInteger(0);
        return index < 0 || index >= count ? count - 1 : index;
      },
      results);
}

LogicalResult evaluateCall(mlir::func::CallOp op, Devices devices,
                           const DeviceTensors &operands, Machine &machine,
                           DeviceTensors &results) {
  return machine.call(op, op.getCallee(), devices, operands, results);
}

/// All devices are at the same call at a time; those that have fewer stand
/// aside from the last ones.
LogicalResult evaluateRepeat(smith::RepeatOp op, Devices devices,
                             const DeviceTensors &operands, Machine &machine,
                             DeviceTensors &results) {
  const size_t shared = op.getShared().size();
  for (auto [place, tensors] : enumerate(operands))
    results[place].append(tensors.begin() + shared, tensors.end());
  auto counts =
      op->getAttrOfType<mlir::DenseI64ArrayAttr>(smith::kCountsAttributeName);
  const std::optional<uint64_t> decider = op.getDecider();
  auto isDone = [&](size_t place, int64_t number) {
    if (decider)
      return results[place][*decider].asInteger(0) == 0;
    return number >= (counts ? counts[devices[place]] : int64_t(op.getCount()));
  };
  for (int64_t number = 0;; ++number) {
    SmallVector<int64_t> active;
    SmallVector<size_t> places;
    DeviceTensors arguments;
    for (size_t place = 0; place < devices.size(); ++place) {
      if (isDone(place, number))
        continue;
      active.push_back(devices[place]);
      places.push_back(place);
      Tensors &own = arguments.emplace_back();
      own.push_back(Tensor::filled(ElementType::I32, {}, double(number)));
      own.append(operands[place].begin(), operands[place].begin() + shared);
      own.append(results[place].begin(), results[place].end());
    }
    if (active.empty())
      break;
    DeviceTensors returned(active.size());
    if (failed(machine.call(op, op.getCallee(), active, arguments, returned)))
      return failure();
    for (auto [place, tensors] : zip_equal(places, returned))
      results[place] = std::move(tensors);
  }
  return success();
}

LogicalResult evaluateComposite(stablehlo::CompositeOp op, Devices devices,
                                const DeviceTensors &operands, Machine &machine,
                                DeviceTensors &results) {
  return machine.call(op, op.getDecomposition(), devices, operands, results);
}

LogicalResult evaluateBarrier(stablehlo::OptimizationBarrierOp,
                              Arguments operands, const Device &,
                              Tensors &results) {
  append_range(results, operands);
  return success();
}

} // namespace

void registerControlFlow(EvaluatorRegistry &registry) {
  registry.addLockstep(evaluateCall);
  registry.addLockstep(evaluateCase);
  registry.addLockstep(evaluateComposite);
  registry.addLockstep(evaluateIf);
  registry.addLockstep(evaluateRepeat);
  registry.addLockstep(evaluateWhile);
  registry.add(evaluateBarrier);
}

} // namespace shardsmith::inline interpreter
