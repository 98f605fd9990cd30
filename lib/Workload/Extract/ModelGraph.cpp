// SPDX-License-Identifier: Apache-2.0

#include "ModelGraph.h"
#include "Fusible.h"

#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/Smith/LoopOps.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interfaces/CostInterface.h"

using namespace mlir;

namespace shardsmith::workload {
namespace {

bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

bool isInteger(Value value) {
  return isa<IntegerType>(getElementTypeOrSelf(value.getType()));
}

bool isProduct(Operation *op) {
  return workOf(op).kind == OpWork::Kind::Matmul;
}

/// True if the operand says where elements go, not what they are.
bool isRoutingUse(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<stablehlo::GatherOp>(op))
    return use.getOperandNumber() == 1;
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return use.getOperandNumber() == scatter.getInputs().size();
  return use.getOperandNumber() == 2 && workOf(op).product &&
         workOf(op).product->groups;
}

} // namespace

func::FuncOp ModelGraph::calleeOf(Operation *op) const {
  return calls.lookup(op);
}

Value ModelGraph::callerValue(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return value;
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto found = callees.find(function);
  if (found == callees.end())
    return value;
  return found->second->getOperand(argument.getArgNumber());
}

bool ModelGraph::isVaried(Operation *op) const {
  return llvm::any_of(op->getResults(),
                      [&](Value result) { return isVaried(result); });
}

bool ModelGraph::hasGradient(Operation *op) const {
  return llvm::any_of(op->getResults(),
                      [&](Value result) { return hasGradient(result); });
}

bool ModelGraph::isCompute(Operation *op) const {
  if (op->hasTrait<OpTrait::IsTerminator>() || !isLive(op) || isRouting(op) ||
      calleeOf(op) || (isView(op) && !isMaterialized(op)))
    return false;
  // Where a block begins and ends.
  if (std::optional<int64_t> loop = smith::getMarkedLoop(op);
      loop && layerLoops.contains(*loop))
    return false;
  return originOf(op->getResult(0)) == Origin::Activation;
}

void ModelGraph::forEachOp(llvm::function_ref<void(Operation *)> visit) {
  for (Operation &op : main.getBody().front())
    visit(&op);
  for (auto &[function, call] : callees)
    for (Operation &op : function.getBody().front())
      visit(&op);
}

llvm::Error ModelGraph::analyze() {
  if (llvm::Error error = findFunctions())
    return error;
  if (llvm::Error error = readSignature())
    return error;

  nest.emplace(main.getBody().front());
  addFunction(main);
  for (auto &[function, call] : callees)
    addFunction(function);
  findOrigins(main);
  if (llvm::Error error = checkReturns())
    return error;
  if (llvm::Error error = checkOperands())
    return error;
  findStackedElements();
  findLive(main);
  findStopped();
  tieAxes();
  findLeaves();
  findLayerLoops();
  materializeBoundaries();
  return llvm::Error::success();
}

void ModelGraph::keepInMemory(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isView(op) || originOf(value) != Origin::Activation)
    return;
  Source source = sourceOf(*this, value);
  bool isSame = getElementTypeOrSelf(value.getType()) ==
                    getElementTypeOrSelf(source.root.getType()) &&
                source.leafOf.size() == source.reads.size();
  for (auto [index, leaf] : llvm::enumerate(source.leafOf))
    isSame &= leaf == int(index);
  if (!isSame)
    materialized.insert(op);
}

/// What a function takes and returns is in memory the way it is declared.
void ModelGraph::materializeBoundaries() {
  for (auto &[call, callee] : calls)
    for (Value operand : call->getOperands())
      keepInMemory(operand);
  for (auto &[callee, call] : callees)
    for (Value returned :
         callee.getBody().front().getTerminator()->getOperands())
      keepInMemory(returned);
}

void ModelGraph::addValue(Value value) {
  Facts &entry = facts[value];
  for (int64_t size : cast<RankedTensorType>(value.getType()).getShape())
    entry.dims.push_back(axes.add(size));
}

void ModelGraph::addFunction(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    addValue(argument);
  for (Operation &op : function.getBody().front())
    for (Value result : op.getResults())
      addValue(result);
}

/// An argument of a called function has the origin of the operand that
/// depends on most; the function is looked at again when that changes.
void ModelGraph::findOrigins(func::FuncOp function) {
  if (function == main)
    for (BlockArgument argument : main.getArguments()) {
      StringRef role = argumentRole(argument);
      Facts &entry = facts[argument];
      entry.origin = role == "param"   ? Origin::Parameter
                     : role == "batch" ? Origin::Data
                                       : Origin::Constant;
      entry.isVaried = role == "param";
    }
  while (visitOrigins(function)) {
  }
}

bool ModelGraph::visitOrigins(func::FuncOp function) {
  bool goesAround = false;
  DenseSet<func::FuncOp> known;
  for (Operation &op : function.getBody().front()) {
    if (func::FuncOp callee = calleeOf(&op)) {
      bool changed = known.insert(callee).second;
      for (auto [operand, argument] :
           llvm::zip_equal(op.getOperands(), callee.getArguments())) {
        Facts &entry = facts[argument];
        const Facts &given = facts[operand];
        changed |=
            given.origin > entry.origin || (given.isVaried && !entry.isVaried);
        entry.origin = std::max(entry.origin, given.origin);
        entry.isVaried |= given.isVaried;
      }
      if (changed)
        findOrigins(callee);
      Operation *terminator = callee.getBody().front().getTerminator();
      for (auto [result, returned] :
           llvm::zip_equal(op.getResults(), terminator->getOperands())) {
        facts[result].origin = facts[returned].origin;
        facts[result].isVaried = facts[returned].isVaried;
      }
      continue;
    }
    Origin most = Origin::Constant;
    bool isVaried = false, readsParameter = false;
    // What goes around has been made by an iteration before.
    if (isa<smith::LoopCarryOp>(op)) {
      most = facts[op.getResult(0)].origin;
      isVaried = facts[op.getResult(0)].isVaried;
    }
    for (Value operand : op.getOperands()) {
      const Facts &given = facts[operand];
      most = std::max(most, given.origin);
      readsParameter |= given.origin == Origin::Parameter;
      isVaried |= given.isVaried;
    }
    bool takesElement = isa<smith::LoopSliceOp>(op);
    bool computes = (most == Origin::Data && isProduct(&op)) ||
                    (readsParameter && !isView(&op) && !takesElement);
    for (Value result : op.getResults()) {
      facts[result].origin = computes ? Origin::Activation : most;
      facts[result].isVaried = isVaried && isFloat(result);
    }
    if (auto next = dyn_cast<smith::LoopNextOp>(op)) {
      const Facts &made = facts[next.getNext()];
      Facts &carried = facts[next.getCarry()];
      goesAround |=
          made.origin > carried.origin || (made.isVaried && !carried.isVaried);
      carried.origin = std::max(carried.origin, made.origin);
      carried.isVaried |= made.isVaried;
    }
  }
  return goesAround;
}

/// A scan over layers keeps the parameters of all layers in one tensor and
/// takes one element after the other; then each is a parameter by itself.
void ModelGraph::findStackedElements() {
  for (BlockArgument argument : main.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (originOf(argument) != Origin::Parameter || type.getRank() == 0)
      continue;
    SmallVector<Operation *> elements;
    DenseSet<int64_t> positions;
    bool isStack = type.getDimSize(0) > 1;
    for (Operation *user : argument.getUsers()) {
      auto slice = dyn_cast<stablehlo::SliceOp>(user);
      isStack = isStack && slice &&
                slice.getType().getShape().drop_front() ==
                    type.getShape().drop_front() &&
                slice.getType().getDimSize(0) == 1;
      if (!isStack)
        break;
      positions.insert(slice.getStartIndices()[0]);
      elements.push_back(user);
    }
    if (isStack && int64_t(positions.size()) == type.getDimSize(0))
      stackedElements.insert(elements.begin(), elements.end());
  }
}

/// Values without a gradient although they vary: all of their ways from the
/// parameters, or all to the loss, lead through `stop_gradient`. Imported
/// models alone have these, and no functions but `@main`.
void ModelGraph::findStopped() {
  mlir::Block &body = main.getBody().front();
  if (body.getOps<smith::StopGradientOp>().empty())
    return;
  DenseSet<Value> reached, useful;
  auto add = [&](Value value) {
    if (isVaried(value))
      reached.insert(value);
  };
  // Again for what goes around loops.
  for (size_t before = ~size_t(0); before != reached.size();) {
    before = reached.size();
    llvm::for_each(body.getArguments(), add);
    for (Operation &op : body.without_terminator()) {
      if (!isa<smith::StopGradientOp>(op) &&
          llvm::any_of(op.getOperands(), [&](Value operand) {
            return reached.contains(operand);
          }))
        llvm::for_each(op.getResults(), add);
      if (auto next = dyn_cast<smith::LoopNextOp>(op);
          next && reached.contains(next.getNext()))
        add(next.getCarry());
    }
  }
  useful.insert(loss);
  for (size_t before = 0; before != useful.size();) {
    before = useful.size();
    for (Operation &op : llvm::reverse(body.without_terminator())) {
      if (!isa<smith::StopGradientOp>(op) &&
          llvm::any_of(op.getResults(),
                       [&](Value result) { return useful.contains(result); }))
        useful.insert(op.operand_begin(), op.operand_end());
      if (auto next = dyn_cast<smith::LoopNextOp>(op);
          next && useful.contains(next.getCarry()))
        useful.insert(next.getNext());
    }
  }
  for (Operation &op : body.without_terminator())
    for (Value result : op.getResults())
      if (isVaried(result) &&
          !(reached.contains(result) && useful.contains(result)))
        stopped.insert(result);
}

void ModelGraph::findLive(func::FuncOp function) {
  DenseSet<Value> needed;
  mlir::Block &body = function.getBody().front();
  if (function == main)
    needed.insert(loss);
  else
    needed.insert(body.getTerminator()->operand_begin(),
                  body.getTerminator()->operand_end());
  while (visitLive(function, needed)) {
  }
}

bool ModelGraph::visitLive(func::FuncOp function, DenseSet<Value> &needed) {
  bool goesAround = false;
  for (Operation &op :
       llvm::reverse(function.getBody().front().without_terminator())) {
    if (llvm::none_of(op.getResults(),
                      [&](Value result) { return needed.contains(result); }))
      continue;
    needed.insert(op.operand_begin(), op.operand_end());
    if (isa<smith::LoopCarryOp>(op))
      for (Operation *user : op.getUsers())
        if (auto next = dyn_cast<smith::LoopNextOp>(user))
          goesAround |= needed.insert(next.getNext()).second;
    if (func::FuncOp callee = calleeOf(&op);
        live.insert(&op).second && callee && callees.lookup(callee) == &op)
      findLive(callee);
    bool routes = llvm::all_of(op.getResults(), isInteger) &&
                  originOf(op.getResult(0)) == Origin::Activation &&
                  llvm::all_of(op.getUses(), [&](OpOperand &use) {
                    return isRoutingUse(use) ||
                           routing.contains(use.getOwner()) ||
                           !live.contains(use.getOwner());
                  });
    if (routes && !calleeOf(&op))
      routing.insert(&op);
  }
  return goesAround;
}

} // namespace shardsmith::workload
