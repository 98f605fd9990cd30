// SPDX-License-Identifier: Apache-2.0
//
// Positions whose names overlap are of one component. Names that differ in
// their number only are intervals on one line, as in ParameterRuns.cpp:
//
//     layers.*.w    ──[0 ……… 11]──[4]──      uses 13, different names 12

#include "shardsmith/Workload/ParameterSharing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <tuple>

namespace shardsmith::workload {
namespace {

using Count = Quantity<struct SharingUnit>;

class Components {
public:
  explicit Components(const Workload &workload) {
    for (const Block &block : workload.blocks) {
      begins.push_back(size);
      size += block.parameters.size();
    }
    parents.resize(size);
    std::iota(parents.begin(), parents.end(), size_t(0));
    uses.resize(size);
    names.resize(size);
    for (const Segment &segment : workload.segments)
      for (size_t position = 0; position < segment.parameterNames.parameters();
           ++position)
        for (const NameRun &run : segment.parameterNames.of(position))
          add(begins[segment.block] + position, run);
    for (auto &[line, intervals] : lines)
      joinOverlaps(intervals);
  }

  size_t placeOf(BlockIndex block, size_t position) const {
    return begins[block] + position;
  }
  size_t componentOf(size_t place) const {
    while (parents[place] != place)
      place = parents[place];
    return place;
  }
  /// Of a component.
  bool isShared(size_t component) const {
    return names[component] < uses[component];
  }
  int64_t namesOf(size_t component) const { return names[component].count(); }

private:
  struct Interval {
    int64_t begin, end;
    size_t place;
  };

  void add(size_t place, const NameRun &run) {
    const NumberedName &first = run.first;
    int64_t begin = first.number.value_or(0);
    lines[{first.number.has_value(), first.prefix, first.suffix}].push_back(
        {begin, begin + (run.countsUp ? run.count : 1), place});
    uses[place] += Count(run.count);
  }

  void join(size_t a, size_t b) {
    a = componentOf(a);
    b = componentOf(b);
    if (a == b)
      return;
    if (b < a)
      std::swap(a, b);
    parents[b] = a;
    uses[a] += uses[b];
    names[a] += names[b];
  }

  void joinOverlaps(std::vector<Interval> &intervals) {
    std::ranges::sort(intervals, {}, &Interval::begin);
    const Interval *first = nullptr;
    int64_t end = 0;
    for (const Interval &interval : intervals) {
      bool isNew = !first || interval.begin >= end;
      if (isNew)
        first = &interval;
      else
        join(first->place, interval.place);
      int64_t known = isNew ? interval.begin : end;
      names[componentOf(interval.place)] +=
          Count(std::max<int64_t>(interval.end - known, 0));
      end = std::max(known, interval.end);
    }
  }

  /// Where each block's positions begin.
  std::vector<size_t> begins;
  size_t size = 0;
  std::vector<size_t> parents;
  /// Of a component, kept with its first position.
  std::vector<Count> uses, names;
  std::map<std::tuple<bool, std::string, std::string>, std::vector<Interval>>
      lines;
};

} // namespace

// Components of one block alone are all of its own units: those with as many
// tensors are one group.
ParameterSharing sharedParameters(const Workload &workload) {
  Components components(workload);
  std::map<size_t, std::map<BlockIndex, int64_t>> positionsOf;
  for (BlockIndex block = 0; block < workload.blocks.size(); ++block)
    for (size_t i = 0; i < workload.blocks[block].parameters.size(); ++i) {
      size_t component = components.componentOf(components.placeOf(block, i));
      if (components.isShared(component))
        ++positionsOf[component][block];
    }

  std::vector<Count> unitsOf(workload.blocks.size());
  for (const Segment &segment : workload.segments)
    unitsOf[segment.block] += Count(segment.count);

  std::map<std::tuple<BlockIndex, int64_t>, unsigned> groupsOfOneBlock;
  std::map<size_t, SharedTensors> sharedBy;
  unsigned groups = 0;
  for (const auto &[component, blocks] : positionsOf) {
    int64_t fewest = std::ranges::min(blocks | std::views::values);
    int64_t tensors = ceilDivide(components.namesOf(component), fewest);
    Count uses;
    for (BlockIndex block : blocks | std::views::keys)
      uses += unitsOf[block];
    if (blocks.size() > 1) {
      sharedBy[component] = {groups++, tensors, uses.count()};
      continue;
    }
    auto [known, isNew] =
        groupsOfOneBlock.try_emplace({blocks.begin()->first, tensors}, groups);
    groups += isNew ? 1 : 0;
    sharedBy[component] = {known->second, tensors, uses.count()};
  }

  ParameterSharing sharing(workload.blocks.size());
  for (BlockIndex block = 0; block < sharing.size(); ++block)
    for (size_t i = 0; i < workload.blocks[block].parameters.size(); ++i) {
      auto found =
          sharedBy.find(components.componentOf(components.placeOf(block, i)));
      sharing[block].push_back(found == sharedBy.end()
                                   ? std::nullopt
                                   : std::optional(found->second));
    }
  return sharing;
}

} // namespace shardsmith::workload
