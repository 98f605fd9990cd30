// SPDX-License-Identifier: Apache-2.0
//
// Rank r owns stages r, r + p, r + 2p, …, its chunks. Micro-batches travel in
// rounds; a round passes through all chunks before the next one starts:
//
//     round 0            round 1
//     chunk 0: 0 1 2 3   chunk 0: 4 5 6 7     forward, p = 4, v = 2
//     chunk 1: 0 1 2 3   chunk 1: 4 5 6 7
//
// Every rank runs all forward passes in this order and all backward passes in
// the same order with the chunks reversed; ranks differ in how many forward
// passes they run first.
//
// Rounds hold at least p micro-batches and differ by at most one. The longest
// come first: backward passes then never wait for a forward pass that is
// further ahead than the warm-up of the first round.

#include "Orders.h"

#include <algorithm>

namespace shardsmith::schedule {
namespace {

std::vector<int64_t> roundSizes(const PipelineShape &shape) {
  int64_t rounds = std::max<int64_t>(1, shape.microBatches / shape.ranks);
  std::vector<int64_t> sizes(static_cast<size_t>(rounds),
                             shape.microBatches / rounds);
  for (int64_t round = 0; round < shape.microBatches % rounds; ++round)
    ++sizes[static_cast<size_t>(round)];
  return sizes;
}

std::vector<Action> passes(const PipelineShape &shape, int64_t rank,
                           ActionKind kind) {
  std::vector<Action> actions;
  actions.reserve(size_t(shape.virtualStages * shape.microBatches));
  int64_t first = 0;
  for (int64_t size : roundSizes(shape)) {
    for (int64_t turn = 0; turn < shape.virtualStages; ++turn) {
      int64_t chunk =
          kind == ActionKind::Forward ? turn : shape.virtualStages - 1 - turn;
      for (int64_t m = first; m < first + size; ++m)
        actions.push_back({kind, chunk * shape.ranks + rank, m});
    }
    first += size;
  }
  return actions;
}

} // namespace

std::vector<Step> interleavedOrder(const PipelineShape &shape, int64_t rank) {
  std::vector<Action> forward = passes(shape, rank, ActionKind::Forward);
  std::vector<Action> backward = passes(shape, rank, ActionKind::Backward);
  int64_t firstRound = roundSizes(shape).front();
  size_t warmUp =
      std::min(forward.size(),
               static_cast<size_t>((shape.virtualStages - 1) * firstRound +
                                   2 * (shape.ranks - 1 - rank)));

  std::vector<Step> steps;
  steps.reserve(forward.size() + backward.size());
  for (size_t i = 0; i < warmUp; ++i)
    steps.push_back({forward[i], {}});
  for (size_t i = 0; i < backward.size(); ++i) {
    if (warmUp + i < forward.size())
      steps.push_back({forward[warmUp + i], {}});
    steps.push_back({backward[i], {}});
  }
  return steps;
}

} // namespace shardsmith::schedule
