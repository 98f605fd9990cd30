// SPDX-License-Identifier: Apache-2.0

#include "Comparison.h"

#include <algorithm>
#include <limits>

namespace shardsmith::blocks {

using namespace workload;

namespace {

/// Idle is compared in such parts of a nanosecond.
constexpr int64_t partsOfNanosecond = 1024;

int64_t inParts(Nanoseconds time, double factor) {
  double parts = double(time.count()) * factor * double(partsOfNanosecond);
  constexpr double endless = 9e18;
  return parts < endless ? int64_t(parts) : std::numeric_limits<int64_t>::max();
}

/// No layout takes less.
Nanoseconds leastTime(const UnitCostModel &model) {
  Nanoseconds sum;
  for (OpIndex op = 0; op < model.block().ops.size(); ++op) {
    Nanoseconds least = Nanoseconds::saturated();
    for (OpSplit split : model.shapes().splits(op)) {
      const UnitCosts &costs = model.op(op, split);
      least = std::min(least, costs.forward + costs.backwardInput +
                                  costs.backwardWeight);
    }
    sum += least;
  }
  return sum;
}

/// Finished times are rounded, so a little less is left of small differences.
double keptOf(const UnitCostModel &model) {
  constexpr double rounding = 1.0 / 64;
  double kept = model.keptDifference(leastTime(model));
  return kept < 1 ? kept * (1 - rounding) : kept;
}

} // namespace

Comparison::Comparison(BlockModels models, IdleWeights weights)
    : grains(*models.front()), weights(weights) {
  bool countsForward = weights.forward < weights.backwardInput;
  idleKinds = weights == IdleWeights() ? 0 : countsForward ? 2 : 1;
  kept.assign(models.size(), 1);
  if (idleKinds > 0)
    std::ranges::transform(
        models, kept.begin(),
        [](const UnitCostModel *model) { return keptOf(*model); });
}

/// The numbers of a model's times follow those of the model before; memory
/// stands behind the times of the first.
void Comparison::setTimes(std::span<int64_t> numbers,
                          std::span<const UnitCosts> costs,
                          bool isFinished) const {
  size_t next = 0;
  for (size_t model = 0; model < kept.size(); ++model) {
    const UnitCosts &each = costs[model];
    Nanoseconds forward = each.forward + each.forwardCommunication.total();
    for (size_t choice = 0; choice < recomputeChoices; ++choice)
      numbers[next++] = (forward + each.backward(Recompute(choice))).count();
    if (model == 0)
      next += memorySize;
    for (size_t kind = 0; kind < idleKinds; ++kind) {
      bool countsForward = kind == 1 || isFinished;
      Nanoseconds less =
          each.backwardWeight *
              (weights.backwardInput - weights.backwardWeight) +
          forward *
              (countsForward ? weights.backwardInput - weights.forward : 0);
      double share = isFinished ? 1 : kept[model];
      for (size_t choice = 0; choice < recomputeChoices; ++choice)
        numbers[next++] = inParts((forward + each.backward(Recompute(choice))) *
                                      weights.backwardInput,
                                  share) -
                          inParts(less, 1);
    }
  }
}

void Comparison::set(std::span<int64_t> numbers,
                     std::span<const UnitCosts> part) const {
  setTimes(numbers, part, false);
  const UnitCosts &costs = part.front();
  std::span<int64_t> memory = numbers.subspan(recomputeChoices, memorySize);
  for (size_t choice = 0; choice < recomputeChoices; ++choice)
    memory[choice] = grains.ofBytes(costs.saved[choice]);
  memory[recomputeChoices] = grains.ofParameters(costs.denseParameters);
  memory[recomputeChoices + 1] = grains.ofParameters(costs.expertParameters);
  memory[recomputeChoices + 2] = grains.ofParameters(costs.partialParameters);
}

} // namespace shardsmith::blocks
