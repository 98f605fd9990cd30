// SPDX-License-Identifier: Apache-2.0

#include "Modules.h"

#include "Transformer.h"

#include <algorithm>

namespace shardsmith::emit {
namespace {

/// `a.b` of `a.b.c`; the name itself where it has no dot.
std::string parentOf(std::string_view name) {
  return std::string(name.substr(0, name.rfind('.')));
}

/// The longest `a.b` that all names begin with, followed by a dot.
std::string commonModule(const std::vector<std::string> &names) {
  std::string common = parentOf(names.front());
  auto holdsAll = [&] {
    return std::ranges::all_of(names, [&](const std::string &name) {
      return name.starts_with(common + ".");
    });
  };
  while (!holdsAll()) {
    std::string parent = parentOf(common);
    if (parent == common)
      return "";
    common = std::move(parent);
  }
  return common;
}

} // namespace

std::vector<std::string> modulesOf(const workload::Workload &workload,
                                   int64_t unit) {
  size_t index = workload.segmentOf(unit);
  int64_t begin = 0;
  for (size_t i = 0; i < index; ++i)
    begin += workload.segments[i].count;
  const workload::Segment &segment = workload.segments[index];
  std::vector<std::string> names = segment.parameterNames.namesIn(unit - begin);
  if (names.empty())
    return {};
  if (hasAttention(workload.blocks[segment.block]))
    if (std::string common = commonModule(names); !common.empty())
      return {common};
  std::vector<std::string> modules;
  for (const std::string &name : names)
    if (std::string parent = parentOf(name);
        std::ranges::find(modules, parent) == modules.end())
      modules.push_back(parent);
  return modules;
}

} // namespace shardsmith::emit
