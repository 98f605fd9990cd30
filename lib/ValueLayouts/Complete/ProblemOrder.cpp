// SPDX-License-Identifier: Apache-2.0

#include "ProblemParts.h"

#include <algorithm>

using namespace mlir;

namespace shardsmith::plan {

StepProblem inProgramOrder(const StepGraph &graph, StepProblem unsorted) {
  size_t count = unsorted.problem.nodes.size();
  std::vector<int64_t> position(count, INT64_MAX);
  auto place = [&](int64_t node, int64_t at) {
    position[node] = std::min(position[node], at);
  };
  for (unsigned node = graph.argumentCount(); node < graph.nodes.size(); ++node)
    place(unsorted.decisionOfNode[node], 4 * int64_t(node));
  for (unsigned id = 0; id < graph.values.size(); ++id) {
    unsigned node = graph.values[id].node;
    for (const Handout &handout : unsorted.handouts[id]) {
      int64_t at = 4 * int64_t(node) + 1;
      if (graph.isArgument(node)) {
        at = handout.uses.empty() ? 0 : 4 * int64_t(handout.uses[0].node) - 1;
        place(unsorted.decisionOfNode[node], at - 1);
      }
      if (handout.hub >= 0)
        place(handout.hub, at);
    }
  }
  std::vector<unsigned> order(count), numberOf(count);
  for (unsigned node = 0; node < count; ++node)
    order[node] = node;
  std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return std::pair(position[a], a) < std::pair(position[b], b);
  });
  StepProblem sorted;
  for (unsigned number = 0; number < count; ++number) {
    numberOf[order[number]] = number;
    sorted.problem.nodes.push_back(
        std::move(unsorted.problem.nodes[order[number]]));
    sorted.strategies.push_back(std::move(unsorted.strategies[order[number]]));
  }
  for (const PlanEdge &edge : unsorted.problem.edges)
    sorted.problem.edges.push_back(
        {numberOf[edge.first], numberOf[edge.second], edge.table});
  sorted.pool = std::move(unsorted.pool);
  for (unsigned decision : unsorted.decisionOfNode)
    sorted.decisionOfNode.push_back(numberOf[decision]);
  sorted.handouts = std::move(unsorted.handouts);
  for (auto &list : sorted.handouts)
    for (Handout &handout : list)
      if (handout.hub >= 0)
        handout.hub = numberOf[handout.hub];
  sorted.pinnedResult = std::move(unsorted.pinnedResult);
  return sorted;
}

} // namespace shardsmith::plan
