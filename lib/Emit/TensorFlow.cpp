// SPDX-License-Identifier: Apache-2.0
//
// Layouts for TensorFlow's DTensor: a mesh, and for each variable one mesh
// dimension or `unsharded` per dimension.

#include "Heading.h"
#include "Placement.h"
#include "Targets.h"
#include "shardsmith/Support/Json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace shardsmith::emit {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view tensorFlowFile = "dtensor-layouts.json";

/// One name per dimension; nothing, and a refusal, where several axes of the
/// mesh split one.
std::optional<Json> specsOf(const DimensionAxes &dims, const std::string &name,
                            Refusals &refusals) {
  Json specs = Json::array();
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim].size() > 1) {
      refusals.add(fmt::format("dimension {} of {} over the axes {}", dim, name,
                               fmt::join(dims[dim], " and ")),
                   "one of these axes alone");
      return std::nullopt;
    }
    specs.push_back(dims[dim].empty() ? "unsharded" : dims[dim].front());
  }
  return specs;
}

Json tensorFlowMesh(const DeviceMesh &mesh) {
  Json dims = Json::array();
  for (const MeshAxis &axis : mesh.axes)
    dims.push_back({axis.name, axis.size});
  return dims;
}

} // namespace

void emitTensorFlow(const EmitInput &input, Emission &emission) {
  Refusals refusals(emission.obstacles);
  const Strategy &strategy = input.strategy();
  refusals.requireOnly(
      {Degree::Tensor, Degree::Context, Degree::Data, Degree::Expert},
      strategy);
  refusals.requireEvenBatch(input);
  refusals.requireNoRecompute(strategy);
  if (strategy.zeroStage == 1 || strategy.zeroStage == 2)
    refusals.add(fmt::format("zero={}: an optimizer's variables have the "
                             "layouts of the model's",
                             strategy.zeroStage),
                 "zero=3 or zero=0");
  std::optional<DeviceMesh> mesh = deviceMesh(strategy, refusals);
  if (!mesh)
    return;
  Json variables = Json::object();
  for (const PlacedParameter &parameter :
       placeParameters(input, *mesh, tensorFlowPlacements, emission))
    for (const std::string &name : parameter.names) {
      std::optional<Json> specs = specsOf(parameter.kept, name, refusals);
      if (!specs)
        return;
      variables[name] = *specs;
    }
  std::optional<Json> batch = specsOf({mesh->batch}, "the batch", refusals);
  if (!batch)
    return;
  Json json = {
      {"format", "dtensor-layouts/1"},
      {"shardsmith",
       jsonOf(headingOf(input,
                        "dtensor.create_distributed_mesh(mesh_dims), "
                        "dtensor.Layout(specs, mesh) for each variable; "
                        "* in a name stands for the number of a layer"))},
      {"mesh_dims", tensorFlowMesh(*mesh)},
      {"variables", variables},
      {"batch_dimension", (*batch)[0]},
      {"zero", {{"stage", strategy.zeroStage}, {"ranks", zeroRanks(strategy)}}},
      {"expert_ranks", strategy.expert},
      {"micro_batches",
       {{"count", microBatchesOf(input)},
        {"sequences_per_data_rank", strategy.microBatch}}}};
  emission.files.push_back(
      {std::string(tensorFlowFile), jsonText(json, 2) + "\n"});
}

} // namespace shardsmith::emit
