// SPDX-License-Identifier: Apache-2.0

#include "Placements.h"

#include "shardsmith/Cost/Paths/AxisPaths.h"

#include <algorithm>

namespace shardsmith::search {

namespace {

/// Equal texts for equal paths.
void describe(const GroupPath &path, std::string &text) {
  auto add = [&](const auto &value) {
    text.append(reinterpret_cast<const char *>(&value), sizeof(value));
  };
  add(path.members);
  for (const PathLevel &level : path.levels) {
    for (const std::string *name :
         {&level.name, &level.group, &level.link, &level.linkKind}) {
      text += *name;
      text += '\0';
    }
    add(level.fanout);
    add(level.latencySeconds);
    add(level.bytesPerSecond);
    add(level.pairBytesPerSecond);
    add(level.multicast);
  }
}

} // namespace

Placements::Placements(const CostContext &context,
                       const SearchConstraints &constraints,
                       const std::vector<ParallelConfiguration> &configurations)
    : context(context), constraints(constraints),
      relaxedPaths(context.topology, constraints, configurations) {
  numberOf(GroupPath());
}

uint32_t Placements::numberOf(PathChoice choice) {
  std::string text;
  for (const GroupPath &path : choice.paths())
    describe(path, text);
  auto [entry, isNew] =
      numbers.try_emplace(std::move(text), uint32_t(choices.size()));
  if (isNew)
    choices.push_back(std::move(choice));
  return entry->second;
}

const PathChoice &Placements::paths(uint32_t number) {
  std::lock_guard lock(mutex);
  return choices[number];
}

const Placement &Placements::relaxed(const Strategy &outer) {
  std::lock_guard lock(mutex);
  UnitDegrees seen = outer.unit();
  seen.forgetMethodUnless(false);
  auto [entry, isNew] = knownRelaxed.try_emplace(seen.numbers());
  size_t pools = context.topology.pools().size();
  if (isNew && pools > 1) {
    entry->second.links.resize(pools);
  } else if (isNew) {
    entry->second.links = {relaxedPaths.of(seen).map(
        [&](const PathChoice *choice) { return numberOf(*choice); })};
  }
  return entry->second;
}

std::vector<Placement> Placements::find(const ParallelConfiguration &degrees) {
  std::vector<Placement> placements;
  Strategy outer = degrees.strategy();
  for (std::vector<PlanAxis> &order :
       deviceOrders(context.topology, degrees, constraints)) {
    outer.deviceOrder = order;
    AxisPaths paths(context.topology, outer);
    std::vector<UnitLinks> links;
    for (unsigned pool = 0; pool < context.topology.pools().size(); ++pool)
      links.push_back(paths.ofUnit(pool).map(
          [&](const GroupPath &path) { return numberOf(path); }));
    placements.push_back({std::move(order), std::move(links)});
  }
  return placements;
}

const std::vector<Placement> &
Placements::of(const ParallelConfiguration &degrees) {
  std::lock_guard lock(mutex);
  int64_t spread = 0;
  if (degrees.kind)
    spread = spreads
                 .try_emplace(degrees.kind->ranksOnPools,
                              int64_t(spreads.size()) + 1)
                 .first->second;
  auto [entry, isNew] =
      known.try_emplace({static_cast<const Degrees &>(degrees), spread});
  if (isNew)
    entry->second = find(degrees);
  return entry->second;
}

} // namespace shardsmith::search
