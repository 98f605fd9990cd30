// SPDX-License-Identifier: Apache-2.0

#include "LayoutRules.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>

using namespace mlir;

namespace shardsmith::plan {
namespace {

class PinCollector {
public:
  explicit PinCollector(const StepGraph &graph) : graph(graph) {
    pins.arguments.resize(graph.argumentCount());
    pins.values.resize(graph.values.size());
    pins.results.resize(graph.results.size());
    pins.axes.resize(graph.nodes.size());
    pins.handedOut.resize(graph.values.size());
  }

  FailureOr<Pins> run() {
    func::FuncOp function = graph.function;
    for (unsigned index = 0; index < graph.argumentCount(); ++index)
      if (failed(add(function.getArgAttrOfType<sdy::TensorShardingAttr>(
                         index, sdy::kShardingAttributeName),
                     rankOf(graph.nodes[index].results[0]), function,
                     pins.arguments[index])))
        return failure();
    for (unsigned index = 0; index < graph.results.size(); ++index)
      if (failed(add(sdy::getResultSharding(function, index),
                     rankOf(graph.results[index]), function,
                     pins.results[index])))
        return failure();
    for (unsigned node = graph.argumentCount(); node < graph.nodes.size();
         ++node)
      if (failed(addOp(node)))
        return failure();
    if (failed(joinReplacedArguments()))
      return failure();
    return std::move(pins);
  }

private:
  unsigned rankOf(unsigned value) const {
    return graph.values[value].type.getRank();
  }

  sdy::TensorShardingAttr shardingOf(unsigned value) const {
    const StepValue &entry = graph.values[value];
    return sdy::getSharding(
        graph.nodes[entry.node].op->getResult(entry.result));
  }

  /// Where the axes of an op's factors are decided, they say how it computes
  /// its results, and shardings how these are handed out; else shardings say
  /// both.
  LogicalResult addOp(unsigned node) {
    Operation *op = graph.nodes[node].op;
    for (unsigned value : graph.nodes[node].results)
      if (failed(add(shardingOf(value), rankOf(value), op, pins.values[value])))
        return failure();
    auto axes = op->getAttrOfType<smith::FactorAxesAttr>(
        smith::kFactorAxesAttributeName);
    if (!axes || !pins.mesh)
      return success();
    FailureOr<FactorAxes> read = toFactorAxes(axes, pins.mesh->mesh, op);
    if (failed(read))
      return failure();
    std::string error =
        verifyFactorAxes(pins.mesh->mesh, *graph.nodes[node].rule, *read);
    if (!error.empty())
      return op->emitError("cannot have the axes it is given: ") << error;
    pins.axes[node] = std::move(*read);
    for (unsigned value : graph.nodes[node].results)
      if (std::optional<Pin> pin = std::exchange(pins.values[value], {}))
        pins.handedOut[value] = std::move(pin->layout);
    return success();
  }

  LogicalResult add(sdy::TensorShardingAttr attribute, unsigned rank,
                    Operation *op, std::optional<Pin> &target) {
    if (!attribute)
      return success();
    sdy::MeshAttr mesh = attribute.getMesh(op);
    if (!mesh)
      return op->emitError("has a sharding whose mesh does not exist");
    if (!pins.mesh)
      pins.mesh = NamedMesh{toMesh(mesh), attribute.getMeshName().str()};
    FailureOr<Layout> layout = toLayout(attribute, rank, *pins.mesh, op);
    if (failed(layout))
      return failure();
    Pin pin;
    pin.layout = *layout;
    for (sdy::DimensionShardingAttr dim : attribute.getDimShardings())
      pin.isOpen.push_back(!dim.getIsClosed());
    for (sdy::AxisRefAttr ref : attribute.getReplicatedAxes())
      if (std::optional<MeshAxis> axis = pins.mesh->mesh.find(ref.getName()))
        pin.unused.push_back(*axis);
    target = std::move(pin);
    return success();
  }

  /// A parameter and its new value have one layout.
  LogicalResult joinReplacedArguments() {
    for (unsigned result = 0; result < graph.results.size(); ++result) {
      int64_t argument = graph.replaced[result];
      if (argument < 0 || !pins.results[result])
        continue;
      std::optional<Pin> &other = pins.arguments[argument];
      if (!other) {
        other = pins.results[result];
        continue;
      }
      if (!other->accepts(pins.results[result]->layout) &&
          !pins.results[result]->accepts(other->layout)) {
        func::FuncOp function = graph.function;
        return function.emitError()
               << "argument \"" << graph.arguments[argument].name
               << "\" is pinned to " << other->layout.str(pins.mesh->mesh)
               << " but its new value, result " << result << ", to "
               << pins.results[result]->layout.str(pins.mesh->mesh)
               << "; give both the same sharding";
      }
    }
    return success();
  }

  const StepGraph &graph;
  Pins pins;
};

} // namespace

bool Pin::accepts(const Layout &candidate) const {
  if (candidate.partial != layout.partial)
    return false;
  for (MeshAxis axis : unused)
    if (candidate.uses(axis))
      return false;
  for (auto [dim, wanted] : llvm::enumerate(layout.dims)) {
    ArrayRef<MeshAxis> found = candidate.dims[dim];
    bool startsAsWanted =
        found.size() >= wanted.size() &&
        found.take_front(wanted.size()) == ArrayRef<MeshAxis>(wanted);
    if (!startsAsWanted || (!isOpen[dim] && found.size() != wanted.size()))
      return false;
  }
  return true;
}

static void dropFrom(MeshAxis end, AxisList &list) {
  llvm::erase_if(list, [&](MeshAxis axis) { return axis >= end; });
}

Layout before(Layout layout, MeshAxis end) {
  for (AxisList &dim : layout.dims)
    dropFrom(end, dim);
  dropFrom(end, layout.partial);
  return layout;
}

FactorAxes before(FactorAxes axes, MeshAxis end) {
  for (AxisList &factor : axes.factors)
    dropFrom(end, factor);
  dropFrom(end, axes.partial);
  return axes;
}

Pins Pins::before(MeshAxis end) const {
  Pins first = *this;
  for (auto *pins : {&first.arguments, &first.values, &first.results})
    for (std::optional<Pin> &pin : *pins)
      if (pin) {
        for (const AxisList &dim : pin->layout.dims)
          llvm::copy_if(dim, std::back_inserter(pin->later.emplace_back()),
                        [&](MeshAxis axis) { return axis >= end; });
        pin->layout = plan::before(std::move(pin->layout), end);
        dropFrom(end, pin->unused);
      }
  for (std::optional<FactorAxes> &each : first.axes)
    if (each)
      each = plan::before(std::move(*each), end);
  for (std::optional<Layout> &each : first.handedOut)
    if (each)
      each = plan::before(std::move(*each), end);
  return first;
}

FailureOr<Pins> findPins(const StepGraph &graph) {
  return PinCollector(graph).run();
}

/// Whether batch arguments are split over such an axis.
static bool isDataAxis(AxisRole role) {
  return role == AxisRole::Data || role == AxisRole::FullySharded ||
         role == AxisRole::ShardedStates;
}

bool AxisRules::accepts(const StepArgument &argument, ArrayRef<int64_t> shape,
                        const Layout &layout) const {
  bool isBatch = argument.role == "batch";
  bool isTrained = argument.role == "param" || argument.role == "state";
  for (auto [axis, role] : llvm::enumerate(roles)) {
    // An axis of one device splits nothing, whatever it is asked to.
    if (mesh.getSize(axis) == 1)
      continue;
    bool splitsBatch = isBatch && argument.batchDim >= 0 &&
                       argument.batchDim < int64_t(layout.dims.size()) &&
                       llvm::is_contained(layout.dims[argument.batchDim], axis);
    bool countsSamples = isBatch && argument.batchDim >= 0;
    if (role == AxisRole::Tensor && isBatch && layout.uses(axis))
      return false;
    bool isWhole =
        (role == AxisRole::Data && isTrained) ||
        (role == AxisRole::ShardedStates && argument.role == "param");
    if (isWhole && layout.uses(axis))
      return false;
    if (isDataAxis(role) && countsSamples && !splitsBatch)
      return false;
  }
  // The data pipeline hands out equal parts.
  if (!isBatch)
    return true;
  for (auto [size, axes] : llvm::zip_equal(shape, layout.dims))
    if (size % mesh.countShards(axes) != 0)
      return false;
  return true;
}

std::vector<Layout> AxisRules::filter(const StepArgument &argument,
                                      ArrayRef<int64_t> shape,
                                      std::vector<Layout> layouts) const {
  llvm::erase_if(layouts, [&](const Layout &layout) {
    return !accepts(argument, shape, layout);
  });
  if (argument.role != "param" && argument.role != "state")
    return layouts;
  for (auto [axis, role] : llvm::enumerate(roles)) {
    bool isSplit =
        role == AxisRole::FullySharded ||
        (role == AxisRole::ShardedStates && argument.role == "state");
    if (!isSplit)
      continue;
    std::vector<Layout> split;
    for (const Layout &layout : layouts)
      if (layout.uses(axis))
        split.push_back(layout);
    if (!split.empty())
      layouts = std::move(split);
  }
  return layouts;
}

std::vector<Strategy>
AxisRules::splitSums(std::vector<Strategy> strategies) const {
  for (auto [number, role] : llvm::enumerate(roles)) {
    MeshAxis axis = number;
    auto isSplit = [&](const Strategy &strategy) {
      return llvm::any_of(strategy.axes.factors, [&](const AxisList &list) {
        return llvm::is_contained(list, axis);
      });
    };
    if (role == AxisRole::ShardedStates && llvm::any_of(strategies, isSplit))
      llvm::erase_if(strategies, std::not_fn(isSplit));
  }
  return strategies;
}

std::vector<Strategy>
AxisRules::lateSums(std::vector<Strategy> strategies) const {
  if (llvm::is_contained(roles, AxisRole::FullySharded))
    return strategies;
  for (auto [number, role] : llvm::enumerate(roles)) {
    MeshAxis axis = number;
    auto isLate = [&](const Strategy &strategy) {
      return llvm::is_contained(strategy.axes.partial, axis);
    };
    if (isDataAxis(role) && llvm::any_of(strategies, isLate))
      llvm::erase_if(strategies, std::not_fn(isLate));
  }
  return strategies;
}

llvm::Error checkBatchDivides(const StepGraph &graph, const Pins &pins,
                              ArrayRef<FixedAxis> axes) {
  int64_t shards = 1;
  std::string names;
  for (const FixedAxis &axis : axes) {
    if (!isDataAxis(roleOfAxis(axis.name)))
      continue;
    shards *= axis.size;
    names += (names.empty() ? "" : ",") + axis.name + "=" +
             std::to_string(axis.size);
  }
  if (shards == 1)
    return llvm::Error::success();
  for (auto [index, argument] : llvm::enumerate(graph.arguments)) {
    if (argument.role != "batch" || argument.batchDim < 0 ||
        pins.arguments[index])
      continue;
    RankedTensorType type = graph.values[graph.nodes[index].results[0]].type;
    if (argument.batchDim >= type.getRank())
      continue;
    int64_t size = type.getDimSize(argument.batchDim);
    if (size % shards == 0)
      continue;
    int64_t below = shards, above = ceilDivide(size, shards) * shards;
    while (size % below != 0)
      --below;
    return makeError(
        ExitCode::BadInput,
        "batch argument \"" + argument.name + "\" has " + std::to_string(size) +
            " samples (dimension " + std::to_string(argument.batchDim) +
            "), which " + names + " does not divide; use a batch of " +
            std::to_string(above) + " samples, or split the batch " +
            std::to_string(below) + " ways");
  }
  return llvm::Error::success();
}

} // namespace shardsmith::plan
