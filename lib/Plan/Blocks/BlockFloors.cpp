// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/BlockFloors.h"
#include "BlockOutline.h"

#include <algorithm>
#include <array>

namespace shardsmith {

using namespace blocks;

namespace {

enum Number : size_t {
  Forward,
  BackwardInput,
  BackwardWeight,
  ForwardCommunication,
  BackwardCommunication,
  FirstRecompute,
  FirstSaved = FirstRecompute + recomputeChoices,
  DenseParameters = FirstSaved + recomputeChoices,
  ExpertParameters,
  PartialParameters,
  OutputBytes,
  /// Times `UnfilledTime::steps`, so that they are whole numbers.
  FirstUnfilled,
  Transient = FirstUnfilled + UnfilledTime::points,
  numberCount
};

/// Above this, numbers are as good as without end; far fewer are summed up than
/// it takes to overflow, and the best of sums is cut off here again.
constexpr int64_t endless = int64_t(1) << 52;

/// Numbers of a part of a layout, or the least of each that several have.
struct Numbers {
  std::array<int64_t, numberCount> values;

  Numbers() { values.fill(endless); }

  explicit Numbers(const UnitCosts &costs) {
    values[Forward] = costs.forward.count();
    values[BackwardInput] = costs.backwardInput.count();
    values[BackwardWeight] = costs.backwardWeight.count();
    values[ForwardCommunication] = costs.forwardCommunication.total().count();
    values[BackwardCommunication] = costs.backwardCommunication.total().count();
    for (size_t choice = 0; choice < recomputeChoices; ++choice) {
      values[FirstRecompute + choice] = costs.recompute[choice].count();
      values[FirstSaved + choice] = costs.saved[choice].count();
    }
    values[DenseParameters] = costs.denseParameters;
    values[ExpertParameters] = costs.expertParameters;
    values[PartialParameters] = costs.partialParameters;
    values[OutputBytes] = costs.outputBytes.count();
    values[Transient] = costs.transient.count();
    int64_t time = (costs.forward + costs.forwardCommunication.total() +
                    costs.backward(Recompute::None))
                       .count();
    for (size_t point = 0; point < UnfilledTime::points; ++point)
      values[FirstUnfilled + point] =
          std::min(time, endless) * int64_t(UnfilledTime::steps) -
          std::min(values[BackwardWeight], endless) * int64_t(point);
    for (int64_t &value : values)
      value = std::min(value, endless);
  }

  void add(const Numbers &other) {
    for (size_t i = 0; i < Transient; ++i)
      values[i] += other.values[i];
    values[Transient] = std::max(values[Transient], other.values[Transient]);
  }

  void takeLess(const Numbers &other) {
    for (size_t i = 0; i < numberCount; ++i)
      values[i] = std::min(values[i], other.values[i]);
  }

  UnitCosts costs() const {
    UnitCosts costs;
    costs.forward = Nanoseconds(values[Forward]);
    costs.backwardInput = Nanoseconds(values[BackwardInput]);
    costs.backwardWeight = Nanoseconds(values[BackwardWeight]);
    costs.forwardCommunication.tensor =
        Nanoseconds(values[ForwardCommunication]);
    costs.backwardCommunication.tensor =
        Nanoseconds(values[BackwardCommunication]);
    for (size_t choice = 0; choice < recomputeChoices; ++choice) {
      costs.recompute[choice] = Nanoseconds(values[FirstRecompute + choice]);
      costs.saved[choice] = Bytes(values[FirstSaved + choice]);
    }
    costs.denseParameters = values[DenseParameters];
    costs.expertParameters = values[ExpertParameters];
    costs.partialParameters = values[PartialParameters];
    costs.outputBytes = Bytes(values[OutputBytes]);
    costs.transient = Bytes(values[Transient]);
    return costs;
  }

  UnfilledTime unfilled() const {
    UnfilledTime unfilled;
    for (size_t point = 0; point < UnfilledTime::points; ++point)
      unfilled.least[point] =
          double(values[FirstUnfilled + point]) / double(UnfilledTime::steps);
    return unfilled;
  }
};

/// The launch floor makes no less of a time than the line that touches what it
/// makes of the least one.
UnfilledTime finished(const UnfilledTime &least, const UnitCostModel &model) {
  UnfilledTime unfilled;
  if (least.at(0) >= double(endless / int64_t(UnfilledTime::steps)))
    return unfilled;
  Nanoseconds time(int64_t(least.at(0)));
  double growth = model.growth(time, false);
  double rest =
      double(model.finished(time).count()) - growth * double(time.count());
  constexpr double rounding = 4;
  for (size_t point = 0; point < UnfilledTime::points; ++point)
    unfilled.least[point] =
        growth * least.at(UnfilledTime::shareAt(point) / growth) + rest -
        rounding;
  return unfilled;
}

/// Forward and backward with one way of recomputing.
template <Recompute choice> struct PassTime {
  int64_t value = endless;

  PassTime() = default;
  explicit PassTime(const UnitCosts &costs)
      : value(std::min((costs.forward + costs.forwardCommunication.total() +
                        costs.backward(choice))
                           .count(),
                       endless)) {}
  void add(PassTime other) { value += other.value; }
  void takeLess(PassTime other) { value = std::min(value, other.value); }
};

int64_t leastTime(const BlockOutline &outline, const UnitCostModel &model,
                  Recompute choice) {
  switch (choice) {
  case Recompute::None:
    return outline.leastOf<PassTime<Recompute::None>>(model).value;
  case Recompute::Selective:
    return outline.leastOf<PassTime<Recompute::Selective>>(model).value;
  case Recompute::Full:
    return outline.leastOf<PassTime<Recompute::Full>>(model).value;
  }
  return endless;
}

} // namespace

BlockFloors::BlockFloors(bool repeatable) : repeatable(repeatable) {}
BlockFloors::~BlockFloors() = default;
BlockFloors::BlockFloors(BlockFloors &&) noexcept = default;

const BlockOutline &BlockFloors::outlineOf(const UnitCostModel &model) {
  auto &outline = outlines[model.shapes().splitPattern()];
  if (!outline)
    outline = std::make_unique<BlockOutline>(model.block(), model.shapes(),
                                             repeatable);
  return *outline;
}

Nanoseconds BlockFloors::fastest(const UnitCostModel &model, Recompute choice) {
  int64_t time = leastTime(outlineOf(model), model, choice);
  UnitCosts least;
  least.backwardInput =
      time < endless ? Nanoseconds(time) : Nanoseconds::saturated();
  // The work of recomputing is in the sum; its launches are not.
  UnitCosts finished = model.finish(least);
  return finished.forward + finished.backwardInput +
         finished.recompute[size_t(choice)];
}

LeastUnit BlockFloors::least(const UnitCostModel &model) {
  auto least = outlineOf(model).leastOf<Numbers>(model);
  return {model.finishLeast(least.costs()), finished(least.unfilled(), model)};
}

} // namespace shardsmith
