// SPDX-License-Identifier: Apache-2.0

#include "DeviceKindWeights.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace shardsmith::search {

void DeviceKindWeights::add(int64_t units,
                            const std::vector<Nanoseconds> &times) {
  Group &group = groups.emplace_back();
  group.units = double(units);
  for (Nanoseconds time : times)
    group.times.push_back(std::max(double(time.count()), leastTime));
}

double DeviceKindWeights::Group::least() const {
  return std::ranges::min(times);
}

size_t DeviceKindWeights::largest() const {
  auto found = std::ranges::max_element(groups, {}, [](const Group &group) {
    return group.units * group.least();
  });
  return size_t(found - groups.begin());
}

DeviceKindWeights::Weights DeviceKindWeights::weights(size_t like) const {
  Weights weights;
  for (double time : groups[like].times)
    weights.push_back(groups[like].least() / time);
  return weights;
}

double DeviceKindWeights::value(size_t group, const Weights &weights) const {
  double least = std::numeric_limits<double>::infinity();
  for (size_t kind = 0; kind < weights.size(); ++kind)
    least = std::min(least, weights[kind] * groups[group].times[kind]);
  return least;
}

double DeviceKindWeights::value(const Weights &weights) const {
  constexpr double slack = 1 - 1e-9;
  double sum = 0;
  for (size_t group = 0; group < groups.size(); ++group)
    sum += groups[group].units * value(group, weights);
  return sum * slack;
}

double DeviceKindWeights::sharedBy(int64_t ranks,
                                   const std::vector<int64_t> &onKinds) const {
  double longest = 0;
  for (size_t like = 0; like < groups.size(); ++like) {
    Weights weights = this->weights(like);
    std::vector<size_t> order(weights.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, std::greater(),
                      [&](size_t kind) { return weights[kind]; });
    double capacity = 0;
    int64_t left = ranks;
    for (size_t kind : order) {
      int64_t used = std::min(left, onKinds[kind]);
      capacity += double(used) * weights[kind];
      left -= used;
    }
    longest = std::max(longest, value(weights) / capacity);
  }
  return longest;
}

} // namespace shardsmith::search
