// SPDX-License-Identifier: Apache-2.0
//
// The chain as the pipeline ranks divide it. Each rank takes a contiguous part
// of a sequence, one rank after another:
//
//     one stage per rank    the sequence is the chain; parts are stages
//     several stages        the sequence is the one long segment; a rank
//                           spreads its part over its stages

#ifndef SHARDSMITH_LIB_PLAN_STAGES_PARTITIONSEQUENCES_H
#define SHARDSMITH_LIB_PLAN_STAGES_PARTITIONSEQUENCES_H

#include "ForcedRecompute.h"
#include "StagePartition.h"

#include <functional>
#include <memory>

namespace shardsmith::search {

/// A sequence of `length()` units that the pipeline ranks divide among
/// themselves, rank 0 first.
class PartitionSequence {
public:
  virtual ~PartitionSequence() = default;
  virtual int64_t length() const = 0;
  /// The fewest units that the rank takes.
  virtual int64_t least(int64_t rank) const = 0;
  virtual Piece piece(int64_t rank, int64_t begin, int64_t end) const = 0;
  /// A number that is equal for equal pieces.
  virtual uint64_t key(int64_t rank, int64_t begin, int64_t end) const = 0;
  /// Lower bounds on time per micro-batch and on idle time, summed over ranks.
  struct Rest {
    Nanoseconds time, idle;
  };
  /// The bounds of all ranks together with the fastest recomputation, as if
  /// memory enforced none.
  virtual Rest whole() const = 0;
  /// The bounds of these ranks if they take the units [begin, end) of the
  /// sequence.
  virtual Rest rest(RankRange ranks, int64_t begin, int64_t end) const = 0;
  virtual std::vector<Stage> stages(const std::vector<int64_t> &ends) const = 0;
  /// Calls `visit` for every way to divide these pieces into stages, until it
  /// returns false. Returns false if it did.
  using Visit = std::function<bool(std::vector<Stage>)>;
  virtual bool eachDivision(const std::vector<int64_t> &ends,
                            const Visit &visit) const = 0;
};

/// The sequence of the problem, which must outlive it; null if ranks do not
/// divide a single sequence (CutLists::areListed).
std::unique_ptr<PartitionSequence>
partitionSequence(const PartitionProblem &problem);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_STAGES_PARTITIONSEQUENCES_H
