// SPDX-License-Identifier: Apache-2.0
//
// How many micro-batches of a step each data rank has. All are of one size, and
// each rank has a contiguous part of the batch:
//
//     shares 3, 1, 2      batch    0 1 2 │ 3 │ 4 5      micro-batches of it
//
//     data rank           0        1        2
//     slot 0              0        3        4
//     slot 1              1       (3)       5           all ranks at a time
//     slot 2              2       (3)      (5)
//
// What all data ranks work on at a time is a slot: the program has the shapes
// of one, with the rows of rank r behind those of rank r - 1. A rank that has
// had all of its micro-batches has the last one again, in parentheses, whose
// terms count for nothing.

#ifndef SHARDSMITH_LIB_PARTITION_MICROBATCHES_MICROBATCHSHARES_H
#define SHARDSMITH_LIB_PARTITION_MICROBATCHES_MICROBATCHSHARES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <numeric>

namespace shardsmith {

class MicroBatchShares {
public:
  /// So many of each data rank, however many ranks there are.
  explicit MicroBatchShares(int64_t count) : ofRanks{count} {}
  /// At least 1 each.
  explicit MicroBatchShares(llvm::ArrayRef<int64_t> ofRanks)
      : ofRanks(ofRanks) {}

  bool areEven() const { return llvm::all_equal(ofRanks); }
  /// How often the program is done per step.
  int64_t slots() const { return *llvm::max_element(ofRanks); }
  /// Of uneven shares: in how many parts the batch is split, and how many of
  /// them a slot has. Where ranks are alike a slot is one part.
  int64_t parts() const {
    return areEven()
               ? slots()
               : std::accumulate(ofRanks.begin(), ofRanks.end(), int64_t(0));
  }
  int64_t partsPerSlot() const { return areEven() ? 1 : ofRanks.size(); }
  llvm::ArrayRef<int64_t> all() const { return ofRanks; }

private:
  llvm::SmallVector<int64_t> ofRanks;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_PARTITION_MICROBATCHES_MICROBATCHSHARES_H
