// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/Elements/ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace shardsmith::lower {

const ElementRule *findElementRule(Operation *op) {
  static const ElementRules rules = [] {
    ElementRules all;
    addPointwiseRules(all);
    addIndexingRules(all);
    return all;
  }();
  auto found = rules.find(op->getName().getStringRef());
  return found == rules.end() ? nullptr : &found->second;
}

/// Forgets on destruction what was emitted since construction: elements of a
/// branch are not visible after it.
struct EmitterScope {
  explicit EmitterScope(ElementEmitter &emitter)
      : emitter(emitter), size(emitter.known.size()) {}
  ~EmitterScope() { emitter.forget(size); }
  ElementEmitter &emitter;
  size_t size;
};

void ElementEmitter::forget(size_t size) {
  while (known.size() > size) {
    knownOf[known.back().tensor].pop_back();
    known.pop_back();
  }
}

Value ElementEmitter::find(Value tensor, ArrayRef<LaneIndex> index) const {
  auto found = knownOf.find(tensor);
  if (found == knownOf.end())
    return {};
  for (size_t position : found->second)
    if (ArrayRef<LaneIndex>(known[position].index) == index)
      return known[position].element;
  return {};
}

void ElementEmitter::remember(Value tensor, ArrayRef<LaneIndex> index,
                              Value element) {
  knownOf[tensor].push_back(known.size());
  known.push_back({tensor, LaneIndices(index), element});
}

Value ElementEmitter::emit(Value tensor, ArrayRef<LaneIndex> requested) {
  auto type = cast<RankedTensorType>(tensor.getType());
  LaneIndices index(requested);
  for (auto [position, size] : llvm::zip_equal(index, type.getShape()))
    if (size == 1)
      position = LaneIndex::constant(0);

  if (Value element = find(tensor, index))
    return element;
  Value element = hook(*this, tensor, index);
  if (!element) {
    if (memory.holds(tensor)) {
      element = memory.load(builder, arithmetic, tensor,
                            arithmetic.linearize(index, type.getShape()));
    } else {
      Operation *op = tensor.getDefiningOp();
      const ElementRule *rule = findElementRule(op);
      assert(rule && "kernels hold only ops with a rule");
      if (rule->indexing) {
        element = rule->indexing(*this, op, index);
      } else {
        SmallVector<Value> elements;
        bool anyVector = false;
        for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
          elements.push_back(emitOperand(op, operand, index));
          anyVector |= isa<VectorType>(elements.back().getType());
        }
        if (anyVector)
          for (Value &value : elements)
            value = spread(builder, value, arithmetic.laneCount());
        element = rule->pointwise(builder, op, elements);
      }
    }
  }
  remember(tensor, index, element);
  return element;
}

Value ElementEmitter::emitOperand(Operation *op, unsigned operand,
                                  ArrayRef<LaneIndex> index) {
  Value tensor = op->getOperand(operand);
  bool scalar = cast<RankedTensorType>(tensor.getType()).getRank() == 0;
  return emit(tensor, scalar ? ArrayRef<LaneIndex>() : index);
}

SmallVector<Value> ElementEmitter::emitBody(Region &body,
                                            ValueRange arguments) {
  EmitterScope scope(*this);
  for (auto [parameter, argument] :
       llvm::zip_equal(body.getArguments(), arguments))
    remember(parameter, {}, argument);
  SmallVector<Value> results;
  for (Value result : body.front().getTerminator()->getOperands())
    results.push_back(emit(result, {}));
  return results;
}

Value ElementEmitter::emitIf(const LaneCondition &condition, Type element,
                             llvm::function_ref<Value()> inside,
                             llvm::function_ref<Value()> outside, bool lanes) {
  int64_t count = lanes ? arithmetic.laneCount() : 1;
  auto chosen = [&]() -> Value {
    Value value = spread(builder, inside(), count);
    if (!condition.lanes)
      return value;
    Value other = spread(builder, outside(), count);
    return arith::SelectOp::create(builder, condition.lanes, value, other);
  };
  if (!condition.uniform)
    return chosen();
  auto branch = scf::IfOp::create(builder, withLanes(element, count),
                                  condition.uniform, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  {
    EmitterScope scope(*this);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, chosen());
  }
  {
    EmitterScope scope(*this);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, spread(builder, outside(), count));
  }
  return branch.getResult(0);
}

} // namespace shardsmith::lower
