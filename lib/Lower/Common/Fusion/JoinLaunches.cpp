// SPDX-License-Identifier: Apache-2.0
//
// Ops keep their order but for kernels that wait for one like them, and views
// of their results:
//
//     p = update a, x             y = gemm …
//     y = gemm …             ──▶  p = update a, x  ┐ one launch
//     q = update b, y             q = update b, y  ┘
//
// Invariant: what reads a result comes behind where the kernel comes to stand.
// So nothing else has to move, and members of a launch read nothing of one
// another, neither at once nor through ops between them.
//
// The block is gone through from its end: where readers come to stand is known
// before it is asked. A launch stands where its last member, the first that is
// met, does. A kernel is asked of one launch alone, the one with its text that
// was begun last. Those begun before stand further behind, where even more of
// its readers might be in front.

#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/JointLaunch.h"
#include "shardsmith/Lower/Common/KernelText.h"
#include "shardsmith/Lower/Common/Passes.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_JOINLAUNCHES
#include "shardsmith/Lower/Common/Passes.h.inc"

namespace lower {
namespace {

/// Of every tensor once: what a kernel reads, and what it writes.
int64_t bytesOfBuffers(smith::KernelOp kernel) {
  llvm::SmallDenseSet<Value> seen;
  int64_t bytes = 0;
  for (Value input : kernel.getInputs())
    if (seen.insert(input).second)
      bytes += bufferBytes(input.getType());
  for (Value result : kernel.getOutputs())
    bytes += bufferBytes(result.getType());
  return bytes;
}

class LaunchJoiner {
public:
  LaunchJoiner(Block &block, const TargetTraits &target)
      : block(block), target(target) {}

  void run() {
    for (auto [number, op] : llvm::enumerate(block))
      place[&op] = static_cast<int64_t>(number);
    for (Operation &op : llvm::reverse(block.without_terminator()))
      if (auto kernel = dyn_cast<smith::KernelOp>(op)) {
        sortBody(kernel);
        if (isSmall(kernel))
          add(kernel);
      }
    int64_t number = 0;
    for (Launch &launch : llvm::reverse(launches))
      if (launch.members.size() > 1)
        moveTogether(launch, number++);
  }

private:
  struct Launch {
    SmallVector<smith::KernelOp> members; ///< from the last to the first
    llvm::BitVector shared; ///< inputs that all members have in common

    /// Arguments with a further member, which reads `common` of the inputs
    /// with all others.
    size_t buffersWithOneMore(const llvm::BitVector &common) const {
      smith::KernelOp kernel = members.front();
      size_t own =
          kernel->getNumOperands() + kernel->getNumResults() - common.count();
      return common.count() + own * (members.size() + 1);
    }
  };

  bool isSmall(smith::KernelOp kernel) const {
    return !kernel->hasAttr(geluAttributeName) &&
           bytesOfBuffers(kernel) <= target.mostBytesToJoin;
  }

  /// Where the first op comes to stand that reads a result. A view stands
  /// nowhere by itself.
  int64_t firstReader(Operation *op) const {
    int64_t first = place.lookup(block.getTerminator());
    for (Operation *user : op->getUsers()) {
      Operation *reader = block.findAncestorOpInBlock(*user);
      first = std::min(first, isa<stablehlo::ReshapeOp>(reader)
                                  ? firstReader(reader)
                                  : place.lookup(reader));
    }
    return first;
  }

  void add(smith::KernelOp kernel) {
    auto [nearest, isNew] =
        nearestOfText.try_emplace(textOf(kernel), launches.size());
    if (!isNew && join(launches[nearest->second], kernel))
      return;
    nearest->second = launches.size();
    llvm::BitVector all(kernel.getInputs().size(), true);
    launches.push_back({{kernel}, std::move(all)});
  }

  bool join(Launch &launch, smith::KernelOp kernel) {
    smith::KernelOp last = launch.members.front();
    if (firstReader(kernel) <= place.lookup(last))
      return false;
    llvm::BitVector common = launch.shared;
    for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
      if (input != last.getInputs()[i])
        common.reset(i);
    if (launch.buffersWithOneMore(common) > target.mostBuffersOfLaunch)
      return false;
    launch.shared = std::move(common);
    launch.members.push_back(kernel);
    place[kernel] = place.lookup(last);
    return true;
  }

  void moveTogether(Launch &launch, int64_t number) {
    Attribute mark =
        Builder(block.getParentOp()->getContext()).getI64IntegerAttr(number);
    Operation *last = launch.members.front(), *next = nullptr;
    for (smith::KernelOp member : launch.members) {
      if (next)
        member->moveBefore(next);
      member->setAttr(jointLaunchAttributeName, mark);
      next = member;
    }
    for (smith::KernelOp member : launch.members)
      moveViewsBehind(member, last);
  }

  void moveViewsBehind(Operation *op, Operation *last) {
    for (Operation *user : op->getUsers())
      if (isa<stablehlo::ReshapeOp>(user) && user->isBeforeInBlock(last)) {
        user->moveAfter(last);
        moveViewsBehind(user, last);
      }
  }

  Block &block;
  const TargetTraits &target;
  /// Where ops come to stand, counted in the program as it was.
  DenseMap<Operation *, int64_t> place;
  SmallVector<Launch> launches; ///< from the last to the first
  llvm::StringMap<size_t> nearestOfText;
};

struct JoinLaunches : impl::JoinLaunchesBase<JoinLaunches> {
  using JoinLaunchesBase::JoinLaunchesBase;

  void runOnOperation() override {
    const TargetTraits *traits = findTarget(getOperation(), target);
    if (!traits)
      return signalPassFailure();
    if (getOperation().getBody().hasOneBlock() && traits->mostBytesToJoin > 0)
      LaunchJoiner(getOperation().getBody().front(), *traits).run();
  }
};

} // namespace
} // namespace lower
} // namespace shardsmith
