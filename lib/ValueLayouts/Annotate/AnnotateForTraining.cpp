// SPDX-License-Identifier: Apache-2.0
//
// A strategy's decisions, as far as a train step can take them over:
//
//     plain copy ── annotate all ──▶ copy what stays open in no part ──▶ module

#include "shardsmith/ValueLayouts/Annotate/AnnotateGraph.h"

#include "GraphWriter.h"

#include "shardsmith/Dialect/Smith/DerivativeOps.h"

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

/// What ZeRO-3 splits has its parameters split further.
void copyArguments(func::FuncOp from, func::FuncOp to, bool isFullySharded) {
  for (unsigned index = 0; index < from.getNumArguments(); ++index) {
    sdy::TensorShardingAttr sharding =
        sdy::getSharding(from.getArgument(index));
    if (!sharding || from.getArgAttr(index, smith::kPartsAttributeName))
      continue;
    auto role =
        from.getArgAttrOfType<StringAttr>(index, smith::kRoleAttributeName);
    if (isFullySharded && role && role.getValue() == "param")
      sharding = opened(sharding);
    to.setArgAttr(index, sdy::kShardingAttributeName, sharding);
  }
}

void copyOp(Operation *from, Operation *to) {
  for (StringRef name : {StringRef(sdy::kShardingAttributeName),
                         StringRef(smith::kFactorAxesAttributeName),
                         StringRef(smith::kStageAttributeName)})
    if (Attribute attribute = from->getAttr(name))
      to->setAttr(name, attribute);
}

/// What each op of the workload does in the backward pass.
using UnitMarks = llvm::DenseMap<Operation *, std::pair<int64_t, Recompute>>;

UnitMarks unitMarks(const workload::GraphMap &map,
                    const workload::Workload &workload,
                    const Strategy &strategy) {
  std::vector<Recompute> choices;
  for (const Stage &stage : strategy.stages)
    llvm::append_range(choices, stage.recompute);
  UnitMarks marks;
  int64_t first = 0;
  for (const workload::GraphUnit &unit : map.units) {
    const workload::GraphBody &body = map.bodies[unit.body];
    const workload::Block &block = workload.blocks[body.block];
    for (const workload::MappedOp &mapped : body.ops) {
      Recompute choice = choices[size_t(first)];
      // The inside of attention alone.
      if (choice == Recompute::Selective && !block.ops[mapped.index].attention)
        choice = Recompute::None;
      marks[mapped.op] = {first, choice};
    }
    first += unit.count;
  }
  return marks;
}

void mark(Operation *op, int64_t unit, Recompute choice) {
  MLIRContext *context = op->getContext();
  std::string_view name = nameOf(choice);
  op->setAttr(smith::kUnitAttributeName,
              IntegerAttr::get(IntegerType::get(context, 64), unit));
  op->setAttr(smith::kRecomputeAttributeName,
              StringAttr::get(context, StringRef(name.data(), name.size())));
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

  // One rank splits nothing, but may compute things again.
  bool isSplit = !trainingMesh(strategy).empty();
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (isSplit)
    copyMesh(plain, module);
  if (isSplit)
    copyArguments(plain.lookupSymbol<func::FuncOp>("main"), main,
                  layouts.mesh().named.mesh.find("fsdp").has_value());
  UnitMarks marks = unitMarks(map, workload, strategy);
  for (Operation &op : main.getBody().front().without_terminator()) {
    // Derivatives are not in the copy, constants are made in every layout.
    if (isa<smith::WithDerivativeOp>(op) || op.getNumOperands() == 0)
      continue;
    Operation *copy = copies.lookupOrNull(&op);
    if (!copy)
      continue;
    if (isSplit && !writer.splitsInside(copy))
      copyOp(copy, &op);
    if (auto own = marks.find(copy); own != marks.end())
      mark(&op, own->second.first, own->second.second);
  }
  return llvm::Error::success();
}

} // namespace shardsmith
