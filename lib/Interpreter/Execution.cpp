// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/Execution.h"

#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/Pieces.h"
#include "shardsmith/Sharding/ShardingAttributes.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

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
  for (auto [index, type] : enumerate(function.getArgumentTypes())) {
    FailureOr<Port> port =
        readPort(function, "argument " + Twine(index), type,
                 function.getArgAttr(index, smith::kGlobalShapeAttributeName),
                 function.getArgAttrOfType<sdy::TensorShardingAttr>(
                     index, sdy::kShardingAttributeName),
                 mesh);
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

bool hasResults(Outcome outcome) {
  return outcome == Outcome::Completed || outcome == Outcome::CheckFailed;
}

/// The programs of ranks by their coordinate, of a module that has been cut
/// into stages.
SmallVector<func::FuncOp> rankPrograms(ModuleOp module) {
  std::map<int64_t, func::FuncOp> byCoordinate;
  for (auto function : module.getOps<func::FuncOp>())
    if (auto coordinate = function->getAttrOfType<IntegerAttr>(
            smith::kCoordinateAttributeName))
      byCoordinate[coordinate.getInt()] = function;
  return to_vector(make_second_range(byCoordinate));
}

/// The number in `@main` of an argument or result of a rank's program.
int64_t positionIn(DictionaryAttr attributes) {
  return attributes.getAs<IntegerAttr>(smith::kPositionAttributeName).getInt();
}

/// Runs the programs of ranks as one: a rank gets the arguments that it takes,
/// and has the results of others, where it has none of its own, from the first
/// rank that does.
Outcome runRankPrograms(Machine &machine, func::FuncOp main, const Mesh &mesh,
                        const DeviceTensors &pieces, DeviceTensors &results) {
  SmallVector<func::FuncOp> programs =
      rankPrograms(main->getParentOfType<ModuleOp>());
  std::optional<MeshAxis> pipeline = mesh.find(smith::kPipelineAxisName);
  if (!pipeline || int64_t(programs.size()) != mesh.getSize(*pipeline)) {
    main.emitOpError("has no body and no program of each rank to interpret");
    return Outcome::Failed;
  }
  DeviceTensors own(pieces.size()), returned;
  for (auto [device, all] : enumerate(pieces)) {
    func::FuncOp program = programs[mesh.getCoordinate(device, *pipeline)];
    for (unsigned index = 0; index < program.getNumArguments(); ++index)
      own[device].push_back(all[positionIn(program.getArgAttrDict(index))]);
  }
  Outcome outcome = machine.runRanks(programs, mesh, own, returned);
  if (!hasResults(outcome))
    return outcome;
  results.assign(pieces.size(), Tensors(main.getNumResults()));
  int64_t stride = 1;
  for (MeshAxis axis = *pipeline + 1; axis < mesh.getAxisCount(); ++axis)
    stride *= mesh.getSize(axis);
  for (auto [device, tensors] : enumerate(returned)) {
    int64_t coordinate = mesh.getCoordinate(device, *pipeline);
    func::FuncOp program = programs[coordinate];
    for (auto [index, tensor] : enumerate(tensors)) {
      int64_t position = positionIn(program.getResultAttrDict(index));
      results[device][position] = tensor;
      for (int64_t other = 0; other < mesh.getSize(*pipeline); ++other) {
        Tensor &theirs =
            results[device + (other - coordinate) * stride][position];
        if (!theirs)
          theirs = tensor;
      }
    }
  }
  return outcome;
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
  execution.outcome =
      function.isExternal()
          ? runRankPrograms(machine, function, mesh->mesh, pieces, results)
          : machine.run(function, std::move(pieces), results);
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
