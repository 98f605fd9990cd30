// SPDX-License-Identifier: Apache-2.0

#include "StepParts.h"

#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Localization/StableHLO.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace shardsmith {
namespace {

int64_t elementsOf(ValueRange values) {
  int64_t count = 0;
  for (Value value : values)
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      count += type.getNumElements();
  return count;
}

/// Made from nothing, in every micro-batch alike.
bool isFree(Value value) {
  Operation *maker = value.getDefiningOp();
  return maker && maker->getNumOperands() == 0 &&
         !isa<smith::MicroBatchIndexOp>(maker);
}

/// What is repeated, and what it reads that is not computed once.
llvm::SetVector<Operation *> doneInSlots(const StepParts &parts) {
  llvm::SetVector<Operation *> done = parts.repeated;
  for (size_t i = 0; i < done.size(); ++i) {
    llvm::SetVector<Value> read;
    read.insert_range(done[i]->getOperands());
    getUsedValuesDefinedAbove(done[i]->getRegions(), read);
    for (Value value : read)
      if (Operation *maker = value.getDefiningOp();
          maker && !parts.once.contains(maker))
        done.insert(maker);
  }
  return done;
}

} // namespace

bool exchanges(Operation *op) {
  return isa<smith::SmithDialect>(op->getDialect()) &&
         !isa<smith::ShardIndexOp>(op) &&
         (op->hasAttr("axes") || isa<smith::CollectivePermuteOp>(op));
}

StepParts::StepParts(func::FuncOp step)
    : repeated(smith::findRepeatedOps(step)) {
  smith::LoopNest nest(step.front());
  llvm::DenseSet<Value> fromArguments;
  // Sums over ranks hold no more than their terms.
  auto keepsSize = [](Operation *op) {
    return !exchanges(op) || isa<smith::AllReduceOp>(op);
  };
  for (Operation &op : step.front().without_terminator()) {
    if (repeated.contains(&op))
      continue;
    bool isAfter = false, readsArguments = false, readsOthers = false;
    for (Value operand : op.getOperands()) {
      Operation *maker = operand.getDefiningOp();
      isAfter |=
          maker && (isa<smith::AccumulateOp>(maker) || after.contains(maker));
      bool isKnown =
          isa<BlockArgument>(operand) || fromArguments.contains(operand);
      readsArguments |= isKnown;
      readsOthers |= !isKnown && !isFree(operand);
    }
    if (isAfter)
      after.insert(&op);
    // A loop that is not repeated is done once, whatever it costs.
    if (!isAfter && !nest.loopsOf(&op).empty()) {
      once.insert(&op);
      continue;
    }
    if (isAfter || !readsArguments || readsOthers || !keepsSize(&op) ||
        elementsOf(op.getResults()) > elementsOf(op.getOperands()))
      continue;
    fromArguments.insert(op.result_begin(), op.result_end());
    once.insert(&op);
  }
}

DenseI64ArrayAttr countsOf(func::FuncOp step, const StepParts &parts) {
  auto counts =
      step->getAttrOfType<DenseI64ArrayAttr>(smith::kCountsAttributeName);
  auto differing =
      step->getAttrOfType<ArrayAttr>(smith::kCountAxesAttributeName);
  if (!counts || !differing)
    return nullptr;
  auto isOver = [&](Operation *op) {
    // What is always equal may be computed anew in every micro-batch.
    auto axes = op->getAttrOfType<ArrayAttr>("axes");
    return exchanges(op) && (!axes || llvm::any_of(axes, [&](Attribute axis) {
             return llvm::is_contained(differing, axis);
           }));
  };
  for (Operation *op : doneInSlots(parts))
    if (isOver(op))
      return nullptr;
  return counts;
}

LogicalResult verifyAccumulated(const StepParts &parts) {
  auto isOfWholeStep = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    return maker &&
           (isa<smith::AccumulateOp>(maker) || parts.after.contains(maker));
  };
  for (Operation *op : parts.repeated) {
    for (Value operand : op->getOperands())
      if (isOfWholeStep(operand)) {
        InFlightDiagnostic error =
            op->emitError("is done once per micro-batch, but reads a value "
                          "that is known after all of them");
        error.attachNote(operand.getLoc()) << "which is this one";
        return error;
      }
    for (Operation *user : op->getUsers())
      if (!isa<smith::AccumulateOp>(op) && !parts.repeated.contains(user))
        return op->emitError("is the value of one micro-batch, but '")
               << user->getName().getStringRef()
               << "' reads it as that of the step; accumulate it before";
  }
  return success();
}

Value combine(OpBuilder &builder, Location location, ReductionKind kind,
              Value a, Value b) {
  switch (kind) {
  case ReductionKind::Sum:
    return stablehlo::AddOp::create(builder, location, a, b);
  case ReductionKind::Product:
    return stablehlo::MulOp::create(builder, location, a, b);
  case ReductionKind::Max:
    return stablehlo::MaxOp::create(builder, location, a, b);
  case ReductionKind::Min:
    return stablehlo::MinOp::create(builder, location, a, b);
  case ReductionKind::And:
    return stablehlo::AndOp::create(builder, location, a, b);
  case ReductionKind::Or:
    return stablehlo::OrOp::create(builder, location, a, b);
  }
  llvm_unreachable("all kinds are handled");
}

// Not as one constant, which programs would have to hold.
Value startOf(OpBuilder &builder, smith::AccumulateOp sum) {
  ImplicitLocOpBuilder here(sum.getLoc(), builder);
  auto scalar = RankedTensorType::get({}, sum.getType().getElementType());
  Value neutral =
      stablehlo::createNeutral(here, scalar, sum.getKind().getValue());
  return stablehlo::BroadcastInDimOp::create(here, sum.getType(), neutral,
                                             ArrayRef<int64_t>());
}

void tieCarried(func::FuncOp function, unsigned count) {
  Builder builder(function.getContext());
  unsigned firstArgument = function.getNumArguments() - count;
  unsigned firstResult = function.getNumResults() - count;
  for (unsigned number = 0; number < count; ++number) {
    StringAttr name = builder.getStringAttr("sum." + Twine(number));
    StringAttr role = builder.getStringAttr("state");
    unsigned argument = firstArgument + number, result = firstResult + number;
    function.setArgAttr(argument, smith::kNameAttributeName, name);
    function.setArgAttr(argument, smith::kRoleAttributeName, role);
    function.setResultAttr(result, smith::kNameAttributeName, name);
    function.setResultAttr(result, smith::kRoleAttributeName, role);
  }
}

} // namespace shardsmith
