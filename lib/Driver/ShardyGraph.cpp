// SPDX-License-Identifier: Apache-2.0
//
// Shardings of values alone leave another partitioner to find out how operands
// get to where an op is computed. It may gather activations where the plan
// gathers weights. So every change of layout stands in the graph:
//
//     %w {"fsdp"}                    %w {"fsdp"}
//     %y = dot %x, %w          ─▶    %all = sdy.sharding_constraint %w {}
//                                    %y = dot %x, %all
//
// Partial sums have no sharding there: what they are reduced to has one.

#include "shardsmith/Driver/ShardyGraph.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Partition/Passes.h"
#include "shardsmith/Support/EraseAttributes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <filesystem>
#include <fmt/format.h>

using namespace mlir;

namespace shardsmith {
namespace {

namespace fs = std::filesystem;

/// How a module says over how many devices its ops are split.
constexpr StringLiteral partitionsAttribute = "mhlo.num_partitions";

bool isOurs(NamedAttribute attribute) {
  return isa_and_nonnull<smith::SmithDialect>(attribute.getNameDialect());
}

bool isPartial(sdy::TensorShardingAttr sharding) {
  return !sharding.getUnreducedAxes().empty();
}

void dropPartial(Operation *op) {
  auto shardings = op->getAttrOfType<sdy::TensorShardingPerValueAttr>(
      sdy::kShardingAttributeName);
  if (shardings && llvm::any_of(shardings.getShardings(), isPartial))
    op->removeAttr(sdy::kShardingAttributeName);
}

/// Reshards are what partitioners make; constraints are what they are given.
void constrain(sdy::ReshardOp reshard) {
  if (isPartial(reshard.getSharding())) {
    reshard.replaceAllUsesWith(reshard.getInput());
  } else {
    OpBuilder builder(reshard);
    reshard.replaceAllUsesWith(sdy::ShardingConstraintOp::create(
                                   builder, reshard.getLoc(), reshard.getType(),
                                   reshard.getInput(), reshard.getSharding())
                                   .getResult());
  }
  reshard.erase();
}

/// The first op that nobody else knows; null if there is none.
Operation *findOurOp(ModuleOp module) {
  Operation *found = nullptr;
  module.walk([&](Operation *op) {
    if (!isa<smith::SmithDialect>(op->getDialect()))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

void setPartitions(ModuleOp module) {
  auto meshes = module.getOps<sdy::MeshOp>();
  if (meshes.empty())
    return;
  OpBuilder builder(module.getContext());
  int64_t devices = (*meshes.begin()).getMesh().getDeviceCount();
  module->setAttr(partitionsAttribute,
                  builder.getI32IntegerAttr(int32_t(devices)));
}

} // namespace

void addShardyGraph(Session &session, const std::string &plan,
                    const emit::Target &target, emit::Emission &emission) {
  fs::path folder =
      fs::is_directory(plan) ? fs::path(plan) : fs::path(plan).parent_path();
  fs::path graph = folder / folder::kAnnotated;
  if (target.graph.empty() || !fs::exists(graph))
    return;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      requireText(graph.string()), &session.context());
  if (!module)
    fail(ExitCode::BadInput,
         fmt::format("{}: cannot be read; plan again", graph.string()));
  if (Operation *op = findOurOp(*module)) {
    fmt::print(stderr,
               "note: no {}: the graph has ops that others do not know, such "
               "as '{}'\n",
               target.graph, op->getName().getStringRef().str());
    return;
  }
  PassManager passes(&session.context());
  passes.addPass(createInsertReshards());
  if (failed(passes.run(*module)))
    throw Stop{ExitCode::Internal};
  module->walk(constrain);
  module->walk([](Operation *op) {
    dropPartial(op);
    eraseAttributes(op, isOurs);
  });
  setPartitions(*module);
  emission.files.push_back({std::string(target.graph), toText(*module)});
}

} // namespace shardsmith
