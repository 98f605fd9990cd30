// SPDX-License-Identifier: Apache-2.0
//
// The best way to cut a row into the pieces of the ranks.

#ifndef SHARDSMITH_LIB_PLAN_STAGES_LABELSEARCH_H
#define SHARDSMITH_LIB_PLAN_STAGES_LABELSEARCH_H

#include "PartitionSequences.h"
#include "RankPricer.h"

#include <functional>
#include <span>

namespace shardsmith::search {

/// Labels of the first ranks' pieces, by where these end:
///
///     rank 0   piece ends at 1, 2, 3, …           (max, Σ, max) each
///     rank 1   label at its begin + its piece      drop what is larger in all
///     …                                            three, or above the limit
///     last     ends with the row
class LabelSearch {
public:
  /// All must outlive this.
  LabelSearch(const PartitionProblem &problem,
              const PartitionSequence &sequence, RankPricer &pricer)
      : problem(problem), sequence(sequence), pricer(pricer),
        ranks(problem.outer.pipeline) {}

  struct Cuts {
    Nanoseconds step;
    /// Where the pieces end, per rank.
    std::vector<int64_t> ends;
  };
  /// The best partition, if its step is at most `atMost`.
  std::optional<Cuts> run(Nanoseconds atMost);
  /// Calls `visit` with where the pieces end, for every partition whose step is
  /// at most `atMost`, until it returns false or `pieces` have been looked at.
  /// False if either was so.
  bool each(Nanoseconds atMost, int64_t pieces,
            const std::function<bool(const std::vector<int64_t> &)> &visit);

private:
  struct Label {
    StepModel::Totals totals;
    /// Where the last piece began, and the label there.
    int64_t begin = 0;
    size_t before = 0;

    bool dominates(const Label &other) const {
      return totals.perMicroBatch <= other.totals.perMicroBatch &&
             totals.idle <= other.totals.idle &&
             totals.tail <= other.totals.tail;
    }
  };
  /// The labels of one rank, whose pieces end from `firstEnd` on; of each end
  /// those up to the place in `ends`.
  struct Layer {
    std::vector<Label> labels;
    std::vector<size_t> ends;
    int64_t firstEnd = 0;

    int64_t lastEnd() const { return firstEnd + int64_t(ends.size()) - 1; }
    std::span<const Label> at(int64_t end) const {
      auto place = size_t(end - firstEnd);
      size_t begin = place == 0 ? 0 : ends[place - 1];
      return std::span(labels).subspan(begin, ends[place] - begin);
    }
  };

  /// What the ranks from some rank on have at least, spread evenly.
  struct Behind {
    Nanoseconds even, idle;
  };
  /// Partitions that go on from the first ranks' pieces.
  struct Walk {
    const std::function<bool(const std::vector<int64_t> &)> &visit;
    int64_t pieces;
    std::vector<int64_t> ends;
  };
  Behind behind(int64_t rank, int64_t begin) const;
  bool isWithin(const StepModel::Totals &totals, const Behind &behind) const;
  Layer extended(const Layer &before, int64_t rank);
  void addPieces(const Layer &before, int64_t rank, int64_t end,
                 std::vector<Label> &labels);
  bool each(Walk &walk, const StepModel::Totals &totals);
  /// False if no partition is within the limit.
  bool limit(Nanoseconds atMost);
  Cuts cutsOf(const std::vector<Layer> &layers) const;
  Nanoseconds longestOfRank() const;
  void findEnds();
  /// By what the memory of the ranks enforces, and by prices.
  void narrowEnds();
  template <typename MayTake> void narrowEnds(MayTake mayTake);
  bool mayTake(int64_t rank, int64_t begin, int64_t end);

  const PartitionProblem &problem;
  const PartitionSequence &sequence;
  RankPricer &pricer;
  int64_t ranks;
  /// The most work of a step within the limit, and the most per micro-batch of
  /// one rank.
  Nanoseconds longestWork, longestRank;
  /// Where each rank's piece may end.
  std::vector<int64_t> firstEnds, lastEnds;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_STAGES_LABELSEARCH_H
