// SPDX-License-Identifier: Apache-2.0
//
// A label search for the best way to divide a partition sequence among the
// ranks: a shortest-path search over (rank, end of its piece), where a label is
// a vector of three numbers instead of one length.

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
///     last     ends with the sequence
class LabelSearch {
public:
  /// All arguments must outlive this object.
  LabelSearch(const PartitionProblem &problem,
              const PartitionSequence &sequence, RankPricer &pricer)
      : problem(problem), sequence(sequence), pricer(pricer),
        ranks(problem.outer.pipeline) {}

  struct Cuts {
    Nanoseconds step;
    /// The end of the piece of each rank.
    std::vector<int64_t> ends;
  };
  /// The best partition, if its step is at most `atMost`.
  std::optional<Cuts> run(Nanoseconds atMost);
  /// Calls `visit` with the ends of the pieces for every partition whose step
  /// is at most `atMost`. Ends early, and returns false, if `visit` returns
  /// false or `pieces` pieces have been priced.
  bool each(Nanoseconds atMost, int64_t pieces,
            const std::function<bool(const std::vector<int64_t> &)> &visit);

private:
  struct Label {
    StepModel::Totals totals;
    /// Where the last piece begins, and the index of the label that ends there.
    int64_t begin = 0;
    size_t before = 0;

    bool dominates(const Label &other) const {
      return totals.perMicroBatch <= other.totals.perMicroBatch &&
             totals.idle <= other.totals.idle &&
             totals.tail <= other.totals.tail;
    }
  };
  /// The labels of one rank, sorted by the end of its piece, which is at least
  /// `firstEnd`. `ends[i]` is one past the last label with the end `firstEnd` +
  /// i.
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

  /// Lower bounds on the ranks from some rank on: the time of the busiest if
  /// all is spread evenly, and the sum of their idle time.
  struct Behind {
    Nanoseconds even, idle;
  };
  /// The state of `each` while it extends the pieces of the first ranks.
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
  /// Narrows the windows by the recomputation that memory enforces, then by
  /// prices of single pieces.
  void narrowEnds();
  template <typename MayTake> void narrowEnds(MayTake mayTake);
  bool mayTake(int64_t rank, int64_t begin, int64_t end);

  const PartitionProblem &problem;
  const PartitionSequence &sequence;
  RankPricer &pricer;
  int64_t ranks;
  /// The most work that a step within the limit has, and the most time per
  /// micro-batch of one rank.
  Nanoseconds longestWork, longestRank;
  /// The window of ends of the piece of each rank.
  std::vector<int64_t> firstEnds, lastEnds;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_STAGES_LABELSEARCH_H
