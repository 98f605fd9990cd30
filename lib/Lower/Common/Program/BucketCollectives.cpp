// SPDX-License-Identifier: Apache-2.0
//
// Ops keep their order but for those behind a collective that waits for others
// of its kind:
//
//     a = reduce_scatter x        y = …
//     p = update a                [a, b] = reduce_scatter x, y
//     y = …                  ──▶  p = update a
//     b = reduce_scatter y        q = update b
//     q = update b                [c, d] = all_gather p, q
//     c = all_gather p
//     d = all_gather q
//
// Only what leads to nothing but updates waits: what a product reads must not
// come later. Gathers of arguments, which products do read (ZeRO-3), come
// earlier instead: with the first of their message, so that no more than one
// message's results of a kind is in memory before it is needed.
//
//     a = all_gather %w0          [a, b] = all_gather %w0, %w1
//     y = gemm x, a          ──▶  y = gemm x, a
//     b = all_gather %w1          z = gemm y, b
//     z = gemm y, b

#include "LightOps.h"

#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/GroupTable.h"
#include "shardsmith/Lower/Common/Passes.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <list>

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_BUCKETCOLLECTIVES
#include "shardsmith/Lower/Common/Passes.h.inc"

namespace lower {

bool areInOneBucket(Operation *a, Operation *b) {
  Attribute first = a ? a->getAttr(bucketAttributeName) : nullptr;
  return first && b && first == b->getAttr(bucketAttributeName);
}

namespace {

/// A gather of more than this is copied where it is needed for less than what
/// it costs to put it into a message and to take it out.
constexpr int64_t smallGather = 16 << 10;

Value rootOf(Value value) {
  while (auto reshape = value.getDefiningOp<stablehlo::ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

/// Collectives that may be one message: of a kind, axes, reduction and element
/// type.
struct Key {
  StringRef kind;
  Attribute axes, reduction;
  Type element;

  bool operator==(const Key &) const = default;
};

std::optional<Key> keyOf(Operation *op) {
  ArrayAttr axes;
  Attribute reduction;
  if (auto reduce = dyn_cast<smith::AllReduceOp>(op)) {
    axes = reduce.getAxes();
    reduction = reduce.getKindAttr();
  } else if (auto scatter = dyn_cast<smith::ReduceScatterOp>(op)) {
    axes = scatter.getAxes();
    reduction = scatter.getKindAttr();
  } else if (auto gather = dyn_cast<smith::AllGatherOp>(op)) {
    axes = gather.getAxes();
  } else {
    return std::nullopt;
  }
  // Ranks of different stages run different functions, whose buckets differ.
  if (llvm::is_contained(axisNames(axes), smith::kPipelineAxisName.str()))
    return std::nullopt;
  return Key{op->getName().getStringRef(), axes, reduction,
             getElementTypeOrSelf(op->getOperand(0))};
}

class Scheduler {
public:
  Scheduler(Block &block, int64_t bucketBytes)
      : block(block), bucketBytes(bucketBytes) {}

  void run() {
    findTail();
    joinEarlyGathers();
    countKeys();
    for (Operation &op : block.without_terminator())
      arrive(&op);
    while (!open.empty())
      flush(open.begin());
    for (Operation *op : order)
      op->moveBefore(block.getTerminator());
  }

private:
  struct Bucket {
    Key key;
    SmallVector<Operation *> members;
    SmallVector<Value> operands;
    int64_t bytes = 0;
  };
  using Open = std::list<Bucket>;

  /// Ops from which no path leads to one that is not light.
  void findTail() {
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      bool isTail = isLight(&op);
      for (Operation *user : op.getUsers()) {
        Operation *here = block.findAncestorOpInBlock(*user);
        isTail &= here == block.getTerminator() || tail.contains(here);
      }
      if (isTail)
        tail.insert(&op);
    }
  }

  /// Small gathers of arguments move to the first one of their message, which
  /// does not move.
  void joinEarlyGathers() {
    struct Early {
      Key key;
      SmallVector<Operation *> members;
      int64_t bytes = 0;
    };
    std::list<Early> filling;
    SmallVector<SmallVector<Operation *>> early;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto gather = dyn_cast<smith::AllGatherOp>(op);
      std::optional<Key> key = gather ? keyOf(&op) : std::nullopt;
      if (!key || !isa<BlockArgument>(gather.getInput()) || tail.contains(&op))
        continue;
      int64_t bytes = bytesOf(&op);
      if (bytes > std::min(bucketBytes, smallGather) || bytes == 0)
        continue;
      auto found = llvm::find_if(
          filling, [&](const Early &each) { return each.key == *key; });
      if (found != filling.end() && found->bytes + bytes > bucketBytes) {
        early.push_back(std::move(found->members));
        filling.erase(found);
        found = filling.end();
      }
      if (found == filling.end())
        found = filling.insert(filling.end(), {*key, {}, 0});
      else
        op.moveAfter(found->members.back());
      found->members.push_back(&op);
      found->bytes += bytes;
    }
    for (Early &each : filling)
      early.push_back(std::move(each.members));
    Builder builder(block.getParentOp()->getContext());
    for (ArrayRef<Operation *> members : early)
      if (members.size() > 1) {
        for (Operation *op : members)
          op->setAttr(bucketAttributeName, builder.getI64IntegerAttr(buckets));
        ++buckets;
      }
  }

  /// What is alone of its kind need not wait.
  void countKeys() {
    for (Operation &op : block.without_terminator())
      if (std::optional<Key> key = keyOf(&op); key && isSmall(&op)) {
        if (!llvm::is_contained(once, *key))
          once.push_back(*key);
        else if (!llvm::is_contained(keys, *key))
          keys.push_back(*key);
      }
  }

  bool isSmall(Operation *op) const {
    return tail.contains(op) && bytesOf(op) <= bucketBytes &&
           bufferBytes(op->getOperand(0).getType()) > 0;
  }

  bool waits(Operation *op) const {
    bool found = false;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        found |= waiting.contains(operand.getDefiningOp());
    });
    return found;
  }

  /// The larger of what goes in and comes out.
  static int64_t bytesOf(Operation *op) {
    return std::max(bufferBytes(op->getOperand(0).getType()),
                    bufferBytes(op->getResult(0).getType()));
  }

  void arrive(Operation *op) {
    if (waits(op)) {
      pending.push_back(op);
      waiting.insert(op);
      return;
    }
    std::optional<Key> key = keyOf(op);
    if (key && isSmall(op) && llvm::is_contained(keys, *key))
      join(*key, op);
    else
      order.push_back(op);
  }

  void join(Key key, Operation *op) {
    Value operand = rootOf(op->getOperand(0));
    auto find = [&] {
      return llvm::find_if(open,
                           [&](const Bucket &each) { return each.key == key; });
    };
    Open::iterator found = find();
    // One buffer is read once: what comes out may be written over it.
    while (found != open.end() &&
           (found->bytes + bytesOf(op) > bucketBytes ||
            llvm::is_contained(found->operands, operand))) {
      flush(found);
      found = find();
    }
    if (found == open.end()) {
      open.push_back({key, {}, {}, 0});
      found = std::prev(open.end());
    }
    found->members.push_back(op);
    found->operands.push_back(operand);
    found->bytes += bytesOf(op);
    waiting.insert(op);
  }

  /// Ends a bucket, and lets those go on that have waited for it alone.
  void flush(Open::iterator bucket) {
    Builder builder(block.getParentOp()->getContext());
    SmallVector<Operation *> members = std::move(bucket->members);
    open.erase(bucket);
    for (Operation *op : members) {
      if (members.size() > 1)
        op->setAttr(bucketAttributeName, builder.getI64IntegerAttr(buckets));
      order.push_back(op);
      waiting.erase(op);
    }
    ++buckets;
    SmallVector<Operation *> again = std::move(pending);
    pending.clear();
    for (Operation *op : again)
      waiting.erase(op);
    // Those in front of an op are decided before it is.
    for (Operation *op : again)
      arrive(op);
  }

  Block &block;
  int64_t bucketBytes;
  llvm::DenseSet<Operation *> tail, waiting;
  SmallVector<Operation *> order, pending;
  /// Kinds of small collectives, and of those that there are several of.
  SmallVector<Key> once, keys;
  Open open;
  int64_t buckets = 0;
};

struct BucketCollectives : impl::BucketCollectivesBase<BucketCollectives> {
  using BucketCollectivesBase::BucketCollectivesBase;

  void runOnOperation() override {
    const TargetTraits *traits = findTarget(getOperation(), target);
    if (!traits)
      return signalPassFailure();
    if (getOperation().getBody().hasOneBlock() && traits->bucketBytes > 0)
      Scheduler(getOperation().getBody().front(), traits->bucketBytes).run();
  }
};

} // namespace
} // namespace lower
} // namespace shardsmith
