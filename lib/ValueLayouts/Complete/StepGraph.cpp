// SPDX-License-Identifier: Apache-2.0

#include "StepGraph.h"

#include "FusedTraffic.h"
#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Sharding/ShardingAttributes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/StringMap.h"

#include <limits>

using namespace mlir;

namespace shardsmith::plan {
namespace {

/// For ops nobody can split: every dimension is a factor of its own that must
/// be whole.
FactorRule wholeRule(Operation *op) {
  FactorRuleBuilder builder(op->getNumOperands(), op->getNumResults());
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    for (auto [dim, size] :
         llvm::enumerate(cast<RankedTensorType>(operand.getType()).getShape()))
      builder.add(size, {{unsigned(index), unsigned(dim)}}, {},
                  FactorKind::NeedReplication);
  for (auto [index, result] : llvm::enumerate(op->getResults()))
    for (auto [dim, size] :
         llvm::enumerate(cast<RankedTensorType>(result.getType()).getShape()))
      builder.add(size, {}, {{unsigned(index), unsigned(dim)}},
                  FactorKind::NeedReplication);
  return builder.build();
}

/// A sharding constraint passes on what it gets.
bool isIdentity(Operation *op) {
  return isa<sdy::ShardingConstraintOp, sdy::PropagationBarrierOp>(op);
}

/// The partitioner makes such values anew for every layout that is asked for.
bool isFree(Operation *op) {
  return op->getNumOperands() == 0 && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && isPure(op);
}

/// Saturates.
int64_t product(int64_t a, int64_t b) {
  return checkedMultiply(a, b).value_or(std::numeric_limits<int64_t>::max());
}

FactorRule identityRule(Operation *op) {
  auto shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  FactorRule rule = FactorRuleBuilder::pointwise({shape}, {shape});
  rule.linearOperandSets.push_back({0});
  return rule;
}

class StepGraphBuilder {
public:
  explicit StepGraphBuilder(func::FuncOp function) {
    graph.function = function;
  }

  /// Of a function of one block.
  void findRepeats() {
    repeated = smith::findRepeatedOps(graph.function);
    microBatches = smith::getMicroBatchCount(graph.function);
    loops.emplace(graph.function.front());
  }

  FailureOr<StepGraph> run() {
    func::FuncOp function = graph.function;
    if (!function.getBody().hasOneBlock())
      return function.emitError("expected a train step with one block");
    findRepeats();
    Block &block = function.getBody().front();
    for (BlockArgument argument : block.getArguments())
      if (failed(addArgument(argument)))
        return failure();
    for (Operation &op : block.without_terminator())
      if (failed(addOp(&op)))
        return failure();
    if (failed(addReturn(block.getTerminator())))
      return failure();
    markFusedTraffic(graph);
    return std::move(graph);
  }

private:
  LogicalResult checkType(Type type, Location loc) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.hasStaticShape())
      return success();
    return emitError(loc) << "the planner needs ranked tensors of static "
                             "shape, found "
                          << type;
  }

  unsigned addValue(Value value, unsigned node, unsigned result) {
    unsigned id = graph.values.size();
    ids[value] = id;
    StepValue &entry = graph.values.emplace_back();
    entry.type = cast<RankedTensorType>(value.getType());
    entry.node = node;
    entry.result = result;
    return id;
  }

  LogicalResult addArgument(BlockArgument argument) {
    if (failed(checkType(argument.getType(), argument.getLoc())))
      return failure();
    func::FuncOp function = graph.function;
    unsigned index = argument.getArgNumber();
    auto text = [&](StringRef name) {
      auto attribute = function.getArgAttrOfType<StringAttr>(index, name);
      return attribute ? attribute.str() : std::string();
    };
    StepArgument &entry = graph.arguments.emplace_back();
    entry.name = text(smith::kNameAttributeName);
    entry.role = text(smith::kRoleAttributeName);
    if (entry.name.empty())
      entry.name = "arg" + std::to_string(index);
    if (entry.role == "batch") {
      auto dim = function.getArgAttrOfType<IntegerAttr>(
          index, smith::kBatchDimAttributeName);
      bool hasRank = cast<RankedTensorType>(argument.getType()).getRank() > 0;
      entry.batchDim = dim ? dim.getInt() : (hasRank ? 0 : -1);
      // Rows are looked up where data ranks have different shares of them, so
      // that no layout of the whole has to give ranks equal parts.
      if (function->hasAttr(smith::kSharesAttributeName))
        entry.batchDim = -1;
    }
    std::string pins;
    llvm::raw_string_ostream(pins)
        << function.getArgAttr(index, sdy::kShardingAttributeName)
        << " batch dimension " << entry.batchDim;
    StepNode &node = graph.nodes.emplace_back();
    node.signature =
        signatureOf(entry.role + " argument", {}, {argument.getType()}, pins);
    node.results.push_back(addValue(argument, graph.nodes.size() - 1, 0));
    return success();
  }

  LogicalResult addOp(Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(checkType(type, op->getLoc())))
        return failure();
    unsigned index = graph.nodes.size();
    StepNode &node = graph.nodes.emplace_back();
    node.op = op;
    if (repeated.contains(op))
      node.microBatches = microBatches;
    node.repeats = product(node.microBatches, loops->repeatsOf(op));
    if (smith::LoopChain chain = loops->loopsOf(op); !chain.empty())
      node.loop = chain.back();
    for (auto [position, operand] : llvm::enumerate(op->getOperands())) {
      unsigned value = ids.lookup(operand);
      node.operands.push_back(value);
      graph.values[value].uses.push_back({index, unsigned(position)});
    }
    attachRule(node);
    for (OpResult result : op->getResults()) {
      unsigned value = addValue(result, index, result.getResultNumber());
      graph.values[value].isFree = isFree(op);
      for (int64_t loop : loops->loopsOf(result))
        graph.values[value].iterations = product(graph.values[value].iterations,
                                                 loops->counts().lookup(loop));
      graph.nodes[index].results.push_back(value);
    }
    return success();
  }

  /// Nodes of one signature share one rule object.
  void attachRule(StepNode &node) {
    Operation *op = node.op;
    FactorRule rule;
    if (auto interface = dyn_cast<FactorRuleInterface>(op))
      rule = interface.getFactorRule();
    else if (isIdentity(op))
      rule = identityRule(op);
    else
      rule = wholeRule(op);
    std::string text = rule.str();
    for (ArrayRef<unsigned> set : rule.linearOperandSets) {
      text += " linear";
      for (unsigned operand : set)
        text += " " + std::to_string(operand);
    }
    for (const Factor &factor : rule.factors)
      text += char('0' + int(factor.reduction));
    text += " x" + std::to_string(node.repeats);
    // Ops about which different things are decided are different.
    Attribute pin = op->getAttr(sdy::kShardingAttributeName);
    if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op))
      pin = constraint.getSharding();
    for (Attribute decided :
         {pin, op->getAttr(smith::kFactorAxesAttributeName)})
      llvm::raw_string_ostream(text) << " " << decided.getAsOpaquePointer();
    node.signature =
        signatureOf(op->getName().getStringRef().str(), op->getOperandTypes(),
                    op->getResultTypes(), text);
    auto &shared = rules[node.signature];
    if (!shared)
      shared = std::make_shared<const FactorRule>(std::move(rule));
    node.rule = shared;
  }

  unsigned signatureOf(std::string name, TypeRange operands, TypeRange results,
                       const std::string &rule) {
    llvm::raw_string_ostream os(name);
    for (Type type : operands)
      os << ' ' << type.getAsOpaquePointer();
    os << " ->";
    for (Type type : results)
      os << ' ' << type.getAsOpaquePointer();
    os << ' ' << rule;
    return signatures.try_emplace(name, signatures.size()).first->second;
  }

  LogicalResult addReturn(Operation *terminator) {
    func::FuncOp function = graph.function;
    llvm::StringMap<unsigned> replaceable;
    for (auto [index, argument] : llvm::enumerate(graph.arguments))
      if (argument.role == "param" || argument.role == "state")
        replaceable[argument.name] = index;
    for (auto [index, operand] : llvm::enumerate(terminator->getOperands())) {
      unsigned value = ids.lookup(operand);
      graph.results.push_back(value);
      graph.values[value].returnedAs.push_back(index);
      graph.replaced.push_back(-1);
      auto role = function.getResultAttrOfType<StringAttr>(
          index, smith::kRoleAttributeName);
      auto name = function.getResultAttrOfType<StringAttr>(
          index, smith::kNameAttributeName);
      if (!role || !name || (role != "param" && role != "state"))
        continue;
      auto found = replaceable.find(name.getValue());
      if (found == replaceable.end())
        return function.emitError()
               << "result " << index << " is the new value of \""
               << name.getValue() << "\", but no argument has that name";
      if (graph.values[value].type !=
          graph.values[graph.nodes[found->second].results[0]].type)
        return function.emitError() << "result " << index << " and argument \""
                                    << name.getValue() << "\" differ in type";
      graph.replaced.back() = found->second;
      graph.arguments[found->second].result = index;
    }
    return success();
  }

  StepGraph graph;
  llvm::SetVector<Operation *> repeated;
  int64_t microBatches = 1;
  std::optional<smith::LoopNest> loops;
  llvm::DenseMap<Value, unsigned> ids;
  std::map<unsigned, std::shared_ptr<const FactorRule>> rules;
  std::map<std::string, unsigned> signatures;
};

} // namespace

OpWork getWorkOf(Operation *op, ArrayRef<RankedTensorType> operands,
                 ArrayRef<RankedTensorType> results) {
  if (auto interface = dyn_cast<CostInterface>(op))
    return interface.getWork(operands, results);
  OpWork work;
  work.kind = isIdentity(op) ? OpWork::Kind::Free : OpWork::Kind::Standalone;
  for (RankedTensorType type : operands)
    work.read +=
        getTensorBytes(type.getShape(), getElementBytes(type.getElementType()));
  for (RankedTensorType type : results)
    work.written +=
        getTensorBytes(type.getShape(), getElementBytes(type.getElementType()));
  return work;
}

int64_t getReshardsPerStep(const StepValue &value, const StepNode &node) {
  return product(node.microBatches, value.iterations);
}

FailureOr<StepGraph> buildStepGraph(func::FuncOp function) {
  return StepGraphBuilder(function).run();
}

} // namespace shardsmith::plan
