// SPDX-License-Identifier: Apache-2.0

#include "GraphReader.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Sharding/DeriveFactorAxes.h"

using namespace mlir;

namespace shardsmith::check {

using namespace workload;

void GraphReader::find(std::string place, std::string found, std::string wanted,
                       std::string reason) {
  result.findings.push_back({std::move(place), std::move(found),
                             std::move(wanted), std::move(reason)});
}

GraphDecisions GraphReader::run() {
  for (MeshAxis axis = 0; axis < named.mesh.getAxisCount(); ++axis)
    result.mesh.emplace_back(named.mesh.getName(axis).str(),
                             named.mesh.getSize(axis));
  for (const TiedOp &tied : map.others)
    tiedOps[tied.op] = &tied;
  for (const Body &body : map.bodies) {
    for (const MappedOp &mapped : body.ops)
      mappedOps[mapped.op] = {&body, &mapped};
    for (const MappedTensor &tensor : body.tensors) {
      TensorRole role = workload.blocks[body.block].tensors[tensor.tensor].role;
      if (role != TensorRole::Constant)
        kept.insert(tensor.value);
      if (role == TensorRole::Parameter)
        firstBlockOf.try_emplace(tensor.value, body.block);
    }
  }
  for (const GraphUnit &unit : map.units)
    kept.insert(unit.outputs.begin(), unit.outputs.end());

  std::vector<bool> isKnown(workload.blocks.size(), false);
  result.blocks.resize(workload.blocks.size());
  for (const Body &body : map.bodies) {
    Block block = readBlock(body);
    Block &known = result.blocks[body.block];
    if (isKnown[body.block])
      compareRepetitions(body, known, block);
    else
      known = std::move(block);
    isKnown[body.block] = true;
  }
  if (result.contextMethod)
    method = *result.contextMethod;
  readMarks();
  if (!result.findings.empty())
    return std::move(result);
  for (const Body &body : map.bodies)
    checkBody(body);
  for (const GraphUnit &unit : map.units)
    checkOutputs(unit);
  for (const TiedOp &tied : map.others)
    checkOther(tied);
  if (!map.bodies.empty())
    checkArguments(
        map.bodies.front().ops.front().op->getParentOfType<ModuleOp>());
  return std::move(result);
}

GraphReader::Block GraphReader::readBlock(const Body &body) {
  const workload::Block &described = workload.blocks[body.block];
  Block block;
  block.ops.resize(described.ops.size());
  block.tensors.resize(described.tensors.size());
  block.opPlaces.resize(described.ops.size());
  block.tensorPlaces.resize(described.tensors.size());
  for (const MappedTensor &tensor : body.tensors) {
    if (!isShown(body, tensor))
      continue;
    std::optional<std::vector<AxisList>> parts = file.partsOf(tensor.value);
    if (!parts)
      continue;
    TensorLayout layout;
    for (auto [dim, list] : llvm::zip_equal(tensor.dims, *parts))
      if (llvm::any_of(list,
                       [&](MeshAxis axis) { return expected.isTensor(axis); }))
        layout = TensorLayout::split(dim);
    block.tensors[tensor.tensor] = layout;
    block.tensorPlaces[tensor.tensor] = file.placeOf(tensor.value);
  }
  for (const MappedOp &mapped : body.ops) {
    block.opPlaces[mapped.index] = file.placeOf(mapped.op);
    readOp(body, mapped, block.ops[mapped.index]);
  }
  return block;
}

/// Equal blocks are laid out alike.
void GraphReader::compareRepetitions(const Body &body, const Block &first,
                                     const Block &other) {
  const workload::Block &block = workload.blocks[body.block];
  for (OpIndex op = 0; op < block.ops.size(); ++op)
    if (first.ops[op] != other.ops[op])
      find(other.opPlaces[op], "", "",
           "the tensor axis splits another factor of '" + block.ops[op].name +
               "' than at " + first.opPlaces[op]);
  for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor)
    if (first.tensors[tensor] != other.tensors[tensor])
      find(other.tensorPlaces[tensor], "", "",
           "'" + block.tensors[tensor].name +
               "' is kept in another layout than at " +
               first.tensorPlaces[tensor]);
}

void GraphReader::readOp(const Body &body, const MappedOp &mapped,
                         OpSplit &split) {
  const workload::Op &op = workload.blocks[body.block].ops[mapped.index];
  auto learn = [&](FactorIndex factor) {
    if (split.factor && *split.factor != factor)
      find(file.placeOf(mapped.op), op.factors[factor].name,
           op.factors[*split.factor].name,
           "the tensor axis splits two factors of '" + op.name + "'");
    split.factor = factor;
  };
  Operation *peer = file.find(mapped.op);
  if (auto name = peer->getAttrOfType<StringAttr>(smith::kSplitAttributeName)) {
    bool isKnown = false;
    for (FactorIndex factor = 0; factor < op.factors.size(); ++factor)
      if (op.factors[factor].name == name.getValue()) {
        learn(factor);
        isKnown = true;
      }
    if (!isKnown)
      find(file.placeOf(mapped.op), name.str(), "a factor of '" + op.name + "'",
           "smith.split");
  }
  for (auto [value, factors] :
       llvm::zip_equal(mapped.op->getResults(), mapped.results))
    if (auto parts = file.partsOf(value); parts && !kept.contains(value))
      learnMethod(op, factors, *parts);

  auto interface = dyn_cast<FactorRuleInterface>(mapped.op);
  if (!interface || mapped.op->getNumOperands() == 0)
    return;
  auto attribute = peer->getAttrOfType<smith::FactorAxesAttr>(
      smith::kFactorAxesAttributeName);
  if (!attribute)
    return find(file.placeOf(mapped.op), "none", "a list per factor",
                "smith.factor_axes");
  FactorRule rule = interface.getFactorRule();
  FailureOr<FactorAxes> axes = toFactorAxes(attribute, named.mesh, peer);
  if (failed(axes))
    return find(file.placeOf(mapped.op), "", "",
                "smith.factor_axes names an axis that the mesh does not have");
  if (std::string error = verifyFactorAxes(named.mesh, rule, *axes);
      !error.empty())
    return find(file.placeOf(mapped.op), "", "", "smith.factor_axes: " + error);
  auto read = [&](Value value, const PartFactors &factors,
                  const Layout &layout) {
    std::vector<AxisList> parts =
        check::partsOf(named.mesh, map.partsOf(value), layout);
    for (auto [factor, list] : llvm::zip_equal(factors, parts))
      for (MeshAxis axis : list)
        if (factor && expected.isTensor(axis))
          learn(*factor);
  };
  for (auto [index, factors] : llvm::enumerate(mapped.operands))
    read(mapped.op->getOperand(index), factors,
         getOperandLayout(named.mesh, rule, *axes, index));
  for (auto [index, factors] : llvm::enumerate(mapped.results))
    read(mapped.op->getResult(index), factors,
         getResultLayout(named.mesh, rule, *axes, index));
}

/// Inside of attention positions of queries are split, or heads instead.
void GraphReader::learnMethod(const workload::Op &op,
                              const PartFactors &factors,
                              ArrayRef<AxisList> axes) {
  if (!op.attention || result.contextMethod)
    return;
  for (auto [factor, list] : llvm::zip_equal(factors, axes))
    for (MeshAxis axis : list)
      if (expected.splitsPositions(axis)) {
        if (factor == op.attention->queries)
          result.contextMethod = ContextMethod::Ring;
        if (factor == op.attention->keyValueHeads)
          result.contextMethod = ContextMethod::AllToAll;
      }
}

void GraphReader::readMarks() {
  auto read = [&](Operation *op, GraphDecisions::Unit &unit, bool isFirst) {
    Operation *peer = file.find(op);
    auto stage = peer->getAttrOfType<IntegerAttr>(smith::kStageAttributeName);
    auto text = peer->getAttrOfType<StringAttr>(smith::kRecomputeAttributeName);
    std::string place = file.placeOf(op);
    if (!stage || !text)
      return find(place, "none", "a stage and a recomputation", "a unit's op");
    std::optional<Recompute> recompute = recomputeNamed(text.getValue());
    if (!recompute)
      return find(place, text.str(), "none, selective or full",
                  "smith.recompute");
    if (isFirst)
      unit = {stage.getInt(), *recompute, place};
    if (stage.getInt() != unit.stage)
      find(place, std::to_string(stage.getInt()), std::to_string(unit.stage),
           "smith.stage of the unit that begins at " + unit.place);
    if (recompute != unit.recompute)
      find(place, std::string(nameOf(*recompute)),
           std::string(nameOf(unit.recompute)),
           "smith.recompute of the unit that begins at " + unit.place);
    result.compared += 2;
  };
  for (const GraphUnit &unit : map.units) {
    GraphDecisions::Unit &entry = result.units.emplace_back();
    if (unit.call) {
      read(unit.call, entry, /*isFirst=*/true);
      continue;
    }
    bool isFirst = true;
    for (const MappedOp &mapped : map.bodies[unit.body].ops)
      read(mapped.op, entry, std::exchange(isFirst, false));
    // Iterations of a loop are shown as one.
    GraphDecisions::Unit shown = entry;
    result.units.insert(result.units.end(), size_t(unit.count - 1), shown);
  }
}

GraphDecisions readAnnotatedGraph(ModuleOp annotated, ModuleOp model,
                                  const GraphMap &map,
                                  const Workload &workload) {
  GraphDecisions decisions;
  auto broken = [&](Location place, const std::string &reason) {
    decisions.findings.push_back({locationText(place), "", "", reason});
    return decisions;
  };
  Peers peers;
  if (auto difference = matchGraphs(model, annotated, peers))
    return broken(difference->place, difference->reason);
  auto meshes = annotated.getOps<sdy::MeshOp>();
  if (!llvm::hasSingleElement(meshes))
    return broken(annotated.getLoc(), "expected one sdy.mesh");
  FailureOr<NamedMesh> named = getMesh(annotated);
  if (failed(named))
    return broken((*meshes.begin()).getLoc(), "orders devices explicitly");
  return GraphReader(map, workload, *named, peers).run();
}

} // namespace shardsmith::check
