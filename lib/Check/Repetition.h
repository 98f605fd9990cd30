// SPDX-License-Identifier: Apache-2.0
//
// What a unit does again in its backward pass, for each way of recomputing.

#ifndef SHARDSMITH_LIB_CHECK_REPETITION_H
#define SHARDSMITH_LIB_CHECK_REPETITION_H

#include "LocalBlock.h"
#include "shardsmith/Cost/Profiles/StackProfile.h"

namespace shardsmith::check {

class Repetition {
public:
  /// Of a unit that keeps its inputs and `stored`. If it stops early it repeats
  /// what leads to values that the backward pass reads, else everything.
  Repetition(const LocalBlock &local,
             const std::set<workload::TensorIndex> &stored, bool fusedAttention,
             bool stopsEarly);

  /// Selective recomputation of stacks that store products: the results of
  /// attention, of the first product, the third, and so on, and sums that the
  /// tensor axis makes of products' terms.
  static Repetition besideProducts(const LocalBlock &local,
                                   bool fusedAttention);

  bool repeats(size_t op) const { return ops.contains(op); }
  /// Some op that is repeated reads it.
  bool reads(workload::TensorIndex tensor) const {
    return readAgain.contains(tensor);
  }
  /// Besides the inputs, and of use.
  bool stores(workload::TensorIndex tensor) const {
    return used.contains(tensor);
  }

private:
  std::set<size_t> ops;
  std::set<workload::TensorIndex> readAgain, used;
};

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_REPETITION_H
