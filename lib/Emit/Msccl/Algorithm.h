// SPDX-License-Identifier: Apache-2.0
//
// A collective as microsoft/msccl runs it: what every rank of a group does,
// step by step, in thread blocks that send to one rank and receive from one.
// Data is divided into chunks of one size.

#ifndef SHARDSMITH_LIB_EMIT_MSCCL_ALGORITHM_H
#define SHARDSMITH_LIB_EMIT_MSCCL_ALGORITHM_H

#include "shardsmith/Cost/Collectives/CollectiveTimes.h"
#include "shardsmith/Emit/Emit.h"

#include <optional>
#include <string>
#include <vector>

namespace shardsmith::emit::msccl {

// What its interpreter has room for (src/include/msccl.h).
inline constexpr size_t mostSteps = 256;
inline constexpr size_t mostThreadBlocks = 216;
inline constexpr int64_t mostChannels = 32;
/// Chunks that one step moves.
inline constexpr int64_t mostChunksPerStep = 71;

enum class StepType {
  Nothing,
  Copy,
  Send,
  Receive,
  /// Passes on what it receives, too.
  ReceiveSend,
  /// Adds what it receives to a chunk of its own, and keeps the sum elsewhere.
  Reduce,
  /// The same, but the sum is passed on and not kept.
  ReduceSend,
};

struct Chunks {
  /// `i`, `o` or `s`: input, output or scratch.
  char buffer = 'i';
  int64_t first = 0;
};

struct StepName {
  size_t block = 0, step = 0;
};

struct Step {
  StepType type = StepType::Nothing;
  Chunks from, to;
  int64_t count = 1;
  /// A step of another thread block of the rank that must have ended.
  std::optional<StepName> after;
  bool isAwaited = false;
};

struct ThreadBlock {
  /// Ranks, by their numbers in the group; −1 for none.
  int64_t sendsTo = -1, receivesFrom = -1;
  int64_t channel = 0;
  std::vector<Step> steps;
};

/// What one rank does.
using RankProgram = std::vector<ThreadBlock>;

struct Algorithm {
  /// `all_gather 8x2`
  std::string name;
  CollectiveOp op = CollectiveOp::AllReduce;
  bool isInPlace = false;
  int64_t ranks = 1;
  /// Of the whole tensor.
  int64_t chunks = 0;
  /// Of input, output and scratch of each rank; 0 where another buffer has
  /// them.
  int64_t inputChunks = 0, outputChunks = 0, scratchChunks = 0;
  /// Ranks have as many thread blocks and steps as any other.
  std::function<RankProgram(int64_t rank)> programOf;

  /// What the interpreter has no room for; empty if it has.
  std::string problem() const;
  /// A bound on the size of its file.
  Bytes mostBytes() const;
  /// For tensors whose sizes in bytes lie in [least, most].
  void writeXml(Bytes least, Bytes most, const TextSink &sink) const;
};

} // namespace shardsmith::emit::msccl

#endif // SHARDSMITH_LIB_EMIT_MSCCL_ALGORITHM_H
