// SPDX-License-Identifier: Apache-2.0

#include "Placement.h"

#include "shardsmith/Cost/Step/StepModel.h"
#include "shardsmith/PlanFiles/PlanReport.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith::emit {

using namespace workload;

std::optional<std::vector<FileDimension>>
fileDimensions(const std::vector<int64_t> &workload,
               const std::vector<int64_t> &file) {
  std::vector<FileDimension> found;
  size_t next = 0;
  for (unsigned dim = 0; dim < file.size(); ++dim) {
    int64_t parts = 1;
    while (parts < file[dim] && next < workload.size()) {
      found.push_back({dim, parts});
      parts *= workload[next++];
    }
    if (parts != file[dim])
      return std::nullopt;
  }
  // What is left are dimensions of one element.
  for (; next < workload.size(); ++next) {
    if (workload[next] != 1 || file.empty())
      return std::nullopt;
    found.push_back({unsigned(file.size() - 1), file.back()});
  }
  return found;
}

std::optional<std::string> stackOf(const ParameterShapes &shapes,
                                   std::string_view name) {
  size_t bracket = name.rfind('[');
  if (bracket == std::string_view::npos || !name.ends_with(']'))
    return std::nullopt;
  auto stack = shapes.find(name.substr(0, bracket));
  if (stack == shapes.end() || stack->second.empty())
    return std::nullopt;
  return stack->first;
}

namespace {

/// A parameter of a block with what the file says of it.
struct Held {
  BlockIndex block = 0;
  size_t position = 0;
  TensorIndex tensor = 0;
  /// Of the first repetition; others are alike.
  std::string name;
};

/// Of a parameter that is a layer of a stack, without the dimension of layers.
std::optional<std::vector<int64_t>> shapeOf(const ParameterShapes &shapes,
                                            const std::string &name) {
  if (auto own = shapes.find(name); own != shapes.end())
    return own->second;
  std::optional<std::string> stack = stackOf(shapes, name);
  if (!stack)
    return std::nullopt;
  const std::vector<int64_t> &all = shapes.find(*stack)->second;
  return std::vector(all.begin() + 1, all.end());
}

std::vector<Held> parametersOf(const Workload &workload) {
  std::vector<Held> all;
  std::vector<bool> done(workload.blocks.size());
  for (const Segment &segment : workload.segments) {
    if (done[segment.block])
      continue;
    done[segment.block] = true;
    const Block &block = workload.blocks[segment.block];
    for (size_t i = 0; i < block.parameters.size(); ++i)
      all.push_back({segment.block, i, block.parameters[i],
                     segment.parameterNames.name(0, i)});
  }
  return all;
}

class Placer {
public:
  Placer(const EmitInput &input, const PlacementRules &rules)
      : input(input), strategy(input.strategy()), rules(rules) {}

  const TensorLayout &layoutOf(const Held &held) const {
    return strategy.layouts[held.block].tensors[held.tensor];
  }

  /// Why the split over the tensor axis cannot be said; empty if it can.
  std::string whyNotSplit(const Held &held) const {
    const TensorLayout &layout = layoutOf(held);
    if (layout.kind != TensorLayout::Kind::Split)
      return "";
    auto shape = shapeOf(input.shapes, held.name);
    if (!shape)
      return "";
    auto dims = fileDimensions(tensorOf(held).shape, *shape);
    if (!dims)
      return "";
    FileDimension dim = (*dims)[layout.dim];
    if (dim.partsBefore > 1)
      return fmt::format("{} parts of dimension {}, of each of them a part",
                         dim.partsBefore, dim.dim);
    if (rules.onlyEven && (*shape)[dim.dim] % strategy.tensor)
      return fmt::format("dimension {} of {} elements in {} parts", dim.dim,
                         (*shape)[dim.dim], strategy.tensor);
    return "";
  }

  const Tensor &tensorOf(const Held &held) const {
    return input.workload.blocks[held.block].tensors[held.tensor];
  }

private:
  const EmitInput &input;
  const Strategy &strategy;
  const PlacementRules &rules;
};

/// The dimensions of a parameter while axes are added to them.
class SplitDimensions {
public:
  SplitDimensions(const std::vector<int64_t> &shape, const DeviceMesh &mesh,
                  const PlacementRules &rules, DimensionAxes &dims)
      : shape(shape), mesh(mesh), rules(rules), dims(dims) {}

  /// Adds the axes to one dimension together, or else each where it can be;
  /// returns those that no dimension takes.
  std::vector<std::string> add(const std::vector<std::string> &axes) {
    if (addToOne(axes))
      return {};
    std::vector<std::string> left;
    for (const std::string &axis : axes)
      if (!addToOne({axis}))
        left.push_back(axis);
    return left;
  }

private:
  /// To the one with most elements on each rank of those that can take them;
  /// false if there is none.
  bool addToOne(const std::vector<std::string> &axes) {
    int64_t parts = mesh.sizeOf(axes);
    if (parts == 1)
      return true;
    std::optional<size_t> best;
    int64_t most = 0;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (rules.oneAxisEach && dims[i].size() + axes.size() > 1)
        continue;
      int64_t local = shape[i] / mesh.sizeOf(dims[i]);
      bool divides = shape[i] % (mesh.sizeOf(dims[i]) * parts) == 0;
      if ((divides || !rules.onlyEven) && local > most) {
        best = i;
        most = local;
      }
    }
    if (!best)
      return false;
    dims[*best].insert(dims[*best].end(), axes.begin(), axes.end());
    return true;
  }

  const std::vector<int64_t> &shape;
  const DeviceMesh &mesh;
  const PlacementRules &rules;
  DimensionAxes &dims;
};

int64_t repetitionsOf(const Workload &workload, BlockIndex block) {
  int64_t count = 0;
  for (const Segment &segment : workload.segments)
    if (segment.block == block)
      count += segment.count;
  return count;
}

/// Parameters of which ranks keep more than their share under ZeRO, and the
/// bytes that a rank needs for that beyond the plan.
struct WholeParameters {
  std::vector<std::string> names;
  Bytes more;
};

WholeParameters wholeParameters(const EmitInput &input, const DeviceMesh &mesh,
                                const std::vector<PlacedParameter> &placed) {
  WholeParameters whole;
  const CostContext context{input.workload, input.topology, input.profile};
  double bytes = StepModel::splitBytes(context, input.strategy().zeroStage);
  for (const PlacedParameter &parameter : placed) {
    if (parameter.copies.empty())
      continue;
    whole.names.push_back(parameter.names.front());
    int64_t parts = 1;
    for (const std::vector<std::string> &axes : parameter.states)
      parts *= mesh.sizeOf(axes);
    int64_t kept = repetitionsOf(input.workload, parameter.use.block);
    for (int64_t size : parameter.shape)
      kept *= size;
    kept /= parts;
    int64_t planned = kept / mesh.sizeOf(parameter.copies);
    whole.more += Bytes(int64_t(double(kept - planned) * bytes));
  }
  return whole;
}

/// Where there are some, as a change or as an obstacle.
void nameWhole(const WholeParameters &whole, const EmitInput &input,
               Emission &emission) {
  if (whole.names.empty())
    return;
  const Strategy &strategy = input.strategy();
  std::string decision =
      fmt::format("zero={} of {}", strategy.zeroStage, whole.names.front());
  if (whole.names.size() > 1)
    decision += fmt::format(" and {} more", whole.names.size() - 1);
  std::string more = describeBytes(whole.more);
  const StepEstimate &estimate = input.document.estimate;
  const StageEstimate &fullest = estimate.ranks[estimate.fullestRank];
  bool isLittle = whole.more * 100 <= fullest.memoryLimit;
  if (isLittle && fullest.memory.total() + whole.more <= fullest.memoryLimit)
    emission.changes.push_back(
        {decision,
         fmt::format("whole where ranks do not divide it, {} more on each",
                     more)});
  else
    emission.obstacles.push_back(
        {fmt::format("{}, whose dimensions the {} ranks do not divide: {} more "
                     "on each than planned",
                     decision, zeroRanks(strategy), more),
         isLittle ? "a larger --margin" : "zero=0"});
}

} // namespace

Strategy withWholeParameters(const EmitInput &input,
                             const PlacementRules &rules) {
  Strategy strategy = input.strategy();
  Placer placer(input, rules);
  std::map<std::string, Held> first;
  for (const Held &held : parametersOf(input.workload)) {
    auto hold = [&](const Held &one) {
      strategy.layouts[one.block].tensors[one.tensor] = TensorLayout::whole();
    };
    if (!placer.whyNotSplit(held).empty())
      hold(held);
    auto [other, isNew] = first.emplace(held.name, held);
    if (!isNew && placer.layoutOf(other->second) != placer.layoutOf(held)) {
      hold(other->second);
      hold(held);
    }
  }
  return strategy;
}

ParameterSplits sayableSplits(const Workload &workload,
                              const ParameterShapes &shapes,
                              const PlacementRules &rules) {
  ParameterSplits splits;
  for (const Block &block : workload.blocks)
    splits.emplace_back(block.tensors.size());
  for (const Held &held : parametersOf(workload)) {
    auto shape = shapeOf(shapes, held.name);
    if (!shape)
      continue;
    const Block &block = workload.blocks[held.block];
    auto dims = fileDimensions(block.tensors[held.tensor].shape, *shape);
    if (!dims)
      continue;
    for (FileDimension dim : *dims) {
      int64_t ranks = rules.onlyEven ? (*shape)[dim.dim] : 0;
      splits[held.block][held.tensor].push_back(dim.partsBefore > 1 ? 1
                                                                    : ranks);
    }
  }
  return splits;
}

std::vector<PlacedParameter> placeParameters(const EmitInput &input,
                                             const DeviceMesh &mesh,
                                             const PlacementRules &rules,
                                             Emission &emission) {
  Refusals refusals(emission.obstacles);
  const Strategy &strategy = input.strategy();
  Placer placer(input, rules);
  std::vector<PlacedParameter> placed;
  std::map<std::string, bool> seen;
  for (const Held &held : parametersOf(input.workload)) {
    if (!seen.emplace(held.name, true).second)
      continue;
    auto shape = shapeOf(input.shapes, held.name);
    const std::vector<int64_t> &fine = placer.tensorOf(held).shape;
    auto dims = shape ? fileDimensions(fine, *shape) : std::nullopt;
    if (!dims) {
      refusals.add(fmt::format("the layout of {}, whose shape in a file of the "
                               "model is not known",
                               held.name),
                   "a plan of the model itself, not of its workload");
      return placed;
    }
    if (placer.whyNotSplit(held).empty() == false)
      continue; // `withWholeParameters` names it.
    PlacedParameter parameter;
    parameter.names =
        input.document.layouts[held.block].parameters[held.position].names;
    parameter.shape = *shape;
    parameter.use = {held.block, held.tensor};
    parameter.used.resize(parameter.shape.size());
    std::vector<std::string> zero = mesh.zero;
    const Block &block = input.workload.blocks[held.block];
    const TensorLayout &layout = placer.layoutOf(held);
    for (unsigned dim = 0; dim < fine.size(); ++dim) {
      std::vector<std::string> &axes = parameter.used[(*dims)[dim].dim];
      if (block.runsOverExperts(held.tensor, dim)) {
        axes.insert(axes.end(), mesh.expert.begin(), mesh.expert.end());
        std::erase_if(zero, [&](const std::string &axis) {
          return std::ranges::find(mesh.expert, axis) != mesh.expert.end();
        });
      }
      if (layout == TensorLayout::split(dim) && strategy.tensor > 1)
        axes.emplace_back(nameOf(PlanAxis::Tensor));
    }
    DimensionAxes split = parameter.used;
    parameter.copies =
        SplitDimensions(parameter.shape, mesh, rules, split).add(zero);
    if (!parameter.copies.empty() && !rules.leavesWhole)
      refusals.add(fmt::format("zero={} of {}, which has no dimension that {} "
                               "ranks divide",
                               strategy.zeroStage, held.name,
                               mesh.sizeOf(zero)),
                   "zero=0");
    parameter.kept = strategy.zeroStage == 3 ? split : parameter.used;
    parameter.states = strategy.zeroStage > 0 ? split : parameter.used;
    placed.push_back(std::move(parameter));
  }
  if (rules.leavesWhole)
    nameWhole(wholeParameters(input, mesh, placed), input, emission);
  return placed;
}

} // namespace shardsmith::emit
