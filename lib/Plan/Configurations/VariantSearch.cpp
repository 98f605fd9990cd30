// SPDX-License-Identifier: Apache-2.0

#include "VariantSearch.h"
#include "../Stages/PlayedPartition.h"
#include "shardsmith/Support/StableSort.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace shardsmith::search {

namespace {

using SharedLayout = std::shared_ptr<const ChainLayout>;

/// The pointer keeps the whole group of the layout alive.
SharedLayout share(const std::shared_ptr<const LayoutGroup::Parts> &parts,
                   const ChainLayout &layout) {
  return {parts, &layout};
}

/// Puts the layout of the group with the least number in the place of `best`,
/// if it has less. No layout has less than the ideal of its group, so that most
/// groups stay closed: the least number comes first.
template <typename Number>
void findLeast(const LayoutGroup &group, Number numberOf, SharedLayout &best) {
  std::shared_ptr<const LayoutGroup::Parts> parts = group.parts();
  auto isLess = [&](const ChainSums &sums) {
    return !best || numberOf(sums) < numberOf(best->sums.onPool(0));
  };
  std::vector<const LayoutGroup *> groups;
  for (const std::unique_ptr<LayoutGroup> &smaller : parts->groups)
    groups.push_back(smaller.get());
  auto idealOf = [](const LayoutGroup *each) -> const ChainSums & {
    return *each->ideals().sums().onPool.front();
  };
  stableSortBy(
      groups, [&](const LayoutGroup *each) { return numberOf(idealOf(each)); });
  for (const LayoutGroup *smaller : groups) {
    if (!isLess(idealOf(smaller)))
      break;
    findLeast(*smaller, numberOf, best);
  }
  for (const ChainLayout &layout : parts->layouts)
    if (isLess(layout.sums.onPool(0)))
      best = share(parts, layout);
}

} // namespace

CandidateLayouts CandidateLayouts::fewOf(const LayoutList &list) {
  CandidateLayouts offer(list);
  std::vector<SharedLayout> &few = offer.few.emplace();
  auto addLeast = [&](auto numberOf) {
    SharedLayout least;
    findLeast(*list.all(), numberOf, least);
    auto isSame = [&](const SharedLayout &each) {
      return each->entries == least->entries;
    };
    if (least && std::ranges::none_of(few, isSame))
      few.push_back(std::move(least));
  };
  if (!list.all())
    return offer;
  addLeast([](const ChainSums &sums) { return sums.time; });
  addLeast([](const ChainSums &sums) { return sums.leastSaved; });
  addLeast([](const ChainSums &sums) {
    return sums.whole.denseParameters + sums.whole.expertParameters;
  });
  return offer;
}

bool VariantSearch::Open::isBefore(const Open &other) const {
  if (bound != other.bound)
    return bound < other.bound;
  // The same layout may be there twice, made again by another group.
  if (layout->entries != other.layout->entries)
    return isFaster(*layout, *other.layout);
  return pools < other.pools;
}

bool VariantSearch::cutAll(const VariantBounds::OpenVariant &variant,
                           const LayoutList &list, std::vector<Open> open,
                           LinksByPools &linksOf) {
  std::ranges::sort(open,
                    [](const Open &a, const Open &b) { return a.isBefore(b); });
  for (const Open &each : open) {
    if (mustStop() || (isSpent() && each.bound <= most))
      return false;
    if (each.bound <= most && --partitionsLeft < 0)
      return true;
    auto [links, isNew] = linksOf.try_emplace(each.pools, context.topology,
                                              variant.outer, *each.pools);
    cut(variant, links->second, list, each);
  }
  return true;
}

/// Whether a rank that takes this long per micro-batch is within the limit.
bool VariantSearch::isWithin(const Strategy &outer,
                             Nanoseconds perMicroBatch) const {
  int64_t batches = outer.microBatchCount(context.workload.globalBatch);
  return StepOverhead(context, outer.rankCount())
             .step(perMicroBatch * batches) <= most;
}

/// The groups whose bottleneck alone is within the limit.
const std::vector<CandidateLayouts::Place> &
VariantSearch::placesOf(const Strategy &outer, CandidateLayouts &offer) const {
  std::optional<std::vector<CandidateLayouts::Place>> &places =
      offer.placesBy[outer.virtualStages > 1];
  if (places)
    return *places;
  places.emplace();
  if (!offer.list->all())
    return *places;
  if (!offer.parts)
    offer.parts = offer.list->all()->parts();
  for (const std::unique_ptr<LayoutGroup> &group : offer.parts->groups) {
    Nanoseconds least = variants.bottleneckOf(group->ideals().sums(), outer);
    if (isWithin(outer, least))
      places->push_back({group.get(), least});
  }
  return *places;
}

/// Collects the layouts that are open in a variant. Once there are many they
/// are cut into stages, which lowers the limit for the others.
class VariantSearch::OpenLayouts {
public:
  OpenLayouts(VariantSearch &search, const VariantBounds::OpenVariant &variant,
              const LayoutList &list)
      : search(search), variant(variant), list(list) {}

  const VariantBounds::OpenVariant &ofVariant() const { return variant; }

  // Each of these returns false if it had to stop.

  bool add(const std::vector<unsigned> &pools, const SharedLayout &layout) {
    if (--search.boundsLeft < 0)
      return true;
    PoolSums sums = layout->sums.sums();
    Nanoseconds bottleneck = search.variants.bottleneckOf(sums, variant.outer);
    if (!search.isWithin(variant.outer, bottleneck)) {
      search.variants.countOut(search.counts.candidatesBoundedOut, 1);
      return true;
    }
    std::optional<Nanoseconds> bound = boundOf(pools, sums, bottleneck);
    if (!search.variants.isOpen(bound))
      return true;
    open.push_back({*bound, layout, &pools});
    constexpr size_t many = 4096;
    return open.size() < many || cutAll();
  }
  /// Adds the open layouts of the group, whose bottleneck bound is
  /// `bottleneck`.
  bool add(const std::vector<unsigned> &pools, const LayoutGroup &group,
           Nanoseconds bottleneck) {
    if (!mayHave(pools, group, bottleneck))
      return true;
    if (search.mustStop())
      return false;
    if (--search.boundsLeft < 0)
      return true;
    std::shared_ptr<const LayoutGroup::Parts> parts = group.parts();
    for (const std::unique_ptr<LayoutGroup> &smaller : parts->groups) {
      Nanoseconds least =
          search.variants.bottleneckOf(smaller->ideals().sums(), variant.outer);
      if (search.isWithin(variant.outer, least) && !add(pools, *smaller, least))
        return false;
    }
    for (const ChainLayout &layout : parts->layouts)
      if (!add(pools, share(parts, layout)))
        return false;
    return true;
  }
  bool cutAll() {
    return search.cutAll(variant, list, std::exchange(open, {}), linksOf);
  }

  bool mayHave(const std::vector<unsigned> &pools, const LayoutGroup &group,
               Nanoseconds bottleneck) const {
    return search.variants.isOpen(
        boundOf(pools, group.ideals().sums(), bottleneck));
  }

private:
  std::optional<Nanoseconds> boundOf(const std::vector<unsigned> &pools,
                                     const PoolSums &sums,
                                     Nanoseconds bottleneck) const {
    bottleneck =
        std::max(bottleneck,
                 search.variants.listedBottleneck(variant.outer, pools, sums));
    return search.variants.boundOf(pools, variant.model, sums, bottleneck,
                                   variant.bounds);
  }

  VariantSearch &search;
  const VariantBounds::OpenVariant &variant;
  const LayoutList &list;
  std::vector<Open> open;
  LinksByPools linksOf;
};

bool VariantSearch::visit(const std::vector<unsigned> &pools,
                          CandidateLayouts &offer, OpenLayouts &open) {
  if (offer.few)
    return std::ranges::all_of(*offer.few, [&](const SharedLayout &layout) {
      return open.add(pools, layout);
    });
  const std::vector<CandidateLayouts::Place> &places =
      placesOf(open.ofVariant().outer, offer);
  // With a single group this would bound the same layouts twice.
  if (places.size() > 1) {
    Nanoseconds least =
        std::ranges::min(places, {}, &CandidateLayouts::Place::bottleneck)
            .bottleneck;
    if (!open.mayHave(pools, *offer.list->all(), least))
      return true;
  }
  return std::ranges::all_of(places, [&](const CandidateLayouts::Place &place) {
    return open.add(pools, *place.group, place.bottleneck);
  });
}

bool VariantSearch::visit(const VariantBounds::OpenVariant &variant,
                          CandidateLayouts &offer) {
  OpenLayouts open(*this, variant, *offer.list);
  bool isLimited = isBounded(*offer.list);
  constexpr int64_t endless = std::numeric_limits<int64_t>::max();
  boundsLeft = isLimited ? boundsPerVariant : endless;
  partitionsLeft = isLimited ? partitionsPerVariant : endless;
  for (const std::vector<unsigned> &pools : variants.sequencesOf(variant.outer))
    if (!visit(pools, offer, open))
      return false;
  return open.cutAll();
}

void VariantSearch::cut(const VariantBounds::OpenVariant &variant,
                        const PipelineLinks &links, const LayoutList &list,
                        const Open &each) {
  if (each.bound > most) {
    ++counts.candidatesBoundedOut;
    return;
  }
  ++counts.partitions;
  PartitionProblem problem{
      variant.model,       variant.outer,         chain,       cuts,
      each.layout->prices, constraints.recompute, *each.pools, links};
  // The primal heuristic gives up partitions that are far above their bound,
  // unless there is no plan yet: few units in many stages are never near it.
  Nanoseconds near = each.bound + Nanoseconds(each.bound.count() / 25);
  bool isChoosy = isHeuristic && !most.isSaturated();
  std::optional<Partition> partition = bestPartition(
      problem, each.bound, isChoosy ? std::min(most, near) : most);
  if (!partition || partition->step > most)
    return;
  Candidate found{variant.outer, partition->step};
  auto play = [&](const std::vector<Stage> &stages) {
    found.strategy.stages = stages;
    return estimateStep(context, found.strategy, each.layout->prices).step();
  };
  // Plans with data shares are played when their micro-batches are balanced.
  bool isPlayed = variant.outer.dataShares.empty();
  if (isPlayed && isHeuristic) {
    partition->step = play(partition->stages);
  } else if (isPlayed) {
    PlayedPartition played =
        bestPlayed(problem, std::move(*partition), most, play, mustStop);
    leastLeft = std::min(leastLeft, played.leastLeft);
    playEffortLeft -= played.effort;
    partition = std::move(played.best);
  }
  if (partition->step > most)
    return;
  found.step = partition->step;
  found.strategy.stages = std::move(partition->stages);
  best = std::move(found);
  best->strategy.layouts = list.blocksOf(*each.layout);
  most = best->step - Nanoseconds(1);
}

} // namespace shardsmith::search
