// SPDX-License-Identifier: Apache-2.0
//
// A value is *mixed* if several sequences of the batch went into it. Mixed
// values may be added to one another and scaled on their way to the loss, and
// that is all: then the loss is a sum over sequences. With per-micro-batch
// semantics they may be used in any way, but no two sequences may meet in one
// of many elements. How often a loop is done no sequence may decide:
// micro-batches would go on for different times.

#include "MicroBatches.h"
#include "Fusible.h"

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Support/LocationText.h"

using namespace mlir;

namespace shardsmith::workload {
namespace {

class Finder {
public:
  explicit Finder(const ModelGraph &graph)
      : graph(graph), isPerMicroBatch(graph.getMain()->hasAttr(
                          smith::kPerMicroBatchAttributeName)) {}

  std::string run() {
    for (auto next : graph.getMain().getBody().getOps<smith::LoopNextOp>())
      if (next.getDecides() && dependsOnBatch(next.getCarry()))
        return describe(next, "decides by the batch how often a loop is done");
    // Again as long as more is known of what goes around loops.
    while (true) {
      size_t before = mixed.size();
      std::string obstacle = visit(graph.getMain());
      if (!obstacle.empty() || mixed.size() == before)
        return obstacle;
    }
  }

private:
  /// Whether samples go into a value, on any way.
  bool dependsOnBatch(Value value) {
    llvm::SetVector<Value> behind;
    behind.insert(value);
    for (size_t i = 0; i < behind.size(); ++i) {
      auto argument = dyn_cast<BlockArgument>(behind[i]);
      if (argument &&
          llvm::any_of(graph.leavesOf(argument),
                       [&](const Leaf &leaf) { return isBatch(leaf); }))
        return true;
      Operation *op = behind[i].getDefiningOp();
      if (!op)
        continue;
      behind.insert(op->operand_begin(), op->operand_end());
      if (isa<smith::LoopCarryOp>(op))
        for (Operation *user : op->getUsers())
          if (auto next = dyn_cast<smith::LoopNextOp>(user))
            behind.insert(next.getNext());
    }
    return false;
  }

  std::string visit(func::FuncOp function) {
    for (Operation &op : function.getBody().front().without_terminator()) {
      if (!graph.isLive(&op) || !graph.isVaried(&op))
        continue;
      std::string obstacle =
          graph.calleeOf(&op) ? visitCall(&op) : visitOp(&op);
      if (!obstacle.empty())
        return obstacle;
    }
    return "";
  }

  /// Once per function, with what any call so far has passed to it.
  std::string visitCall(Operation *call) {
    func::FuncOp callee = graph.calleeOf(call);
    bool changed = visited.insert(callee).second;
    for (auto [operand, argument] :
         llvm::zip_equal(call->getOperands(), callee.getArguments()))
      changed |= passOn(operand, argument);
    if (changed)
      if (std::string obstacle = visit(callee); !obstacle.empty())
        return obstacle;
    Operation *terminator = callee.getBody().front().getTerminator();
    for (auto [result, returned] :
         llvm::zip_equal(call->getResults(), terminator->getOperands()))
      passOn(returned, result);
    return "";
  }

  /// Makes `to` mixed if `from` is; true if it was not.
  bool passOn(Value from, Value to) {
    Operation *mixer = mixed.lookup(from);
    return mixer && mixed.try_emplace(to, mixer).second;
  }

  bool isBatch(const Leaf &leaf) const {
    return leaf.size > 1 && graph.axes.roleOf(leaf.axis) == FactorRole::Batch;
  }

  std::string visitOp(Operation *op) {
    // Rows keep their tokens, wherever the router sends them.
    bool moves = isa<stablehlo::GatherOp, stablehlo::ScatterOp>(op) ||
                 groupDimensionOf(op).has_value();
    LeafRule rule = graph.leafRuleOf(op);
    SmallVector<unsigned> reduced = operandsOverBatch(op, rule);
    bool mixes = !moves && !reduced.empty();
    SmallVector<unsigned> mixedOperands;
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      if (mixed.contains(operand))
        mixedOperands.push_back(index);
    for (Value result : op->getResults()) {
      // A copy for every sequence does no harm yet.
      if (!graph.isVaried(result) || isView(op))
        continue;
      int64_t batches =
          llvm::count_if(graph.leavesOf(result),
                         [&](const Leaf &leaf) { return isBatch(leaf); });
      bool takesWhole = !mixedOperands.empty() && !isPerMicroBatch;
      if (batches > 0 && (takesWhole || mixes))
        return describe(op,
                        "combines a value of the whole batch with values "
                        "of single sequences",
                        mixerOf(op));
    }
    if (!isPerMicroBatch && !isLinearIn(rule, mixedOperands))
      return describe(op, "is not linear in a value of the whole batch",
                      mixerOf(op));
    for (unsigned operand : reduced)
      if (mixes && !isPerMicroBatch && !isLinearIn(rule, operand))
        return describe(op, "is no sum over the sequences of the batch");
    if (mixes || !mixedOperands.empty())
      for (Value result : op->getResults())
        mixed.try_emplace(result, mixerOf(op));
    if (auto next = dyn_cast<smith::LoopNextOp>(op))
      passOn(next.getNext(), next.getCarry());
    return "";
  }

  /// Whether the op is linear in these operands taken together.
  static bool isLinearIn(const LeafRule &rule, ArrayRef<unsigned> operands) {
    return operands.empty() ||
           llvm::any_of(rule.linearOperandSets, [&](ArrayRef<unsigned> set) {
             return llvm::all_of(operands, [&](unsigned operand) {
               return llvm::is_contained(set, operand);
             });
           });
  }

  /// Operands of which every sequence is in every element of a result.
  SmallVector<unsigned> operandsOverBatch(Operation *op, const LeafRule &rule) {
    SmallVector<unsigned> found;
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      if (!graph.isVaried(operand))
        continue;
      auto leaves =
          llvm::zip_equal(graph.leavesOf(operand), rule.operands[index]);
      if (llvm::any_of(leaves, [&](const auto &pair) {
            return isBatch(std::get<0>(pair)) &&
                   rule.factors[std::get<1>(pair)].kind !=
                       shardsmith::FactorKind::PassThrough;
          }))
        found.push_back(index);
    }
    return found;
  }

  /// Where sequences met that are in an operand of `op`, or `op` itself.
  Operation *mixerOf(Operation *op) const {
    for (Value operand : op->getOperands())
      if (Operation *mixer = mixed.lookup(operand))
        return mixer;
    return op;
  }

  static std::string describe(Operation *op, const char *what,
                              Operation *mixer = nullptr) {
    std::string text;
    llvm::raw_string_ostream os(text);
    auto name = [&](Operation *each) {
      os << '\'' << each->getName() << "' at " << locationText(each->getLoc());
    };
    name(op);
    os << ' ' << what;
    if (mixer && mixer != op) {
      os << "; ";
      name(mixer);
      os << " combines those of the batch";
    }
    return text;
  }

  const ModelGraph &graph;
  bool isPerMicroBatch;
  /// With the op in which sequences met first.
  llvm::DenseMap<Value, Operation *> mixed;
  llvm::DenseSet<func::FuncOp> visited;
};

} // namespace

std::string findMicroBatchObstacle(const ModelGraph &graph) {
  return Finder(graph).run();
}

} // namespace shardsmith::workload
