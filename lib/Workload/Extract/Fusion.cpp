// SPDX-License-Identifier: Apache-2.0

#include "Fusion.h"

#include "Fusible.h"

#include <queue>
#include <set>

using namespace mlir;

namespace shardsmith::workload {
namespace {

/// An op, or an attention as a whole.
struct Node {
  SmallVector<Operation *> ops;
  const Attention *attention = nullptr;
  bool isFusible = false;
  int64_t level = 0;
  /// Other units read it: stays where it is.
  bool isOutput = false;
  /// Node that reads this one, and whether it reads only a slice.
  struct Reader {
    unsigned node;
    bool isPartial;
  };
  SmallVector<Reader> readers;
  SmallVector<unsigned> reads;
  unsigned group;
};

class Grouping {
public:
  Grouping(const ModelGraph &graph, ArrayRef<Operation *> ops,
           const AttentionMap &attentions, ArrayRef<Value> outputs)
      : graph(graph) {
    for (Operation *op : ops)
      addOp(op, attentions.lookup(op));
    for (unsigned index = 0; index < nodes.size(); ++index)
      addReads(index);
    for (Value output : outputs)
      if (auto found = nodeOf.find(output.getDefiningOp());
          found != nodeOf.end())
        nodes[found->second].isOutput = true;
  }

  std::vector<OpGroup> run() {
    assignLevels();
    sink();
    merge();
    return schedule();
  }

private:
  void addOp(Operation *op, const Attention *attention) {
    if (attention) {
      // Stands where its last op stands, when all it reads is there.
      if (op != attention->mix)
        return;
      Node &node = nodes.emplace_back();
      node.ops = attention->ops;
      node.attention = attention;
      for (Operation *inner : attention->ops)
        nodeOf[inner] = nodes.size() - 1;
      return;
    }
    Node &node = nodes.emplace_back();
    node.ops = {op};
    node.isFusible = isFusible(op);
    nodeOf[op] = nodes.size() - 1;
  }

  void addReads(unsigned index) {
    for (Operation *op : nodes[index].ops)
      for (Value operand : op->getOperands()) {
        if (graph.originOf(operand) != Origin::Activation)
          continue;
        Source source = sourceOf(graph, operand);
        auto found = nodeOf.find(source.root.getDefiningOp());
        if (found == nodeOf.end() || found->second == index)
          continue;
        nodes[index].reads.push_back(found->second);
        nodes[found->second].readers.push_back({index, source.isPartial});
      }
  }

  /// The level that a reader allows a producer to have at most.
  int64_t latestLevel(const Node &producer, Node::Reader reader) const {
    const Node &node = nodes[reader.node];
    bool isSeparate =
        !node.isFusible || (reader.isPartial && producer.isFusible);
    return node.level - isSeparate;
  }

  /// Nodes are in program order, which is topological.
  void assignLevels() {
    for (Node &node : nodes) {
      node.level += !node.isFusible;
      for (Node::Reader reader : node.readers) {
        Node &other = nodes[reader.node];
        int64_t least = node.level +
                        (reader.isPartial && node.isFusible && other.isFusible);
        other.level = std::max(other.level, least);
      }
    }
  }

  /// A fusible op that is read late moves there, if that means to keep no more
  /// than its result.
  void sink() {
    for (Node &node : llvm::reverse(nodes)) {
      if (!node.isFusible || node.isOutput || node.readers.empty())
        continue;
      int64_t latest = INT64_MAX;
      for (Node::Reader reader : node.readers)
        latest = std::min(latest, latestLevel(node, reader));
      if (latest > node.level && inputBits(node) <= resultBits(node))
        node.level = latest;
    }
  }

  static int64_t bits(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t width = type.getElementType().isIntOrFloat()
                        ? type.getElementTypeBitWidth()
                        : 64;
    return type.getNumElements() * width;
  }
  int64_t inputBits(const Node &node) const {
    int64_t total = 0;
    for (Value operand : node.ops.front()->getOperands())
      if (graph.originOf(operand) == Origin::Activation)
        total += bits(sourceOf(graph, operand).root);
    return total;
  }
  int64_t resultBits(const Node &node) const {
    int64_t total = 0;
    for (Value result : node.ops.front()->getResults())
      total += bits(result);
    return total;
  }

  smith::LoopChain loopsOf(const Node &node) const {
    return graph.stepLoopsOf(node.ops.back());
  }

  unsigned rootOf(unsigned index) {
    while (nodes[index].group != index)
      index = nodes[index].group = nodes[nodes[index].group].group;
    return index;
  }

  void merge() {
    for (unsigned index = 0; index < nodes.size(); ++index)
      nodes[index].group = index;
    for (unsigned index = 0; index < nodes.size(); ++index)
      for (Node::Reader reader : nodes[index].readers) {
        const Node &other = nodes[reader.node];
        if (nodes[index].isFusible && other.isFusible &&
            nodes[index].level == other.level &&
            loopsOf(nodes[index]) == loopsOf(other))
          nodes[rootOf(reader.node)].group = rootOf(index);
      }
  }

  /// Groups whose operands are there, the one that ends first in the program
  /// first.
  std::vector<OpGroup> schedule() {
    std::map<unsigned, std::set<unsigned>> waitsFor, readBy;
    std::map<unsigned, unsigned> last;
    for (unsigned index = 0; index < nodes.size(); ++index) {
      unsigned group = rootOf(index);
      waitsFor[group];
      last[group] = index;
      for (unsigned read : nodes[index].reads)
        if (unsigned from = rootOf(read); from != group) {
          waitsFor[group].insert(from);
          readBy[from].insert(group);
        }
    }
    using Entry = std::pair<unsigned, unsigned>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (auto &[group, open] : waitsFor)
      if (open.empty())
        ready.push({last[group], group});
    std::map<unsigned, std::vector<unsigned>> members;
    for (unsigned index = 0; index < nodes.size(); ++index)
      members[rootOf(index)].push_back(index);
    std::vector<OpGroup> result;
    while (!ready.empty()) {
      unsigned group = ready.top().second;
      ready.pop();
      OpGroup &entry = result.emplace_back();
      entry.isFused = nodes[group].isFusible;
      entry.attention = nodes[group].attention;
      for (unsigned index : members[group])
        llvm::append_range(entry.ops, nodes[index].ops);
      for (unsigned reader : readBy[group]) {
        waitsFor[reader].erase(group);
        if (waitsFor[reader].empty())
          ready.push({last[reader], reader});
      }
    }
    return result;
  }

  const ModelGraph &graph;
  std::vector<Node> nodes;
  DenseMap<Operation *, unsigned> nodeOf;
};

} // namespace

std::vector<OpGroup> formGroups(const ModelGraph &graph,
                                ArrayRef<Operation *> ops,
                                const AttentionMap &attentions,
                                ArrayRef<Value> outputs) {
  return Grouping(graph, ops, attentions, outputs).run();
}

} // namespace shardsmith::workload
