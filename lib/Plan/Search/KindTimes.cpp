// SPDX-License-Identifier: Apache-2.0

#include "KindTimes.h"

#include <algorithm>
#include <limits>

namespace shardsmith::search {

void KindTimes::add(int64_t units, const std::vector<Nanoseconds> &times) {
  Group &group = groups.emplace_back();
  group.units = double(units);
  for (Nanoseconds time : times)
    group.times.push_back(std::max(double(time.count()), leastTime));
}

double KindTimes::Group::least() const { return std::ranges::min(times); }

size_t KindTimes::largest() const {
  auto found = std::ranges::max_element(groups, {}, [](const Group &group) {
    return group.units * group.least();
  });
  return size_t(found - groups.begin());
}

KindTimes::Weights KindTimes::weights(size_t like) const {
  Weights weights;
  for (double time : groups[like].times)
    weights.push_back(groups[like].least() / time);
  return weights;
}

double KindTimes::value(size_t group, const Weights &weights) const {
  double least = std::numeric_limits<double>::infinity();
  for (size_t kind = 0; kind < weights.size(); ++kind)
    least = std::min(least, weights[kind] * groups[group].times[kind]);
  return least;
}

double KindTimes::value(const Weights &weights) const {
  constexpr double slack = 1 - 1e-9;
  double sum = 0;
  for (size_t group = 0; group < groups.size(); ++group)
    sum += groups[group].units * value(group, weights);
  return sum * slack;
}

} // namespace shardsmith::search
