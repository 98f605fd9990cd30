// SPDX-License-Identifier: Apache-2.0

#include "Fusibility.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

bool hasSupportedTypes(Operation *op, const TargetTraits &target) {
  auto isSupported = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && tensor.getNumElements() > 0 &&
           target.isElement(tensor.getElementType());
  };
  return llvm::all_of(op->getOperandTypes(), isSupported) &&
         llvm::all_of(op->getResultTypes(), isSupported);
}

bool hasFusableBody(Region &body, const TargetTraits &target) {
  return llvm::all_of(body.front().without_terminator(), [&](Operation &op) {
    return findElementOp(&op) && isFusable(&op, target);
  });
}

int64_t elements(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getNumElements();
}

/// Repeats or makes up elements: reading it costs nothing to speak of.
bool readsLittle(Value tensor, const TargetTraits &target) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return elements(tensor) == 1;
  if (isa<stablehlo::ConstantOp, stablehlo::IotaOp>(op))
    return true;
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op))
    return elements(broadcast.getOperand()) * target.freeRepetition <=
           elements(tensor);
  return elements(tensor) == 1;
}

bool movesInnermost(Operation *op) {
  auto transpose = dyn_cast<stablehlo::TransposeOp>(op);
  if (!transpose)
    return false;
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  return !permutation.empty() &&
         permutation.back() != static_cast<int64_t>(permutation.size()) - 1;
}

/// True if no element of the operand is read twice.
bool readsOnce(Operation *op) {
  return isa<stablehlo::ConcatenateOp, stablehlo::PadOp, stablehlo::ReshapeOp,
             stablehlo::ReverseOp, stablehlo::SliceOp, stablehlo::TransposeOp>(
      op);
}

/// Whether the user is to be part of a kernel: what stands in the region of
/// another op, a comparator for example, is not.
bool isReadByKernel(Operation *user, Block &block, const TargetTraits &target) {
  return user->getBlock() == &block && isFusable(user, target);
}

class InlineChoice {
public:
  InlineChoice(Block &block, const TargetTraits &target)
      : block(block), target(target) {}

  llvm::DenseSet<Operation *> run() {
    for (Operation &op : llvm::reverse(block))
      if (isFusable(&op, target) && !op.use_empty() && choose(&op))
        inlined.insert(&op);
    return std::move(inlined);
  }

private:
  bool choose(Operation *op) {
    if (isa<stablehlo::ReduceOp>(op) ||
        llvm::any_of(op->getUsers(), [&](Operation *user) {
          return !isReadByKernel(user, block, target);
        }))
      return false;
    if (isa<stablehlo::ConstantOp>(op))
      return true;
    ElementCost cost = target.costOf(op);
    bool once = op->hasOneUse() && isReadOnceBy(*op->getUsers().begin());
    if (findElementOp(op)->kind == ElementKind::Indexing) {
      if (cost == ElementCost::Free && !movesInnermost(op))
        return true;
      return op->hasOneUse() && (once || !inlined.contains(*op->user_begin()));
    }
    if (elements(op->getResult(0)) == 1)
      return false;
    // A single use through a transpose or the like: no other way to fuse.
    if (once && inlined.contains(*op->user_begin()))
      return true;
    if (cost != ElementCost::Cheap)
      return false;
    int64_t bigOperands = llvm::count_if(
        op->getOperands(), [&](Value v) { return !readsLittle(v, target); });
    int64_t length = 1;
    for (Operation *user : op->getUsers())
      length = std::max(length, chains.lookup(user) + 1);
    if (bigOperands > 1 || length > target.longestRecomputedChain)
      return false;
    chains[op] = length;
    return true;
  }

  /// True if following the user does not multiply the work: it is computed
  /// once itself, and reads every element of its operand at most once.
  bool isReadOnceBy(Operation *user) {
    if (!inlined.contains(user))
      return true;
    bool mapsOnce =
        findElementOp(user)->kind == ElementKind::Pointwise || readsOnce(user);
    return mapsOnce && user->hasOneUse() &&
           isReadOnceBy(*user->getUsers().begin());
  }

  Block &block;
  const TargetTraits &target;
  llvm::DenseSet<Operation *> inlined;
  llvm::DenseMap<Operation *, int64_t> chains;
};

} // namespace

bool isFusable(Operation *op, const TargetTraits &target) {
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    return hasSupportedTypes(op, target) && !reduce.getDimensions().empty() &&
           hasFusableBody(reduce.getBody(), target);
  if (!findElementOp(op) || !target.hasEmitter(op) ||
      !hasSupportedTypes(op, target))
    return false;
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
    return constant.getValue().isSplat();
  // Other widths change the shape.
  if (isa<stablehlo::BitcastConvertOp>(op))
    return getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() ==
           getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth();
  return true;
}

void separateUses(Block &block, const TargetTraits &target) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    const ElementOp *element = findElementOp(&op);
    if (!element || !isFusable(&op, target) ||
        element->kind != ElementKind::Indexing ||
        target.costOf(&op) != ElementCost::Free || movesInnermost(&op))
      continue;
    auto byKernel = [&](OpOperand &use) {
      return isReadByKernel(use.getOwner(), block, target);
    };
    bool anyByKernel = llvm::any_of(op.getUses(), byKernel);
    bool anyByOther = !llvm::all_of(op.getUses(), byKernel);
    if (!anyByKernel || !anyByOther)
      continue;
    Operation *copy = op.clone();
    block.getOperations().insertAfter(op.getIterator(), copy);
    op.getResult(0).replaceUsesWithIf(copy->getResult(0), byKernel);
  }
}

llvm::DenseSet<Operation *> findInlined(Block &block,
                                        const TargetTraits &target) {
  return InlineChoice(block, target).run();
}

} // namespace shardsmith::lower
