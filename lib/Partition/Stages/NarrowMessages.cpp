// SPDX-License-Identifier: Apache-2.0

#include "NarrowMessages.h"

#include "Fragments.h"
#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Sharding/ShardingAttributes.h"

#include "mlir/IR/IRMapping.h"

#include <map>

using namespace mlir;

namespace shardsmith {
namespace {

class MessageNarrower {
public:
  MessageNarrower(func::FuncOp step, const schedule::Schedule &schedule)
      : parts(step), nest(step.front()),
        fragments(step, parts, schedule.stageCount),
        rankOfStage(schedule.rankOfStage()) {}

  LogicalResult run() {
    if (failed(fragments.assign()))
      return failure();
    for (Operation *op : parts.repeated)
      place(op, fragments.positionOf(op));
    for (Operation *op : parts.repeated)
      for (Value value : op->getResults())
        sliceAtMaker(value);
    // Readers first: what a reader makes larger it may also make of less.
    for (Operation *op : llvm::reverse(parts.repeated.getArrayRef()))
      enlargeAtReaders(op);
    return success();
  }

private:
  static Bytes bytesOf(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return Bytes(0);
    return getTensorBytes(type.getShape(),
                          getElementBytes(type.getElementType()));
  }

  static bool isMarked(Operation *op) {
    return op->hasAttr(smith::kStageAttributeName);
  }

  void place(Operation *op, int64_t position) {
    if (position >= 0)
      positions[op] = position;
  }
  bool isPlaced(Operation *op) const { return positions.contains(op); }
  int64_t rankOf(Operation *op) const {
    return rankOfStage[size_t(fragments.stageAt(positions.lookup(op)))];
  }

  /// The readers of a value by their rank, in order of the ranks.
  std::map<int64_t, SmallVector<Operation *>> readersOf(Value value) const {
    std::map<int64_t, SmallVector<Operation *>> readers;
    for (Operation *user : value.getUsers())
      if (isPlaced(user))
        readers[rankOf(user)].push_back(user);
    return readers;
  }

  void sliceAtMaker(Value value) {
    Operation *maker = value.getDefiningOp();
    if (!isPlaced(maker))
      return;
    for (auto &[rank, readers] : readersOf(value)) {
      Bytes slices;
      for (Operation *reader : readers)
        slices += isa<stablehlo::SliceOp>(reader)
                      ? bytesOf(reader->getResult(0))
                      : Bytes::saturated();
      if (rank == rankOf(maker) || slices >= bytesOf(value))
        continue;
      // Without a mark an op stands where its operand is made.
      for (Operation *reader : readers) {
        reader->removeAttr(smith::kStageAttributeName);
        reader->removeAttr(smith::kBackwardAttributeName);
        positions[reader] = positions.lookup(maker);
      }
    }
  }

  /// A reshard, or what one is made of: nothing but where its operands are made
  /// says where it stands. Ops of a loop stand together.
  bool isMovable(Operation *op) const {
    return isPlaced(op) && nest.loopsOf(op).empty() && !isMarked(op) &&
           op->getNumResults() == 1 && op->getNumRegions() == 0 &&
           !isa<smith::AccumulateOp>(op);
  }

  /// What has to be sent for a reader on another rank to do the op.
  Bytes bytesFor(Operation *op) const {
    Bytes bytes;
    for (Value operand :
         llvm::SetVector<Value>(op->operand_begin(), op->operand_end())) {
      Operation *maker = operand.getDefiningOp();
      if (!maker || !isPlaced(maker))
        continue;
      Bytes whole = bytesOf(operand);
      bytes += isMovable(maker) && rankOf(maker) == rankOf(op)
                   ? std::min(whole, bytesFor(maker))
                   : whole;
    }
    return bytes;
  }

  void enlargeAtReaders(Operation *op) {
    if (!isMovable(op) || bytesFor(op) >= bytesOf(op->getResult(0)))
      return;
    OpBuilder builder(op->getContext());
    for (auto &[rank, readers] : readersOf(op->getResult(0))) {
      if (rank == rankOf(op))
        continue;
      builder.setInsertionPointAfter(op);
      Operation *copy = builder.clone(*op);
      int64_t first = positions.lookup(readers.front());
      for (Operation *reader : readers) {
        first = std::min(first, positions.lookup(reader));
        reader->replaceUsesOfWith(op->getResult(0), copy->getResult(0));
      }
      positions[copy] = first;
      copy->setAttr(smith::kStageAttributeName,
                    builder.getI64IntegerAttr(fragments.stageAt(first)));
      if (fragments.isBackward(first))
        copy->setAttr(smith::kBackwardAttributeName, builder.getUnitAttr());
    }
    if (!op->use_empty())
      return;
    positions.erase(op);
    op->erase();
  }

  StepParts parts;
  smith::LoopNest nest;
  Fragments fragments;
  std::vector<int64_t> rankOfStage;
  /// Of fragments, by op.
  llvm::DenseMap<Operation *, int64_t> positions;
};

} // namespace

LogicalResult narrowMessages(func::FuncOp step,
                             const schedule::Schedule &schedule) {
  return MessageNarrower(step, schedule).run();
}

} // namespace shardsmith
