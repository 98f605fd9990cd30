// SPDX-License-Identifier: Apache-2.0

#include "Translator.h"

#include "Node.h"
#include "Registry.h"
#include "Weights.h"

#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

#include <fmt/ranges.h>

using namespace mlir;

namespace shardsmith::onnx {
namespace {

/// Bounds on what a file can make of itself by functions and loops.
constexpr int64_t mostNodes = 1'000'000;
constexpr int deepestCall = 32;
/// Elements of a value that is computed while a model is read.
constexpr int64_t mostKnownElements = int64_t(1) << 22;
/// Elements of a tensor that becomes a constant of the graph.
constexpr int64_t mostConstantElements = int64_t(1) << 24;
constexpr size_t mostNamedNodes = 100;

} // namespace

Translator::Translator(const format::Model &model, std::string folder,
                       func::FuncOp main)
    : model(model), folder(std::move(folder)), main(main),
      ops(main.getLoc(), main.getContext()), functions(model), scopes(1) {
  ops.ops().setInsertionPointToEnd(&main.getBody().front());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void Translator::define(const std::string &name, Value value) {
  if (!scopes.back().try_emplace(name, value).second)
    badInput("'{}' is defined twice", name);
}

Value Translator::lookUp(const std::string &name) const {
  for (const Scope &scope : llvm::reverse(scopes))
    if (Value value = scope.lookup(name))
      return value;
  return {};
}

void Translator::defineArgument(Value argument, const format::Tensor &tensor) {
  initializers[argument] = &tensor;
  define(tensor.name(), argument);
}

Value Translator::constantOf(const format::Tensor &tensor) {
  if (TensorHeader header = headerOf(tensor);
      header.elements > mostConstantElements)
    unsupported("constant '{}': it has {} elements; tensors that are not "
                "trained may have {}",
                tensor.name(), header.elements, mostConstantElements);
  return ops.constant(read(tensor));
}

Tensor Translator::read(const format::Tensor &tensor) const {
  return readTensor(tensor, folder);
}

/// Runs the op in the interpreter; its operands are known.
void Translator::evaluate(Operation *op) {
  const Evaluators *evaluators = EvaluatorRegistry::standard().lookup(op);
  if (!evaluators || !evaluators->local)
    unsupported("computation by {} of a value that must be known when the "
                "model is read",
                op->getName().getStringRef().str());
  Tensors operands, results;
  for (Value operand : op->getOperands())
    operands.push_back(evaluated.lookup(operand));
  Machine machine(main->getParentOfType<ModuleOp>(), 1,
                  EvaluatorRegistry::standard());
  if (failed(evaluators->local(op, operands, Device{machine, 0}, results)))
    badInput("the result of {} cannot be computed",
             op->getName().getStringRef().str());
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), results))
    evaluated[value] = tensor;
}

Tensor Translator::valueOf(Value value, const std::string &what) {
  std::vector<Value> stack{value};
  while (!stack.empty()) {
    Value next = stack.back();
    if (evaluated.count(next)) {
      stack.pop_back();
      continue;
    }
    if (countOf(next) > mostKnownElements)
      unsupported(
          "{}: it has {} elements, more than are computed while a model "
          "is read",
          what, countOf(next));
    if (auto found = initializers.find(next); found != initializers.end()) {
      evaluated[next] = read(*found->second);
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (!op)
      unsupported(
          "{}: it depends on the data of a batch, and must be known when "
          "the model is read",
          what);
    bool isReady = true;
    for (Value operand : op->getOperands())
      if (!evaluated.count(operand)) {
        stack.push_back(operand);
        isReady = false;
      }
    if (isReady)
      evaluate(op);
  }
  return evaluated.lookup(value).dense();
}

Value Translator::frozen(Value value) {
  auto found = initializers.find(value);
  return found == initializers.end() ? value : constantOf(*found->second);
}

void Translator::limitIntegers(Value value, int64_t limit) {
  // What moves or narrows integers leaves them below the limit.
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<stablehlo::ReshapeOp, stablehlo::ConvertOp, stablehlo::TransposeOp,
             stablehlo::BroadcastInDimOp>(op))
      return;
    value = op->getOperand(0);
  }
  auto [place, isNew] = integerLimits.try_emplace(value, limit);
  place->second = std::min(place->second, limit);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void Translator::findUnsupported(const Nodes &nodes, Findings &found) const {
  for (const format::Node &node : nodes) {
    if (const format::Function *function = functions.find(node)) {
      if (found.seen.insert(function).second)
        findUnsupported(function->node(), found);
    } else if (!isStandardDomain(node.domain()) ||
               !Registry::standard().find(node.op_type())) {
      found.nodes.push_back(describe(node));
    }
    for (const format::Attribute &attribute : node.attribute())
      if (attribute.has_g())
        findUnsupported(attribute.g().node(), found);
  }
}

void Translator::requireSupported(const format::Graph &graph) const {
  Findings found;
  findUnsupported(graph.node(), found);
  if (found.nodes.empty())
    return;
  bool areMore = found.nodes.size() > mostNamedNodes;
  found.nodes.resize(std::min(found.nodes.size(), mostNamedNodes));
  unsupported("operators: {}{}", fmt::join(found.nodes, ", "),
              areMore ? ", and more" : "");
}

void Translator::translate(const Nodes &nodes, int64_t opset) {
  for (const format::Node *node : inOrder(nodes))
    translate(*node, opset);
}

void Translator::translate(const format::Node &node, int64_t opset) try {
  if (++translatedNodes > mostNodes)
    unsupported(
        "size of a model: with its functions called and its loops unrolled "
        "it has more than {} nodes",
        mostNodes);
  SmallVector<Value> inputs;
  for (const std::string &name : node.input()) {
    Value value = name.empty() ? Value() : lookUp(name);
    if (!value && !name.empty())
      badInput(
          "its operand '{}' is no input, no initializer and no result of a "
          "node",
          name);
    inputs.push_back(value);
  }
  SmallVector<Value> results;
  if (functions.find(node)) {
    results = callFunction(node, inputs);
  } else {
    ops.ops().setLoc(NameLoc::get(
        StringAttr::get(main.getContext(), describe(node)), main.getLoc()));
    Node call(*this, node, opset, inputs);
    Translation translation = Registry::standard().find(node.op_type());
    if (!translation || !isStandardDomain(node.domain()))
      unsupported("operator");
    translation(call);
    results.assign(call.results().begin(), call.results().end());
  }
  for (auto [index, name] : llvm::enumerate(node.output())) {
    if (name.empty())
      continue;
    if (index >= results.size() || !results[index])
      unsupported("result {} ('{}') of this operator", index, name);
    define(name, results[index]);
  }
} catch (Failure &failure) {
  // The innermost node is the one that is wrong.
  if (failure.message.find("node '") == std::string::npos)
    failure.message = describe(node) + ": " + failure.message;
  throw;
}

SmallVector<Value> Translator::callBody(const format::Graph &body,
                                        ArrayRef<Value> inputs, int64_t opset) {
  if (static_cast<size_t>(body.input_size()) != inputs.size())
    badInput("its body takes {} inputs, {} are given", body.input_size(),
             inputs.size());
  scopes.emplace_back();
  for (auto [input, value] : llvm::zip_equal(body.input(), inputs))
    define(input.name(), value);
  for (const format::Tensor &tensor : body.initializer())
    define(tensor.name(), constantOf(tensor));
  translate(body.node(), opset);
  SmallVector<Value> outputs;
  for (const format::Value &output : body.output()) {
    Value value = lookUp(output.name());
    if (!value)
      badInput("the output '{}' of its body is no result of a node",
               output.name());
    outputs.push_back(value);
  }
  scopes.pop_back();
  return outputs;
}

SmallVector<Value> Translator::callFunction(const format::Node &node,
                                            ArrayRef<Value> inputs) {
  format::Function function = instantiate(*functions.find(node), node);
  if (++callDepth > deepestCall)
    badInput("functions call each other more than {} deep", deepestCall);
  // A function sees nothing but its inputs.
  std::vector<Scope> outside(1);
  outside.swap(scopes);
  for (int i = 0; i < function.input_size(); ++i)
    if (static_cast<size_t>(i) < inputs.size() && inputs[i])
      define(function.input(i), inputs[i]);
  translate(function.node(), function.opset_import_size() > 0
                                 ? opsetOf(function.opset_import())
                                 : opsetOf(model.opset_import()));
  SmallVector<Value> outputs;
  for (const std::string &output : function.output())
    outputs.push_back(lookUp(output));
  scopes.swap(outside);
  --callDepth;
  return outputs;
}

} // namespace shardsmith::onnx
