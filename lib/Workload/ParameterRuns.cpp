// SPDX-License-Identifier: Apache-2.0
//
// Which names of a chain's parameters are new, run by run: names that differ in
// their number only are intervals on one line,
//
//     layers.*.w    ──[0 … 2]────[3 …………………… 60]──
//                   dense layer  layer with experts
//
// on which every number belongs to what was first called so.

#include "shardsmith/Workload/Workload.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace shardsmith::workload {
namespace {

class KnownNames {
public:
  ParameterRun add(const NameRun &names, ParameterUse use) {
    ParameterRun run{names, use, 0, {}};
    int64_t begin = names.first.number.value_or(0);
    int64_t end = begin + (names.countsUp ? names.count : 1);
    Line &line = lines[keyOf(names.first)];
    auto next = line.upper_bound(begin);
    if (next != line.begin() && std::prev(next)->second.end > begin)
      --next;
    while (begin < end) {
      if (next == line.end() || next->first >= end) {
        line.emplace(begin, Known{end, use});
        run.newNames += end - begin;
        break;
      }
      if (next->first > begin) {
        line.emplace(begin, Known{next->first, use});
        run.newNames += next->first - begin;
        begin = next->first;
      }
      int64_t index = names.countsUp ? begin - *names.first.number : 0;
      run.earlier.push_back({next->second.use, names.name(index)});
      begin = next++->second.end;
    }
    return run;
  }

private:
  /// From a number up to this one.
  struct Known {
    int64_t end;
    ParameterUse use;
  };
  using Line = std::map<int64_t, Known>;

  static std::string keyOf(const NumberedName &name) {
    std::string key = name.prefix;
    if (name.number) {
      key += '\0';
      key += name.suffix;
    }
    return key;
  }

  std::unordered_map<std::string, Line> lines;
};

} // namespace

void Workload::eachParameterRun(
    const std::function<void(const ParameterRun &)> &visit) const {
  KnownNames known;
  for (const Segment &segment : segments) {
    const Block &block = blocks[segment.block];
    for (size_t position = 0; position < block.parameters.size(); ++position)
      for (const NameRun &names : segment.parameterNames.of(position))
        visit(known.add(names, {segment.block, block.parameters[position]}));
  }
}

} // namespace shardsmith::workload
