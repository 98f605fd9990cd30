// SPDX-License-Identifier: Apache-2.0
//
// The checker of plans. An input is a workload, a cluster and a plan, each on
// a line of its own; what is wrong with the plan must become findings.

#include "FuzzInput.h"
#include "shardsmith/Check/PlanCheck.h"
#include "shardsmith/Cluster/ClusterReader.h"

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view rest = fuzz::asText(data, size);
  std::string error;
  std::optional<workload::Workload> workload =
      workload::workloadFromJson(fuzz::takeLine(rest), error);
  ClusterResult machines = readCluster(fuzz::takeLine(rest));
  constexpr int64_t enough = 4096;
  if (!workload || !machines.cluster ||
      machines.cluster->deviceCount() > enough ||
      !machines.cluster->limitsProblem().empty())
    return 0;
  // The one that the seeds are planned with: with another every plan would be
  // refused before its figures are looked at.
  static const std::optional<StackProfile> profile =
      findProfile("generic", error);
  auto report =
      check::checkPlan(rest, {*workload, *machines.cluster, *profile}, error);
  fuzz::require(report.has_value() || !error.empty(), "a refusal says why");
  return 0;
}
