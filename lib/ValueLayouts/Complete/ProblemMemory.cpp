// SPDX-License-Identifier: Apache-2.0

#include "ProblemParts.h"

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;

namespace shardsmith::plan {
namespace {

class MemoryWriter {
public:
  MemoryWriter(const ProblemInputs &inputs, StepProblem &target)
      : inputs(inputs), graph(inputs.graph), target(target) {}

  void run() {
    int64_t end = int64_t(graph.nodes.size());
    for (unsigned id = 0; id < graph.values.size(); ++id) {
      const StepValue &value = graph.values[id];
      unsigned producer = target.decisionOfNode[value.node];
      if (graph.isArgument(value.node)) {
        keep(producer, value, 0, 0, end);
        continue;
      }
      if (!value.inMemory || value.isFree || replacesArgument(value))
        continue;
      int64_t begin = value.node, last = begin;
      // Sums are there from the first micro-batch on.
      if (isa<smith::AccumulateOp>(graph.nodes[value.node].op))
        begin = graph.argumentCount();
      for (const StepUse &use : value.uses)
        last = std::max<int64_t>(last, use.node);
      if (!value.returnedAs.empty())
        last = end - 1;
      int64_t hub = target.handouts[id].front().hub;
      if (hub < 0) {
        keep(producer, value, value.result, begin, last + 1);
        continue;
      }
      keep(producer, value, value.result, begin, begin + 1);
      keep(hub, value, 0, begin + 1, last + 1);
    }
  }

private:
  bool replacesArgument(const StepValue &value) const {
    const StepNode &producer = graph.nodes[value.node];
    bool isReplacement = llvm::any_of(value.returnedAs, [&](unsigned returned) {
      return graph.replaced[returned] >= 0;
    });
    if (!isReplacement)
      return false;
    SmallVector<RankedTensorType> operands, results;
    for (unsigned operand : producer.operands)
      operands.push_back(graph.values[operand].type);
    for (unsigned result : producer.results)
      results.push_back(graph.values[result].type);
    return getWorkOf(producer.op, operands, results).kind ==
           OpWork::Kind::Elementwise;
  }

  void keep(unsigned node, const StepValue &value, unsigned result,
            int64_t begin, int64_t end) {
    auto &bytes = sizes[{value.type.getAsOpaquePointer(), node, result}];
    if (!bytes) {
      auto list = std::make_shared<std::vector<int64_t>>();
      int64_t element = getElementBytes(value.type.getElementType());
      for (const Strategy &strategy : target.strategies[node])
        list->push_back(
            getTensorBytes(getLocalShape(inputs.costs.getMesh(),
                                         value.type.getShape(),
                                         target.pool[strategy.results[result]]),
                           element)
                .count());
      bytes = list;
    }
    target.problem.nodes[node].memory.push_back({begin, end, bytes});
  }

  const ProblemInputs &inputs;
  const StepGraph &graph;
  StepProblem &target;
  std::map<std::tuple<const void *, unsigned, unsigned>,
           std::shared_ptr<const std::vector<int64_t>>>
      sizes;
};

} // namespace

void addMemory(const ProblemInputs &inputs, StepProblem &target) {
  MemoryWriter(inputs, target).run();
}

} // namespace shardsmith::plan
