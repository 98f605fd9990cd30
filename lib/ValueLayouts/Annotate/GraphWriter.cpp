// SPDX-License-Identifier: Apache-2.0

#include "GraphWriter.h"

#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Sharding/DeriveFactorAxes.h"
#include "shardsmith/Support/Quantity.h"

using namespace mlir;

namespace shardsmith::annotate {

using namespace workload;

void GraphWriter::run() {
  replaceMesh();
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    writeArguments(function);
    for (Operation &op : function.getBody().front().without_terminator())
      writeOp(&op);
  }
  nameHiddenSplits();
  markUnits();
}

WrittenLayout GraphWriter::written(Value value,
                                   const PartLayout &layout) const {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<ValuePart> parts(map.partsOf(value));
  for (ValuePart &part : parts)
    part.size = sizeToSplit(part.size);
  return write(mesh.named.mesh, type.getRank(), parts, layout);
}

/// Data ranks have whole micro-batches, also of a batch that they do not
/// divide: what is split is a micro-batch of each.
int64_t GraphWriter::sizeToSplit(int64_t size) const {
  bool isUneven = workload.globalBatch % strategy.data != 0;
  return isUneven && size == workload.globalBatch ? size * strategy.data : size;
}

bool GraphWriter::leavesRanksEmpty(Value value, const Layout &layout) const {
  auto type = cast<RankedTensorType>(value.getType());
  return llvm::any_of(
      llvm::zip_equal(type.getShape(), layout.dims), [&](const auto &dim) {
        auto [size, axes] = dim;
        int64_t shards = mesh.named.mesh.countShards(axes);
        return shards > 1 && (shards - 1) * ceilDivide(size, shards) >= size;
      });
}

void GraphWriter::replaceMesh() {
  for (sdy::MeshOp old :
       llvm::make_early_inc_range(module.getOps<sdy::MeshOp>()))
    old.erase();
  SmallVector<sdy::MeshAxisAttr> axes;
  for (unsigned axis = 0; axis < mesh.named.mesh.getAxisCount(); ++axis)
    axes.push_back(sdy::MeshAxisAttr::get(
        context, mesh.named.mesh.getName(axis), mesh.named.mesh.getSize(axis)));
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  sdy::MeshOp::create(builder, module.getLoc(), mesh.named.name,
                      sdy::MeshAttr::get(context, axes));
}

void GraphWriter::writeArguments(func::FuncOp function) {
  SmallVector<sdy::TensorShardingAttr> shardings;
  for (BlockArgument argument : function.getArguments()) {
    WrittenLayout layout = written(argument, demands.heldBy(argument));
    shardings.push_back(toAttribute(context, mesh.named, layout.layout));
    if (leavesRanksEmpty(argument, layout.layout))
      argumentsWithEmptyRanks.insert(argument);
    if (!layout.inside.empty())
      function.setArgAttr(argument.getArgNumber(), smith::kPartsAttributeName,
                          toAttribute(context, mesh.named.mesh, layout.inside));
  }
  sdy::setArgumentShardings(function, shardings);
}

void GraphWriter::writeOp(Operation *op) {
  if (op->getNumResults() == 0)
    return;
  SmallVector<sdy::TensorShardingAttr> shardings;
  SmallVector<Attribute> parts;
  bool hasParts = false;
  for (Value result : op->getResults()) {
    WrittenLayout layout = written(result, demands.heldBy(result));
    if (leavesRanksEmpty(result, layout.layout))
      opsThatHandOutEmptyShards.insert(op);
    shardings.push_back(toAttribute(context, mesh.named, layout.layout));
    parts.push_back(toAttribute(context, mesh.named.mesh, layout.inside));
    hasParts |= !layout.inside.empty();
  }
  if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op))
    constraint.setShardingAttr(shardings.front());
  else
    op->setAttr(sdy::kShardingAttributeName,
                sdy::TensorShardingPerValueAttr::get(context, shardings));
  if (hasParts)
    op->setAttr(smith::kPartsAttributeName, ArrayAttr::get(context, parts));
  writeFactorAxes(op);
}

void GraphWriter::writeFactorAxes(Operation *op) {
  const Demands::OpLayout *layout = demands.find(op);
  auto interface = dyn_cast<FactorRuleInterface>(op);
  if (!layout || !interface || op->getNumOperands() == 0)
    return;
  FactorRule rule = interface.getFactorRule();
  for (shardsmith::Factor &factor : rule.factors) {
    factor.size = sizeToSplit(factor.size);
    // A strategy splits no dimension of which neighbours need elements. Queries
    // that are a slice of a product's queries, keys and values are on the ranks
    // that need them, whatever a split of the whole dimension would say.
    if (factor.kind == shardsmith::FactorKind::Permutation)
      factor.kind = shardsmith::FactorKind::NeedReplication;
  }
  SmallVector<KnownLayout> known;
  auto add = [&](const TensorFactors &factors, Value value,
                 const PartLayout &layout) {
    WrittenLayout own = written(value, layout);
    if (!own.inside.empty())
      inside.insert(op);
    if (leavesRanksEmpty(value, own.layout))
      opsWithEmptyRanks.insert(op);
    known.push_back({&factors, std::move(own.layout), Bytes(0)});
  };
  for (auto [index, result] : llvm::enumerate(op->getResults()))
    add(rule.results[index], result, layout->results[index]);
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    add(rule.operands[index], operand, layout->operands[index]);
  FactorAxes axes = deriveFactorAxes(mesh.named.mesh, rule, known);
  op->setAttr(smith::kFactorAxesAttributeName,
              toAttribute(context, mesh.named.mesh, axes));
  for (const AxisList &list : axes.factors)
    for (MeshAxis axis : list)
      if (llvm::is_contained(mesh.tensor, axis))
        showTensorAxis.insert(op);
}

void GraphWriter::nameHiddenSplits() {
  for (const GraphBody &body : map.bodies) {
    const Block &block = workload.blocks[body.block];
    std::vector<bool> isShown(block.ops.size(), false);
    for (const MappedOp &mapped : body.ops)
      if (showTensorAxis.contains(mapped.op))
        isShown[mapped.index] = true;
    for (const MappedOp &mapped : body.ops) {
      auto split = strategy.layouts[body.block].ops[mapped.index].factor;
      if (!split || isShown[mapped.index])
        continue;
      const std::string &name = block.ops[mapped.index].factors[*split].name;
      mapped.op->setAttr(smith::kSplitAttributeName,
                         StringAttr::get(context, name));
    }
  }
}

void GraphWriter::markUnits() {
  int64_t first = 0;
  size_t number = 0;
  for (const GraphUnit &unit : map.units) {
    while (strategy.stages[number].end <= first)
      ++number;
    const Stage &stage = strategy.stages[number];
    std::string_view choice =
        nameOf(stage.recompute[size_t(first - stage.begin)]);
    markUnit(unit, int64_t(number), StringRef(choice.data(), choice.size()));
    first += unit.count;
  }
}

void GraphWriter::markUnit(const GraphUnit &unit, int64_t stage,
                           StringRef recompute) {
  auto mark = [&](Operation *op) {
    op->setAttr(smith::kStageAttributeName,
                IntegerAttr::get(IntegerType::get(context, 64), stage));
    op->setAttr(smith::kRecomputeAttributeName,
                StringAttr::get(context, recompute));
  };
  if (unit.call)
    return mark(unit.call);
  for (const MappedOp &mapped : map.bodies[unit.body].ops)
    mark(mapped.op);
}

} // namespace shardsmith::annotate
