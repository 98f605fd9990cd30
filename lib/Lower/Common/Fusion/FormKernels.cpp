// SPDX-License-Identifier: Apache-2.0

#include "Fusibility.h"
#include "FusionGroups.h"

#include "shardsmith/Dialect/Smith/ReplacedArgument.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_FORMKERNELS
#include "shardsmith/Lower/Common/Passes.h.inc"

namespace lower {
namespace {

/// Anchored ops of a group and everything inlined that they read, in program
/// order, with the values that come from outside.
struct KernelContents {
  SmallVector<Operation *> ops;
  llvm::SetVector<Value> inputs;
};

KernelContents collect(const FusionGroup &group,
                       const llvm::DenseSet<Operation *> &inlined) {
  KernelContents contents;
  llvm::DenseSet<Operation *> members(group.ops.begin(), group.ops.end());
  llvm::SetVector<Operation *> all(group.ops.begin(), group.ops.end());
  for (size_t i = 0; i < all.size(); ++i)
    for (Value operand : all[i]->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && members.contains(producer))
        continue;
      if (producer && inlined.contains(producer))
        all.insert(producer);
      else
        contents.inputs.insert(operand);
    }
  contents.ops = SmallVector<Operation *>(all.getArrayRef());
  llvm::sort(contents.ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return contents;
}

/// Values of the group that others read.
SmallVector<Value> findResults(const FusionGroup &group,
                               const llvm::DenseSet<Operation *> &inlined) {
  llvm::DenseSet<Operation *> members(group.ops.begin(), group.ops.end());
  SmallVector<Value> results;
  for (Operation *op : group.ops)
    for (Value result : op->getResults()) {
      // Inlined users are computed by their readers: look through them.
      SmallVector<Value> pending{result};
      llvm::DenseSet<Value> visited{result};
      bool isRead = false;
      while (!pending.empty() && !isRead)
        for (Operation *user : pending.pop_back_val().getUsers()) {
          if (!inlined.contains(user))
            isRead |= !members.contains(user);
          else if (visited.insert(user->getResult(0)).second)
            pending.push_back(user->getResult(0));
        }
      if (isRead)
        results.push_back(result);
    }
  return results;
}

smith::KernelOp outline(OpBuilder &builder, const FusionGroup &group,
                        const llvm::DenseSet<Operation *> &inlined) {
  KernelContents contents = collect(group, inlined);
  SmallVector<Value> results = findResults(group, inlined);
  SmallVector<Location> locations;
  for (Value input : contents.inputs)
    locations.push_back(input.getLoc());
  auto kernel = smith::KernelOp::create(
      builder, group.ops.back()->getLoc(),
      ValueRange(ArrayRef<Value>(results)).getTypes(),
      contents.inputs.getArrayRef(), group.domain, group.reduced);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(
      &kernel.getBody(), {},
      ValueRange(contents.inputs.getArrayRef()).getTypes(), locations);
  IRMapping mapping;
  mapping.map(contents.inputs.getArrayRef(), body->getArguments());
  for (Operation *op : contents.ops)
    builder.clone(*op, mapping);
  SmallVector<Value> yielded;
  for (Value result : results)
    yielded.push_back(mapping.lookup(result));
  smith::KernelYieldOp::create(builder, kernel.getLoc(), yielded);
  for (auto [result, output] : llvm::zip_equal(results, kernel.getOutputs()))
    result.replaceUsesWithIf(output, [&](OpOperand &use) {
      return use.getOwner()->getParentOp() != kernel;
    });
  return kernel;
}

} // namespace
} // namespace lower

namespace {

struct FormKernels : impl::FormKernelsBase<FormKernels> {
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    const lower::TargetTraits *traits =
        lower::findTarget(getOperation(), target);
    if (!traits)
      return signalPassFailure();
    dropPlanMarks();
    for (Block &block : getOperation().getBody())
      formKernels(block, *traits);
  }

  /// What the plan has said of ops is done: no code depends on it, and equal
  /// layers of different stages have equal kernels.
  void dropPlanMarks() {
    getOperation().getBody().walk([](Operation *op) {
      for (StringRef name :
           {smith::kUnitAttributeName, smith::kStageAttributeName,
            smith::kRecomputeAttributeName, smith::kBackwardAttributeName})
        op->removeDiscardableAttr(name);
    });
  }

  /// Regions of ops that are no kernels, such as comparators, get constants of
  /// their own: those of the block become parts of kernels.
  static void sinkConstants(Block &block) {
    for (Operation &op : block)
      op.walk([&](Operation *nested) {
        if (nested == &op)
          return;
        for (OpOperand &operand : nested->getOpOperands()) {
          auto constant = operand.get().getDefiningOp<stablehlo::ConstantOp>();
          if (!constant || constant->getBlock() != &block)
            continue;
          OpBuilder builder(nested);
          operand.set(builder.clone(*constant)->getResult(0));
        }
      });
  }

  void formKernels(Block &block, const lower::TargetTraits &traits) {
    sinkConstants(block);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    lower::separateUses(block, traits);
    llvm::DenseSet<Operation *> inlined = lower::findInlined(block, traits);
    SmallVector<lower::FusionGroup> groups =
        lower::formGroups(block, inlined, traits);
    Operation *terminator = block.getTerminator();
    OpBuilder builder(terminator);
    SmallVector<Operation *> replaced;
    for (lower::FusionGroup &group : groups) {
      if (!group.isKernel) {
        if (group.ops.front() != terminator)
          group.ops.front()->moveBefore(terminator);
        continue;
      }
      lower::outline(builder, group, inlined);
      llvm::append_range(replaced, group.ops);
    }
    // What was cloned into kernels, users first.
    for (Operation &op : llvm::make_early_inc_range(block))
      if (inlined.contains(&op))
        replaced.push_back(&op);
    for (Operation *op : replaced)
      op->dropAllUses();
    for (Operation *op : replaced)
      op->erase();
    copyReturnedArguments(terminator);
  }

  /// A result that is an argument's old value, or a constant, gets storage of
  /// its own, unless it stays where it is.
  void copyReturnedArguments(Operation *terminator) {
    func::FuncOp function = getOperation();
    for (OpOperand &operand : terminator->getOpOperands()) {
      Value source = operand.get();
      while (auto reshape = source.getDefiningOp<stablehlo::ReshapeOp>())
        source = reshape.getOperand();
      auto argument = dyn_cast<BlockArgument>(source);
      if (!argument && !source.getDefiningOp<stablehlo::ConstantOp>())
        continue;
      int64_t replaced =
          smith::replacedArgument(function, operand.getOperandNumber());
      if (argument && replaced == argument.getArgNumber())
        continue;
      OpBuilder builder(terminator);
      auto type = cast<RankedTensorType>(operand.get().getType());
      auto flat = type.clone(ArrayRef<int64_t>{type.getNumElements()});
      auto kernel = smith::KernelOp::create(
          builder, terminator->getLoc(), TypeRange{type},
          ValueRange{operand.get()}, flat.getShape(), ArrayRef<int64_t>());
      Block *body = builder.createBlock(&kernel.getBody(), {}, {flat},
                                        {terminator->getLoc()});
      smith::KernelYieldOp::create(builder, terminator->getLoc(),
                                   body->getArgument(0));
      operand.set(kernel.getResult(0));
    }
  }
};

} // namespace
} // namespace shardsmith
