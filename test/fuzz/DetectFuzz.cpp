// SPDX-License-Identifier: Apache-2.0
//
// What other programs print about machines. The first line names the source.

#include "FuzzInput.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cluster/Detect.h"
#include "shardsmith/Cluster/NcclTests.h"

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(fuzz::asText(data, size));
  size_t end = std::min(text.find('\n'), text.size());
  std::string source = text.substr(0, end);
  std::string rest = text.substr(std::min(end + 1, text.size()));
  std::string error;
  if (source == "nccl-tests") {
    std::optional<std::vector<NcclTestsRun>> runs = readNcclTests(rest, error);
    fuzz::require(runs || !error.empty(), "what is refused has a reason");
    Cluster cluster = *findCluster("16xh100").cluster;
    if (runs && addMeasured(cluster, *runs, error))
      fuzz::require(readCluster(cluster.toJson()).cluster.has_value(),
                    "what is written can be read");
    return 0;
  }
  std::optional<FoundNodes> found = readNodes(source, rest, error);
  fuzz::require(found || !error.empty(), "what is refused has a reason");
  if (!found)
    return 0;
  std::optional<DetectedCluster> made = makeDetectedCluster(*found, {}, error);
  if (made)
    fuzz::require(readCluster(made->toJson()).cluster.has_value(),
                  "what is written can be read");
  return 0;
}
