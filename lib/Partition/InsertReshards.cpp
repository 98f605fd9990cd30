// SPDX-License-Identifier: Apache-2.0
//
// In one walk over a function every use of a value is given the layout that it
// requires; the reshards are inserted afterwards, value by value, because
// whether uses share a reshard depends on all of them.
//
// Invariants after the pass, which `global-to-local` relies on:
//  - an op with a factor rule has `smith.factor_axes`, and its operands and
//    results have exactly the layouts that follow from it;
//  - any other op that is not a reshard has whole operands and results.

#include "shardsmith/Partition/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "shardsmith/Dialect/Smith/LoopOps.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Sharding/DeriveFactorAxes.h"
#include "shardsmith/Sharding/ShardingAttributes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_INSERTRESHARDS
#include "shardsmith/Partition/Passes.h.inc"

namespace {

/// A use of a value and the layout it must have there.
struct Use {
  OpOperand *operand;
  /// The op directly in the function that the use is in or belongs to.
  Operation *user;
  /// Position of `user` in the function.
  int64_t position;
  Layout layout;
};

/// Constants and iotas: made anew in any layout at no cost.
bool isFree(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getNumOperands() == 0 && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && isPure(op);
}

/// What the user or planner says about a result. A sharding that is open in
/// every dimension and splits none says nothing.
sdy::TensorShardingAttr getAnnotation(Value result) {
  sdy::TensorShardingAttr sharding = sdy::getSharding(result);
  if (!sharding || sharding.getRank() == 0)
    return sharding;
  bool saysNothing = sharding.isReplicated() &&
                     llvm::none_of(sharding.getDimShardings(),
                                   [](sdy::DimensionShardingAttr dim) {
                                     return dim.getIsClosed();
                                   });
  return saysNothing ? nullptr : sharding;
}

int64_t getRank(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

class ReshardInserter {
public:
  ReshardInserter(func::FuncOp function, const NamedMesh &mesh,
                  int64_t shareDistance)
      : function(function), mesh(mesh), shareDistance(shareDistance) {}

  LogicalResult run() {
    if (!function.getBody().hasOneBlock())
      return function.emitOpError("has several blocks; only straight-line "
                                  "functions can be partitioned");
    for (BlockArgument argument : function.getArguments()) {
      FailureOr<Layout> layout = toLayout(sdy::getSharding(argument),
                                          getRank(argument), mesh, function);
      if (failed(layout))
        return failure();
      held[argument] = *layout;
    }
    for (Operation &op : llvm::make_early_inc_range(function.front())) {
      if (failed(visit(&op)))
        return failure();
      ++position;
    }
    for (auto &[value, valueUses] : uses)
      insertFor(value, valueUses);
    for (Operation *op : toErase)
      op->erase();
    return success();
  }

private:
  //===--------------------------------------------------------------------===//
  // Finding out what uses require
  //===--------------------------------------------------------------------===//

  LogicalResult visit(Operation *op) {
    if (isa<func::ReturnOp>(op))
      return visitReturn(op);
    if (isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(op))
      return visitReshard(op);
    if (isa<sdy::ShardingGroupOp>(op)) {
      op->erase();
      return success();
    }
    if (isa<sdy::SdyDialect>(op->getDialect()) && op->getNumOperands() != 0)
      return op->emitOpError("cannot be partitioned");
    if (op->getNumResults() == 1 && isFree(op->getResult(0)))
      return success();
    if (auto next = dyn_cast<smith::LoopNextOp>(op))
      return visitLoopNext(next);
    if (auto carry = dyn_cast<smith::LoopCarryOp>(op))
      if (failed(takeLayoutAskedFor(carry)))
        return failure();
    if (auto interface = dyn_cast<FactorRuleInterface>(op))
      return visitWithRule(op, interface.getFactorRule());
    return visitWithoutRule(op);
  }

  /// What an iteration hands on is laid out as what it has got.
  LogicalResult visitLoopNext(smith::LoopNextOp op) {
    Layout layout = getHeld(op.getCarry());
    setAxesOfIdentity(op, layout);
    require(op->getOpOperand(0), op, layout);
    return setHeld(op.getResult(), layout);
  }

  /// A value that goes around a loop has one layout: that in which it is made,
  /// or the one that is asked for.
  LogicalResult takeLayoutAskedFor(smith::LoopCarryOp op) {
    sdy::TensorShardingAttr wanted = getAnnotation(op.getResult());
    if (!wanted)
      return success();
    FailureOr<Layout> layout =
        toLayout(wanted, getRank(op.getResult()), mesh, op);
    if (succeeded(layout))
      setAxesOfIdentity(op, *layout);
    return layout;
  }

  /// Every dimension is a factor of its own.
  void setAxesOfIdentity(Operation *op, const Layout &layout) {
    FactorAxes axes;
    for (const AxisList &dim : layout.dims)
      axes.factors.push_back(dim);
    axes.partial = layout.partial;
    op->setAttr(smith::kFactorAxesAttributeName,
                toAttribute(op->getContext(), mesh.mesh, axes));
  }

  void require(OpOperand &operand, Operation *user, Layout layout) {
    uses[operand.get()].push_back(
        {&operand, user, position, std::move(layout)});
  }

  /// The layout a value has before resharding. A free value has any.
  Layout getHeld(Value value) const {
    auto it = held.find(value);
    return it == held.end() ? Layout::replicated(getRank(value)) : it->second;
  }

  LogicalResult visitReturn(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      sdy::TensorShardingAttr sharding =
          sdy::getResultSharding(function, index);
      if (!sharding)
        sharding = getShardingOfNamesake(index);
      FailureOr<Layout> layout =
          toLayout(sharding, getRank(operand.get()), mesh, function);
      if (failed(layout))
        return failure();
      require(operand, op, *layout);
      sdy::setResultSharding(function, index,
                             toAttribute(op->getContext(), mesh, *layout));
    }
    return success();
  }

  /// The sharding of the argument that has the same name as a result.
  sdy::TensorShardingAttr getShardingOfNamesake(unsigned result) {
    Attribute name = function.getResultAttr(result, smith::kNameAttributeName);
    if (!name)
      return nullptr;
    for (BlockArgument argument : function.getArguments())
      if (function.getArgAttr(argument.getArgNumber(),
                              smith::kNameAttributeName) == name)
        return sdy::getSharding(argument);
    return nullptr;
  }

  /// A reshard that is there already moves to where its result is used: its
  /// operand is asked for the layout, its users get the operand.
  LogicalResult visitReshard(Operation *op) {
    FailureOr<Layout> layout = toLayout(sdy::getSharding(op->getResult(0)),
                                        getRank(op->getResult(0)), mesh, op);
    if (failed(layout))
      return failure();
    auto reshard = op;
    if (isa<sdy::ShardingConstraintOp>(op)) {
      OpBuilder builder(op);
      reshard =
          sdy::ReshardOp::create(builder, op->getLoc(), op->getOperand(0),
                                 toAttribute(op->getContext(), mesh, *layout));
      op->getResult(0).replaceAllUsesWith(reshard->getResult(0));
      op->erase();
    }
    Value operand = reshard->getOperand(0);
    held[reshard->getResult(0)] = *layout;
    if (isFree(operand)) {
      require(reshard->getOpOperand(0), reshard, *layout);
      return success();
    }
    if (getHeld(operand) == *layout) {
      reshard->getResult(0).replaceAllUsesWith(operand);
      reshard->erase();
    }
    return success();
  }

  void requireWhole(OpOperand &operand, Operation *user) {
    require(operand, user, Layout::replicated(getRank(operand.get())));
  }

  /// Values that regions take from outside must be whole.
  void requireCapturedWhole(Operation *op) {
    visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *operand) {
      requireWhole(*operand, op);
    });
  }

  LogicalResult visitWithoutRule(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      requireWhole(operand, op);
    requireCapturedWhole(op);
    for (Value result : op->getResults())
      if (failed(setHeld(result, Layout::replicated(getRank(result)))))
        return failure();
    op->removeAttr(smith::kFactorAxesAttributeName);
    return success();
  }

  LogicalResult visitWithRule(Operation *op, const FactorRule &rule) {
    FailureOr<FactorAxes> axes = getFactorAxes(op, rule);
    if (failed(axes))
      return failure();
    op->setAttr(smith::kFactorAxesAttributeName,
                toAttribute(op->getContext(), mesh.mesh, *axes));
    for (OpOperand &operand : op->getOpOperands())
      require(
          operand, op,
          getOperandLayout(mesh.mesh, rule, *axes, operand.getOperandNumber()));
    requireCapturedWhole(op);
    for (OpResult result : op->getResults())
      if (failed(setHeld(result, getResultLayout(mesh.mesh, rule, *axes,
                                                 result.getResultNumber()))))
        return failure();
    return success();
  }

  FailureOr<FactorAxes> getFactorAxes(Operation *op, const FactorRule &rule) {
    auto attribute = op->getAttrOfType<smith::FactorAxesAttr>(
        smith::kFactorAxesAttributeName);
    if (!attribute)
      return deriveAxes(op, rule);
    FailureOr<FactorAxes> axes = toFactorAxes(attribute, mesh.mesh, op);
    if (failed(axes))
      return failure();
    std::string error = verifyFactorAxes(mesh.mesh, rule, *axes);
    if (!error.empty())
      return op->emitOpError("cannot be split as '")
             << smith::kFactorAxesAttributeName << "' says: " << error
             << "; its rule is " << rule.str();
    return axes;
  }

  FailureOr<FactorAxes> deriveAxes(Operation *op, const FactorRule &rule) {
    auto weigh = [](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      return type ? getTensorBytes(type.getShape(),
                                   getElementBytes(type.getElementType()))
                  : Bytes(0);
    };
    SmallVector<KnownLayout, 0> known;
    for (OpResult result : op->getResults()) {
      sdy::TensorShardingAttr sharding = getAnnotation(result);
      FailureOr<Layout> layout = toLayout(sharding, getRank(result), mesh, op);
      if (failed(layout))
        return failure();
      if (sharding)
        known.push_back({&rule.results[result.getResultNumber()], *layout,
                         Bytes::saturated()});
    }
    for (OpOperand &operand : op->getOpOperands())
      if (!isFree(operand.get()))
        known.push_back({&rule.operands[operand.getOperandNumber()],
                         getHeld(operand.get()), weigh(operand.get())});
    return deriveFactorAxes(mesh.mesh, rule, known);
  }

  /// Records the layout an op gives its result. If the result is annotated
  /// with another one, a reshard follows the op and takes over its uses.
  LogicalResult setHeld(Value result, const Layout &layout) {
    held[result] = layout;
    sdy::TensorShardingAttr wanted = getAnnotation(result);
    if (!isa<RankedTensorType>(result.getType()))
      return success();
    sdy::setSharding(result, toAttribute(result.getContext(), mesh, layout));
    if (!wanted)
      return success();
    FailureOr<Layout> wantedLayout =
        toLayout(wanted, getRank(result), mesh, result.getDefiningOp());
    if (failed(wantedLayout))
      return failure();
    if (*wantedLayout == layout)
      return success();
    OpBuilder builder(result.getContext());
    builder.setInsertionPointAfterValue(result);
    Value reshard = createReshard(builder, result, *wantedLayout);
    result.replaceAllUsesExcept(reshard, reshard.getDefiningOp());
    held[reshard] = *wantedLayout;
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Inserting
  //===--------------------------------------------------------------------===//

  Value createReshard(OpBuilder &builder, Value value, const Layout &layout) {
    return sdy::ReshardOp::create(
        builder, value.getLoc(), value,
        toAttribute(value.getContext(), mesh, layout));
  }

  /// `valueUses` are in program order.
  void insertFor(Value value, ArrayRef<Use> valueUses) {
    SmallVector<SmallVector<const Use *>> byLayout;
    for (const Use &use : valueUses) {
      auto *group = llvm::find_if(byLayout, [&](ArrayRef<const Use *> other) {
        return other.front()->layout == use.layout;
      });
      if (group == byLayout.end())
        group = &byLayout.emplace_back();
      group->push_back(&use);
    }
    for (ArrayRef<const Use *> group : byLayout)
      if (isFree(value))
        remake(value, group);
      else if (group.front()->layout != getHeld(value))
        reshard(value, group);
    if (isFree(value) && value.use_empty())
      toErase.push_back(value.getDefiningOp());
  }

  /// Gives uses of one layout their own copy of a constant or iota.
  void remake(Value value, ArrayRef<const Use *> group) {
    const Layout &layout = group.front()->layout;
    OpBuilder builder(value.getDefiningOp());
    Value copy = builder.clone(*value.getDefiningOp())->getResult(0);
    // What was decided for the original layout; the sharding says it all.
    copy.getDefiningOp()->removeAttr(smith::kFactorAxesAttributeName);
    sdy::setSharding(
        copy, toAttribute(value.getContext(), mesh, layout.withoutPartial()));
    if (layout.isPartial())
      copy = createReshard(builder, copy, layout);
    for (const Use *use : group)
      use->operand->set(copy);
  }

  /// Gives uses of one layout a reshard of the value, or several if they are
  /// far apart.
  void reshard(Value value, ArrayRef<const Use *> group) {
    const Layout &layout = group.front()->layout;
    bool combines = getHeld(value).isPartial() && !layout.isPartial();
    Value shared;
    int64_t last = 0;
    for (const Use *use : group) {
      bool isNear = use->position - last < shareDistance || combines;
      if (!shared || !isNear) {
        OpBuilder builder(use->user);
        if (combines)
          builder.setInsertionPointAfterValue(value);
        shared = createReshard(builder, value, layout);
      }
      last = use->position;
      use->operand->set(shared);
    }
  }

  func::FuncOp function;
  const NamedMesh &mesh;
  int64_t shareDistance;
  int64_t position = 0;
  llvm::DenseMap<Value, Layout> held;
  llvm::MapVector<Value, SmallVector<Use>> uses;
  SmallVector<Operation *> toErase;
};

struct InsertReshardsPass
    : public impl::InsertReshardsBase<InsertReshardsPass> {
  using InsertReshardsBase::InsertReshardsBase;

  void runOnOperation() override {
    FailureOr<NamedMesh> mesh = getMesh(getOperation());
    if (failed(mesh))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() &&
          failed(ReshardInserter(function, *mesh, shareDistance).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
