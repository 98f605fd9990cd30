// SPDX-License-Identifier: Apache-2.0

#include "Axes.h"

#include "Rounding.h"

#include <algorithm>
#include <numeric>

namespace shardsmith::check {
namespace {

int64_t positions(const workload::Workload &workload) {
  return workload.sequenceLength;
}

int64_t sequences(const workload::Workload &workload) {
  return workload.globalBatch;
}

const AxisRow rows[] = {
    {Degree::Tensor, "tensor", "tensor", "tp", PlanAxis::Tensor, true},
    {Degree::Context, "context", "context", "cp", PlanAxis::Context, true,
     "positions of a sequence", positions},
    {Degree::Data, "data", "data", "dp", PlanAxis::Data, false,
     "sequences of a step", sequences},
    {Degree::Pipeline, "pipeline", "pipeline", "pp", PlanAxis::Pipeline},
    {Degree::VirtualStages, "virtual_stages", "virtual-stages", "vpp"},
    {Degree::Expert, "expert", "expert", "ep", std::nullopt, true},
};

} // namespace

std::span<const AxisRow> axisRows() { return rows; }

std::vector<PlanAxis> meshAxes() {
  std::vector<PlanAxis> axes;
  for (const AxisRow &row : rows)
    if (row.axis)
      axes.push_back(*row.axis);
  return axes;
}

int64_t ranksOf(const Strategy &strategy) {
  int64_t ranks = 1;
  for (const AxisRow &row : rows)
    if (row.axis)
      ranks = multiplied(ranks, strategy[row.degree]);
  return ranks;
}

int64_t replicasOf(const Strategy &strategy) {
  return strategy.data * strategy.context;
}

bool waitPerMicroBatch(const Strategy &strategy) {
  if (strategy.context % strategy.expert != 0)
    return true;
  if (strategy.zeroStage < 2 || strategy.data == 1)
    return false;
  int64_t dataRanks = strategy.zeroGroup / strategy.context;
  return strategy.zeroGroup == 0 ||
         std::gcd(std::max<int64_t>(dataRanks, 1), strategy.data) > 1;
}

int64_t ranksSplitting(workload::FactorRole role, const Strategy &strategy) {
  switch (role) {
  case workload::FactorRole::Sequence:
    return strategy.context;
  case workload::FactorRole::Expert:
    return strategy.expert;
  case workload::FactorRole::Batch:
  case workload::FactorRole::Other:
    break;
  }
  return 1;
}

} // namespace shardsmith::check
