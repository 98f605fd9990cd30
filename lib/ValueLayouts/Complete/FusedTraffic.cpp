// SPDX-License-Identifier: Apache-2.0
//
// Groups are found from the last op to the first, as `FusionGroups` of lowering
// does. An op joins the first of the groups that read it in the same loop, if
//
//  - no other reader comes before that group's last op, so that the group does
//    not wait for what waits for it;
//  - positions agree: a reduction over other than the last dimensions begins a
//    group of its own, which writes nothing but its sums.
//
// The real groups depend on shapes per device and on the target. What differs
// is traffic of small tensors; docs/cost-model.md says how close it is.

#include "FusedTraffic.h"

#include <set>

using namespace mlir;

namespace shardsmith::plan {
namespace {

constexpr unsigned noGroup = ~0u;

struct FusedGroup {
  unsigned last = 0; ///< Its last op.
  /// It sums over dimensions in front of ones that it keeps.
  bool sumsRows = false;
};

class Grouping {
public:
  explicit Grouping(StepGraph &graph)
      : graph(graph), groupOf(graph.nodes.size(), noGroup) {}

  void run() {
    for (unsigned node = graph.nodes.size(); node-- > graph.argumentCount();)
      place(node);
    for (StepValue &value : graph.values)
      value.inMemory = isInMemory(value);
    std::set<std::pair<unsigned, unsigned>> read;
    for (unsigned node = graph.argumentCount(); node < graph.nodes.size();
         ++node)
      for (unsigned value : graph.nodes[node].operands)
        graph.nodes[node].readsMemory.push_back(
            groupOf[node] == noGroup ||
            (!isFromGroup(value, groupOf[node]) &&
             read.emplace(groupOf[node], value).second));
  }

private:
  bool isFusable(const StepNode &node) const {
    if (!node.op)
      return false;
    SmallVector<RankedTensorType> operands, results;
    for (unsigned value : node.operands)
      operands.push_back(graph.values[value].type);
    for (unsigned value : node.results)
      results.push_back(graph.values[value].type);
    OpWork::Kind kind = getWorkOf(node.op, operands, results).kind;
    return kind == OpWork::Kind::Elementwise || kind == OpWork::Kind::Free;
  }

  bool isFromGroup(unsigned value, unsigned group) const {
    return groupOf[graph.values[value].node] == group;
  }

  void place(unsigned index) {
    const StepNode &node = graph.nodes[index];
    if (!isFusable(node))
      return;
    bool sumsRows = reducesBeforeKept(node);
    groupOf[index] = sumsRows ? noGroup : groupOfReaders(index);
    if (groupOf[index] != noGroup)
      return;
    groupOf[index] = groups.size();
    groups.push_back({index, sumsRows});
  }

  static bool areDoneTogether(const StepNode &a, const StepNode &b) {
    return a.repeats == b.repeats && a.loop == b.loop;
  }

  /// The group that reads the op's results and ends first.
  unsigned firstReader(unsigned index) const {
    unsigned first = noGroup;
    for (unsigned value : graph.nodes[index].results)
      for (const StepUse &use : graph.values[value].uses) {
        unsigned group = groupOf[use.node];
        if (group != noGroup &&
            areDoneTogether(graph.nodes[use.node], graph.nodes[index]) &&
            (first == noGroup || groups[group].last < groups[first].last))
          first = group;
      }
    return first;
  }

  /// The group that the op may join.
  unsigned groupOfReaders(unsigned index) const {
    unsigned first = firstReader(index);
    if (first == noGroup)
      return noGroup;
    for (unsigned value : graph.nodes[index].results) {
      if (groups[first].sumsRows && !graph.values[value].returnedAs.empty())
        return noGroup;
      for (const StepUse &use : graph.values[value].uses)
        if (groupOf[use.node] != first &&
            (groups[first].sumsRows || use.node < groups[first].last))
          return noGroup;
    }
    return first;
  }

  /// A dimension that is reduced lies before one that is kept.
  static bool reducesBeforeKept(const StepNode &node) {
    if (!node.rule || node.operands.empty())
      return false;
    bool reduces = false;
    for (ArrayRef<FactorIndex> dimension : node.rule->operands.front())
      for (FactorIndex factor : dimension) {
        const Factor &described = node.rule->factors[factor];
        if (described.kind == FactorKind::Reduction)
          reduces = true;
        else if (reduces && described.size > 1)
          return true;
      }
    return false;
  }

  /// A value with several readers is still kept in registers if computing it
  /// again costs less than reading it: it has no arithmetic and reads less than
  /// it writes, as a broadcast does.
  bool isInMemory(const StepValue &value) const {
    unsigned group = groupOf[value.node];
    if (group == noGroup)
      return !value.isFree;
    if (!value.returnedAs.empty())
      return true;
    if (value.isFree)
      return false;
    bool leavesGroup = false;
    for (const StepUse &use : value.uses) {
      if (groupOf[use.node] == noGroup)
        return true;
      leavesGroup |= groupOf[use.node] != group;
    }
    if (!leavesGroup)
      return false;
    const StepNode &producer = graph.nodes[value.node];
    SmallVector<RankedTensorType> operands;
    for (unsigned operand : producer.operands)
      operands.push_back(graph.values[operand].type);
    OpWork work = getWorkOf(producer.op, operands, {value.type});
    return work.flops != Flops(0) || work.read >= work.written;
  }

  StepGraph &graph;
  std::vector<unsigned> groupOf;
  std::vector<FusedGroup> groups;
};

} // namespace

void markFusedTraffic(StepGraph &graph) { Grouping(graph).run(); }

} // namespace shardsmith::plan
