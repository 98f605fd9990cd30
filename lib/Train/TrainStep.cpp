// SPDX-License-Identifier: Apache-2.0
// From forward graph to train step.
//
//     @main(params, states₀, batch) -> (loss, states₀', outputs)  forward graph
//     @main(params, states₀, states, batch)
//         -> (params', states₀', states', loss, outputs)          train step
//
// states₀ are the forward pass's own, such as running statistics; states are
// the optimizer's: first what it keeps once, then each kind of state for all
// parameters. Outputs are metrics: of the parameters that the step began with,
// as is the loss.
//
// Without clipping, the update of a parameter stands right behind its gradient
// and the last use of its old value, so that no gradient lives longer than the
// backward pass of its layer. Clipping needs all gradients first.

#include "shardsmith/Train/TrainStep.h"

#include "ClipGradients.h"
#include "ForwardGraph.h"
#include "MixedPrecision.h"
#include "Quantize.h"
#include "Simplify.h"

#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/Smith/ParameterRows.h"
#include "shardsmith/Train/Differentiate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

using namespace mlir;

namespace shardsmith {
namespace {

/// A value of the train step with its attributes as argument and as result.
struct NamedValue {
  Value value;
  DictionaryAttr attributes;
};

class TrainStepBuilder {
public:
  TrainStepBuilder(ForwardGraph graph, const Optimizer &optimizer,
                   const TrainOptions &options)
      : graph(std::move(graph)), optimizer(optimizer), options(options),
        builder(this->graph.function.getLoc(),
                this->graph.function.getContext()) {}

  LogicalResult build() {
    keepParametersInFloat32(graph);
    if (options.computeType != ComputeType::AsWritten)
      contractInBFloat16(graph);
    if (options.computeType == ComputeType::Float8 &&
        !quantizeProducts(graph.function))
      graph.function.emitWarning(
          "no product multiplies floats of eight bits: none is of a layer with "
          "sizes that are multiples of 16; all are of 16 bits");
    collectForwardResults();
    if (failed(differentiateParameters()))
      return failure();
    addStateArguments();
    updateStates();
    updateParameters();
    finishFunction();
    return success();
  }

private:
  /// The loss, the states of the model, and its outputs.
  void collectForwardResults() {
    func::FuncOp function = graph.function;
    loss = graph.loss();
    lossAttributes = DictionaryAttr::get(
        builder.getContext(), function.getResultAttrs(graph.lossIndex));
    for (unsigned index = 0; index < function.getNumResults(); ++index) {
      StringRef role = roleOfResult(function, index);
      NamedValue result = {graph.body().getTerminator()->getOperand(index),
                           DictionaryAttr::get(builder.getContext(),
                                               function.getResultAttrs(index))};
      if (role == "state")
        forwardStates.push_back(result);
      else if (role == "output")
        outputs.push_back(result);
    }
  }

  LogicalResult differentiateParameters() {
    SmallVector<Value> parameters(graph.parameters.begin(),
                                  graph.parameters.end());
    SmallVector<Value> values;
    if (failed(differentiate(loss, parameters, values)))
      return failure();
    builder.setInsertionPoint(graph.body().getTerminator());
    for (auto [parameter, gradient] : llvm::zip_equal(parameters, values)) {
      builder.setLoc(parameter.getLoc());
      auto type = cast<RankedTensorType>(parameter.getType());
      gradients.push_back(gradient ? TensorValue(builder, gradient)
                                   : filled(builder, type, 0.0));
    }
    builder.setLoc(loss.getLoc());
    if (options.clipNorm)
      clipByGlobalNorm(gradients, *options.clipNorm);
    return success();
  }

  DictionaryAttr describe(StringRef role, const Twine &name,
                          StringRef init = "") {
    NamedAttrList attributes;
    attributes.set(kRoleAttribute, builder.getStringAttr(role));
    attributes.set(kNameAttribute, builder.getStringAttr(name));
    if (!init.empty())
      attributes.set(kInitAttribute, builder.getStringAttr(init));
    return attributes.getDictionary(builder.getContext());
  }

  /// `rows`: those of the parameter whose state it is, or null.
  TensorValue addState(const OptimizerState &state, const Twine &suffix,
                       Attribute rows = nullptr) {
    std::string name = (optimizer.name() + "." + state.name + suffix).str();
    Location loc = NameLoc::get(builder.getStringAttr(name));
    Value argument = graph.body().addArgument(state.type, loc);
    NamedAttrList attributes(describe("state", name, "zeros"));
    if (rows)
      attributes.set(smith::kRowsAttributeName, rows);
    stateArguments.push_back(
        {argument, attributes.getDictionary(builder.getContext())});
    stateResults.push_back({nullptr, describe("state", name)});
    return {builder, argument};
  }

  /// Order: shared states, then each kind of state for all parameters.
  void addStateArguments() {
    for (const OptimizerState &state :
         optimizer.sharedStates(builder.getContext()))
      sharedStates.push_back(addState(state, ""));

    parameterStates.resize(graph.parameters.size());
    auto firstType = cast<RankedTensorType>(graph.parameters.front().getType());
    size_t kinds = optimizer.parameterStates(firstType).size();
    for (size_t kind = 0; kind < kinds; ++kind)
      for (auto [parameter, states] :
           llvm::zip_equal(graph.parameters, parameterStates)) {
        auto type = cast<RankedTensorType>(parameter.getType());
        Attribute rows = graph.function.getArgAttr(parameter.getArgNumber(),
                                                   smith::kRowsAttributeName);
        states.push_back(addState(optimizer.parameterStates(type)[kind],
                                  "." + graph.nameOf(parameter), rows));
      }
  }

  void updateStates() {
    // The scalars are needed by the first update, wherever it stands.
    builder.setInsertionPointToStart(&graph.body());
    SharedUpdate shared = optimizer.updateShared(builder, sharedStates);
    sharedScalars = shared.scalars;
    for (auto [index, state] : llvm::enumerate(shared.states))
      stateResults[index].value = state;
  }

  void updateParameters() {
    size_t count = graph.parameters.size();
    for (size_t index = 0; index < count; ++index) {
      BlockArgument parameter = graph.parameters[index];
      builder.setInsertionPoint(updatePosition(parameter, gradients[index]));
      builder.setLoc(parameter.getLoc());
      ParameterUpdate update =
          optimizer.updateParameter({builder, parameter}, gradients[index],
                                    parameterStates[index], sharedScalars);
      newParameters.push_back(update.parameter);
      for (auto [kind, state] : llvm::enumerate(update.states))
        stateResults[sharedStates.size() + kind * count + index].value = state;
    }
  }

  /// The op before which a parameter is updated.
  Operation *updatePosition(BlockArgument parameter, TensorValue gradient) {
    Operation *terminator = graph.body().getTerminator();
    if (options.clipNorm)
      return terminator;
    Operation *last = gradient.value().getDefiningOp();
    for (Operation *user : parameter.getUsers()) {
      Operation *op = graph.body().findAncestorOpInBlock(*user);
      if (op != terminator && (!last || last->isBeforeInBlock(op)))
        last = op;
    }
    return last ? last->getNextNode() : terminator;
  }

  /// Puts arguments and results into the order of the train step.
  void finishFunction() {
    func::FuncOp function = graph.function;
    SmallVector<NamedValue> arguments, results;
    auto addArgument = [&](BlockArgument argument) {
      arguments.push_back(
          {argument, function.getArgAttrDict(argument.getArgNumber())});
    };
    llvm::for_each(graph.parameters, addArgument);
    llvm::for_each(graph.states, addArgument);
    llvm::append_range(arguments, stateArguments);
    llvm::for_each(graph.others, addArgument);

    for (auto [parameter, updated] :
         llvm::zip_equal(graph.parameters, newParameters))
      results.push_back({updated, describe("param", graph.nameOf(parameter))});
    llvm::append_range(results, forwardStates);
    llvm::append_range(results, stateResults);
    results.push_back({loss, lossAttributes});
    llvm::append_range(results, outputs);

    setResults(results);
    setArguments(arguments);
    SmallVector<Attribute> argumentAttributes, resultAttributes;
    for (const NamedValue &argument : arguments)
      argumentAttributes.push_back(argument.attributes);
    for (const NamedValue &result : results)
      resultAttributes.push_back(result.attributes);
    Operation *terminator = graph.body().getTerminator();
    function.setFunctionType(builder.getFunctionType(
        graph.body().getArgumentTypes(), terminator->getOperandTypes()));
    function.setAllArgAttrs(argumentAttributes);
    function.setAllResultAttrs(resultAttributes);
  }

  void setResults(ArrayRef<NamedValue> results) {
    graph.body().getTerminator()->setOperands(llvm::map_to_vector(
        results, [](const NamedValue &result) { return result.value; }));
  }

  void setArguments(ArrayRef<NamedValue> arguments) {
    Block &body = graph.body();
    unsigned oldCount = body.getNumArguments();
    for (NamedValue argument : arguments)
      argument.value.replaceAllUsesWith(
          body.addArgument(argument.value.getType(), argument.value.getLoc()));
    body.eraseArguments(0, oldCount);
  }

  ForwardGraph graph;
  const Optimizer &optimizer;
  const TrainOptions &options;
  ImplicitLocOpBuilder builder;

  Value loss;
  DictionaryAttr lossAttributes;
  SmallVector<NamedValue> forwardStates;
  SmallVector<NamedValue> outputs;
  SmallVector<TensorValue> gradients;
  SmallVector<TensorValue> sharedStates;
  SmallVector<SmallVector<TensorValue>> parameterStates;
  SmallVector<NamedValue> stateArguments;
  SmallVector<NamedValue> stateResults;
  SmallVector<TensorValue> sharedScalars;
  SmallVector<Value> newParameters;
};

/// Refuses numbers with which no update makes sense.
LogicalResult checkOptions(ModuleOp module, const TrainOptions &options) {
  const OptimizerOptions &optimizer = options.optimizer;
  if (!createOptimizer(optimizer))
    return module.emitError("unknown optimizer '")
           << optimizer.name << "': expected sgd, adam or adamw";

  struct Check {
    StringRef option;
    double value;
    bool isDecay;
  };
  for (auto [option, value, isDecay] :
       {Check{"learning-rate", optimizer.learningRate, false},
        Check{"momentum", optimizer.momentum, true},
        Check{"b1", optimizer.firstDecay, true},
        Check{"b2", optimizer.secondDecay, true},
        Check{"eps", optimizer.epsilon, false},
        Check{"weight-decay", optimizer.weightDecay, false},
        Check{"clip-norm", options.clipNorm.value_or(0.0), false}}) {
    bool isValid =
        value >= 0.0 && (isDecay ? value < 1.0 : std::isfinite(value));
    if (!isValid)
      return module.emitError("option ")
             << option << " is " << std::to_string(value) << ": expected "
             << (isDecay ? "a number from 0 up to, but not including, 1"
                         : "a finite number that is not negative");
  }
  return success();
}

} // namespace

StringRef nameOf(ComputeType type) {
  switch (type) {
  case ComputeType::AsWritten:
    return "f32";
  case ComputeType::BFloat16:
    return "bf16";
  case ComputeType::Float8:
    return "f8";
  }
  llvm_unreachable("all types of contractions");
}

std::optional<ComputeType> computeTypeNamed(StringRef name) {
  for (ComputeType type :
       {ComputeType::AsWritten, ComputeType::BFloat16, ComputeType::Float8})
    if (nameOf(type) == name)
      return type;
  return std::nullopt;
}

bool isTrainStep(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function)
    return false;
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    if (roleOfResult(function, index) == "param")
      return true;
  return false;
}

LogicalResult buildTrainStep(ModuleOp module, const TrainOptions &options,
                             ExitCode *exitCode) {
  auto fail = [exitCode](ExitCode code) {
    if (exitCode)
      *exitCode = code;
    return failure();
  };
  if (isTrainStep(module)) {
    smith::eraseAllDerivativeOps(module);
    return success();
  }
  if (failed(checkOptions(module, options)))
    return fail(ExitCode::Usage);
  FailureOr<ForwardGraph> graph = readForwardGraph(module);
  if (failed(graph))
    return fail(ExitCode::BadInput);
  func::FuncOp function = graph->function;
  // Equal ops of several calls are one from here on.
  function.walk(
      [](Operation *op) { op->removeAttr(smith::kCallAttributeName); });
  simplify(function);
  std::unique_ptr<Optimizer> optimizer = createOptimizer(options.optimizer);
  if (failed(TrainStepBuilder(*graph, *optimizer, options).build()))
    return fail(ExitCode::Unsupported);
  smith::eraseAllDerivativeOps(module);
  simplify(function);
  if (expandQuantizations(function))
    simplify(function);
  return success();
}

} // namespace shardsmith
