// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/Execution.h"

#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/Pieces.h"
#include "shardsmith/Sharding/ShardingAttributes.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace mlir;

namespace shardsmith::inline interpreter {
namespace {

/// One argument or result of a function, as the whole tensor it stands for.
struct Port {
  RankedTensorType localType;
  Shape globalShape;
  Layout layout;
};

Shape globalShapeOf(Attribute attribute, Type localType) {
  if (auto shape = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    return Shape(shape.asArrayRef());
  if (auto tensor = dyn_cast<RankedTensorType>(localType))
    return Shape(tensor.getShape());
  return {};
}

FailureOr<Port> readPort(func::FuncOp function, const Twine &what, Type type,
                         Attribute globalShape,
                         sdy::TensorShardingAttr sharding,
                         const NamedMesh &mesh) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return function.emitOpError() << what << " is not a ranked tensor";
  Port port{tensor, globalShapeOf(globalShape, type), {}};
  FailureOr<Layout> layout =
      toLayout(sharding, port.globalShape.size(), mesh, function);
  if (failed(layout))
    return failure();
  port.layout = *layout;
  const auto expected = getLocalShape(mesh.mesh, port.globalShape, *layout);
  if (tensor.getShape() != ArrayRef<int64_t>(expected)) {
    InFlightDiagnostic error = function.emitOpError()
                               << what << " is " << type
                               << ", but its sharding gives pieces of [";
    interleaveComma(expected, error);
    return error << "]";
  }
  return port;
}

struct Ports {
  SmallVector<Port> arguments, results;
};

FailureOr<Ports> readPorts(func::FuncOp function, const NamedMesh &mesh) {
  Ports ports;
  for (BlockArgument argument : function.getArguments()) {
    const unsigned index = argument.getArgNumber();
    FailureOr<Port> port =
        readPort(function, "argument " + Twine(index), argument.getType(),
                 function.getArgAttr(index, smith::kGlobalShapeAttributeName),
                 sdy::getSharding(argument), mesh);
    if (failed(port))
      return failure();
    ports.arguments.push_back(*port);
  }
  for (auto [index, type] : enumerate(function.getResultTypes())) {
    FailureOr<Port> port = readPort(
        function, "result " + Twine(index), type,
        function.getResultAttr(index, smith::kGlobalShapeAttributeName),
        sdy::getResultSharding(function, index), mesh);
    if (failed(port))
      return failure();
    ports.results.push_back(*port);
  }
  return ports;
}

/// `Completed` if the tensors are what the function takes.
Outcome checkArguments(func::FuncOp function, ArrayRef<Tensor> given) {
  FailureOr<SmallVector<StaticType>> types = wholeArgumentTypes(function);
  if (failed(types))
    return Outcome::Unsupported;
  if (types->size() != given.size()) {
    function.emitOpError() << "takes " << types->size() << " arguments, "
                           << given.size() << " are given";
    return Outcome::Failed;
  }
  for (auto [index, type, tensor] : enumerate(*types, given)) {
    if (type.element == tensor.type() &&
        ArrayRef<int64_t>(type.shape) == tensor.shape())
      continue;
    function.emitOpError() << "takes tensor<"
                           << describeType(type.element, type.shape)
                           << "> as argument " << index << ", tensor<"
                           << describeType(tensor.type(), tensor.shape())
                           << "> is given";
    return Outcome::Failed;
  }
  return Outcome::Completed;
}

bool hasResults(Outcome outcome) {
  return outcome == Outcome::Completed || outcome == Outcome::CheckFailed;
}

} // namespace

FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name) {
  if (auto function = module.lookupSymbol<func::FuncOp>(name))
    return function;
  return module.emitError() << "has no function @" << name;
}

bool isLocalProgram(func::FuncOp function) {
  const StringRef name = smith::kGlobalShapeAttributeName;
  return any_of(seq<unsigned>(0, function.getNumArguments()),
                [&](unsigned index) {
                  return function.getArgAttr(index, name) != nullptr;
                }) ||
         any_of(seq<unsigned>(0, function.getNumResults()),
                [&](unsigned index) {
                  return function.getResultAttr(index, name) != nullptr;
                });
}

FailureOr<SmallVector<StaticType>> wholeArgumentTypes(func::FuncOp function) {
  SmallVector<StaticType> types;
  for (auto [index, type] : enumerate(function.getArgumentTypes())) {
    std::optional<StaticType> known = staticTypeOf(type);
    if (!known)
      return function.emitOpError() << "cannot be interpreted: argument "
                                    << index << ": " << whyUnsupported(type);
    known->shape = globalShapeOf(
        function.getArgAttr(index, smith::kGlobalShapeAttributeName), type);
    types.push_back(*known);
  }
  return types;
}

namespace {

Execution runOnOneDevice(func::FuncOp function, Tensors arguments,
                         RoundingNoise *noise) {
  Execution execution;
  execution.outcome = checkArguments(function, arguments);
  if (execution.outcome != Outcome::Completed)
    return execution;
  Machine machine(function->getParentOfType<ModuleOp>(), 1,
                  EvaluatorRegistry::standard());
  if (noise)
    machine.addNoise(*noise);
  DeviceTensors results, all(1);
  all.front() = std::move(arguments);
  execution.outcome = machine.run(function, std::move(all), results);
  execution.checks = machine.getCheckCount();
  execution.failedChecks = machine.getFailedCheckCount();
  if (hasResults(execution.outcome))
    execution.results = std::move(results.front());
  return execution;
}

} // namespace

Execution runWhole(func::FuncOp function, Tensors arguments) {
  return runOnOneDevice(function, std::move(arguments), nullptr);
}

Execution runShaken(func::FuncOp function, Tensors arguments,
                    RoundingNoise &noise) {
  return runOnOneDevice(function, std::move(arguments), &noise);
}

Execution runPartitioned(func::FuncOp function, Tensors arguments,
                         const Tolerance &copies) {
  auto module = function->getParentOfType<ModuleOp>();
  Execution execution;
  execution.outcome = checkArguments(function, arguments);
  if (execution.outcome != Outcome::Completed)
    return execution;
  execution.outcome = Outcome::Failed;
  FailureOr<NamedMesh> mesh = getMesh(module);
  if (failed(mesh))
    return execution;
  FailureOr<Ports> ports = readPorts(function, *mesh);
  if (failed(ports))
    return execution;

  const int64_t deviceCount = mesh->mesh.getDeviceCount();
  DeviceTensors pieces(deviceCount), results;
  for (auto [port, argument] : zip_equal(ports->arguments, arguments)) {
    for (auto [device, piece] :
         enumerate(splitByLayout(argument, port.layout, mesh->mesh)))
      pieces[device].push_back(piece);
    argument = Tensor();
  }
  Machine machine(module, deviceCount, EvaluatorRegistry::standard());
  execution.outcome = machine.run(function, std::move(pieces), results);
  execution.checks = machine.getCheckCount();
  execution.failedChecks = machine.getFailedCheckCount();
  if (!hasResults(execution.outcome))
    return execution;

  for (auto [index, port] : enumerate(ports->results)) {
    SmallVector<Tensor> parts;
    for (Tensors &device : results)
      parts.push_back(std::move(device[index]));
    Assembled assembled =
        assemble(parts, port.globalShape, port.layout, mesh->mesh, copies);
    if (!assembled.divergence.empty()) {
      function.emitOpError()
          << "result " << index << ": " << assembled.divergence;
      execution.outcome = Outcome::CheckFailed;
    }
    execution.results.push_back(assembled.tensor);
  }
  return execution;
}

Execution run(func::FuncOp function, Tensors arguments,
              const Tolerance &copies) {
  return isLocalProgram(function)
             ? runPartitioned(function, std::move(arguments), copies)
             : runWhole(function, std::move(arguments));
}

} // namespace shardsmith::inline interpreter
