// SPDX-License-Identifier: Apache-2.0
//
// A result of a kernel is *recomputed* if every reader computes it again from
// tensors that are in memory anyway, its *sources*:
//
//     x ──▶ kernel ──▶ y                 x ──▶ kernel ──▶ y
//              ╰─ t ─────▶ reader   ──▶  ╰──────────────▶ reader, with t = f(x)
//
// Invariants:
//
//  - a result is the same function of the same stored tensors in all of its
//    readers. What is narrower than f32 is not rounded on the way, as nothing
//    in a kernel is;
//  - what lives longer is no larger than what is not stored;
//  - all readers together move fewer bytes than before. The new value of an
//    argument that is read for longer is copied into its place at the end of
//    the step, which counts as bytes.
//
// Kernels are looked at in the order of the program, so what a reader computes
// anew may be recomputed from there. The choice is that of a min-cut between
// forward and backward pass, as PyTorch's partitioner makes it, for one kernel
// at a time.

#include "shardsmith/Dialect/Smith/ReplacedArgument.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/ElementOps.h"
#include "shardsmith/Lower/Common/Passes.h"
#include "shardsmith/Lower/Common/Target.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_RECOMPUTEINKERNELS
#include "shardsmith/Lower/Common/Passes.h.inc"

namespace lower {
namespace {

Block &bodyOf(smith::KernelOp kernel) { return kernel.getBody().front(); }

Operation *yieldOf(smith::KernelOp kernel) {
  return bodyOf(kernel).getTerminator();
}

/// What a result is made of.
struct Recipe {
  llvm::SetVector<Operation *> ops; ///< of the body, operands first
  /// Values of the body that are in memory, and what they are outside.
  llvm::MapVector<Value, Value> sources;
};

/// The readers of a value; empty if it has to be stored for one of them.
SmallVector<smith::KernelOp> findReaders(Value result) {
  llvm::SetVector<Operation *> readers;
  for (Operation *user : result.getUsers()) {
    if (!isa<smith::KernelOp>(user))
      return {};
    readers.insert(user);
  }
  SmallVector<smith::KernelOp> kernels;
  for (Operation *reader : readers)
    kernels.push_back(cast<smith::KernelOp>(reader));
  return kernels;
}

/// Whether the reader asks for each element once for one of its own: what it
/// repeats, or reads in another order, is better stored.
bool readsInStep(smith::KernelOp reader, Value value) {
  for (OpOperand &operand : reader->getOpOperands()) {
    if (operand.get() != value)
      continue;
    Value argument = bodyOf(reader).getArgument(operand.getOperandNumber());
    for (Operation *user : argument.getUsers()) {
      const ElementOp *element = findElementOp(user);
      if (!isa<stablehlo::ReduceOp>(user) &&
          (!element || element->kind != ElementKind::Pointwise))
        return false;
    }
  }
  return true;
}

bool reads(smith::KernelOp reader, Value value) {
  return llvm::is_contained(reader.getInputs(), value);
}

class Recomputation {
public:
  Recomputation(Block &block, const TargetTraits &target)
      : block(block), target(target) {
    int64_t next = 0;
    for (Operation &op : block)
      time[&op] = next++;
    auto function = cast<func::FuncOp>(block.getParentOp());
    for (OpOperand &result : block.getTerminator()->getOpOperands()) {
      int64_t argument =
          smith::replacedArgument(function, result.getOperandNumber());
      if (Operation *update = result.get().getDefiningOp();
          argument >= 0 && update)
        updateTime[function.getArgument(argument)] = time.lookup(update);
    }
  }

  void run() {
    for (auto kernel :
         llvm::make_early_inc_range(block.getOps<smith::KernelOp>()))
      recompute(kernel);
  }

private:
  void recompute(smith::KernelOp kernel);
  bool findRecipe(smith::KernelOp kernel, Value yielded, Recipe &recipe) const;
  bool mustBeCopied(Value source, smith::KernelOp reader, Value result) const;
  bool pays(Value result, const Recipe &recipe,
            ArrayRef<smith::KernelOp> readers) const;
  void compute(Value result, Value yielded, const Recipe &recipe,
               smith::KernelOp reader, IRMapping &known);
  void dropUnread(smith::KernelOp kernel);
  int64_t lastUse(Value value) const;

  Block &block;
  const TargetTraits &target;
  DenseMap<Operation *, int64_t> time;
  /// When an argument's new value is computed.
  DenseMap<Value, int64_t> updateTime;
};

/// When the value, or a view of it, is read last; −1: never.
int64_t Recomputation::lastUse(Value value) const {
  int64_t last = -1;
  for (Operation *user : value.getUsers()) {
    Operation *here = block.findAncestorOpInBlock(*user);
    last = std::max(last, isa<stablehlo::ReshapeOp>(here)
                              ? lastUse(here->getResult(0))
                              : time.lookup(here));
  }
  return last;
}

/// False if the value is not made element by element of what is in memory.
bool Recomputation::findRecipe(smith::KernelOp kernel, Value yielded,
                               Recipe &recipe) const {
  if (auto argument = dyn_cast<BlockArgument>(yielded)) {
    recipe.sources[argument] = kernel.getInputs()[argument.getArgNumber()];
    return true;
  }
  Operation *op = yielded.getDefiningOp();
  if (recipe.ops.contains(op))
    return true;
  if (isa<stablehlo::ReduceOp>(op)) {
    // A row's sum is stored if another kernel reads it, or not at all.
    for (auto [inside, outside] :
         llvm::zip_equal(yieldOf(kernel)->getOperands(), kernel.getOutputs()))
      if (inside == yielded) {
        recipe.sources[yielded] = outside;
        return true;
      }
    return false;
  }
  bool staysInPlace = findElementOp(op)->kind == ElementKind::Pointwise ||
                      isa<stablehlo::BroadcastInDimOp, stablehlo::ConstantOp,
                          stablehlo::IotaOp, stablehlo::ReshapeOp>(op);
  if (!staysInPlace)
    return false;
  for (Value operand : op->getOperands())
    if (!findRecipe(kernel, operand, recipe))
      return false;
  recipe.ops.insert(op);
  auto isCounted = [](Operation *op) {
    return findElementOp(op)->kind == ElementKind::Pointwise &&
           !isa<stablehlo::ConstantOp>(op);
  };
  return llvm::count_if(recipe.ops, isCounted) <= target.mostRecomputedOps;
}

/// Whether the argument's new value cannot be written in its place if the
/// reader reads it to compute the result. An update that reads the old value in
/// step with its other elements writes over it.
bool Recomputation::mustBeCopied(Value source, smith::KernelOp reader,
                                 Value result) const {
  auto update = updateTime.find(source);
  if (update == updateTime.end())
    return false;
  bool isInStep =
      bufferBytes(source.getType()) == bufferBytes(result.getType());
  return isInStep ? update->second < time.lookup(reader)
                  : update->second <= time.lookup(reader);
}

bool Recomputation::pays(Value result, const Recipe &recipe,
                         ArrayRef<smith::KernelOp> readers) const {
  Bytes bytes = Bytes(bufferBytes(result.getType()));
  Bytes before = bytes, after = Bytes(0), longer = Bytes(0);
  int64_t lastReader = -1;
  for (smith::KernelOp reader : readers) {
    size_t ops = llvm::range_size(bodyOf(reader)) + recipe.ops.size();
    size_t inputs = reader.getInputs().size() + recipe.sources.size();
    if (ops > target.mostKernelOps || inputs > target.mostKernelInputs ||
        !readsInStep(reader, result))
      return false;
    lastReader = std::max(lastReader, time.lookup(reader));
    before += bytes;
    for (Value source : llvm::make_second_range(recipe.sources)) {
      Bytes sourceBytes = Bytes(bufferBytes(source.getType()));
      if (mustBeCopied(source, reader, result))
        after += sourceBytes * 2;
      if (!reads(reader, source))
        after += sourceBytes;
    }
  }
  for (Value source : llvm::make_second_range(recipe.sources))
    if (!isa<BlockArgument>(source) && lastUse(source) < lastReader)
      longer += Bytes(bufferBytes(source.getType()));
  return after < before && longer <= bytes;
}

/// Lets the reader compute the result; `known` are the ops of the kernel that
/// it computes already.
void Recomputation::compute(Value result, Value yielded, const Recipe &recipe,
                            smith::KernelOp reader, IRMapping &known) {
  Block &body = bodyOf(reader);
  for (auto [inside, outside] : recipe.sources) {
    if (known.contains(inside))
      continue;
    auto place = llvm::find(reader.getInputs(), outside);
    size_t number = place - reader.getInputs().begin();
    if (number == reader.getInputs().size()) {
      reader.getInputsMutable().append(outside);
      body.addArgument(inside.getType(), outside.getLoc());
    }
    known.map(inside, body.getArgument(number));
  }
  Operation *last = nullptr; // of what was cloned before
  for (Operation *op : recipe.ops)
    if (Operation *copy = known.lookupOrNull(op))
      if (!last || last->isBeforeInBlock(copy))
        last = copy;
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  if (last)
    builder.setInsertionPointAfter(last);
  for (Operation *op : recipe.ops)
    if (!known.contains(op))
      builder.clone(*op, known);
  for (unsigned i = reader.getInputs().size(); i-- > 0;) {
    if (reader.getInputs()[i] != result)
      continue;
    body.getArgument(i).replaceAllUsesWith(known.lookup(yielded));
    body.eraseArgument(i);
    reader.getInputsMutable().erase(i);
  }
}

/// Takes away what nobody reads of a kernel, or all of it.
void Recomputation::dropUnread(smith::KernelOp kernel) {
  llvm::BitVector unread(kernel.getNumResults());
  for (OpResult result : kernel->getResults())
    unread[result.getResultNumber()] = result.use_empty();
  if (unread.none())
    return;
  if (unread.all()) {
    kernel.erase();
    return;
  }
  yieldOf(kernel)->eraseOperands(unread);
  Block &body = bodyOf(kernel);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  for (unsigned i = body.getNumArguments(); i-- > 0;)
    if (body.getArgument(i).use_empty()) {
      body.eraseArgument(i);
      kernel.getInputsMutable().erase(i);
    }
  SmallVector<Value> results;
  for (OpResult result : kernel->getResults())
    if (!unread[result.getResultNumber()])
      results.push_back(result);
  OpBuilder builder(kernel);
  auto smaller = smith::KernelOp::create(
      builder, kernel.getLoc(), ValueRange(ArrayRef<Value>(results)).getTypes(),
      kernel.getInputs(), kernel.getDomain(), kernel.getReduced());
  smaller->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  smaller.getBody().takeBody(kernel.getBody());
  time[smaller] = time.lookup(kernel);
  for (auto [before, after] : llvm::zip_equal(results, smaller.getOutputs()))
    before.replaceAllUsesWith(after);
  kernel.erase();
}

void Recomputation::recompute(smith::KernelOp kernel) {
  DenseMap<Operation *, IRMapping> knownOf;
  for (auto [result, yielded] :
       llvm::zip_equal(kernel.getOutputs(), yieldOf(kernel)->getOperands())) {
    auto full = llvm::product_of(kernel.getDomain());
    if (cast<RankedTensorType>(result.getType()).getNumElements() != full)
      continue;
    SmallVector<smith::KernelOp> readers = findReaders(result);
    Recipe recipe;
    if (readers.empty() || !findRecipe(kernel, yielded, recipe) ||
        recipe.ops.empty() || !pays(result, recipe, readers))
      continue;
    for (smith::KernelOp reader : readers)
      compute(result, yielded, recipe, reader, knownOf[reader]);
  }
  dropUnread(kernel);
}

} // namespace
} // namespace lower

namespace {

struct RecomputeInKernels : impl::RecomputeInKernelsBase<RecomputeInKernels> {
  using RecomputeInKernelsBase::RecomputeInKernelsBase;

  void runOnOperation() override {
    const lower::TargetTraits *traits =
        lower::findTarget(getOperation(), target);
    if (!traits)
      return signalPassFailure();
    if (traits->mostRecomputedOps == 0)
      return;
    for (Block &block : getOperation().getBody())
      lower::Recomputation(block, *traits).run();
  }
};

} // namespace
} // namespace shardsmith
