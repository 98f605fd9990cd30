// SPDX-License-Identifier: Apache-2.0
//
// The best plan of one combination of degrees whose data ranks lie on several
// kinds of device, and a bound on all of them. All ranks have the same stages
// and layouts; those of kind k take m_k micro-batches of a step:
//
//     step >= max over kinds of S_k(m_k)          Σ n_k · m_k >= micro-batches
//
// where S_k(m) is the best step if all ranks were like those n_k, with m
// micro-batches each: an ordinary search on one kind of device. Within a time T
// no rank of kind k takes more than M_k(T) = max {m : S_k(m) <= T}, so there is
// no plan within T if these are too few together. What is best for one kind is
// mostly best for the others, and a plan: then that is proved. All this for
// every way to lay the ranks on kinds (`replicaPlacements`).

#ifndef SHARDSMITH_LIB_PLAN_MIXEDDEVICES_MIXEDDATASEARCH_H
#define SHARDSMITH_LIB_PLAN_MIXEDDEVICES_MIXEDDATASEARCH_H

#include "../Configurations/ConfigurationSearch.h"

namespace shardsmith::search {

class MixedDataSearch {
public:
  /// All must outlive this.
  MixedDataSearch(const CostContext &context,
                  ConfigurationSearch &configurationSearch)
      : context(context), configurationSearch(configurationSearch) {}

  /// The best plan that was found, if its step is at most `atMost`;
  /// `leastLeft`: what no other of these is faster than, if one may be.
  ConfigurationResult run(const ParallelConfiguration &degrees,
                          Nanoseconds atMost) const;

private:
  class Run;

  const CostContext &context;
  ConfigurationSearch &configurationSearch;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_MIXEDDEVICES_MIXEDDATASEARCH_H
