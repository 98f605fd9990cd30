// SPDX-License-Identifier: Apache-2.0

#include "../../../../lib/Plan/Space/Space.h"
#include "../../Cost/TransformerModel.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <gmock/gmock.h>

namespace shardsmith {
namespace {

using namespace search;

std::set<int64_t> contextDegrees(const workload::Workload &workload) {
  Cluster cluster = *findCluster("8xh100").cluster;
  ClusterTopology topology{cluster};
  StackProfile profile;
  CostContext context{workload, topology, profile, {}};
  std::set<int64_t> found;
  for (const ParallelConfiguration &degrees :
       parallelConfigurations(context, SearchConstraints()))
    found.insert(degrees.context);
  return found;
}

// Some ops see more positions than a sequence has: those that compare all
// labels of a sequence with all blanks between them. Their sizes are no
// reason to split a sequence into more parts than it has positions.
TEST(Degrees, ContextRanksHaveAPositionEach) {
  workload::TransformerSizes sizes;
  sizes.positions = 8;
  workload::Workload workload = transformer(sizes);
  EXPECT_THAT(contextDegrees(workload), testing::Contains(8));
  workload.sequenceLength = 3;
  EXPECT_THAT(
      contextDegrees(workload),
      testing::AllOf(testing::Contains(3), testing::Each(testing::Le(3))));
}

} // namespace
} // namespace shardsmith
