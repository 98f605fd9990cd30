// SPDX-License-Identifier: Apache-2.0
//
// The best plan of one configuration whose replicas lie on several device
// kinds, with a lower bound on all such plans. All replicas have the same
// stages and layouts. The n_k replicas on kind k take m_k micro-batches of a
// step each:
//
//     step >= max over kinds of S_k(m_k)          Σ n_k · m_k >= micro-batches
//
// Here S_k(m) is the best step if all replicas lay on kind k with m
// micro-batches each, which an ordinary search on one device kind finds. Within
// a time T no replica on kind k takes more than M_k(T) = max {m : S_k(m) <= T},
// so no plan is within T if Σ n_k · M_k(T) is less than the micro-batches of
// the step. The strategy that is best for one kind is mostly best for the
// others too; then it is a plan that reaches the bound. This is done for every
// way to lay replicas on kinds (`replicaPlacements`).

#ifndef SHARDSMITH_LIB_PLAN_MIXEDDEVICES_MIXEDDATASEARCH_H
#define SHARDSMITH_LIB_PLAN_MIXEDDEVICES_MIXEDDATASEARCH_H

#include "../Configurations/ConfigurationSearch.h"

namespace shardsmith::search {

class MixedDataSearch {
public:
  /// All arguments must outlive this object.
  MixedDataSearch(const CostContext &context,
                  ConfigurationSearch &configurationSearch)
      : context(context), configurationSearch(configurationSearch) {}

  /// The best plan found, if its step is at most `atMost`. `leastLeft` of the
  /// result is a lower bound on the other plans of the configuration, if one of
  /// them may be faster.
  ConfigurationResult run(const ParallelConfiguration &degrees,
                          Nanoseconds atMost) const;

private:
  class Run;

  const CostContext &context;
  ConfigurationSearch &configurationSearch;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_MIXEDDEVICES_MIXEDDATASEARCH_H
