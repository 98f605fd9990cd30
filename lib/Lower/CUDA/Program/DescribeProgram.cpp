// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/CUDA/DeviceProgram.h"

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/CUDA/DeviceFunctions.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/GroupTable.h"
#include "shardsmith/Support/Json.h"

#include "llvm/ADT/TypeSwitch.h"

#include <nlohmann/json.hpp>

using namespace mlir;

namespace shardsmith::lower {
namespace {

using Json = nlohmann::ordered_json;

std::string elementName(Value tensor) {
  std::string text;
  llvm::raw_string_ostream(text) << getElementTypeOrSelf(tensor.getType());
  return text;
}

class Describer {
public:
  explicit Describer(gpu::GPUModuleOp kernels) : kernels(kernels) {}

  Json constants = Json::array();

  Json describe(func::FuncOp function) {
    Json steps = Json::array();
    for (Operation &op : function.getBody().front().without_terminator())
      add(&op, steps);
    Json results = Json::array();
    for (Value value :
         function.getBody().front().getTerminator()->getOperands())
      results.push_back(place(value));
    Json json = {{"steps", std::move(steps)}, {"results", results}};
    for (auto [key, attribute] :
         {std::pair("arena_bytes", arenaAttributeName),
          std::pair("workspace_bytes", workspaceBytesAttributeName)})
      if (auto bytes = function->getAttrOfType<IntegerAttr>(attribute))
        json[key] = bytes.getInt();
    return json;
  }

private:
  /// An offset in the arena, or in the workspace of a function that is called;
  /// the number of an entry of its table; the number of a constant.
  Json place(Value tensor) {
    while (auto reshape = tensor.getDefiningOp<stablehlo::ReshapeOp>())
      tensor = reshape.getOperand();
    if (auto known = constantNumbers.find(tensor);
        known != constantNumbers.end())
      return {{"constant", known->second}};
    int64_t offset = offsetOf(tensor);
    if (int64_t entry = tableEntry(offset); entry >= 0)
      return {{"entry", entry}};
    return offset;
  }
  Json places(ValueRange tensors) {
    Json all = Json::array();
    for (Value tensor : tensors)
      all.push_back(place(tensor));
    return all;
  }

  Json launch(Operation *op, ValueRange arguments, ValueRange results) {
    auto name = op->getAttrOfType<SymbolRefAttr>(deviceFunctionAttributeName);
    auto function =
        kernels.lookupSymbol<gpu::GPUFuncOp>(name.getLeafReference());
    Json buffers = places(arguments);
    for (Value result : results)
      buffers.push_back(place(result));
    return {{"kind", "launch"},
            {"function", function.getName().str()},
            {"grid", (*function.getKnownGridSize())[0]},
            {"block", (*function.getKnownBlockSize())[0]},
            {"buffers", std::move(buffers)}};
  }

  Json gemm(smith::GemmOp op) {
    auto view = [&](Value tensor, int64_t offset, ArrayRef<int64_t> strides) {
      return Json{{"buffer", place(tensor)},
                  {"element", elementName(tensor)},
                  {"offset", offset},
                  {"strides", strides.vec()}};
    };
    return {{"kind", "gemm"},
            {"batch", op.getBatch().vec()},
            {"sizes", op.getSizes().vec()},
            {"lhs", view(op.getLhs(), op.getLhsOffset(), op.getLhsStrides())},
            {"rhs", view(op.getRhs(), op.getRhsOffset(), op.getRhsStrides())},
            {"result", view(op.getResult(), 0, op.getResultStrides())}};
  }

  Json exchange(Operation *op) {
    Json json = {{"kind", op->getName().stripDialect().str()}};
    if (auto axes = op->getAttrOfType<ArrayAttr>("axes"))
      json["axes"] = axisNames(axes);
    if (auto axis = op->getAttrOfType<StringAttr>("axis"))
      json["axes"] = {axis.str()};
    for (const char *key : {"dim", "to", "from"})
      if (auto number = op->getAttrOfType<IntegerAttr>(key))
        json[key] = number.getInt();
    Value tensor = op->getNumOperands() ? op->getOperand(0) : op->getResult(0);
    json["element"] = elementName(tensor);
    json["bytes"] = bufferBytes(tensor.getType());
    if (op->getNumOperands())
      json["input"] = place(op->getOperand(0));
    if (op->getNumResults())
      json["result"] = place(op->getResult(0));
    return json;
  }

  Json call(Operation *op, StringRef callee) {
    Json json = {{"kind", op->getName().stripDialect().str()},
                 {"function", callee.str()},
                 {"inputs", places(op->getOperands())},
                 {"outputs", places(op->getResults())}};
    if (auto repeat = dyn_cast<smith::RepeatOp>(op))
      json["count"] = repeat.getCount();
    if (auto run = dyn_cast<smith::RunOp>(op))
      json["micro_batch"] = run.getMicroBatch();
    if (auto workspace = op->getAttrOfType<IntegerAttr>(workspaceAttributeName))
      json["workspace"] = workspace.getInt();
    return json;
  }

  void add(Operation *op, Json &steps) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](stablehlo::ConstantOp constant) {
          constantNumbers[constant.getResult()] = constants.size();
          constants.push_back({{"element", elementName(constant)},
                               {"bytes", bufferBytes(constant.getType())}});
        })
        .Case([&](stablehlo::ReshapeOp) {})
        .Case([&](smith::KernelOp kernel) {
          steps.push_back(launch(op, kernel.getInputs(), kernel.getOutputs()));
        })
        .Case([&](stablehlo::ScatterOp scatter) {
          Value from = scatter.getInputs().front(), to = scatter.getResult(0);
          if (place(from) != place(to))
            steps.push_back({{"kind", "copy"},
                             {"from", place(from)},
                             {"to", place(to)},
                             {"bytes", bufferBytes(to.getType())}});
          SmallVector<Value> arguments{scatter.getScatterIndices(),
                                       scatter.getUpdates().front()};
          steps.push_back(launch(op, arguments, to));
        })
        .Case([&](smith::GemmOp product) { steps.push_back(gemm(product)); })
        .Case([&](smith::RepeatOp repeat) {
          steps.push_back(call(op, repeat.getCallee()));
        })
        .Case([&](smith::RunOp run) {
          steps.push_back(call(op, run.getCallee()));
        })
        .Default([&](Operation *) { steps.push_back(exchange(op)); });
  }

  gpu::GPUModuleOp kernels;
  llvm::DenseMap<Value, size_t> constantNumbers;
};

} // namespace

std::string describeDeviceProgram(func::FuncOp main,
                                  const ProgramDescription &description) {
  auto module = main->getParentOfType<ModuleOp>();
  Describer describer(module.lookupSymbol<gpu::GPUModuleOp>(deviceModuleName));
  Json functions = Json::object();
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      functions[function.getName().str()] = describer.describe(function);
  Json json = {{"format", "shardsmith-device-program/1"},
               {"model", description.modelName},
               {"plan_hash", description.planHash},
               {"functions", std::move(functions)},
               {"constants", std::move(describer.constants)}};
  return jsonText(json) + "\n";
}

} // namespace shardsmith::lower
