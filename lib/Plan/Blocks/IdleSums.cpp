// SPDX-License-Identifier: Apache-2.0

#include "IdleSums.h"

namespace shardsmith::blocks {

namespace {

int64_t product(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result)
             ? std::numeric_limits<int64_t>::max()
             : result;
}

} // namespace

// Weights are divided by `a`, so that a nanosecond of time counts `scale`.
IdleNumbers::IdleNumbers(const IdleMeasure &measure, double growth)
    : countsCommunication(measure.countsCommunication),
      allowed(measure.recompute) {
  const IdleWeights &weights = measure.weights;
  // A single rank waits for nobody.
  int64_t inIdle = std::max<int64_t>(1, weights.backwardInput);
  int64_t unit = std::max<int64_t>(1, IdleSums::scale / inIdle);
  inTime = unit * inIdle;
  inTimeOfParts = int64_t(double(inTime) * growth);
  inWeight = unit * (weights.backwardInput - weights.backwardWeight);
  inForward = unit * (weights.backwardInput - weights.forward);
}

void IdleNumbers::set(IdleSums &sums, const UnitCosts &costs,
                      bool isFinished) const {
  int64_t weight = costs.backwardWeight.count();
  int64_t forward = (costs.forward + costs.forwardCommunication.sum()).count();
  sums.values[IdleSums::weight] = inWeight == 0 ? 0 : weight;
  sums.values[IdleSums::forward] = inForward == 0 ? 0 : forward;
  sums.values[IdleSums::communication] =
      countsCommunication ? (costs.forwardCommunication.sum() +
                             costs.backwardCommunication.sum())
                                .count()
                          : 0;
  size_t first = size_t(std::ranges::find(allowed, true) - allowed.begin());
  for (size_t choice = 0; choice < recomputeChoices; ++choice) {
    // Others count as one that is compared anyway.
    int64_t time = sums.values[allowed[choice] ? choice : first];
    int64_t idle = product(time, isFinished ? inTime : inTimeOfParts) -
                   product(weight, inWeight);
    sums.values[IdleSums::firstIdle + choice] = idle;
    sums.values[IdleSums::firstIdle + recomputeChoices + choice] =
        idle - product(forward, inForward);
  }
  // Without recomputation kernels hide the exchange of parameters.
  for (size_t choice = 1; choice < recomputeChoices; ++choice)
    if (!allowed[choice])
      sums.values[choice] = 0;
}

} // namespace shardsmith::blocks
