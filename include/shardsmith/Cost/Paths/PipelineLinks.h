// SPDX-License-Identifier: Apache-2.0
//
// Over which links the ranks of a pipeline send messages to each other. On one
// device kind every message takes the path of the whole axis. Where devices
// differ, messages between ranks of one kind take the path of those ranks
// alone, and messages between two kinds the path between the devices at the
// border. So times do not depend on how the devices of the cluster are
// numbered:
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

/// The message of a rank to the rank of the next stage, per micro-batch.
struct PipelineMessage {
  Bytes bytes;
  /// Lives as long as the `PipelineLinks` that it comes from.
  const GroupPath *path = nullptr;
};

/// The pool of each pipeline rank, as its stages say.
std::vector<unsigned> poolsOfRanks(const Strategy &strategy);

class PipelineLinks {
public:
  /// `pools` has the pool of each pipeline rank; ranks on one pool must be
  /// neighbours. The stages and layouts of the strategy are not read.
  PipelineLinks(const ClusterTopology &topology, const Strategy &outer,
                std::span<const unsigned> pools);
  PipelineLinks(const PipelineLinks &) = delete;
  PipelineLinks &operator=(const PipelineLinks &) = delete;

  /// The path from a stage to the next one; the last stage has none.
  const GroupPath *ofStage(size_t stage) const { return stages[stage]; }
  /// The paths of all stages of a rank that have a successor, in their order.
  const std::vector<const GroupPath *> &ofRank(int64_t rank) const {
    return paths[size_t(rank)];
  }
  /// The slowest of all these, over which ranks talk that may lie anywhere in
  /// the pipeline.
  const GroupPath &slowest() const { return slowestPath; }
  /// A number that is equal for ranks on one pool whose messages take equal
  /// paths.
  size_t placeOf(int64_t rank) const { return places[size_t(rank)]; }

private:
  /// The paths between every two pools that send to each other, and within each
  /// pool.
  std::deque<GroupPath> known;
  std::vector<const GroupPath *> stages;
  /// Per rank.
  std::vector<std::vector<const GroupPath *>> paths;
  std::vector<size_t> places;
  GroupPath slowestPath;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_PATHS_PIPELINELINKS_H
