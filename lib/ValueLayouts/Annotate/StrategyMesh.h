// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_STRATEGYMESH_H
#define SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_STRATEGYMESH_H

#include "shardsmith/Sharding/ShardingAttributes.h"
#include "shardsmith/Strategy/Strategy.h"

namespace shardsmith::annotate {

/// How what ZeRO splits over data ranks is shown.
enum class ParameterSplit {
  /// ZeRO splits flat lists, which end anywhere in a tensor, so parameters are
  /// shown as they are while they are used.
  AsUsed,
  /// ZeRO splits dimensions over a mesh axis of its own: `fsdp` for ZeRO-3,
  /// `zero_shard` for 1 and 2. Which dimension it splits stays open.
  ByDimension
};

/// A strategy's axes of more than one rank, major first, and those that split
/// each role of factor. An expert axis is cut out of the data and context axes
/// that it is a part of:
///
///     data 8, expert 4, tensor 2      <["data"=2, "expert"=4, "tensor"=2]>
///
/// If `split` says so, what ZeRO splits has an axis of its own:
///
///     data 8, ZeRO-3 in groups of 4   <["data"=2, "fsdp"=4]>
struct StrategyMesh {
  explicit StrategyMesh(const Strategy &strategy,
                        ParameterSplit split = ParameterSplit::AsUsed);

  NamedMesh named;
  AxisList batch, sequence, expert, tensor;
};

} // namespace shardsmith::annotate

#endif // SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_STRATEGYMESH_H
