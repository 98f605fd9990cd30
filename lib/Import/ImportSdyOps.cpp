// SPDX-License-Identifier: Apache-2.0
//
// On whole tensors every op of `sdy` with an operand is the identity: it says
// where a value lives, not what it is. What it says becomes a constraint; what
// only helped another compiler to find shardings goes.

#include "Unsupported.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Import/Passes.h"
#include "shardsmith/Support/EraseAttributes.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_IMPORTSDYOPS
#include "shardsmith/Import/Passes.h.inc"

namespace {

/// Attributes in which Shardy notes how it found a sharding.
constexpr StringLiteral notes[] = {"sdy.block_arg_propagation_edges",
                                   "sdy.block_arg_sharding_origins",
                                   "sdy.propagation_edges",
                                   "sdy.result_propagation_edges",
                                   "sdy.result_sharding_origins",
                                   "sdy.sharding_origin_name",
                                   "sdy.sharding_origins",
                                   "sdy.sharding_rule"};

/// Where a value goes that is `op`'s operand in another sharding; null for
/// other ops.
sdy::TensorShardingAttr shardingAfter(Operation *op) {
  return llvm::TypeSwitch<Operation *, sdy::TensorShardingAttr>(op)
      .Case<sdy::AllGatherOp, sdy::AllReduceOp, sdy::AllSliceOp,
            sdy::AllToAllOp, sdy::CollectivePermuteOp, sdy::ReduceScatterOp,
            sdy::ReplicatedToUnreducedOp, sdy::ShardedToUnreducedOp>(
          [](auto collective) { return collective.getOutSharding(); })
      .Case<sdy::DataFlowEdgeOp>(
          [](auto edge) { return edge.getSharding().value_or(nullptr); })
      .Case<sdy::ReshardOp, sdy::ShardingConstraintOp>(
          [](auto reshard) { return reshard.getSharding(); })
      .Default(sdy::TensorShardingAttr());
}

/// Whether `op` is in the body of a reduction or of a sort, whose values are
/// single elements.
bool isAmongElements(Operation *op) {
  return !isa<FunctionOpInterface, sdy::ManualComputationOp,
              sdy::NamedComputationOp, stablehlo::WhileOp, stablehlo::IfOp,
              stablehlo::CaseOp>(op->getParentOp());
}

sdy::ManualComputationOp manualComputationAround(Value value) {
  Operation *parent = value.getParentRegion()->getParentOp();
  if (auto computation = dyn_cast<sdy::ManualComputationOp>(parent))
    return computation;
  return parent->getParentOfType<sdy::ManualComputationOp>();
}

/// An axis over which `op` is written per device already, if it names one.
std::string manualAxisIn(Operation *op) {
  llvm::StringSet<> manual;
  for (auto outer = op->getParentOfType<sdy::ManualComputationOp>(); outer;
       outer = outer->getParentOfType<sdy::ManualComputationOp>())
    for (StringAttr axis : outer.getManualAxes().getValue())
      manual.insert(axis.getValue());
  std::string found;
  AttrTypeWalker walker;
  walker.addWalk([&](sdy::AxisRefAttr axis) {
    if (manual.contains(axis.getName()))
      found = axis.getName().str();
  });
  if (!manual.empty())
    walker.walk(op->getAttrDictionary());
  return found;
}

struct ImportSdyOps : impl::ImportSdyOpsBase<ImportSdyOps> {
  using ImportSdyOpsBase::ImportSdyOpsBase;

  void runOnOperation() override {
    unsupported = ErrorList();
    for (auto function : getOperation().getOps<func::FuncOp>())
      checkArguments(function);
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      eraseAttributes(op, [](NamedAttribute attribute) {
        return llvm::is_contained(notes, attribute.getName().strref());
      });
      if (isa<sdy::SdyDialect>(op->getDialect()))
        found.push_back(op);
    });
    for (Operation *op : found)
      replace(op);
    for (auto &[id, members] : groups)
      pinAlike(members);
    if (failed(reportUnsupported(getOperation(), unsupported, goOn)))
      signalPassFailure();
  }

private:
  /// Arguments are read whole.
  void checkArguments(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments()) {
      sdy::TensorShardingAttr sharding = sdy::getSharding(argument);
      if (sharding && !sharding.getUnreducedAxes().empty())
        unsupported.add(argument.getLoc(),
                        ("unsupported: argument " +
                         Twine(argument.getArgNumber()) +
                         " is given as partial sums, unreduced over \"" +
                         sharding.getUnreducedAxes().front().getName() +
                         "\"; give it whole")
                            .str());
    }
  }

  void replace(Operation *op) {
    if (sdy::TensorShardingAttr sharding = shardingAfter(op))
      return replaceByConstraint(op, sharding);
    if (auto constant = dyn_cast<sdy::ConstantOp>(op)) {
      OpBuilder builder(op);
      replaceBy(op, stablehlo::ConstantOp::create(builder, op->getLoc(),
                                                  constant.getValue()));
    } else if (auto group = dyn_cast<sdy::ShardingGroupOp>(op)) {
      groups[group.getGroupId()].push_back(group.getInput());
      op->erase();
    } else if (isa<sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp,
                   sdy::FuncDataFlowEdgeOp>(op)) {
      replaceBy(op, op->getOperand(0));
    }
  }

  void replaceByConstraint(Operation *op, sdy::TensorShardingAttr sharding) {
    std::string axis = manualAxisIn(op);
    if (!axis.empty())
      unsupported.add(op->getLoc(),
                      "unsupported: '" + op->getName().getStringRef().str() +
                          "' over \"" + axis +
                          "\", a manual axis, over which values differ between "
                          "devices; use a collective of stablehlo there");
    if (!axis.empty() || isAmongElements(op))
      replaceBy(op, op->getOperand(0));
    else if (!isa<sdy::ShardingConstraintOp>(op)) {
      OpBuilder builder(op);
      replaceBy(op, sdy::ShardingConstraintOp::create(
                        builder, op->getLoc(), op->getResult(0).getType(),
                        op->getOperand(0), sharding));
    }
  }

  static void replaceBy(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  /// The sharding of the first member that has one is that of all.
  static void pinAlike(ArrayRef<Value> members) {
    auto pinned = llvm::find_if(
        members, [](Value member) { return sdy::getSharding(member); });
    if (pinned == members.end())
      return;
    sdy::TensorShardingAttr sharding = sdy::getSharding(*pinned);
    for (Value member : members) {
      // Inside of a manual computation other axes are free.
      if (sdy::getSharding(member) || member.getType() != pinned->getType() ||
          manualComputationAround(member) != manualComputationAround(*pinned))
        continue;
      OpBuilder builder(member.getContext());
      builder.setInsertionPointAfterValue(member);
      auto pin = sdy::ShardingConstraintOp::create(
          builder, member.getLoc(), member.getType(), member, sharding);
      member.replaceAllUsesExcept(pin, pin);
    }
  }

  /// Members of sharding groups, by the number of the group, which may be any.
  llvm::MapVector<int64_t, SmallVector<Value>, std::map<int64_t, unsigned>>
      groups;
  ErrorList unsupported;
};

} // namespace
} // namespace shardsmith
