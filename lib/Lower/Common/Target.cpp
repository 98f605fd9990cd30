// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/Target.h"

#include "mlir/IR/Diagnostics.h"

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
