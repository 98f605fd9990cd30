// SPDX-License-Identifier: Apache-2.0
//
// Whoever can use the plans of a search in another form only, in which they
// cost as much or more. It is given every plan that may be of use as soon as it
// is found, and what it can use of them limits the search in turn:
//
//     search ── plan ──▶ receiver: its form of the plan, and the price of that
//        ▲                               │
//        └────────── limit ──────────────┘

#ifndef SHARDSMITH_PLAN_SEARCH_PLANRECEIVER_H
#define SHARDSMITH_PLAN_SEARCH_PLANRECEIVER_H

#include "shardsmith/Plan/Search/Search.h"

namespace shardsmith {

/// One thread of the search at a time calls it, between rounds, so that results
/// do not depend on the number of threads.
class PlanReceiver {
public:
  virtual ~PlanReceiver();

  /// Takes a plan that costs at most the limit and is among the best so far.
  /// The same plan may come again.
  virtual void take(RankedPlan plan) = 0;
  /// Plans that cost more are of no use; the largest number without a limit.
  /// It never rises.
  virtual int64_t limit() const = 0;
};

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_SEARCH_PLANRECEIVER_H
