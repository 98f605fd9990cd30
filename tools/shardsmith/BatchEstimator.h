// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TOOLS_SHARDSMITH_BATCHESTIMATOR_H
#define SHARDSMITH_TOOLS_SHARDSMITH_BATCHESTIMATOR_H

#include "PlanningInputs.h"
#include "Session.h"

#include <map>

namespace shardsmith {

/// Prices cases one after the other; what several of them share is loaded
/// once.
class BatchEstimator {
public:
  /// `line` is a JSON object; the answer is one, too, on one line. What is
  /// wrong with a case is part of its answer.
  std::string estimate(const std::string &line, int64_t number);

  struct Case;

private:
  std::shared_ptr<const workload::Workload> workloadOf(const Case &one);
  std::shared_ptr<const Cluster> clusterOf(const Case &one);

  Session session;
  std::map<std::string, std::shared_ptr<const workload::Workload>> workloads;
  std::map<std::string, std::shared_ptr<const Cluster>> clusters;
};

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_SHARDSMITH_BATCHESTIMATOR_H
