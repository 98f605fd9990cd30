// SPDX-License-Identifier: Apache-2.0
//
// What each pass of each stage consists of: kernels, and exchanges in between,
// with the times and bytes that the plan was priced with. Passes of all
// micro-batches are alike.
//
//     1F3   kernels ── tensor all_gather ── kernels ── tensor reduce_scatter …

#ifndef SHARDSMITH_LIB_EMIT_CHAKRA_PASSES_H
#define SHARDSMITH_LIB_EMIT_CHAKRA_PASSES_H

#include "RankGroups.h"
#include "TraceWriter.h"
#include "shardsmith/Cost/Step/StepEstimate.h"

namespace shardsmith::emit::chakra {

/// What becomes one node.
struct Piece {
  NodeType type = NodeType::Compute;
  /// Of what is no compute.
  std::string name;
  /// For exchanges the part that the plan counts: what kernels do not hide.
  Nanoseconds time;
  /// Of compute: operations, and bytes that are read and written.
  double operations = 0, tensorBytes = 0;
  /// As in `Node`.
  Bytes messageBytes;
  CollectiveType collective = CollectiveType::AllReduce;
  /// Of collectives: a way of grouping of `RankGroups`.
  size_t grouping = 0;
  /// Of sends and receives: the place of the other end along the pipeline, and
  /// the number among messages beside those of the schedule.
  int64_t peer = 0, number = 0;
};
using Pieces = std::vector<Piece>;

struct StagePasses {
  Pieces forward;
  /// Both halves of the backward pass at once, and each of them.
  Pieces backward, backwardInput, backwardWeight;
  /// Once per step: sums of gradients; the optimizer and what follows it.
  Pieces reduce, update;
  /// The message to the stage behind, and that of its gradient, which is as
  /// large.
  Bytes sent;
  Nanoseconds sending;
};

/// What a pipeline rank exchanges with others that hold some of its parameters
/// as well, before its first update and behind its last one.
struct SharedPieces {
  Pieces before, behind;
};

struct StepPasses {
  std::vector<StagePasses> stages;
  /// By pipeline rank.
  std::vector<SharedPieces> shared;
};

/// The strategy is on devices of one kind, and there is a device for each rank.
/// Adds the groupings that the pieces name.
StepPasses passesOf(const CostContext &context, const Strategy &strategy,
                    RankGroups &groups);

} // namespace shardsmith::emit::chakra

#endif // SHARDSMITH_LIB_EMIT_CHAKRA_PASSES_H
