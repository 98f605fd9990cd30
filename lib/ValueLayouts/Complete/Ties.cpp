// SPDX-License-Identifier: Apache-2.0

#include "StepProblem.h"

#include "shardsmith/Workload/RepeatedBlocks.h"

#include <algorithm>
#include <map>

namespace shardsmith::plan {

/// Ops are tied where their signatures repeat. Arguments are tied if they
/// look alike and are used alike: by tied ops, as the same operands.
Ties tieNodes(const StepGraph &graph) {
  unsigned arguments = graph.argumentCount();
  std::vector<unsigned> signatures;
  for (unsigned node = arguments; node < graph.nodes.size(); ++node)
    signatures.push_back(graph.nodes[node].signature);
  std::vector<size_t> tied = workload::tieRepeats(signatures);

  Ties ties;
  ties.classOfNode.resize(graph.nodes.size());
  for (unsigned node = arguments; node < graph.nodes.size(); ++node) {
    size_t first = tied[node - arguments] + arguments;
    ties.classOfNode[node] =
        first == node ? ties.classCount++ : ties.classOfNode[first];
  }

  using Use = std::pair<unsigned, unsigned>;
  std::map<std::pair<std::vector<unsigned>, std::vector<Use>>, unsigned>
      classes;
  for (unsigned node = 0; node < arguments; ++node) {
    const StepValue &value = graph.values[graph.nodes[node].results[0]];
    std::vector<Use> uses;
    for (const StepUse &use : value.uses)
      uses.emplace_back(ties.classOfNode[use.node], use.operand);
    std::sort(uses.begin(), uses.end());
    std::vector<unsigned> looks = {graph.nodes[node].signature};
    int64_t result = graph.arguments[node].result;
    if (result >= 0) {
      unsigned producer = graph.values[graph.results[result]].node;
      looks.push_back(graph.isArgument(producer) ? ~producer
                                                 : ties.classOfNode[producer]);
    }
    auto [entry, isNew] = classes.try_emplace({looks, uses}, ties.classCount);
    ties.classCount += isNew;
    ties.classOfNode[node] = entry->second;
  }
  return ties;
}

Ties tieNothing(const StepGraph &graph) {
  Ties ties;
  for (unsigned node = 0; node < graph.nodes.size(); ++node)
    ties.classOfNode.push_back(node);
  ties.classCount = graph.nodes.size();
  return ties;
}

} // namespace shardsmith::plan
