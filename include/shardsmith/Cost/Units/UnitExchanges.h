// SPDX-License-Identifier: Apache-2.0
//
// The exchanges of a unit one by one, in the order in which its passes do them.
// `UnitCostModel` prices each of them once: `UnitCosts` has the sums by axis,
// and who wants to see each gets this list.
//
//     forward    kernels ── exchange ── kernels ── exchange ── kernels
//                0         behind = 0.2           behind = 0.7         1

#ifndef SHARDSMITH_COST_UNITS_UNITEXCHANGES_H
#define SHARDSMITH_COST_UNITS_UNITEXCHANGES_H

#include "shardsmith/Cost/Collectives/CollectiveTimes.h"
#include "shardsmith/Strategy/Strategy.h"

#include <array>
#include <vector>

namespace shardsmith {

/// What is known of an exchange where it is priced.
struct PricedExchange {
  CollectiveOp op = CollectiveOp::AllReduce;
  /// The bytes of each round, as `CollectiveTimes` counts them.
  Bytes bytes;
  /// The part of all rounds that kernels do not hide.
  Nanoseconds time;
  /// What the rank puts on the links of the axis.
  Bytes traffic;
  /// A ring sends several messages, one after the other.
  int64_t rounds = 1;
};

struct UnitExchange : PricedExchange {
  UnitAxis axis = UnitAxis::Tensor;
  bool isBackward = false;
  /// Whether each way of recomputing does a forward exchange once more.
  std::array<bool, recomputeChoices> isRepeated = {};
  /// The share of the kernels of its pass that run before it, from 0 to 1.
  double behind = 0;
};

/// The exchanges of one unit on one rank for one micro-batch.
struct UnitExchanges {
  /// Each in the order of its pass; the backward pass goes through the ops from
  /// the last to the first.
  std::vector<UnitExchange> forward, backward;
  /// Operations of the forward pass on this rank, and the bytes that its ops
  /// read and write.
  double forwardOperations = 0, forwardBytes = 0;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_UNITS_UNITEXCHANGES_H
