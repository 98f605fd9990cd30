// SPDX-License-Identifier: Apache-2.0
//
// The chain as pipeline ranks cut it: each takes its piece from a row, one
// after the other.

#ifndef SHARDSMITH_LIB_PLAN_STAGES_PARTITIONSEQUENCES_H
#define SHARDSMITH_LIB_PLAN_STAGES_PARTITIONSEQUENCES_H

#include "ForcedRecompute.h"
#include "StagePartition.h"

#include <functional>
#include <memory>

namespace shardsmith::search {

/// How pipeline ranks take their pieces one after the other from a row of
/// `length` equal or different things.
class PartitionSequence {
public:
  virtual ~PartitionSequence() = default;
  virtual int64_t length() const = 0;
  /// A rank takes at least so many.
  virtual int64_t least(int64_t rank) const = 0;
  virtual Piece piece(int64_t rank, int64_t begin, int64_t end) const = 0;
  /// The same number for equal pieces.
  virtual uint64_t key(int64_t rank, int64_t begin, int64_t end) const = 0;
  /// Time per micro-batch and idle time.
  struct Rest {
    Nanoseconds time, idle;
  };
  /// Of all ranks together, at least, wherever memory would have them recompute
  /// nothing.
  virtual Rest whole() const = 0;
  /// Of the ranks, at least, if they take the row from `begin` up to `end`.
  virtual Rest rest(RankRange ranks, int64_t begin, int64_t end) const = 0;
  virtual std::vector<Stage> stages(const std::vector<int64_t> &ends) const = 0;
  /// Calls `visit` for every way to divide these pieces into stages until it
  /// returns false. False if it did.
  using Visit = std::function<bool(std::vector<Stage>)>;
  virtual bool eachDivision(const std::vector<int64_t> &ends,
                            const Visit &visit) const = 0;
};

/// Nothing if the space of the problem is no row; `problem` must outlive it.
std::unique_ptr<PartitionSequence>
partitionSequence(const PartitionProblem &problem);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_STAGES_PARTITIONSEQUENCES_H
