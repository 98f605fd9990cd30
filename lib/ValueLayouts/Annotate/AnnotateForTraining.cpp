// SPDX-License-Identifier: Apache-2.0
//
// A strategy's decisions, as far as a train step can take them over. The copy
// without derivatives is annotated whole; from it the module gets the layouts
// that leave nothing open, and for every op its unit and its recomputation:
//
//     plain ──GraphWriter──▶ plain, annotated ──copyAttributes──▶ module

#include "shardsmith/ValueLayouts/Annotate/AnnotateGraph.h"

#include "GraphWriter.h"

#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/Smith/LoopOps.h"

using namespace mlir;

namespace shardsmith {
namespace annotate {
namespace {

/// Further axes may split every dimension behind those of the sharding.
sdy::TensorShardingAttr opened(sdy::TensorShardingAttr sharding) {
  MLIRContext *context = sharding.getContext();
  auto dims = llvm::map_to_vector(
      sharding.getDimShardings(), [&](sdy::DimensionShardingAttr dim) {
        return sdy::DimensionShardingAttr::get(context, dim.getAxes(),
                                               /*isClosed=*/false,
                                               dim.getPriority());
      });
  return sdy::TensorShardingAttr::get(
      context, sharding.getMeshOrRef(), dims, sharding.getReplicatedAxes(),
      sharding.getUnreducedAxes(), sharding.getUnreducedKind());
}

void copyMesh(ModuleOp from, ModuleOp to) {
  for (sdy::MeshOp old : llvm::make_early_inc_range(to.getOps<sdy::MeshOp>()))
    old.erase();
  OpBuilder builder = OpBuilder::atBlockBegin(to.getBody());
  for (sdy::MeshOp mesh : from.getOps<sdy::MeshOp>())
    builder.clone(*mesh);
}

/// Copies the shardings of arguments, but those that programs cannot have.
/// Under ZeRO-3 parameters may be split further, so theirs are opened.
void copyArguments(const GraphWriter &writer, func::FuncOp from,
                   func::FuncOp to, bool isFullySharded) {
  for (unsigned index = 0; index < from.getNumArguments(); ++index) {
    sdy::TensorShardingAttr sharding =
        sdy::getSharding(from.getArgument(index));
    if (!sharding || from.getArgAttr(index, smith::kPartsAttributeName) ||
        writer.leavesRanksEmpty(from.getArgument(index)))
      continue;
    auto role =
        from.getArgAttrOfType<StringAttr>(index, smith::kRoleAttributeName);
    if (isFullySharded && role && role.getValue() == "param")
      sharding = opened(sharding);
    to.setArgAttr(index, sdy::kShardingAttributeName, sharding);
  }
}

/// GraphWriter marks whole units. A train step is marked op by op: its unit,
/// and of a unit that computes only attention again the ops of attention.
void markOps(const workload::GraphMap &map,
             const workload::Workload &workload) {
  int64_t first = 0;
  for (const workload::GraphUnit &unit : map.units) {
    const workload::GraphBody &body = map.bodies[unit.body];
    const workload::Block &block = workload.blocks[body.block];
    for (const workload::MappedOp &mapped : body.ops) {
      MLIRContext *context = mapped.op->getContext();
      mapped.op->setAttr(
          smith::kUnitAttributeName,
          IntegerAttr::get(IntegerType::get(context, 64), first));
      auto choice =
          mapped.op->getAttrOfType<StringAttr>(smith::kRecomputeAttributeName);
      if (choice && choice.getValue() == "selective" &&
          !block.ops[mapped.index].attention)
        mapped.op->setAttr(smith::kRecomputeAttributeName,
                           StringAttr::get(context, "none"));
    }
    first += unit.count;
  }
}

void copyAttributes(Operation *from, Operation *to, ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (Attribute attribute = from->getAttr(name))
      to->setAttr(name, attribute);
}

} // namespace
} // namespace annotate

std::vector<FixedAxis> trainingMesh(const Strategy &strategy) {
  annotate::StrategyMesh axes(strategy, annotate::ParameterSplit::ByDimension);
  const Mesh &mesh = axes.named.mesh;
  std::vector<FixedAxis> list;
  for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis)
    list.push_back({mesh.getName(axis).str(), mesh.getSize(axis)});
  return list;
}

llvm::Error annotateForTraining(ModuleOp module, ModuleOp plain,
                                const IRMapping &copies,
                                const workload::GraphMap &map,
                                const workload::Workload &workload,
                                const Strategy &strategy) {
  using namespace annotate;
  StrategyLayouts layouts(workload, strategy, ParameterSplit::ByDimension);
  Demands demands(map, workload, layouts);
  if (llvm::Error error = demands.run(plain))
    return error;
  GraphWriter writer(plain, map, workload, strategy, layouts, demands);
  writer.run();

  markOps(map, workload);

  // One rank splits nothing, but may compute things again.
  const Mesh &mesh = layouts.mesh().named.mesh;
  bool isSplit = mesh.getAxisCount() > 0;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (isSplit) {
    copyMesh(plain, module);
    copyArguments(writer, plain.lookupSymbol<func::FuncOp>("main"), main,
                  mesh.find("fsdp").has_value());
  }
  for (Operation &op : main.getBody().front().without_terminator()) {
    // Derivatives are not in the copy, constants are made in every layout.
    if (isa<smith::WithDerivativeOp>(op) || op.getNumOperands() == 0)
      continue;
    Operation *copy = copies.lookupOrNull(&op);
    if (!copy)
      continue;
    // What goes around a loop is laid out with what an iteration makes of it.
    if (smith::getMarkedLoop(&op))
      continue;
    copyAttributes(copy, &op,
                   {smith::kUnitAttributeName, smith::kStageAttributeName});
    // The model may say that an op of a loop is done again.
    if (!op.hasAttr(smith::kRecomputeAttributeName))
      copyAttributes(copy, &op, {smith::kRecomputeAttributeName});
    if (!isSplit || writer.splitsInside(copy) || writer.leavesRanksEmpty(copy))
      continue;
    copyAttributes(copy, &op, {smith::kFactorAxesAttributeName});
    // What is kept for the backward pass could not be kept in that layout.
    if (!writer.handsOutEmptyShards(copy))
      copyAttributes(copy, &op, {sdy::kShardingAttributeName});
  }
  return llvm::Error::success();
}

} // namespace shardsmith
