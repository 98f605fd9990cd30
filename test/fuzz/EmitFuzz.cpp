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

/// What is written piece by piece stays within its limit, but for numbers that
/// are longer on some ranks than on others.
void requireSize(const emit::Emission &emission, Bytes most) {
  Bytes size;
  for (const emit::StreamedFile &file : emission.streamed)
    file.write(
        [&](std::string_view piece) { size += Bytes(int64_t(piece.size())); });
  fuzz::require(size <= most * 2, "files are no larger than allowed");
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
  // Traces of large plans would take longer than everything else.
  constexpr Bytes mostStreamed(1 << 20);
  emit::EmitInput input{*document,           *workload, profile,     topology,
                        shapesOf(*workload), 8,         mostStreamed};
  for (const emit::Target &target : emit::targets()) {
    emit::Adaptation adaptation = emit::adaptTo(target, input);
    fuzz::require(adaptation.strategy.verify(*workload).empty(),
                  "what is adapted is a strategy");
    emit::Emission emission = emit::emitPlan(target, input);
    fuzz::require(!emission.files.empty() || !emission.obstacles.empty(),
                  "a refusal says why");
    if (emission.obstacles.empty())
      requireSize(emission, mostStreamed);
  }
  return 0;
}
