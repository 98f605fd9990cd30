// SPDX-License-Identifier: Apache-2.0
//
// Shardings for JAX: a mesh and a PartitionSpec for each parameter, for its
// states and for the batch.

#include "BlockRoles.h"
#include "Heading.h"
#include "NamedValues.h"
#include "Placement.h"
#include "Targets.h"
#include "shardsmith/Support/Json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace shardsmith::emit {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view jaxFile = "jax-shardings.json";

Json specOf(const DimensionAxes &dims) {
  Json spec = Json::array();
  for (const std::vector<std::string> &axes : dims)
    spec.push_back(axes);
  return spec;
}

Json jaxMesh(const DeviceMesh &mesh) {
  Json names = Json::array(), sizes = Json::array();
  for (const MeshAxis &axis : mesh.axes) {
    names.push_back(axis.name);
    sizes.push_back(axis.size);
  }
  return {
      {"axis_names", names}, {"axis_sizes", sizes}, {"device_ids", nullptr}};
}

/// Sequences by data ranks, positions by context ranks.
Json batchOf(const EmitInput &input, const DeviceMesh &mesh) {
  Json inputs = Json::object();
  for (const workload::Block &block : input.workload.blocks)
    for (workload::TensorIndex i = 0; i < block.tensors.size(); ++i) {
      const workload::Tensor &tensor = block.tensors[i];
      if (tensor.role != workload::TensorRole::Batch)
        continue;
      DimensionAxes dims(tensor.shape.size());
      for (unsigned dim = 0; dim < dims.size(); ++dim)
        if (hasRole(block, i, dim, workload::FactorRole::Batch))
          dims[dim] = mesh.batch;
        else if (input.strategy().context > 1 &&
                 hasRole(block, i, dim, workload::FactorRole::Sequence))
          dims[dim].emplace_back(nameOf(PlanAxis::Context));
      inputs[tensor.name] = {{"spec", specOf(dims)}};
    }
  return inputs;
}

/// Activations that blocks hand over, with the batch in front.
Json constraintsOf(const EmitInput &input, const DeviceMesh &mesh) {
  Json list = Json::array();
  const Strategy &strategy = input.strategy();
  for (size_t i = 0; i < input.workload.blocks.size(); ++i) {
    const workload::Block &block = input.workload.blocks[i];
    for (workload::TensorIndex tensor : block.outputs) {
      const TensorLayout &layout = strategy.layouts[i].tensors[tensor];
      DimensionAxes dims(block.tensors[tensor].shape.size());
      for (unsigned dim = 0; dim < dims.size(); ++dim) {
        if (hasRole(block, tensor, dim, workload::FactorRole::Batch))
          dims[dim] = mesh.batch;
        else if (strategy.context > 1 &&
                 hasRole(block, tensor, dim, workload::FactorRole::Sequence))
          dims[dim].emplace_back(nameOf(PlanAxis::Context));
        if (layout == TensorLayout::split(dim) && strategy.tensor > 1)
          dims[dim].emplace_back(nameOf(PlanAxis::Tensor));
      }
      list.push_back({{"op", block.name + ":" + block.tensors[tensor].name},
                      {"spec", specOf(dims)}});
    }
  }
  return list;
}

/// Values that the model's file names, with how they are split.
Json valuesOf(const EmitInput &input, const DeviceMesh &mesh) {
  Json list = Json::array();
  for (const NamedValue &value : input.values)
    if (auto axes = axesOf(value, input, mesh))
      list.push_back({{"source", value.source},
                      {"shape", value.shape},
                      {"spec", specOf(*axes)}});
  return list;
}

/// What of each block in the chain is computed again: runs of equal choices.
Json recomputeOf(const Strategy &strategy) {
  Json runs = Json::array();
  for (const Stage &stage : strategy.stages)
    for (Recompute choice : stage.recompute)
      if (!runs.empty() && runs.back()[0] == nameOf(choice))
        runs.back()[1] = runs.back()[1].get<int64_t>() + 1;
      else
        runs.push_back({nameOf(choice), 1});
  return runs;
}

/// The units of the chain with what each computes again and, where the model's
/// file names them, the places of its ops. What selective recomputation drops
/// is the inside of attention, or all but some products.
std::optional<Json> unitsOf(const EmitInput &input) {
  std::vector<Recompute> choices;
  for (const Stage &stage : input.strategy().stages)
    choices.insert(choices.end(), stage.recompute.begin(),
                   stage.recompute.end());
  bool recomputes = std::ranges::any_of(
      choices, [](Recompute choice) { return choice != Recompute::None; });
  if (!recomputes || input.units.empty())
    return std::nullopt;
  Json units = Json::array();
  auto choice = choices.begin();
  for (const NamedUnit &unit : input.units)
    for (int64_t i = 0; i < unit.count; ++i)
      units.push_back({{"recompute", nameOf(*choice++)},
                       {"ops", unit.ops},
                       {"attention", unit.attention}});
  return units;
}

Json headOf(const EmitInput &input, const Json &mesh) {
  return {{"format", "jax-shardings/1"},
          {"shardsmith",
           jsonOf(headingOf(input,
                            "NamedSharding(mesh, PartitionSpec(*spec)) for "
                            "each leaf of parameters, states and batch; * in a "
                            "name stands for the number of a layer"))},
          {"mesh", mesh}};
}

/// A plan that `compile` builds from has a layout for every array of its
/// program, and these are the plan.
Json shardingsOfProgram(const EmitInput &input) {
  const StepPlan &program = *input.document.program;
  Json names = Json::array(), sizes = Json::array();
  for (const FixedAxis &axis : program.mesh) {
    names.push_back(axis.name);
    sizes.push_back(axis.size);
  }
  Json inputs = Json::object(), states = Json::object();
  for (const PlannedTensor &tensor : program.arguments) {
    Json entry = {{"spec", tensor.axes}, {"shape", tensor.shape}};
    if (tensor.role == "state")
      states[tensor.name] = entry;
    else
      inputs[(tensor.role == "param" ? "params." : "") + tensor.name] = entry;
  }
  Json json = headOf(
      input,
      {{"axis_names", names}, {"axis_sizes", sizes}, {"device_ids", nullptr}});
  json["inputs"] = inputs;
  json["optimizer_states"] = states;
  json["constraints"] = Json::array();
  return json;
}

/// A parameter with its layout and that of its states.
struct Placed {
  std::string name;
  Json kept, states;
};

/// Layers of a stack are one parameter, whose first dimension is theirs.
Placed placedAs(const EmitInput &input, const std::string &name,
                const PlacedParameter &parameter) {
  std::optional<std::string> stack;
  if (!input.shapes.contains(name))
    stack = stackOf(input.shapes, name);
  std::vector<int64_t> shape = parameter.shape;
  if (stack)
    shape = input.shapes.find(*stack)->second;
  auto entry = [&](DimensionAxes dims) -> Json {
    if (stack)
      dims.insert(dims.begin(), std::vector<std::string>());
    return {{"spec", specOf(dims)}, {"shape", shape}};
  };
  return {stack.value_or(name), entry(parameter.kept), entry(parameter.states)};
}

std::optional<Json> shardingsOfStrategy(const EmitInput &input,
                                        Emission &emission) {
  Refusals refusals(emission.obstacles);
  const Strategy &strategy = input.strategy();
  std::optional<DeviceMesh> mesh = deviceMesh(strategy, refusals);
  if (!mesh)
    return std::nullopt;
  Json inputs = Json::object(), states = Json::object();
  for (const PlacedParameter &parameter :
       placeParameters(input, *mesh, jaxPlacements, emission))
    for (const std::string &name : parameter.names) {
      Placed placed = placedAs(input, name, parameter);
      inputs["params." + placed.name] = placed.kept;
      states["params." + placed.name] = placed.states;
    }
  inputs.update(batchOf(input, *mesh));
  Json json = headOf(input, jaxMesh(*mesh));
  json["inputs"] = inputs;
  json["optimizer_states"] = states;
  json["constraints"] = constraintsOf(input, *mesh);
  if (!input.values.empty())
    json["values"] = valuesOf(input, *mesh);
  return json;
}

} // namespace

void emitJax(const EmitInput &input, Emission &emission) {
  Refusals refusals(emission.obstacles);
  refusals.requireOnly(
      {Degree::Tensor, Degree::Context, Degree::Data, Degree::Expert},
      input.strategy());
  refusals.requireEvenBatch(input);
  std::optional<Json> json = input.document.program
                                 ? shardingsOfProgram(input)
                                 : shardingsOfStrategy(input, emission);
  if (!json)
    return;
  const Strategy &strategy = input.strategy();
  if (input.document.hasStrategy()) {
    (*json)["zero"] = {{"stage", strategy.zeroStage},
                       {"ranks", zeroRanks(strategy)}};
    (*json)["expert_ranks"] = strategy.expert;
  }
  (*json)["recompute"] = recomputeOf(strategy);
  if (std::optional<Json> units = unitsOf(input)) {
    (*json)["units"] = *units;
    (*json)["selective_keeps_products"] = input.profile.selectiveKeepsProducts;
  }
  (*json)["micro_batches"] = {{"count", microBatchesOf(input)},
                              {"sequences_per_data_rank", strategy.microBatch}};
  emission.files.push_back({std::string(jaxFile), jsonText(*json, 2) + "\n"});
}

} // namespace shardsmith::emit
