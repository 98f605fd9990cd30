// SPDX-License-Identifier: Apache-2.0
//
// Emitters of all targets. An input is a workload, a cluster and a plan, each
// on a line of its own.

#include "FuzzInput.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Emit/Emit.h"

using namespace shardsmith;

namespace {

/// The workload's own shapes, as if the file were as fine.
emit::ParameterShapes shapesOf(const workload::Workload &workload) {
  emit::ParameterShapes shapes;
  for (const workload::Segment &segment : workload.segments) {
    const workload::Block &block = workload.blocks[segment.block];
    for (size_t i = 0; i < block.parameters.size(); ++i)
      shapes.emplace(segment.parameterNames.name(0, i),
                     block.tensors[block.parameters[i]].shape);
  }
  return shapes;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view rest = fuzz::asText(data, size);
  std::string error;
  std::optional<workload::Workload> workload =
      workload::workloadFromJson(fuzz::takeLine(rest), error);
  ClusterResult cluster = readCluster(fuzz::takeLine(rest));
  std::optional<PlanDocument> document = planDocumentFromJson(rest, error);
  constexpr int64_t enough = 4096;
  if (!workload || !cluster.cluster || workload->unitCount() > enough ||
      !document || document->strategy.stages.size() > size_t(enough) ||
      !bindLayouts(*workload, *document).empty())
    return 0;
  StackProfile profile;
  ClusterTopology topology(*cluster.cluster);
  emit::EmitInput input{*document, *workload,           profile,
                        topology,  shapesOf(*workload), 8};
  for (const emit::Target &target : emit::targets()) {
    emit::Adaptation adaptation = emit::adaptTo(target, input);
    fuzz::require(adaptation.strategy.verify(*workload).empty(),
                  "what is adapted is a strategy");
    emit::Emission emission = emit::emitPlan(target, input);
    fuzz::require(!emission.files.empty() || !emission.obstacles.empty(),
                  "a refusal says why");
  }
  return 0;
}
