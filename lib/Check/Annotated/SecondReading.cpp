// SPDX-License-Identifier: Apache-2.0
//
// The part of GraphReader that knows what the graph has decided: what each
// annotation of the workload's tensors and ops should be.

#include "GraphReader.h"

#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Sharding/DeriveFactorAxes.h"

using namespace mlir;

namespace shardsmith::check {

using namespace workload;

void GraphReader::checkValue(Value value, const PartAxes &axes,
                             const std::string &what) {
  ++result.compared;
  if (!file.isAnnotatedWith(value, axes))
    find(file.placeOf(value), file.describe(value),
         file.describe(value, axes.axes), what);
}

PartAxes GraphReader::inOp(const Body &body, const MappedOp &mapped,
                           const PartFactors &factors, Value value) const {
  return expected.inOp(workload.blocks[body.block].ops[mapped.index], factors,
                       map.partsOf(value),
                       result.blocks[body.block].ops[mapped.index], method);
}

void GraphReader::checkBody(const Body &body) {
  const workload::Block &block = workload.blocks[body.block];
  for (const MappedTensor &mapped : body.tensors) {
    if (!isShown(body, mapped))
      continue;
    const Tensor &tensor = block.tensors[mapped.tensor];
    checkValue(
        mapped.value,
        expected.ofTensor(tensor, mapped.dims, map.partsOf(mapped.value),
                          result.blocks[body.block].tensors[mapped.tensor]),
        "layout of '" + tensor.name + "'");
  }
  for (const MappedOp &mapped : body.ops)
    checkOp(body, mapped);
}

void GraphReader::checkOutputs(const GraphUnit &unit) {
  const Body &body = map.bodies[unit.body];
  const workload::Block &block = workload.blocks[body.block];
  for (auto [value, tensor] : llvm::zip_equal(unit.outputs, block.outputs))
    for (const MappedTensor &mapped : body.tensors)
      if (mapped.tensor == tensor)
        checkValue(value,
                   expected.ofTensor(block.tensors[tensor], mapped.dims,
                                     map.partsOf(value),
                                     result.blocks[body.block].tensors[tensor]),
                   "layout of '" + block.tensors[tensor].name + "'");
}

void GraphReader::checkOp(const Body &body, const MappedOp &mapped) {
  const std::string &name = workload.blocks[body.block].ops[mapped.index].name;
  std::vector<Layout> layouts;
  auto add = [&](Value value, const PartFactors &factors, bool isInside) {
    PartAxes axes = inOp(body, mapped, factors, value);
    if (isInside)
      checkValue(value, axes, "a value inside of '" + name + "'");
    layouts.push_back(
        slicesOf(named.mesh, cast<RankedTensorType>(value.getType()).getRank(),
                 map.partsOf(value), axes));
  };
  for (auto [value, factors] :
       llvm::zip_equal(mapped.op->getResults(), mapped.results))
    add(value, factors, !kept.contains(value));
  for (auto [value, factors] :
       llvm::zip_equal(mapped.op->getOperands(), mapped.operands))
    add(value, factors, false);
  checkFactorAxes(mapped.op, {layouts});
}

void GraphReader::checkFactorAxes(Operation *op,
                                  ArrayRef<std::vector<Layout>> choices) {
  auto interface = dyn_cast<FactorRuleInterface>(op);
  if (!interface || op->getNumOperands() == 0)
    return;
  FactorRule rule = interface.getFactorRule();
  // No strategy has ranks that fetch elements of neighbours.
  for (shardsmith::Factor &factor : rule.factors)
    if (factor.kind == shardsmith::FactorKind::Permutation)
      factor.kind = shardsmith::FactorKind::NeedReplication;
  Operation *peer = file.find(op);
  auto found = peer->getAttrOfType<smith::FactorAxesAttr>(
      smith::kFactorAxesAttributeName);
  ++result.compared;
  std::string wanted;
  for (ArrayRef<Layout> layouts : choices) {
    SmallVector<KnownLayout> known;
    for (auto [index, layout] : llvm::enumerate(layouts)) {
      bool isResult = index < op->getNumResults();
      known.push_back({isResult ? &rule.results[index]
                                : &rule.operands[index - op->getNumResults()],
                       layout, Bytes(0)});
    }
    smith::FactorAxesAttr attribute =
        toAttribute(op->getContext(), named.mesh,
                    deriveFactorAxes(named.mesh, rule, known));
    if (attribute == found)
      return;
    if (wanted.empty())
      llvm::raw_string_ostream(wanted) << attribute;
  }
  std::string text = "none";
  if (found) {
    text.clear();
    llvm::raw_string_ostream(text) << found;
  }
  find(file.placeOf(op), text, wanted, "smith.factor_axes");
}

} // namespace shardsmith::check
