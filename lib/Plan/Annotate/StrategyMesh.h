// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_PLAN_ANNOTATE_STRATEGYMESH_H
#define SHARDSMITH_LIB_PLAN_ANNOTATE_STRATEGYMESH_H

#include "shardsmith/Sharding/ShardingAttributes.h"
#include "shardsmith/Strategy/Strategy.h"

namespace shardsmith::annotate {

/// A strategy's axes of more than one rank, major first, and those that split
/// each role of factor. An expert axis is cut out of the data and context axes
/// that it is a part of:
///
///     data 8, expert 4, tensor 2      <["data"=2, "expert"=4, "tensor"=2]>
struct StrategyMesh {
  explicit StrategyMesh(const Strategy &strategy);

  NamedMesh named;
  AxisList batch, sequence, expert, tensor;
};

} // namespace shardsmith::annotate

#endif // SHARDSMITH_LIB_PLAN_ANNOTATE_STRATEGYMESH_H
