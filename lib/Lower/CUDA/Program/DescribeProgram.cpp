// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/CUDA/DeviceProgram.h"

#include "shardsmith/Dialect/Smith/AddGemmOp.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/CUDA/DeviceFunctions.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/GroupTable.h"
#include "shardsmith/Lower/Common/JointLaunch.h"
#include "shardsmith/Support/Json.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <array>

#include <nlohmann/json.hpp>

using namespace mlir;

namespace shardsmith::lower {
namespace {

using Json = nlohmann::ordered_json;

std::string elementName(Value tensor) {
  return elementTypeName(getElementTypeOrSelf(tensor.getType()));
}

/// As the runtime's enumeration `smith_reduction` names and orders them.
template <typename Reduction> std::string reductionName(Reduction op) {
  constexpr std::array<const char *, 6> names{"sum", "product", "max",
                                              "min", "and",     "or"};
  return names.at(static_cast<size_t>(op.getKind().getValue()));
}

/// Elements before and from dimension `d` on.
struct Split {
  int64_t outer = 1, inner = 1;
};

Split splitAt(Value tensor, int64_t d) {
  Split split;
  for (auto [i, size] :
       llvm::enumerate(cast<RankedTensorType>(tensor.getType()).getShape()))
    (static_cast<int64_t>(i) < d ? split.outer : split.inner) *= size;
  return split;
}

int64_t elementBytes(Value tensor) {
  return storageBytes(getElementTypeOrSelf(tensor.getType()));
}

class Describer {
public:
  explicit Describer(func::FuncOp main)
      : kernels(
            main->getParentOfType<ModuleOp>().lookupSymbol<gpu::GPUModuleOp>(
                deviceModuleName)),
        groups(main) {}

  Json constants = Json::array();
  std::string constantBytes;

  Json describe(func::FuncOp function) {
    Json steps = Json::array();
    for (Operation &op : function.getBody().front().without_terminator())
      add(&op, steps);
    addResults(function, steps);
    Json json = {{"steps", std::move(steps)}};
    if (auto pass =
            function->getAttrOfType<StringAttr>(smith::kPassAttributeName))
      json["pass"] = pass.str();
    for (auto [key, attribute] :
         {std::pair("arena_bytes", arenaAttributeName),
          std::pair("workspace_bytes", workspaceBytesAttributeName)})
      if (auto bytes = function->getAttrOfType<IntegerAttr>(attribute))
        json[key] = bytes.getInt();
    return json;
  }

private:
  static Json placeAt(int64_t offset) {
    if (int64_t entry = tableEntry(offset); entry >= 0)
      return {{"entry", entry}};
    return offset;
  }
  /// An offset in the arena, or in the workspace of a function that is called;
  /// the number of an entry of its table; the number of a constant.
  Json place(Value tensor) {
    while (auto reshape = tensor.getDefiningOp<stablehlo::ReshapeOp>())
      tensor = reshape.getOperand();
    if (auto known = constantNumbers.find(tensor);
        known != constantNumbers.end())
      return {{"constant", known->second}};
    return placeAt(offsetOf(tensor));
  }
  Json places(ValueRange tensors) {
    Json all = Json::array();
    for (Value tensor : tensors)
      all.push_back(place(tensor));
    return all;
  }
  static Json sizes(ValueRange tensors) {
    Json all = Json::array();
    for (Value tensor : tensors)
      all.push_back(bufferBytes(tensor.getType()));
    return all;
  }

  static void addCopy(Json from, Json to, int64_t bytes, Json &steps) {
    steps.push_back({{"kind", "copy"},
                     {"from", std::move(from)},
                     {"to", std::move(to)},
                     {"bytes", bytes}});
  }

  // Results that could not be written where they belong are copied there. No
  // copy reads what another one overwrites: a result that is an argument was
  // given storage of its own before.
  void addResults(func::FuncOp function, Json &steps) {
    Operation *terminator = function.getBody().front().getTerminator();
    for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
      Json to = placeAt(
          function.getResultAttrOfType<IntegerAttr>(i, offsetAttributeName)
              .getInt());
      if (place(value) != to)
        addCopy(place(value), to, bufferBytes(value.getType()), steps);
    }
  }

  void addConstant(stablehlo::ConstantOp constant) {
    // Buffers begin at multiples of 256 bytes, those of constants, too.
    constantBytes.resize(llvm::alignTo(constantBytes.size(), 256), '\0');
    constantNumbers[constant.getResult()] = constants.size();
    int64_t bytes = bufferBytes(constant.getType());
    constants.push_back({{"element", elementName(constant)},
                         {"bytes", bytes},
                         {"offset", constantBytes.size()}});
    auto values = cast<DenseElementsAttr>(constant.getValue());
    if (values.getElementType().isInteger(1)) {
      // One byte per boolean, whatever the attribute packs.
      for (bool value : values.getValues<bool>())
        constantBytes.push_back(value);
      return;
    }
    ArrayRef<char> raw = values.getRawData();
    int64_t times = values.isSplat() && !raw.empty()
                        ? bytes / static_cast<int64_t>(raw.size())
                        : 1;
    for (int64_t i = 0; i < times; ++i)
      constantBytes.append(raw.begin(), raw.end());
  }

  Json launch(Operation *op, ValueRange arguments, ValueRange results) {
    auto name = op->getAttrOfType<SymbolRefAttr>(deviceFunctionAttributeName);
    auto function =
        kernels.lookupSymbol<gpu::GPUFuncOp>(name.getLeafReference());
    SmallVector<Value> buffers(arguments);
    llvm::append_range(buffers, results);
    return {{"kind", "launch"},
            {"function", function.getName().str()},
            {"grid", (*function.getKnownGridSize())[0]},
            {"block", (*function.getKnownBlockSize())[0]},
            {"buffers", places(buffers)},
            {"bytes", sizes(buffers)},
            {"written", results.size()}};
  }

  /// Counters are the last argument of the function, where it has them.
  Json limitRows(smith::LimitRowsOp op) {
    Json json = launch(op, op.getExperts(), op.getKept());
    if (!op.getCounts())
      return json;
    auto name = op->getAttrOfType<SymbolRefAttr>(deviceFunctionAttributeName);
    auto function =
        kernels.lookupSymbol<gpu::GPUFuncOp>(name.getLeafReference());
    Json copies = Json::array();
    if (op.getCopies())
      copies = axisNames(*op.getCopies());
    json["buffers"].push_back({{"counters_of_first", std::move(copies)}});
    json["bytes"].push_back(
        cast<MemRefType>(function.getArgumentTypes().back()).getNumElements() *
        4);
    json["written"] = 2;
    return json;
  }

  template <typename Op> Json gemm(Op op) {
    auto view = [&](Value tensor, int64_t offset, ArrayRef<int64_t> strides) {
      return Json{{"buffer", place(tensor)},
                  {"bytes", bufferBytes(tensor.getType())},
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

  Json addGemm(smith::AddGemmOp op) {
    Json json = gemm(op);
    if (op.getSum())
      json["sum"] = place(op.getSum());
    if (op.getBias())
      json["bias"] = place(op.getBias());
    if (op.getScale())
      json["scale"] = place(op.getScale());
    return json;
  }

  /// What all collectives have in common.
  Json collective(Operation *op, int64_t group) {
    return {{"kind", op->getName().stripDialect().str()},
            {"group", group},
            {"input", place(op->getOperand(0))},
            {"result", place(op->getResult(0))}};
  }

  Json allReduce(smith::AllReduceOp op) {
    Json json = collective(op, groups.indexOf(op.getAxes()));
    json["reduction"] = reductionName(op);
    json["element"] = elementName(op.getInput());
    json["count"] = splitAt(op.getInput(), 0).inner;
    return json;
  }

  Json allGather(smith::AllGatherOp op) {
    Split split = splitAt(op.getInput(), op.getDim());
    Json json = collective(op, groups.indexOf(op.getAxes()));
    json["outer"] = split.outer;
    json["chunk_bytes"] = split.inner * elementBytes(op.getInput());
    return json;
  }

  Json reduceScatter(smith::ReduceScatterOp op) {
    Split split = splitAt(op.getResult(), op.getDim());
    Json json = collective(op, groups.indexOf(op.getAxes()));
    json["reduction"] = reductionName(op);
    json["element"] = elementName(op.getInput());
    json["outer"] = split.outer;
    json["chunk"] = split.inner;
    return json;
  }

  Json exchangeBlocks(smith::ExchangeBlocksOp op) {
    Json json = collective(op, groups.indexOf(op.getAxes()));
    json["block_bytes"] =
        splitAt(op.getInput(), 1).inner * elementBytes(op.getInput());
    return json;
  }

  Json permute(smith::CollectivePermuteOp op) {
    std::vector<int64_t> sources(groups.mesh().rankCount(), -1);
    for (int64_t i = 0; i < op.getPairCount(); ++i)
      sources[op.getTarget(i)] = op.getSource(i);
    Json json = collective(op, groups.permuteGroup(op.getAxes()));
    json["sources"] = sources;
    json["bytes"] = bufferBytes(op.getInput().getType());
    return json;
  }

  Json call(Operation *op, StringRef callee, ValueRange inputs,
            ValueRange carried) {
    return {{"kind", op->getName().stripDialect().str()},
            {"function", callee.str()},
            {"inputs", places(inputs)},
            {"carried", places(carried)},
            {"carried_bytes", sizes(carried)},
            {"outputs", places(op->getResults())},
            {"workspace",
             op->getAttrOfType<IntegerAttr>(workspaceAttributeName).getInt()}};
  }

  /// A kernel that the library may compute with the product in front of it is
  /// part of that step. Kernels that are launched together are one step.
  void addKernel(smith::KernelOp kernel, Json &steps) {
    JointLaunch joint(kernel);
    if (kernel != joint.first())
      return;
    Json json = launch(kernel, joint.inputs(), joint.results());
    bool isOfProduct =
        kernel->hasAttr(geluAttributeName) &&
        kernel->getPrevNode() == kernel.getInputs().front().getDefiningOp();
    if (isOfProduct)
      steps.back()["gelu"] = std::move(json);
    else
      steps.push_back(std::move(json));
  }

  void addScatter(stablehlo::ScatterOp scatter, Json &steps) {
    Value from = scatter.getInputs().front(), to = scatter.getResult(0);
    if (place(from) != place(to))
      addCopy(place(from), place(to), bufferBytes(to.getType()), steps);
    SmallVector<Value> arguments{scatter.getScatterIndices(),
                                 scatter.getUpdates().front()};
    steps.push_back(launch(scatter, arguments, to));
  }

  /// The last operand is in the result's place before.
  void addInPlace(Operation *op, Json &steps) {
    Value from = op->getOperands().back(), to = op->getResult(0);
    if (place(from) != place(to))
      addCopy(place(from), place(to), bufferBytes(to.getType()), steps);
    steps.push_back(launch(op, op->getOperands(), op->getResults()));
  }

  void add(Operation *op, Json &steps) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](smith::AddGemmOp product) {
          steps.push_back(addGemm(product));
        })
        .Case([&](smith::AllGatherOp gather) {
          steps.push_back(allGather(gather));
        })
        .Case([&](smith::AllReduceOp reduce) {
          steps.push_back(allReduce(reduce));
        })
        .Case([&](smith::CollectivePermuteOp exchange) {
          steps.push_back(permute(exchange));
        })
        .Case([&](stablehlo::ConstantOp constant) { addConstant(constant); })
        .Case([&](smith::ExchangeBlocksOp exchange) {
          steps.push_back(exchangeBlocks(exchange));
        })
        .Case([&](smith::GemmOp product) { steps.push_back(gemm(product)); })
        .Case([&](smith::KernelOp kernel) { addKernel(kernel, steps); })
        .Case([&](smith::LimitRowsOp limit) {
          steps.push_back(limitRows(limit));
        })
        .Case([&](smith::ReceiveOp receive) {
          steps.push_back({{"kind", "receive"},
                           {"axis", receive.getAxis().str()},
                           {"from", receive.getFrom()},
                           {"result", place(receive.getResult())},
                           {"bytes", bufferBytes(receive.getType())}});
        })
        .Case([&](smith::ReduceScatterOp scatter) {
          steps.push_back(reduceScatter(scatter));
        })
        .Case([&](smith::RepeatOp repeat) {
          steps.push_back(call(op, repeat.getCallee(), repeat.getShared(),
                               repeat.getCarried()));
          if (std::optional<uint64_t> decider = repeat.getDecider())
            steps.back()["while"] = *decider;
          else
            steps.back()["count"] = repeat.getCount();
        })
        .Case([](stablehlo::ReshapeOp) {})
        .Case<stablehlo::CholeskyOp, stablehlo::TriangularSolveOp>(
            [&](auto op) { addInPlace(op, steps); })
        .Case([&](smith::RunOp run) {
          steps.push_back(
              call(op, run.getCallee(), run.getInputs(), run.getCarried()));
          steps.back()["micro_batch"] = run.getMicroBatch();
        })
        .Case([&](stablehlo::ScatterOp scatter) { addScatter(scatter, steps); })
        .Case([&](smith::SendOp send) {
          steps.push_back({{"kind", "send"},
                           {"axis", send.getAxis().str()},
                           {"to", send.getTo()},
                           {"input", place(send.getInput())},
                           {"bytes", bufferBytes(send.getInput().getType())}});
        })
        .Case([&](smith::ShardIndexOp index) {
          steps.push_back({{"kind", "shard_index"},
                           {"axes", axisNames(index.getAxes())},
                           {"result", place(index.getResult())}});
        })
        .Default([&](Operation *other) {
          assert(other->hasAttr(deviceFunctionAttributeName) &&
                 "lower-program refuses other ops");
          steps.push_back(
              launch(other, other->getOperands(), other->getResults()));
        });
  }

  gpu::GPUModuleOp kernels;
  GroupTable groups;
  llvm::DenseMap<Value, size_t> constantNumbers;
};

} // namespace

DeviceProgramText describeDeviceProgram(func::FuncOp main,
                                        const ProgramDescription &description) {
  Describer describer(main);
  Json entries = Json::array();
  for (func::FuncOp entry : rankFunctions(main))
    entries.push_back(entry.getName().str());
  if (entries.empty())
    entries.push_back(main.getName().str());
  Json functions = Json::object();
  for (auto function : main->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
    if (!function.isExternal())
      functions[function.getName().str()] = describer.describe(function);
  Json json = {{"format", "shardsmith-device-program/4"},
               {"model", description.modelName},
               {"plan_hash", description.planHash},
               {"entries", std::move(entries)},
               {"functions", std::move(functions)},
               {"constants", std::move(describer.constants)}};
  return {jsonText(json) + "\n", std::move(describer.constantBytes)};
}

} // namespace shardsmith::lower
