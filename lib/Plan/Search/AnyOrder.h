// SPDX-License-Identifier: Apache-2.0
//
// The paths that the axes of a block may take in any device order of any class
// with the same tensor, context and expert degree:
//
//     tensor axis of 4 ranks      in a node        4 in a node
//     inside, or with the         in two nodes     2 in a node, 2 over the
//     data axis inside it         …                network; …
//
// A path that is no better than another of the same shape is left out: every
// collective takes as long on it, or longer. On one kind of device.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_ANYORDER_H
#define SHARDSMITH_LIB_PLAN_SEARCH_ANYORDER_H

#include "Space.h"

#include <map>

namespace shardsmith::search {

struct AxisChoices {
  PathChoice tensor, context, expert;
};

class AnyOrder {
public:
  /// The first two must outlive this.
  AnyOrder(const CostContext &context, const SearchConstraints &constraints,
           const std::vector<DegreeClass> &classes);

  /// Takes as long as there are data and pipeline degrees beside these.
  AxisChoices choices(int64_t tensor, int64_t context, int64_t expert) const;

private:
  const CostContext &context;
  const SearchConstraints &constraints;
  /// By tensor, context and expert degree those of data and pipeline.
  std::map<std::array<int64_t, 3>, std::vector<std::pair<int64_t, int64_t>>>
      others;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_ANYORDER_H
