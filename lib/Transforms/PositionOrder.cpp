// SPDX-License-Identifier: Apache-2.0
//
// Parts of factors are followed from operand to operand. From an operand back
// to the op that made it, from a result on to all of its readers:
//
//     operand in the other order  ◀──▶  factor of the op  ──▶  its results
//        │ made by an op that keeps the order: a read, where it is changed
//
// A value may have both kinds of readers (labels are tokens, one further): if
// it may be brought from one order into the other, it is kept as it is, and all
// is followed again.

#include "shardsmith/Transforms/PositionOrder.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/Positions.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Interfaces/NeighbourhoodInterface.h"
#include "shardsmith/Interfaces/PositionOrderInterface.h"
#include "shardsmith/Support/LocationText.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shardsmith {
namespace {

bool isInFunctionBody(Operation *op) {
  return isa_and_nonnull<func::FuncOp>(op->getParentOp());
}

/// Every place of a tensor that has a factor, as parts of its dimensions.
template <typename Visit>
void eachPlace(const TensorFactors &tensor, const FactorRule &rule,
               FactorIndex factor, Visit visit) {
  for (auto [dim, factors] : llvm::enumerate(tensor)) {
    int64_t inner = 1;
    for (FactorIndex each : llvm::reverse(factors)) {
      if (each == factor)
        visit(unsigned(dim), inner);
      inner *= rule.factors[each].size;
    }
  }
}

/// Whether a value made from nothing is the same at all positions.
bool isAlikeAlong(Value value, PositionPart part) {
  if (auto iota = value.getDefiningOp<stablehlo::IotaOp>())
    return iota.getIotaDimension() != part.dim;
  ElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat();
}

bool isNumbered(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isInteger();
}

} // namespace

PositionOrder::PositionOrder(ModuleOp module) : module(module) {
  module.walk([&](func::CallOp call) {
    if (auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee()))
      callsOf[callee].push_back(call);
  });
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal())
    return;
  for (BlockArgument argument : main.getArguments()) {
    auto role = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  smith::kRoleAttributeName);
    if (!role || role.getValue() == "batch")
      samples.insert(argument);
  }
  findSamples(main);
}

void PositionOrder::findSamples(func::FuncOp function) {
  for (Operation &op : function.getBody().front()) {
    bool isOfSamples = false, isOfActivations = false;
    op.walk([&](Operation *each) {
      for (Value operand : each->getOperands()) {
        isOfSamples |= samples.contains(operand);
        isOfActivations |= isActivation(operand);
      }
    });
    if (!isOfSamples)
      continue;
    samples.insert(op.result_begin(), op.result_end());
    if (isOfActivations)
      activations.insert(op.result_begin(), op.result_end());
    auto call = dyn_cast<func::CallOp>(op);
    auto callee =
        call ? module.lookupSymbol<func::FuncOp>(call.getCallee()) : nullptr;
    if (!callee || callee.isExternal())
      continue;
    bool isNew = false;
    for (auto [argument, operand] :
         llvm::zip(callee.getArguments(), call.getOperands()))
      if (samples.contains(operand)) {
        isNew |= samples.insert(argument).second;
        if (isActivation(operand))
          isNew |= activations.insert(argument).second;
      }
    if (isNew)
      findSamples(callee);
  }
}

bool PositionOrder::isActivation(Value value) const {
  return activations.contains(value) ||
         (samples.contains(value) && !isNumbered(value.getType()));
}

void PositionOrder::reorder(OpOperand &use, PositionPart part) {
  seeds.push_back({&use, part});
}

std::string PositionOrder::follow() {
  do {
    keepsMore = false;
    obstacle.clear();
    foundReads.clear();
    found.clear();
    foundSet.clear();
    seenReads.clear();
    seenValues.clear();
    for (const Read &seed : seeds)
      followUse(*seed.use, seed.part);
    // Visiting a part may find others.
    for (size_t next = 0; next < found.size() && obstacle.empty(); ++next)
      visit(found[next]);
  } while (keepsMore && obstacle.empty());
  return obstacle;
}

const FactorRule *PositionOrder::ruleOf(Operation *op) {
  auto [entry, isNew] = rules.try_emplace(op);
  if (isNew)
    if (auto interface = dyn_cast<FactorRuleInterface>(op))
      entry->second = std::make_unique<FactorRule>(interface.getFactorRule());
  return entry->second.get();
}

bool PositionOrder::takesZigzag(FactorPart part) {
  auto [op, factor, inner, size] = part;
  auto interface = dyn_cast<PositionOrderInterface>(op);
  return interface && interface.takesZigzag(factor, inner, size);
}

void PositionOrder::putInZigzag(int64_t ranks) const {
  for (FactorPart part : found) {
    auto [op, factor, inner, size] = part;
    if (takesZigzag(part))
      cast<PositionOrderInterface>(op).putInZigzag(ranks, factor, inner, size);
  }
}

/// The factor of which a part of a dimension is a part.
std::optional<PositionOrder::FactorPart>
PositionOrder::factorOf(Operation *op, const TensorFactors &factors,
                        const FactorRule &rule, PositionPart part) {
  if (part.dim >= factors.size())
    return std::nullopt;
  int64_t inner = 1;
  for (FactorIndex factor : llvm::reverse(factors[part.dim])) {
    int64_t size = rule.factors[factor].size;
    bool begins = part.inner % inner == 0;
    int64_t within = part.inner / inner;
    if (begins && within < size && size % (within * part.size) == 0)
      return FactorPart(op, factor, within, part.size);
    inner *= size;
  }
  return std::nullopt;
}

/// Whether an op does the same along a factor, whatever the order, or can be
/// told of it. Rows that are named by numbers are not in any order.
bool PositionOrder::commutes(FactorPart part, const FactorRule &rule) {
  auto [op, factor, inner, size] = part;
  if (takesZigzag(part))
    return true;
  FactorKind kind = rule.factors[factor].kind;
  if (kind != FactorKind::PassThrough && kind != FactorKind::Reduction)
    return false;
  if (needsNeighbours(op, factor) || stablehlo::pointsInto(op, rule, factor))
    return false;
  // What an op makes of its own accord may depend on where it is made.
  bool isRead = llvm::any_of(rule.operands, [&](const TensorFactors &tensor) {
    return occursIn(tensor, factor);
  });
  return isRead || isa<stablehlo::BroadcastInDimOp>(op);
}

std::optional<PositionOrder::FactorPart>
PositionOrder::factorOfOperand(OpOperand &use, PositionPart part) {
  Operation *op = use.getOwner();
  const FactorRule *rule = ruleOf(op);
  if (!rule || use.getOperandNumber() >= rule->operands.size())
    return std::nullopt;
  auto factor =
      factorOf(op, rule->operands[use.getOperandNumber()], *rule, part);
  if (!factor || !commutes(*factor, *rule))
    return std::nullopt;
  return factor;
}

std::optional<PositionOrder::FactorPart>
PositionOrder::factorOfResult(OpResult result, PositionPart part) {
  Operation *op = result.getOwner();
  const FactorRule *rule = ruleOf(op);
  if (!rule || kept.contains(result))
    return std::nullopt;
  auto factor =
      factorOf(op, rule->results[result.getResultNumber()], *rule, part);
  if (!factor || !commutes(*factor, *rule))
    return std::nullopt;
  return factor;
}

bool PositionOrder::mayChangeOrder(Value value) const {
  if (!isActivation(value))
    return true;
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : nullptr;
  return function && function.getName() == "main";
}

void PositionOrder::refuse(Value value, Operation *by) {
  if (mayChangeOrder(value)) {
    keepsMore |= kept.insert(value).second;
    return;
  }
  if (obstacle.empty())
    obstacle =
        ("'" + by->getName().getStringRef() + "' at " +
         locationText(by->getLoc()) + " may depend on the order of positions")
            .str();
}

/// An operand whose value has its positions in the order of the sequence.
void PositionOrder::read(OpOperand &use, PositionPart part) {
  Value value = use.get();
  if (isAlikeAlong(value, part))
    return;
  if (!mayChangeOrder(value))
    return refuse(value, value.getDefiningOp() ? value.getDefiningOp()
                                               : use.getOwner());
  if (seenReads.emplace(use.getOwner(), use.getOperandNumber(), part).second)
    foundReads.push_back({&use, part});
}

/// An operand that is to be in the other order.
void PositionOrder::followUse(OpOperand &use, PositionPart part) {
  if (std::optional<FactorPart> factor = factorOfOperand(use, part))
    add(*factor);
  Value value = use.get();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto calls = function ? callsOf.find(function) : callsOf.end();
    if (calls == callsOf.end() || kept.contains(value))
      return read(use, part);
    return follow(value, part);
  }
  auto result = cast<OpResult>(value);
  if (isa<func::CallOp>(result.getOwner()) && !kept.contains(value))
    return follow(value, part);
  if (std::optional<FactorPart> factor = factorOfResult(result, part))
    add(*factor);
  else
    read(use, part);
}

/// A value that is in the other order, to all of its readers; through calls, to
/// what it is in the callee and in the callers.
void PositionOrder::follow(Value value, PositionPart part) {
  if (!seenValues.emplace(value.getAsOpaquePointer(), part).second)
    return;
  if (auto call = value.getDefiningOp<func::CallOp>()) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (!callee || callee.isExternal())
      return refuse(value, call);
    followUse(callee.getBody().front().getTerminator()->getOpOperand(number),
              part);
    for (func::CallOp other : callsOf[callee])
      follow(other.getResult(number), part);
  } else if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (auto calls = callsOf.find(function); calls != callsOf.end())
      for (func::CallOp call : calls->second)
        followUse(call->getOpOperand(argument.getArgNumber()), part);
  }
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    if (!isInFunctionBody(op)) {
      refuse(value, op);
    } else if (auto call = dyn_cast<func::CallOp>(op)) {
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      if (callee && !callee.isExternal())
        follow(callee.getArgument(use.getOperandNumber()), part);
      else
        refuse(value, op);
    } else if (op->hasTrait<OpTrait::IsTerminator>()) {
      auto function = cast<func::FuncOp>(op->getParentOp());
      auto calls = callsOf.find(function);
      if (calls == callsOf.end())
        refuse(value, op);
      else
        for (func::CallOp call : calls->second)
          follow(call.getResult(use.getOperandNumber()), part);
    } else if (std::optional<FactorPart> factor = factorOfOperand(use, part)) {
      add(*factor);
    } else {
      refuse(value, op);
    }
  }
}

void PositionOrder::add(FactorPart part) {
  if (foundSet.insert(part).second)
    found.push_back(part);
}

/// Everything that has a part of an op's factor.
void PositionOrder::visit(FactorPart part) {
  auto [op, factor, within, size] = part;
  const FactorRule &rule = *ruleOf(op);
  for (OpOperand &use : op->getOpOperands())
    eachPlace(rule.operands[use.getOperandNumber()], rule, factor,
              [&](unsigned dim, int64_t inner) {
                followUse(use, {dim, inner * within, size});
              });
  for (OpResult result : op->getResults())
    eachPlace(rule.results[result.getResultNumber()], rule, factor,
              [&](unsigned dim, int64_t inner) {
                follow(result, {dim, inner * within, size});
              });
}

} // namespace shardsmith
