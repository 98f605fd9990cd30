// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/LoweringCheck.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Lower/Common/LowerProgram.h"
#include "shardsmith/Partition/Passes.h"
#include "shardsmith/Support/EraseAttributes.h"

#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardsmith {
namespace {

/// Takes away what the file says of layouts, and gives the step a mesh of one
/// device.
void putOnOneDevice(ModuleOp step) {
  for (auto mesh : llvm::make_early_inc_range(step.getOps<sdy::MeshOp>()))
    mesh.erase();
  step.walk([](Operation *op) {
    eraseAttributes(op, [](NamedAttribute attribute) {
      return attribute.getName() == sdy::kShardingAttributeName;
    });
    if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op)) {
      constraint.replaceAllUsesWith(constraint.getInput());
      constraint.erase();
    }
  });
  OpBuilder builder = OpBuilder::atBlockBegin(step.getBody());
  sdy::MeshOp::create(builder, step.getLoc(), "mesh",
                      sdy::MeshAttr::get(step.getContext(), {}, {}));
}

/// Whether the target takes each op as it is, so that no pass need be asked. It
/// is so for most models.
bool isLoweredOpByOp(ModuleOp step, const lower::TargetTraits &target) {
  return llvm::all_of(mainOf(step).front().without_terminator(),
                      [&](Operation &op) {
                        return lower::isKernelOrProduct(&op, target) ||
                               target.whyNotLowered(&op).empty();
                      });
}

} // namespace

void requireLowering(ModuleOp trainStep, const lower::TargetTraits &target) {
  if (isLoweredOpByOp(trainStep, target))
    return;
  OwningOpRef<ModuleOp> local = trainStep.clone();
  putOnOneDevice(*local);
  PassManager passes(local->getContext());
  buildPartitionPipeline(passes);
  if (failed(passes.run(*local)))
    throw Stop{ExitCode::BadInput};
  ExitCode code = lower::lowerToKernels(*local, target);
  if (code == ExitCode::Unsupported)
    notePlansWithoutProgram();
  require(code);
}

void notePlansWithoutProgram() {
  fmt::print(stderr,
             "note: no program can be built of this model, but 'shardsmith "
             "plan MODEL --cluster C' plans it; with '--cluster cpu:N -o DIR' "
             "'shardsmith verify DIR --no-executable' also runs the plan in "
             "the interpreter\n");
}

} // namespace shardsmith
