// SPDX-License-Identifier: Apache-2.0
//
// Greedy: every anchored op starts as a group of its own; going from the last
// op to the first, a group is merged into the groups that read it where the
// invariants allow.
//
// The order of the groups is that of the program, with one exception: a group
// that computes nothing but new values of arguments (an update) runs as soon
// as it can, because what it reads may die there. It waits for everyone else
// who reads the old values, so that it can overwrite them.

#include "FusionGroups.h"

#include "Dependence.h"
#include "Fusibility.h"
#include "shardsmith/Dialect/Smith/ReplacedArgument.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Support/TensorTypes.h"

#include <queue>
#include <set>
#include <vector>

using namespace mlir;

namespace shardsmith::lower {
namespace {

using Sizes = SmallVector<int64_t>;

struct Group {
  SmallVector<Operation *> ops;
  bool isKernel = false;
  Sizes domain, reduced;
  int64_t last = 0; ///< program order of its last op
  bool isUpdate = false;
  std::set<size_t> readers, reads;
};

Sizes withoutUnits(ArrayRef<int64_t> sizes) {
  Sizes result;
  llvm::copy_if(sizes, std::back_inserter(result),
                [](int64_t size) { return size != 1; });
  return result;
}

/// Kept sizes of a domain, without units.
Sizes keptSizes(const Group &group) {
  Sizes kept;
  for (auto [d, size] : llvm::enumerate(group.domain))
    if (size != 1 && !llvm::is_contained(group.reduced, d))
      kept.push_back(size);
  return kept;
}

bool reducesTrailing(const Group &group) {
  int64_t next = group.domain.size() - group.reduced.size();
  for (int64_t d : group.reduced)
    if (d != next++)
      return false;
  return !group.reduced.empty();
}

/// The dimensions that positions of an op's elements are given in.
ArrayRef<int64_t> frameOf(Operation *op) {
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    return shapeOf(reduce.getInputs().front());
  return shapeOf(op->getResult(0));
}

class Grouping {
public:
  Grouping(Block &block, const llvm::DenseSet<Operation *> &inlined,
           const TargetTraits &target)
      : inlined(inlined), target(target) {
    int64_t order = 0;
    // The terminator is an op like others: what it reads must be stored.
    for (Operation &op : block)
      if (!inlined.contains(&op))
        addOp(&op, order++);
  }

  void merge();
  void findUpdates(Operation *terminator);
  SmallVector<FusionGroup> schedule();

private:
  void addOp(Operation *op, int64_t order);
  void addEdge(Operation *reader, Operation *producer);
  size_t rootOf(size_t group);

  bool tryMerge(size_t producer, size_t reader);
  /// The domain and reduced dimensions of the union, if there is one.
  bool unite(const Group &producer, const Group &reader, Group &merged) const;
  bool isAligned(const Group &merged, Operation *reader,
                 const Dependence &dependence) const;
  /// Where in the domain (without units) an anchored tensor's dimensions
  /// are; empty optional if it is neither full nor row.
  std::optional<Sizes> placement(const Group &merged,
                                 ArrayRef<int64_t> shape) const;
  enum class Edges { All, AllButDirect };
  bool hasPath(size_t from, size_t to, Edges edges);
  bool reaches(size_t from, size_t to);
  size_t countInputs(const Group &a, const Group &b) const;

  const llvm::DenseSet<Operation *> &inlined;
  const TargetTraits &target;
  std::vector<Group> groups;
  std::vector<size_t> parents;
  DenseMap<Operation *, size_t> groupOf;
  /// The last message or run between messages: these stay in their order.
  Operation *lastInOrder = nullptr;
  DenseMap<Operation *, SmallVector<Dependence>> dependences;
};

size_t Grouping::rootOf(size_t group) {
  while (parents[group] != group)
    group = parents[group] = parents[parents[group]];
  return group;
}

void Grouping::addEdge(Operation *reader, Operation *producer) {
  size_t from = groupOf.at(producer), to = groupOf.at(reader);
  groups[from].readers.insert(to);
  groups[to].reads.insert(from);
}

void Grouping::addOp(Operation *op, int64_t order) {
  Group group;
  group.ops.push_back(op);
  group.last = order;
  group.isKernel = isFusable(op, target);
  if (group.isKernel) {
    group.domain = Sizes(frameOf(op));
    if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
      group.reduced = Sizes(reduce.getDimensions());
      llvm::sort(group.reduced);
    }
  }
  groupOf[op] = groups.size();
  parents.push_back(groups.size());
  groups.push_back(std::move(group));
  if (isFusable(op, target)) {
    for (Dependence &dependence :
         dependences[op] = findDependences(op, inlined))
      if (Operation *producer = dependence.value.getDefiningOp())
        addEdge(op, producer);
    return;
  }
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (groupOf.contains(producer) && producer != op)
          addEdge(op, producer);
  });
  if (!isa<smith::SmithDialect>(op->getDialect()) || isPure(op))
    return;
  if (lastInOrder)
    addEdge(op, lastInOrder);
  lastInOrder = op;
}

std::optional<Sizes> Grouping::placement(const Group &merged,
                                         ArrayRef<int64_t> shape) const {
  Sizes sizes = withoutUnits(shape);
  Sizes full, kept;
  int64_t position = 0;
  for (auto [d, size] : llvm::enumerate(merged.domain)) {
    if (size == 1)
      continue;
    full.push_back(position);
    if (!llvm::is_contained(merged.reduced, d))
      kept.push_back(position);
    ++position;
  }
  if (sizes == withoutUnits(merged.domain))
    return full;
  if (!merged.reduced.empty() && sizes == keptSizes(merged))
    return kept;
  return std::nullopt;
}

bool Grouping::isAligned(const Group &merged, Operation *reader,
                         const Dependence &dependence) const {
  std::optional<Sizes> frame = placement(merged, frameOf(reader));
  std::optional<Sizes> value = placement(merged, shapeOf(dependence.value));
  if (!frame || !value)
    return false;
  // Position of each frame dimension in the domain.
  SmallVector<int64_t> places;
  size_t next = 0;
  for (int64_t size : frameOf(reader))
    places.push_back(size == 1 ? unitDimension : (*frame)[next++]);
  Sizes read;
  for (int64_t d : dependence.dimensions) {
    if (d == opaqueDimension)
      return false;
    if (d != unitDimension)
      read.push_back(places[d]);
  }
  return read == *value;
}

bool Grouping::unite(const Group &producer, const Group &reader,
                     Group &merged) const {
  bool producerReduces = !producer.reduced.empty();
  bool readerReduces = !reader.reduced.empty();
  if (producerReduces && readerReduces) {
    if (producer.domain != reader.domain ||
        producer.reduced != reader.reduced || !reducesTrailing(reader))
      return false;
  }
  const Group &shape = readerReduces     ? reader
                       : producerReduces ? producer
                                         : reader;
  const Group &other = &shape == &reader ? producer : reader;
  merged.domain = shape.domain;
  merged.reduced = shape.reduced;
  if (!producerReduces && !readerReduces)
    return withoutUnits(producer.domain) == withoutUnits(reader.domain);
  if (llvm::product_of(keptSizes(shape)) == llvm::product_of(shape.domain))
    return false; // Full and row would be the same.
  if (producerReduces && readerReduces)
    return true;
  bool otherIsFull = withoutUnits(other.domain) == withoutUnits(shape.domain);
  bool otherIsRow = withoutUnits(other.domain) == keptSizes(shape);
  if (reducesTrailing(shape))
    return otherIsFull || otherIsRow;
  // Only one sweep: full values feed the reductions and are not stored, row
  // values are computed from them.
  if (&shape == &producer)
    return otherIsRow;
  if (!otherIsFull || other.readers.size() != 1)
    return false;
  return true;
}

/// Whether `to` reads what depends on `from`. Places in the program say nothing
/// about that: a group may hold ops from both sides of another one's.
bool Grouping::hasPath(size_t from, size_t to, Edges edges) {
  SmallVector<size_t> stack;
  llvm::DenseSet<size_t> visited;
  auto push = [&](size_t group) {
    group = rootOf(group);
    if (group != from && visited.insert(group).second)
      stack.push_back(group);
  };
  for (size_t next : groups[from].readers)
    if (edges == Edges::All || rootOf(next) != to)
      push(next);
  while (!stack.empty()) {
    size_t group = stack.pop_back_val();
    if (group == to)
      return true;
    for (size_t next : groups[group].readers)
      push(next);
  }
  return false;
}

size_t Grouping::countInputs(const Group &a, const Group &b) const {
  llvm::DenseSet<Value> values;
  for (const Group *group : {&a, &b})
    for (Operation *op : group->ops)
      for (const Dependence &dependence : dependences.at(op))
        values.insert(dependence.value);
  return values.size();
}

bool Grouping::tryMerge(size_t producerIndex, size_t readerIndex) {
  Group &producer = groups[producerIndex], &reader = groups[readerIndex];
  if (!producer.isKernel || !reader.isKernel ||
      producer.ops.size() + reader.ops.size() > target.mostKernelOps)
    return false;
  // Edges between merged groups are renamed lazily.
  auto renamed = [&](std::set<size_t> &edges) {
    std::set<size_t> roots;
    for (size_t edge : edges)
      roots.insert(rootOf(edge));
    edges = std::move(roots);
  };
  renamed(producer.readers);
  renamed(reader.reads);
  Group merged;
  if (!unite(producer, reader, merged))
    return false;
  for (const Group *group : {&producer, &reader})
    for (Operation *op : group->ops) {
      if (!placement(merged, frameOf(op)))
        return false;
      for (const Dependence &dependence : dependences.at(op)) {
        Operation *source = dependence.value.getDefiningOp();
        if (!source)
          continue;
        size_t from = rootOf(groupOf.at(source));
        if ((from == producerIndex || from == readerIndex) &&
            !isAligned(merged, op, dependence))
          return false;
      }
    }
  if (countInputs(producer, reader) > target.mostKernelInputs ||
      hasPath(producerIndex, readerIndex, Edges::AllButDirect))
    return false;
  // A producer that has been merged before has ops that may depend on the
  // reader by way of other merged groups.
  if (hasPath(readerIndex, producerIndex, Edges::All))
    return false;

  reader.domain = merged.domain;
  reader.reduced = merged.reduced;
  llvm::append_range(reader.ops, producer.ops);
  reader.last = std::max(reader.last, producer.last);
  reader.readers.insert(producer.readers.begin(), producer.readers.end());
  reader.reads.insert(producer.reads.begin(), producer.reads.end());
  for (size_t self : {producerIndex, readerIndex}) {
    reader.readers.erase(self);
    reader.reads.erase(self);
  }
  parents[producerIndex] = readerIndex;
  producer = Group();
  return true;
}

void Grouping::merge() {
  for (size_t index = groups.size(); index-- > 0;) {
    size_t producer = rootOf(index);
    bool changed = true;
    while (changed) {
      changed = false;
      std::set<size_t> readers;
      for (size_t reader : groups[producer].readers)
        if (rootOf(reader) != producer)
          readers.insert(rootOf(reader));
      for (size_t reader : readers)
        if (tryMerge(producer, reader)) {
          producer = reader;
          changed = true;
          break;
        }
    }
  }
}

bool Grouping::reaches(size_t from, size_t to) {
  SmallVector<size_t> stack{from};
  llvm::DenseSet<size_t> visited{from};
  while (!stack.empty()) {
    size_t group = stack.pop_back_val();
    if (group == to)
      return true;
    for (size_t next : groups[group].readers)
      if (visited.insert(rootOf(next)).second)
        stack.push_back(rootOf(next));
  }
  return false;
}

void Grouping::findUpdates(Operation *terminator) {
  auto function = dyn_cast<func::FuncOp>(terminator->getParentOp());
  if (!function)
    return;
  // Who reads each argument.
  DenseMap<Value, std::set<size_t>> readersOf;
  for (auto &[op, group] : groupOf) {
    if (auto found = dependences.find(op); found != dependences.end()) {
      for (const Dependence &dependence : found->second)
        readersOf[dependence.value].insert(rootOf(group));
      continue;
    }
    for (Value operand : op->getOperands())
      readersOf[operand].insert(rootOf(group));
  }
  size_t end = rootOf(groupOf.at(terminator));
  for (OpOperand &operand : terminator->getOpOperands()) {
    int64_t argument =
        smith::replacedArgument(function, operand.getOperandNumber());
    Operation *producer = operand.get().getDefiningOp();
    if (argument < 0 || !producer)
      continue;
    size_t update = rootOf(groupOf.at(producer));
    groups[update].isUpdate =
        llvm::all_of(groups[update].readers,
                     [&](size_t reader) { return rootOf(reader) == end; });
    for (size_t reader : readersOf[function.getArgument(argument)]) {
      if (reader == update || reader == end || reaches(update, reader))
        continue;
      groups[reader].readers.insert(update);
      groups[update].reads.insert(reader);
    }
  }
}

SmallVector<FusionGroup> Grouping::schedule() {
  DenseMap<size_t, size_t> waitingFor;
  DenseMap<size_t, std::set<size_t>> readersOf;
  // Updates first, then the group whose last op comes first in the program.
  auto priority = [&](size_t group) {
    return groups[group].isUpdate ? -1 : groups[group].last;
  };
  using Entry = std::pair<int64_t, size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (rootOf(i) != i)
      continue;
    std::set<size_t> reads;
    for (size_t from : groups[i].reads)
      if (rootOf(from) != i)
        reads.insert(rootOf(from));
    for (size_t from : reads)
      readersOf[from].insert(i);
    waitingFor[i] = reads.size();
    if (reads.empty())
      ready.push({priority(i), i});
  }
  SmallVector<FusionGroup> result;
  while (!ready.empty()) {
    size_t index = ready.top().second;
    ready.pop();
    Group &group = groups[index];
    llvm::sort(group.ops, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    result.push_back({group.ops, group.isKernel, group.domain, group.reduced});
    for (size_t reader : readersOf[index])
      if (--waitingFor[reader] == 0)
        ready.push({priority(reader), reader});
  }
  return result;
}

} // namespace

SmallVector<FusionGroup> formGroups(Block &block,
                                    const llvm::DenseSet<Operation *> &inlined,
                                    const TargetTraits &target) {
  Grouping grouping(block, inlined, target);
  grouping.merge();
  grouping.findUpdates(block.getTerminator());
  return grouping.schedule();
}

} // namespace shardsmith::lower
