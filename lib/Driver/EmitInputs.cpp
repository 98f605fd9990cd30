// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/EmitInputs.h"

#include "shardsmith/Dialect/Smith/Smith.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>

namespace shardsmith {

namespace {

emit::ParameterShapes shapesOf(const LoadedModel &model) {
  emit::ParameterShapes shapes;
  auto main = mlir::ModuleOp(model.module.get())
                  .lookupSymbol<mlir::func::FuncOp>("main");
  if (!main)
    return shapes;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto name =
        main.getArgAttrOfType<mlir::StringAttr>(i, smith::kNameAttributeName);
    auto type =
        llvm::dyn_cast<mlir::RankedTensorType>(main.getArgumentTypes()[i]);
    if (name && type)
      shapes.emplace(name.str(), type.getShape().vec());
  }
  return shapes;
}

/// The names in a location that are nearest to the op, with those that they are
/// of behind them; empty if there is none.
std::string nameIn(mlir::Location location) {
  if (auto named = llvm::dyn_cast<mlir::NameLoc>(location)) {
    std::string of = nameIn(named.getChildLoc());
    return named.getName().str() + (of.empty() ? "" : "/" + of);
  }
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    std::string name = nameIn(call.getCallee());
    return name.empty() ? nameIn(call.getCaller()) : name;
  }
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location))
    for (mlir::Location each : fused.getLocations())
      if (std::string name = nameIn(each); !name.empty())
        return name;
  return "";
}

/// Adds the names in a location and in those of the calls that lead to it,
/// innermost first.
void collectNames(mlir::Location location, std::string &names) {
  if (auto named = llvm::dyn_cast<mlir::NameLoc>(location)) {
    names += (names.empty() ? "" : "/") + named.getName().str();
    collectNames(named.getChildLoc(), names);
  } else if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    collectNames(call.getCallee(), names);
    collectNames(call.getCaller(), names);
  } else if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location each : fused.getLocations())
      collectNames(each, names);
  }
}

/// Nothing if the file does not name where ops are from.
std::vector<emit::NamedUnit> unitsOf(const LoadedModel &model) {
  std::vector<emit::NamedUnit> units;
  bool isNamed = false;
  for (const workload::GraphUnit &unit : model.map.units) {
    const workload::GraphBody &body = model.map.bodies[unit.body];
    std::set<std::string> ops, attention;
    for (const workload::MappedOp &mapped : body.ops) {
      std::string names;
      collectNames(mapped.op->getLoc(), names);
      if (names.empty())
        continue;
      isNamed = true;
      if (model.workload->blocks[body.block].ops[mapped.index].attention)
        attention.insert(names);
      ops.insert(std::move(names));
    }
    units.push_back({unit.count,
                     {ops.begin(), ops.end()},
                     {attention.begin(), attention.end()}});
  }
  return isNamed ? units : std::vector<emit::NamedUnit>();
}

std::optional<emit::NamedValue>
namedValue(const workload::GraphMap &map, workload::BlockIndex block,
           const workload::MappedTensor &tensor) {
  mlir::Operation *op = tensor.value.getDefiningOp();
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(tensor.value.getType());
  if (!op || !type)
    return std::nullopt;
  emit::NamedValue named{
      block, tensor.tensor, nameIn(op->getLoc()), type.getShape().vec(), {}};
  llvm::ArrayRef<workload::ValuePart> parts = map.partsOf(tensor.value);
  if (named.source.empty() || parts.size() != tensor.dims.size())
    return std::nullopt;
  for (size_t i = 0; i < parts.size(); ++i)
    named.parts.push_back(
        {parts[i].dim, parts[i].size, parts[i].role, tensor.dims[i]});
  return named;
}

} // namespace

emit::ModelNames namesOf(const LoadedModel &model) {
  emit::ModelNames names;
  if (!model.module)
    return names;
  names.shapes = shapesOf(model);
  for (const workload::GraphBody &body : model.map.bodies)
    for (const workload::MappedTensor &tensor : body.tensors)
      if (auto value = namedValue(model.map, body.block, tensor))
        names.values.push_back(std::move(*value));
  names.units = unitsOf(model);
  return names;
}

const emit::ModelNames &noNames() {
  static const emit::ModelNames none;
  return none;
}

emit::EmitInput emitInput(const PlanDocument &document,
                          const PlanningInputs &inputs,
                          const emit::ModelNames &names) {
  emit::EmitInput input{
      document,         inputs.workload(),
      inputs.profile(), inputs.topology(),
      names.shapes,     inputs.cluster().groups.front().node.deviceCount()};
  input.values = names.values;
  input.units = names.units;
  return input;
}

} // namespace shardsmith
