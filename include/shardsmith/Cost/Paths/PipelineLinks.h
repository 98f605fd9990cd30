// SPDX-License-Identifier: Apache-2.0
//
// Over which links the ranks of a pipeline hand on to each other. On one kind
// of device every message takes the path of the whole axis. Where devices
// differ, messages between ranks of one kind take the path of those ranks
// alone, and those between two kinds the path between the devices at the
// border, so that nothing depends on how the cluster's devices are numbered:
//
//     pools    A A A A A A│B B B B B B      two ranks per block
//     ranks    0   1   2  │3   4   –
//                A-A A-A  A-B  B-B

#ifndef SHARDSMITH_COST_PATHS_PIPELINELINKS_H
#define SHARDSMITH_COST_PATHS_PIPELINELINKS_H

#include "shardsmith/Cost/Paths/AxisPaths.h"

#include <deque>
#include <span>
#include <vector>

namespace shardsmith {

/// What a rank hands on to that of the next stage, per micro-batch.
struct PipelineMessage {
  Bytes bytes;
  /// Lives as long as the `PipelineLinks` that it comes from.
  const GroupPath *path = nullptr;
};

/// Of each pipeline rank, by its stages.
std::vector<unsigned> poolsOfRanks(const Strategy &strategy);

class PipelineLinks {
public:
  /// `pools`: of each pipeline rank; those of one pool are neighbours. Of the
  /// strategy neither stages nor layouts are read.
  PipelineLinks(const ClusterTopology &topology, const Strategy &outer,
                std::span<const unsigned> pools);
  PipelineLinks(const PipelineLinks &) = delete;
  PipelineLinks &operator=(const PipelineLinks &) = delete;

  /// From a stage, which is not the last, to the next.
  const GroupPath *ofStage(size_t stage) const { return stages[stage]; }
  /// The same for all such stages of a rank, in their order.
  const std::vector<const GroupPath *> &ofRank(int64_t rank) const {
    return paths[size_t(rank)];
  }
  /// The same number for ranks on one pool whose messages take the same paths.
  size_t placeOf(int64_t rank) const { return places[size_t(rank)]; }

private:
  /// Of every two pools that hand on to each other.
  std::deque<GroupPath> known;
  std::vector<const GroupPath *> stages;
  /// Per rank.
  std::vector<std::vector<const GroupPath *>> paths;
  std::vector<size_t> places;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_PATHS_PIPELINELINKS_H
