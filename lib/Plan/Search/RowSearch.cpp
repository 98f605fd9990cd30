// SPDX-License-Identifier: Apache-2.0

#include "RowSearch.h"
#include "StagePartition.h"

#include <algorithm>
#include <map>

namespace shardsmith::search {

LayoutOffer LayoutOffer::fewOf(const LayoutList &list) {
  LayoutOffer offer(list);
  std::vector<const ChainLayout *> &few = offer.few.emplace();
  std::vector<const ChainLayout *> all;
  for (size_t group = 0; group < list.groups(); ++group)
    for (const ChainLayout &layout : list.layoutsOf(group))
      all.push_back(&layout);
  if (all.empty())
    return offer;
  std::ranges::sort(all, [](const ChainLayout *a, const ChainLayout *b) {
    return isFaster(*a, *b);
  });
  auto addLeast = [&](auto number) {
    const ChainLayout *least = *std::ranges::min_element(
        all, {}, [&](const ChainLayout *each) { return number(*each); });
    if (!std::ranges::count(few, least))
      few.push_back(least);
  };
  few.push_back(all.front());
  addLeast([](const ChainLayout &layout) {
    return layout.sums.onPool(0).leastSaved;
  });
  addLeast([](const ChainLayout &layout) {
    const StageWork &whole = layout.sums.onPool(0).whole;
    return whole.denseParameters + whole.expertParameters;
  });
  return offer;
}

bool RowSearch::Open::isBefore(const Open &other) const {
  if (bound != other.bound)
    return bound < other.bound;
  if (layout != other.layout)
    return isFaster(*layout, *other.layout);
  return pools < other.pools;
}

bool RowSearch::visit(const RowBounds::OpenRow &row, LayoutOffer &offer) {
  std::vector<Open> open;
  for (const std::vector<unsigned> &pools : rows.sequencesOf(row.outer))
    addOpen(row, pools, offer, open);
  std::ranges::sort(open,
                    [](const Open &a, const Open &b) { return a.isBefore(b); });
  std::map<const std::vector<unsigned> *, PipelineLinks> linksOf;
  for (const Open &each : open) {
    if (mustStop())
      return false;
    auto [links, isNew] = linksOf.try_emplace(each.pools, context.topology,
                                              row.outer, *each.pools);
    cut(row, links->second, *offer.list, each);
  }
  return true;
}

/// Whether a micro-batch of that time on some rank is not above the limit.
bool RowSearch::isWithin(const Strategy &outer,
                         Nanoseconds perMicroBatch) const {
  int64_t batches = outer.microBatchCount(context.workload.globalBatch);
  return StepOverhead(context, outer.rankCount())
             .step(perMicroBatch * batches) <= most;
}

/// Those whose kernels and communication alone are not above the limit.
const std::vector<LayoutOffer::Place> &
RowSearch::placesOf(const Strategy &outer, LayoutOffer &offer) const {
  std::optional<std::vector<LayoutOffer::Place>> &places =
      offer.placesBy[outer.virtualStages > 1];
  if (places)
    return *places;
  places.emplace();
  for (size_t group = 0; group < offer.list->groups(); ++group) {
    Nanoseconds least =
        rows.bottleneckOf(offer.list->floorsOf(group).sums(), outer);
    if (isWithin(outer, least))
      places->push_back({group, least});
  }
  return *places;
}

/// Adds the layouts that may be fast enough with these pools.
void RowSearch::addOpen(const RowBounds::OpenRow &row,
                        const std::vector<unsigned> &pools, LayoutOffer &offer,
                        std::vector<Open> &open) {
  auto boundOf = [&](const PoolSums &sums, Nanoseconds bottleneck) {
    bottleneck =
        std::max(bottleneck, rows.listedBottleneck(row.outer, pools, sums));
    return rows.boundOf(pools, row.model, sums, bottleneck, row.bounds);
  };
  auto mayHave = [&](const PoolFloors &floors, Nanoseconds bottleneck) {
    return rows.isOpen(boundOf(floors.sums(), bottleneck));
  };
  auto add = [&](const ChainLayout &layout) {
    PoolSums sums = layout.sums.sums();
    Nanoseconds bottleneck = rows.bottleneckOf(sums, row.outer);
    if (!isWithin(row.outer, bottleneck)) {
      rows.countOut(counts.candidatesBoundedOut, 1);
      return;
    }
    std::optional<Nanoseconds> bound = boundOf(sums, bottleneck);
    if (rows.isOpen(bound))
      open.push_back({*bound, &layout, &pools});
  };
  if (offer.few) {
    for (const ChainLayout *layout : *offer.few)
      add(*layout);
    return;
  }
  const std::vector<LayoutOffer::Place> &places = placesOf(row.outer, offer);
  // Of a single group that would be bounded twice.
  if (places.size() > 1) {
    Nanoseconds least =
        std::ranges::min(places, {}, &LayoutOffer::Place::bottleneck)
            .bottleneck;
    if (!mayHave(offer.list->floors(), least))
      return;
  }
  for (auto [group, bottleneck] : places)
    if (mayHave(offer.list->floorsOf(group), bottleneck))
      for (const ChainLayout &layout : offer.list->layoutsOf(group))
        add(layout);
}

void RowSearch::cut(const RowBounds::OpenRow &row, const PipelineLinks &links,
                    const LayoutList &list, const Open &each) {
  if (each.bound > most) {
    ++counts.candidatesBoundedOut;
    return;
  }
  ++counts.partitions;
  PartitionProblem problem{row.model,
                           row.outer,
                           chain,
                           cuts,
                           each.layout->prices,
                           constraints.recompute,
                           *each.pools,
                           links};
  // What is far above its bound is not worth a scout's time.
  Nanoseconds near = each.bound + Nanoseconds(each.bound.count() / 25);
  std::optional<Partition> partition =
      bestPartition(problem, each.bound, isScout ? std::min(most, near) : most);
  if (!partition || partition->step > most)
    return;
  best = Candidate{row.outer, partition->step};
  best->strategy.stages = std::move(partition->stages);
  best->strategy.layouts = list.blocksOf(*each.layout);
  most = partition->step - Nanoseconds(1);
}

} // namespace shardsmith::search
