// SPDX-License-Identifier: Apache-2.0
//
// A plan for PyTorch's own parts: a device mesh, DTensor placements by
// parameter, units of FSDP 2, stages and a schedule of
// torch.distributed.pipelining.

#include "Heading.h"
#include "Modules.h"
#include "Placement.h"
#include "Targets.h"
#include "shardsmith/Support/Json.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardsmith::emit {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view pyTorchFile = "pytorch-plan.json";
constexpr std::string_view pyTorchTable = "schedule.csv";

Json pyTorchMesh(const DeviceMesh &mesh) {
  Json names = Json::array(), sizes = Json::array();
  for (const MeshAxis &axis : mesh.axes) {
    names.push_back(axis.name);
    sizes.push_back(axis.size);
  }
  return {{"mesh_shape", sizes}, {"mesh_dim_names", names}};
}

/// Per axis of the mesh that splits the parameter: `Shard(0)`.
Json placementsOf(const DimensionAxes &dims) {
  Json placements = Json::object();
  for (size_t dim = 0; dim < dims.size(); ++dim)
    for (const std::string &axis : dims[dim])
      placements[axis] = fmt::format("Shard({})", dim);
  return placements;
}

class PyTorchWriter {
public:
  PyTorchWriter(const EmitInput &input, Emission &emission)
      : input(input), strategy(input.strategy()), emission(emission),
        refusals(emission.obstacles) {}

  void run() {
    refusals.requireOnly({Degree::Tensor, Degree::Context, Degree::Data,
                          Degree::Pipeline, Degree::Expert},
                         input.strategy());
    refusals.requireEvenBatch(input);
    if (strategy.zeroStage == 1)
      refusals.add("zero=1: FSDP shards gradients with the states", "zero=2");
    mesh = deviceMesh(strategy, refusals);
    if (!mesh)
      return;
    Json json = {
        {"format", "shardsmith-pytorch/1"},
        {"shardsmith",
         jsonOf(headingOf(
             input, fmt::format("torchrun {} TRAIN.py, with init_device_mesh("
                                "\"cuda\", mesh_shape, mesh_dim_names=…)",
                                torchrunSizes(input))))},
        {"device_mesh", pyTorchMesh(*mesh)},
        {"batch",
         {{"global", input.workload.globalBatch},
          {"micro_batch", strategy.microBatch},
          {"micro_batches", microBatchesOf(input)},
          {"mesh_dims", mesh->batch}}},
        {"parameters", parameters()},
        {"activations", activations()},
        {"fsdp", fsdp()},
        {"recompute", recompute()},
        {"pipeline", pipeline()}};
    emission.files.push_back(
        {std::string(pyTorchFile), jsonText(json, 2) + "\n"});
  }

private:
  /// FSDP adds its own axes, so that parameters lie here as they are used.
  Json parameters() {
    Json all = Json::object();
    for (const PlacedParameter &parameter :
         placeParameters(input, *mesh, pyTorchPlacements, emission))
      for (const std::string &name : parameter.names)
        all[name] = placementsOf(parameter.used);
    return all;
  }

  /// What blocks hand over, and what products give, over the tensor axis.
  Json activations() {
    Json all = Json::object();
    if (strategy.tensor == 1)
      return all;
    for (size_t i = 0; i < input.workload.blocks.size(); ++i) {
      const workload::Block &block = input.workload.blocks[i];
      for (workload::TensorIndex tensor = 0; tensor < block.tensors.size();
           ++tensor) {
        const TensorLayout &layout = strategy.layouts[i].tensors[tensor];
        if (block.tensors[tensor].role == workload::TensorRole::Activation &&
            layout.kind == TensorLayout::Kind::Split)
          all[fmt::format("{}:{}", block.name, block.tensors[tensor].name)] =
              fmt::format("Shard({})", layout.dim);
      }
    }
    return all;
  }

  Json fsdp() {
    if (strategy.zeroStage == 0)
      return nullptr;
    Json units = Json::array();
    for (int64_t unit = 0; unit < input.workload.unitCount(); ++unit)
      if (std::vector<std::string> modules = modulesOf(input.workload, unit);
          !modules.empty())
        units.push_back(modules);
    return {{"mesh_dims", mesh->zero},
            {"reshard_after_forward", strategy.zeroStage == 3},
            {"units", units}};
  }

  /// Modules that are computed again, by what is kept of them.
  Json recompute() const {
    Json choices = Json::object();
    for (const Stage &stage : strategy.stages)
      for (int64_t unit = stage.begin; unit < stage.end; ++unit) {
        Recompute choice = stage.recompute[size_t(unit - stage.begin)];
        if (choice == Recompute::None)
          continue;
        for (const std::string &module : modulesOf(input.workload, unit))
          choices[std::string(nameOf(choice))].push_back(module);
      }
    return choices;
  }

  Json pipeline() {
    if (strategy.pipeline == 1)
      return nullptr;
    std::optional<StreamedFile> table =
        refusals.requireTable(input, pyTorchTable);
    if (!table)
      return nullptr;
    emission.streamed.push_back(std::move(*table));
    Json stages = Json::array();
    for (size_t i = 0; i < strategy.stages.size(); ++i) {
      Json modules = Json::array();
      for (int64_t unit = strategy.stages[i].begin;
           unit < strategy.stages[i].end; ++unit)
        for (const std::string &module : modulesOf(input.workload, unit))
          modules.push_back(module);
      stages.push_back({{"rank", pipelineRankOf(strategy.schedule,
                                                strategy.pipeline, int64_t(i))},
                        {"modules", modules}});
    }
    return {{"mesh_dim", nameOf(PlanAxis::Pipeline)},
            {"schedule_csv", pyTorchTable},
            {"stages", stages}};
  }

  const EmitInput &input;
  const Strategy &strategy;
  Emission &emission;
  Refusals refusals;
  std::optional<DeviceMesh> mesh;
};

} // namespace

void emitPyTorch(const EmitInput &input, Emission &emission) {
  PyTorchWriter(input, emission).run();
}

} // namespace shardsmith::emit
