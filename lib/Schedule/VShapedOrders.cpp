// SPDX-License-Identifier: Apache-2.0
//
// Two stages per rank, placed down and up again, so that the first and the
// last stage meet on rank 0 and the loss turns around on the last rank:
//
//     rank 0   c0 = 0    c1 = 7
//     rank 1   c0 = 1    c1 = 6
//     rank 2   c0 = 2    c1 = 5
//     rank 3   c0 = 3 ─▶ c1 = 4

#include "Orders.h"

#include <algorithm>
#include <array>
#include <deque>

namespace shardsmith::schedule {
namespace {

/// Writes a rank's list; counts micro-batches per chunk and kind.
class VOrder {
public:
  VOrder(const PipelineShape &shape, int64_t rank)
      : microBatches(shape.microBatches),
        stages{rank, 2 * shape.ranks - 1 - rank} {}

  int64_t forwards(int chunk) const { return done[chunk].forward; }

  void forward(int chunk) { steps.push_back({nextForward(chunk), {}}); }
  void backward(int chunk) { steps.push_back({nextBackward(chunk), {}}); }

  /// I only; its W stays pending.
  void input(int chunk) {
    int64_t m = done[chunk].backward++;
    steps.push_back({{ActionKind::BackwardInput, stages[chunk], m}, {}});
    pending.push_back({ActionKind::BackwardWeight, stages[chunk], m});
  }
  /// The W that has waited longest; false if none is pending.
  bool weight() {
    return weight([](const Action &) { return true; });
  }
  bool weight(int chunk) {
    return weight([&](const Action &w) { return w.stage == stages[chunk]; });
  }
  void inputAndWeight(int chunk) {
    input(chunk);
    weight(chunk);
  }
  void together(int forwardChunk, int backwardChunk) {
    Action first = nextForward(forwardChunk);
    steps.push_back({first, nextBackward(backwardChunk)});
  }

  std::vector<Step> take() { return std::move(steps); }

  const int64_t microBatches;

private:
  template <typename Matches> bool weight(Matches matches) {
    auto next = std::find_if(pending.begin(), pending.end(), matches);
    if (next == pending.end())
      return false;
    steps.push_back({*next, {}});
    pending.erase(next);
    return true;
  }
  Action nextForward(int chunk) {
    return {ActionKind::Forward, stages[chunk], done[chunk].forward++};
  }
  Action nextBackward(int chunk) {
    return {ActionKind::Backward, stages[chunk], done[chunk].backward++};
  }

  struct Counts {
    int64_t forward = 0, backward = 0;
  };
  std::array<int64_t, 2> stages;
  std::array<Counts, 2> done;
  std::deque<Action> pending;
  std::vector<Step> steps;
};

} // namespace

std::vector<Step> zeroBubbleVOrder(const PipelineShape &shape, int64_t rank) {
  VOrder order(shape, rank);
  int64_t behind = shape.ranks - rank;
  for (int64_t i = 0; i < 2 * behind - 1; ++i)
    order.forward(0);
  for (int64_t i = 0; i < rank; ++i) {
    order.forward(1);
    order.forward(0);
  }
  for (int64_t i = 0; i < behind; ++i) {
    order.forward(1);
    order.inputAndWeight(1);
  }
  while (order.forwards(1) < order.forwards(0) ||
         order.forwards(0) < order.microBatches) {
    if (order.forwards(0) < order.microBatches)
      order.forward(0);
    order.inputAndWeight(0);
    order.forward(1);
    order.inputAndWeight(1);
  }
  for (int64_t i = 0; i < rank; ++i) {
    order.input(0);
    order.input(1);
  }
  for (int64_t i = 0; i < behind; ++i)
    order.inputAndWeight(0);
  for (int chunk : {1, 0})
    while (order.weight(chunk))
      ;
  return order.take();
}

std::vector<Step> dualPipeVOrder(const PipelineShape &shape, int64_t rank) {
  VOrder order(shape, rank);
  int64_t behind = shape.ranks - rank - 1;
  for (int64_t i = 0; i < 2 * behind; ++i)
    order.forward(0);
  for (int64_t i = 0; i <= rank; ++i) {
    order.forward(0);
    order.forward(1);
  }
  for (int64_t i = 0; i < behind; ++i) {
    order.input(1);
    order.weight();
    order.forward(1);
  }
  int64_t paired = shape.microBatches - 2 * shape.ranks + rank + 1;
  for (int64_t i = 0; i < paired; ++i) {
    // The turning point has its loss before anything could overlap with it.
    if (i == 0 && behind == 0) {
      order.forward(0);
      order.backward(1);
    } else {
      order.together(0, 1);
    }
    order.together(1, 0);
  }
  for (int64_t i = 0; i < behind; ++i) {
    order.backward(1);
    order.together(1, 0);
  }
  // The second half of the last backward passes leaves its W for the gaps at
  // the end.
  for (int64_t i = 0; i <= rank; ++i) {
    bool lastHalf = 2 * i + 1 > rank;
    bool splitsFirst = lastHalf && (rank % 2 != 0 || 2 * i > rank);
    splitsFirst ? order.input(1) : order.backward(1);
    lastHalf ? order.input(0) : order.backward(0);
  }
  for (int64_t i = 0; i < behind; ++i) {
    order.weight();
    order.input(0);
  }
  while (order.weight())
    ;
  return order.take();
}

} // namespace shardsmith::schedule
