// SPDX-License-Identifier: Apache-2.0
//
// What a unit computes again is cloned to the place where its backward pass
// begins; the clones read what the unit keeps through barriers, so that no
// common subexpression joins them to the ops they are clones of:
//
//     forward        unit: %a = f(%x)  %b = g(%a)  %y = h(%b)      %x, %y kept
//     loss, backward of later units
//     backward       %x' = barrier %x  %a' = f(%x')  %b' = g(%a')
//                    … uses of %a and %b from here on use %a' and %b'
//
// Invariants: ops of the loss stand before all derivatives and updates
// (Train/Differentiate.h), so the last op that belongs to a unit ends the
// forward pass. A value that another unit's forward pass reads is kept.

#include "shardsmith/Train/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_RECOMPUTE
#include "shardsmith/Train/Passes.h.inc"

namespace {

std::optional<int64_t> unitOf(Operation *op) {
  auto unit = op->getAttrOfType<IntegerAttr>(smith::kUnitAttributeName);
  return unit ? std::optional(unit.getInt()) : std::nullopt;
}

bool runsAgain(Operation *op) {
  auto choice = op->getAttrOfType<StringAttr>(smith::kRecomputeAttributeName);
  return choice && choice.getValue() != "none";
}

class Recomputation {
public:
  explicit Recomputation(func::FuncOp function)
      : body(function.getBody().front()), builder(function.getContext()),
        nest(body) {}

  void run() {
    number();
    chooseOps();
    for (auto &[unit, ops] : opsOfUnit)
      cloneUnit(ops);
  }

private:
  void number() {
    int64_t position = 0;
    for (Operation &op : body) {
      if (unitOf(&op))
        endOfForward = position;
      positions[&op] = position++;
    }
  }
  bool isForward(Operation *op) const {
    return positions.lookup(op) <= endOfForward;
  }

  /// The unit that an op belongs to: its own, or that of what it reads which
  /// runs again, such as a view between two ops of the unit.
  std::optional<int64_t> unitThatRuns(Operation *op) const {
    if (unitOf(op))
      return runsAgain(op) ? unitOf(op) : std::nullopt;
    for (Value operand : op->getOperands())
      if (auto found = chosen.find(operand.getDefiningOp());
          found != chosen.end())
        return found->second;
    return std::nullopt;
  }

  void chooseOps() {
    for (Operation &op : body) {
      if (!isForward(&op))
        break;
      if (op.getNumOperands() == 0 || op.getNumRegions() > 1)
        continue;
      // What a loop computes again is in the loop of its backward pass already
      // (Differentiate.h).
      if (!nest.loopsOf(&op).empty())
        continue;
      if (std::optional<int64_t> unit = unitThatRuns(&op))
        chosen[&op] = *unit;
    }
    // What another unit reads is kept, and so is what no unit has.
    for (auto &[op, unit] : chosen)
      if (!isReadOutside(op, unit))
        opsOfUnit[unit].push_back(op);
  }

  bool isReadOutside(Operation *op, int64_t unit) const {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      user = body.findAncestorOpInBlock(*user);
      if (!isForward(user))
        return false;
      auto found = chosen.find(user);
      return found == chosen.end() || found->second != unit;
    });
  }

  /// `ops` in program order.
  void cloneUnit(ArrayRef<Operation *> ops) {
    llvm::DenseSet<Operation *> again(ops.begin(), ops.end());
    Operation *place = nullptr;
    llvm::SetVector<Operation *> needed;
    for (Operation *op : llvm::reverse(ops)) {
      bool isRead = needed.contains(op);
      for (Operation *user : op->getUsers()) {
        user = body.findAncestorOpInBlock(*user);
        if (isForward(user) || user->hasTrait<OpTrait::IsTerminator>())
          continue;
        isRead = true;
        if (!place || user->isBeforeInBlock(place))
          place = user;
      }
      if (!isRead)
        continue;
      needed.insert(op);
      for (Value operand : op->getOperands())
        if (again.contains(operand.getDefiningOp()))
          needed.insert(operand.getDefiningOp());
    }
    if (!place)
      return;
    builder.setInsertionPoint(place);
    IRMapping copies;
    for (Operation *op : ops)
      if (needed.contains(op))
        clone(op, copies);
    for (Operation *op : ops)
      if (needed.contains(op))
        replaceInBackward(op, copies);
  }

  void clone(Operation *op, IRMapping &copies) {
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      bool isFree = maker && maker->getNumOperands() == 0;
      if (!copies.contains(operand) && maker && !isFree)
        copies.map(operand, throughBarrier(operand, op));
    }
    Operation *copy = builder.clone(*op, copies);
    markBackward(copy, op);
    // Rows that are dropped are counted once.
    if (auto limit = dyn_cast<smith::LimitRowsOp>(copy))
      limit.setCounts(false);
    // It belongs to the backward pass.
    copy->removeAttr(smith::kUnitAttributeName);
    copy->removeAttr(smith::kRecomputeAttributeName);
  }

  /// The backward pass of the stage that an op belongs to.
  static void markBackward(Operation *made, Operation *op) {
    Attribute stage = op->getAttr(smith::kStageAttributeName);
    if (!stage)
      return;
    made->setAttr(smith::kStageAttributeName, stage);
    made->setAttr(smith::kBackwardAttributeName,
                  UnitAttr::get(op->getContext()));
  }

  /// For a clone of `reader`.
  Value throughBarrier(Value value, Operation *reader) {
    auto barrier = stablehlo::OptimizationBarrierOp::create(
        builder, value.getLoc(), value.getType(), value);
    markBackward(barrier, reader);
    // Terms of a sum are added up first.
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(value))
      sdy::setSharding(barrier->getResult(0),
                       sdy::TensorShardingAttr::get(
                           value.getContext(), sharding.getMeshOrRef(),
                           sharding.getDimShardings(),
                           sharding.getReplicatedAxes(), {},
                           sharding.getUnreducedKind()));
    return barrier->getResult(0);
  }

  void replaceInBackward(Operation *op, IRMapping &copies) {
    for (Value result : op->getResults())
      result.replaceUsesWithIf(copies.lookup(result), [&](OpOperand &use) {
        Operation *user = body.findAncestorOpInBlock(*use.getOwner());
        // Clones stand in no place of the numbered ones.
        return positions.contains(user) && !isForward(user) &&
               !user->hasTrait<OpTrait::IsTerminator>();
      });
  }

  Block &body;
  OpBuilder builder;
  smith::LoopNest nest;
  llvm::DenseMap<Operation *, int64_t> positions;
  int64_t endOfForward = -1;
  /// Ops of the forward pass that may run again, with their unit.
  llvm::MapVector<Operation *, int64_t> chosen;
  llvm::MapVector<int64_t, SmallVector<Operation *>> opsOfUnit;
};

struct RecomputePass : public impl::RecomputeBase<RecomputePass> {
  void runOnOperation() override {
    auto function = getOperation().lookupSymbol<func::FuncOp>("main");
    if (function && !function.isExternal())
      Recomputation(function).run();
  }
};

} // namespace
} // namespace shardsmith
