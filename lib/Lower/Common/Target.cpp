// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/Target.h"

#include "mlir/IR/Diagnostics.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include <map>
#include <mutex>

using namespace mlir;

namespace shardsmith::lower {
namespace {

/// Targets by name. Registering and looking up may happen on any thread.
struct TargetTable {
  std::mutex mutex;
  std::map<StringRef, const TargetTraits *> targets;
};

TargetTable &table() {
  static TargetTable table;
  return table;
}

} // namespace

bool isOpOfEveryTarget(Operation *op) {
  return isa<smith::KernelOp, smith::GemmOp, stablehlo::ConstantOp,
             stablehlo::ReshapeOp, smith::AllReduceOp, smith::AllGatherOp,
             smith::ReduceScatterOp, smith::ExchangeBlocksOp,
             smith::CollectivePermuteOp, smith::ShardIndexOp, smith::RepeatOp,
             smith::RunOp, smith::SendOp, smith::ReceiveOp>(op);
}

std::string describeNoLowering(Operation *op) {
  return ("'" + op->getName().getStringRef() +
          "' with these types has no lowering")
      .str();
}

bool isTypeOfLibraryProducts(Type element) {
  return element.isF32() || element.isBF16() || element.isF16() ||
         element.isF64();
}

ElementCost costInTable(Operation *op) { return findElementOp(op)->cost; }

void registerTarget(const TargetTraits &target) {
  std::lock_guard lock(table().mutex);
  table().targets[target.name] = &target;
}

const TargetTraits *findTarget(Operation *op, StringRef name) {
  std::lock_guard lock(table().mutex);
  const auto &targets = table().targets;
  if (auto found = targets.find(name); found != targets.end())
    return found->second;
  InFlightDiagnostic error = op->emitError()
                             << "there is no target '" << name << "'; known: ";
  llvm::interleaveComma(llvm::make_first_range(targets), error);
  return nullptr;
}

} // namespace shardsmith::lower
