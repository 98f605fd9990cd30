// SPDX-License-Identifier: Apache-2.0

#include "ForwardGraph.h"

#include "Activity.h"

using namespace mlir;

namespace shardsmith {
namespace {

LogicalResult checkParameter(ForwardGraph &graph, BlockArgument argument) {
  StringRef name = graph.nameOf(argument);
  if (name.empty())
    return emitError(argument.getLoc())
           << "parameter argument " << argument.getArgNumber()
           << " has no name: expected a string attribute " << kNameAttribute;
  if (!isFloatTensor(argument))
    return emitError(argument.getLoc())
           << "parameter \"" << name << "\" has type " << argument.getType()
           << ": only float tensors can be trained; give it the role "
              "\"constant\"";
  return success();
}

LogicalResult readArguments(ForwardGraph &graph) {
  for (BlockArgument argument : graph.function.getArguments()) {
    auto role = graph.function.getArgAttrOfType<StringAttr>(
        argument.getArgNumber(), kRoleAttribute);
    if (!role)
      return emitError(argument.getLoc())
             << "argument " << argument.getArgNumber() << " of @main has no "
             << kRoleAttribute
             << ": expected \"param\", \"state\", \"batch\" or \"constant\"";
    if (role == "param")
      graph.parameters.push_back(argument);
    else if (role == "state")
      graph.states.push_back(argument);
    else if (role == "batch" || role == "constant")
      graph.others.push_back(argument);
    else
      return emitError(argument.getLoc())
             << "argument " << argument.getArgNumber() << " has the role "
             << role
             << ": expected \"param\", \"state\", \"batch\" or \"constant\"";
  }
  if (graph.parameters.empty())
    return graph.function.emitError(
        "@main has no parameters to train: mark arguments with smith.role = "
        "\"param\"");
  for (BlockArgument parameter : graph.parameters)
    if (failed(checkParameter(graph, parameter)))
      return failure();
  return success();
}

LogicalResult readLoss(ForwardGraph &graph) {
  func::FuncOp function = graph.function;
  SmallVector<unsigned> losses;
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    if (roleOfResult(function, index) == "loss")
      losses.push_back(index);
  if (losses.size() != 1)
    return function.emitError("@main has ")
           << losses.size()
           << " results with smith.role = \"loss\": expected one";
  graph.lossIndex = losses.front();
  auto type = dyn_cast<RankedTensorType>(graph.loss().getType());
  bool isScalarFloat =
      type && type.getRank() == 0 && isa<FloatType>(type.getElementType());
  if (!isScalarFloat)
    return function.emitError("the loss has type ")
           << graph.loss().getType()
           << ": expected a scalar float such as tensor<f32>; reduce it by a "
              "sum or a mean";
  return success();
}

} // namespace

StringRef ForwardGraph::nameOf(BlockArgument argument) {
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    kNameAttribute);
  return name ? name.getValue() : StringRef();
}

func::FuncOp findMain(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function || function.isExternal()) {
    module.emitError("expected a function @main with a body");
    return nullptr;
  }
  if (!function.getBody().hasOneBlock()) {
    function.emitError("@main has several blocks: expected straight-line code");
    return nullptr;
  }
  return function;
}

StringRef roleOfResult(func::FuncOp function, unsigned index) {
  auto role = function.getResultAttrOfType<StringAttr>(index, kRoleAttribute);
  return role ? role.getValue() : StringRef();
}

FailureOr<ForwardGraph> readForwardGraph(ModuleOp module) {
  ForwardGraph graph;
  graph.function = findMain(module);
  if (!graph.function)
    return failure();
  if (failed(readArguments(graph)) || failed(readLoss(graph)))
    return failure();
  return graph;
}

} // namespace shardsmith
