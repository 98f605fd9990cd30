// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/LoopNest.h"

#include "shardsmith/Support/Quantity.h"

#include "mlir/Transforms/RegionUtils.h"

#include <limits>

using namespace mlir;

namespace shardsmith::smith {
namespace {

llvm::SetVector<Value> valuesReadBy(Operation *op) {
  llvm::SetVector<Value> read(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), read);
  return read;
}

bool insert(LoopChain &chain, int64_t loop) {
  if (llvm::is_contained(chain, loop))
    return false;
  chain.push_back(loop);
  return true;
}

bool leavesLoop(Operation *op) { return isa<LoopNextOp, LoopStackOp>(op); }

} // namespace

LoopNest::LoopNest(Block &block) {
  for (Operation &op : block) {
    std::optional<int64_t> loop = getMarkedLoop(&op);
    if (!loop)
      continue;
    countOf.insert({*loop, op.getAttrOfType<IntegerAttr>("count").getInt()});
    auto next = dyn_cast<LoopNextOp>(op);
    if (next && next.getDecides())
      deciders[*loop] = next;
  }
  if (countOf.empty())
    return;
  while (update(block)) {
  }
  sortChains();
}

LoopChain LoopNest::loopsOf(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  LoopChain chain = loopsOf(op);
  if (leavesLoop(op))
    llvm::erase(chain, *getMarkedLoop(op));
  return chain;
}

int64_t LoopNest::repeatsOf(Operation *op) const {
  int64_t repeats = 1;
  for (int64_t loop : loops.lookup(op))
    repeats = checkedMultiply(repeats, countOf.lookup(loop))
                  .value_or(std::numeric_limits<int64_t>::max());
  return repeats;
}

/// One walk over the block; true if something has become known.
bool LoopNest::update(Block &block) {
  bool changed = false;
  for (Operation &op : block) {
    LoopChain chain = loops.lookup(&op);
    size_t before = chain.size();
    for (Value value : valuesReadBy(&op))
      for (int64_t loop : loopsOf(value))
        insert(chain, loop);
    std::optional<int64_t> own = getMarkedLoop(&op);
    if (own)
      insert(chain, *own);
    for (size_t i = 0; i < chain.size(); ++i)
      for (int64_t parent : LoopChain(parents.lookup(chain[i])))
        insert(chain, parent);
    if (own && leavesLoop(&op))
      for (int64_t loop : chain)
        if (loop != *own)
          changed |= insert(parents[*own], loop);
    if (chain.size() == before)
      continue;
    loops[&op] = chain;
    changed = true;
  }
  return changed;
}

/// A loop that is in others has more loops around it than they have.
void LoopNest::sortChains() {
  for (auto &[op, chain] : loops)
    llvm::sort(chain, [&](int64_t a, int64_t b) {
      return std::tuple(parents.lookup(a).size(), a) <
             std::tuple(parents.lookup(b).size(), b);
    });
}

namespace {

/// Orders ops of the same loops up to some depth: single ones, and those of
/// each further loop as one.
class LoopOrder {
public:
  explicit LoopOrder(Block &block) : block(block), nest(block) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator())
      ops.push_back(&op);
    SmallVector<Operation *> ordered;
    if (failed(order(ops, 0, ordered)))
      return failure();
    for (Operation *op : ordered)
      op->moveBefore(block.getTerminator());
    return success();
  }

private:
  struct Item {
    SmallVector<Operation *> ops;
    SmallVector<size_t> needs;
    bool isLoop = false;
    enum { New, Open, Done } state = New;
  };

  LogicalResult order(ArrayRef<Operation *> ops, size_t depth,
                      SmallVector<Operation *> &ordered) {
    std::vector<Item> items;
    DenseMap<Operation *, size_t> itemOf;
    DenseMap<int64_t, size_t> itemOfLoop;
    for (Operation *op : ops) {
      LoopChain chain = nest.loopsOf(op);
      size_t item = items.size();
      if (chain.size() > depth)
        item = itemOfLoop.try_emplace(chain[depth], item).first->second;
      if (item == items.size())
        items.emplace_back().isLoop = chain.size() > depth;
      items[item].ops.push_back(op);
      itemOf[op] = item;
    }
    for (size_t item = 0; item < items.size(); ++item)
      for (Operation *op : items[item].ops)
        for (Value value : valuesReadBy(op)) {
          auto found = itemOf.find(value.getDefiningOp());
          if (found != itemOf.end() && found->second != item)
            items[item].needs.push_back(found->second);
        }
    for (size_t item = 0; item < items.size(); ++item)
      if (failed(place(items, item, depth, ordered)))
        return failure();
    return success();
  }

  /// Places what an item needs, then the item.
  LogicalResult place(std::vector<Item> &items, size_t root, size_t depth,
                      SmallVector<Operation *> &ordered) {
    SmallVector<size_t> stack{root};
    while (!stack.empty()) {
      size_t index = stack.back();
      Item &item = items[index];
      if (item.state == Item::Done) {
        stack.pop_back();
        continue;
      }
      item.state = Item::Open;
      bool isReady = true;
      for (size_t need : item.needs) {
        if (items[need].state == Item::Done)
          continue;
        if (items[need].state == Item::Open)
          return items[need].ops.front()->emitError(
              "is in a loop that reads a value which is known after it only");
        stack.push_back(need);
        isReady = false;
        break;
      }
      if (!isReady)
        continue;
      stack.pop_back();
      item.state = Item::Done;
      if (!item.isLoop)
        llvm::append_range(ordered, item.ops);
      else if (failed(order(item.ops, depth + 1, ordered)))
        return failure();
    }
    return success();
  }

  Block &block;
  LoopNest nest;
};

} // namespace

LogicalResult verifyLoops(Block &block) {
  LoopNest nest(block);
  llvm::DenseSet<std::pair<int64_t, int64_t>> carried;
  llvm::DenseSet<int64_t> decided;
  for (Operation &op : block) {
    std::optional<int64_t> loop = getMarkedLoop(&op);
    if (!loop)
      continue;
    int64_t count = op.getAttrOfType<IntegerAttr>("count").getInt();
    if (count != nest.counts().lookup(*loop))
      return op.emitError()
             << "says that loop " << *loop << " has " << count
             << " iterations, which has " << nest.counts().lookup(*loop)
             << " by an op before";
    auto next = dyn_cast<LoopNextOp>(op);
    if (next && next.getDecides() && !decided.insert(*loop).second)
      return op.emitError()
             << "decides loop " << *loop << ", which another value decides";
    if (isa<LoopSliceOp, LoopStackOp>(op) && nest.hasUnknownCount(*loop))
      return op.emitError() << "has one element per iteration of loop " << *loop
                            << ", of which nobody knows how many there are";
    auto carry = dyn_cast<LoopCarryOp>(op);
    if (carry && !carried.insert({*loop, carry.getNumber()}).second)
      return op.emitError()
             << "has the number " << carry.getNumber()
             << " of another value that goes around loop " << *loop;
  }
  Operation *terminator = block.getTerminator();
  if (!nest.loopsOf(terminator).empty())
    return terminator->emitError(
        "returns the value of one iteration of a loop; use 'smith.loop_next' "
        "or 'smith.loop_stack' before");
  return success();
}

LogicalResult groupLoops(Block &block) {
  if (!hasLoops(block))
    return success();
  if (failed(verifyLoops(block)))
    return failure();
  return LoopOrder(block).run();
}

} // namespace shardsmith::smith
