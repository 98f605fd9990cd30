// SPDX-License-Identifier: Apache-2.0

#include "LabelSearch.h"

#include <algorithm>

namespace shardsmith::search {

namespace {

StepModel::Totals joined(const StepModel::Totals &ranks,
                         const StepModel::Totals &rank) {
  return {std::max(ranks.perMicroBatch, rank.perMicroBatch),
          ranks.idle + rank.idle, std::max(ranks.tail, rank.tail)};
}

} // namespace

LabelSearch::Behind LabelSearch::behind(int64_t rank, int64_t begin) const {
  if (rank == ranks)
    return {};
  PartitionSequence::Rest rest =
      sequence.rest({rank, ranks}, begin, sequence.length());
  return {Nanoseconds(ceilDivide(rest.time.count(), ranks - rank)), rest.idle};
}

/// Whether some completion of a label may be within the limit.
bool LabelSearch::isWithin(const StepModel::Totals &totals,
                           const Behind &behind) const {
  return problem.model.isWithin({std::max(totals.perMicroBatch, behind.even),
                                 totals.idle + behind.idle, totals.tail},
                                longestWork);
}

/// Adds the labels of all pieces with this end. Pieces get longer from one to
/// the next, so the first that is too long or does not fit ends the loop.
void LabelSearch::addPieces(const Layer &before, int64_t rank, int64_t end,
                            std::vector<Label> &labels) {
  size_t first = labels.size();
  unsigned pool = problem.pools[size_t(rank)];
  Behind behind = this->behind(rank + 1, end);
  for (int64_t begin = std::min(end - sequence.least(rank), before.lastEnd());
       begin >= before.firstEnd; --begin) {
    PartitionSequence::Rest piece = sequence.rest({rank, rank + 1}, begin, end);
    if (piece.time > longestRank)
      break;
    std::span<const Label> here = before.at(begin);
    auto mayFit = [&](const Label &label) {
      return isWithin(joined(label.totals, {piece.time, piece.idle, {}}),
                      behind);
    };
    if (std::ranges::none_of(here, mayFit))
      continue;
    const RankOption &option =
        pricer.option(rank, pool, sequence.key(rank, begin, end),
                      [&] { return sequence.piece(rank, begin, end); });
    if (option.isHopeless)
      break;
    if (!option.fits || option.perMicroBatch > longestRank)
      continue;
    for (const Label &label : here) {
      Label next{joined(label.totals,
                        {option.perMicroBatch, option.idle, option.tail}),
                 begin, size_t(&label - before.labels.data())};
      if (!isWithin(next.totals, behind))
        continue;
      auto own = labels.begin() + std::ptrdiff_t(first);
      if (std::any_of(own, labels.end(), [&](const Label &other) {
            return other.dominates(next);
          }))
        continue;
      labels.erase(std::remove_if(own, labels.end(),
                                  [&](const Label &other) {
                                    return next.dominates(other);
                                  }),
                   labels.end());
      labels.push_back(next);
    }
  }
}

/// Whether some piece that contains this one may be within the limit; true for
/// the shortest pieces, which are not priced.
bool LabelSearch::mayTake(int64_t rank, int64_t begin, int64_t end) {
  if (end - begin <= sequence.least(rank))
    return true;
  Nanoseconds least = pricer.least(
      rank, problem.pools[size_t(rank)], sequence.key(rank, begin, end),
      [&] { return sequence.piece(rank, begin, end); });
  return least <= longestRank;
}

namespace {

/// The last place for which `holds`, which is true of `from` and, once false,
/// stays false.
template <typename Holds>
int64_t lastPlace(int64_t from, int64_t last, Holds holds) {
  int64_t above = last + 1;
  while (above - from > 1) {
    int64_t middle = from + (above - from) / 2;
    (holds(middle) ? from : above) = middle;
  }
  return from;
}

} // namespace

/// If every rank takes all it can of what those before it have left, no rank's
/// piece can end later; and the other way round from the last rank.
template <typename MayTake> void LabelSearch::narrowEnds(MayTake mayTake) {
  for (int64_t rank = 0, begin = 0; rank + 1 < ranks; ++rank) {
    int64_t &last = lastEnds[size_t(rank)];
    last = lastPlace(std::min(begin + sequence.least(rank), last), last,
                     [&](int64_t end) { return mayTake(rank, begin, end); });
    begin = last;
  }
  for (int64_t rank = ranks - 1, end = sequence.length(); rank > 0; --rank) {
    int64_t &first = firstEnds[size_t(rank) - 1];
    first =
        -lastPlace(-std::max(end - sequence.least(rank), first), -first,
                   [&](int64_t begin) { return mayTake(rank, -begin, end); });
    end = first;
  }
}

void LabelSearch::findEnds() {
  firstEnds.assign(size_t(ranks), sequence.length());
  lastEnds.assign(size_t(ranks), sequence.length());
  for (int64_t rank = ranks - 1; rank > 0; --rank) {
    int64_t last = lastEnds[size_t(rank)] - sequence.least(rank);
    lastEnds[size_t(rank) - 1] = last;
    // The ranks behind cannot take more than they can hold.
    firstEnds[size_t(rank) - 1] = -lastPlace(-last, 0, [&](int64_t begin) {
      return sequence.rest({rank, ranks}, -begin, sequence.length()).time <=
             longestRank * (ranks - rank);
    });
  }
  narrowEnds();
}

void LabelSearch::narrowEnds() {
  narrowEnds([&](int64_t rank, int64_t begin, int64_t end) {
    return end - begin <= sequence.least(rank) ||
           sequence.rest({rank, rank + 1}, begin, end).time <= longestRank;
  });
  // It takes as many prices as few places have.
  constexpr int64_t manyPlaces = 32;
  for (size_t rank = 0; rank < size_t(ranks); ++rank)
    if (lastEnds[rank] - firstEnds[rank] >= manyPlaces)
      return narrowEnds([&](int64_t rank, int64_t begin, int64_t end) {
        return mayTake(rank, begin, end);
      });
}

LabelSearch::Layer LabelSearch::extended(const Layer &before, int64_t rank) {
  Layer layer;
  layer.firstEnd = firstEnds[size_t(rank)];
  for (int64_t end = layer.firstEnd; end <= lastEnds[size_t(rank)]; ++end) {
    addPieces(before, rank, end, layer.labels);
    layer.ends.push_back(layer.labels.size());
  }
  return layer;
}

LabelSearch::Cuts LabelSearch::cutsOf(const std::vector<Layer> &layers) const {
  const Layer &last = layers.back();
  auto key = [&](size_t label) {
    const StepModel::Totals &totals = last.labels[label].totals;
    return std::tuple(problem.model.work(totals), totals.perMicroBatch,
                      totals.idle, totals.tail);
  };
  size_t place = 0;
  for (size_t other = place + 1; other < last.labels.size(); ++other)
    if (key(other) < key(place))
      place = other;

  Cuts cuts{problem.model.step(last.labels[place].totals),
            std::vector<int64_t>(size_t(ranks), sequence.length())};
  for (size_t rank = size_t(ranks); rank-- > 1;) {
    const Label &label = layers[rank + 1].labels[place];
    cuts.ends[rank - 1] = label.begin;
    place = label.before;
  }
  return cuts;
}

/// The most time per micro-batch of the busiest rank: what the limit leaves
/// after the least idle time of all ranks.
Nanoseconds LabelSearch::longestOfRank() const {
  Nanoseconds idle = behind(0, 0).idle;
  int64_t within = behind(0, 0).even.count();
  Nanoseconds most(longestWork.count() / problem.model.microBatches());
  int64_t above = (most + Nanoseconds(1)).count();
  while (above - within > 1) {
    int64_t middle = within + (above - within) / 2;
    bool isWithin =
        problem.model.isWithin({Nanoseconds(middle), idle, {}}, longestWork);
    (isWithin ? within : above) = middle;
  }
  return Nanoseconds(within);
}

bool LabelSearch::limit(Nanoseconds atMost) {
  longestWork = problem.model.longestWork(atMost);
  if (!isWithin({}, behind(0, 0)))
    return false;
  longestRank = longestOfRank();
  findEnds();
  return true;
}

bool LabelSearch::each(Walk &walk, const StepModel::Totals &totals) {
  auto rank = int64_t(walk.ends.size());
  if (rank == ranks)
    return walk.visit(walk.ends);
  unsigned pool = problem.pools[size_t(rank)];
  int64_t begin = rank == 0 ? 0 : walk.ends.back();
  int64_t end = std::max(firstEnds[size_t(rank)], begin + sequence.least(rank));
  for (; end <= lastEnds[size_t(rank)]; ++end) {
    if (sequence.rest({rank, rank + 1}, begin, end).time > longestRank)
      return true;
    if (--walk.pieces < 0)
      return false;
    const RankOption &option =
        pricer.option(rank, pool, sequence.key(rank, begin, end),
                      [&] { return sequence.piece(rank, begin, end); });
    if (option.isHopeless)
      return true;
    StepModel::Totals next =
        joined(totals, {option.perMicroBatch, option.idle, option.tail});
    if (!option.fits || !isWithin(next, behind(rank + 1, end)))
      continue;
    walk.ends.push_back(end);
    bool goesOn = each(walk, next);
    walk.ends.pop_back();
    if (!goesOn)
      return false;
  }
  return true;
}

bool LabelSearch::each(
    Nanoseconds atMost, int64_t pieces,
    const std::function<bool(const std::vector<int64_t> &)> &visit) {
  if (!limit(atMost))
    return true;
  Walk walk{visit, pieces, {}};
  return each(walk, {});
}

std::optional<LabelSearch::Cuts> LabelSearch::run(Nanoseconds atMost) {
  if (!limit(atMost))
    return std::nullopt;
  std::vector<Layer> layers(1);
  // Some rank has at least the mean, so ranks below the mean need not be told
  // apart.
  Nanoseconds even(ceilDivide(sequence.whole().time.count(), ranks));
  layers.front().labels.push_back({{even, {}, {}}, 0, 0});
  layers.front().ends = {1};
  for (int64_t rank = 0; rank < ranks; ++rank) {
    layers.push_back(extended(layers.back(), rank));
    if (layers.back().labels.empty())
      return std::nullopt;
  }
  return cutsOf(layers);
}

} // namespace shardsmith::search
