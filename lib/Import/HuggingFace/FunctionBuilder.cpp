// SPDX-License-Identifier: Apache-2.0

#include "FunctionBuilder.h"

#include "GraphOps.h"

using namespace mlir;

namespace shardsmith::huggingface {

FunctionBuilder::FunctionBuilder(ModuleOp module, StringRef name, Order order,
                                 FloatType elementType)
    : ops(module.getLoc(), module.getContext()), activationType(elementType),
      order(order) {
  ops.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(ops, name, ops.getFunctionType({}, {}));
  // Exporters spell out that @main is public.
  function.setSymVisibility(order == Order::InputsFirst ? "private" : "public");
  ops.setInsertionPointToStart(function.addEntryBlock());
}

TensorValue FunctionBuilder::input(ArrayRef<int64_t> shape, Type elementType) {
  assert(declared.empty() && "inputs are declared before parameters");
  auto type = RankedTensorType::get(shape, elementType);
  return {ops, function.getBody().addArgument(type, ops.getLoc())};
}

TensorValue FunctionBuilder::parameter(StringRef name, ArrayRef<int64_t> shape,
                                       Init init, bool isShared) {
  Value &value = values[name];
  if (value)
    return {ops, value};
  Block &body = function.getBody().front();
  auto type = RankedTensorType::get(shape, activationType);
  size_t position = order == Order::ParametersFirst ? declared.size()
                                                    : body.getNumArguments();
  value = body.insertArgument(position, type, ops.getLoc());
  declared.push_back({name.str(), type, init, isShared});
  return {ops, value};
}

func::FuncOp FunctionBuilder::finish(ValueRange results) {
  func::ReturnOp::create(ops, results);
  function.setFunctionType(ops.getFunctionType(
      function.getBody().front().getArgumentTypes(), results.getTypes()));
  return function;
}

TensorValue linear(FunctionBuilder &function, const LinearSpec &spec,
                   TensorValue x) {
  SmallVector<int64_t, 2> shape = {spec.outputs, spec.inputs};
  if (spec.inputsFirst)
    std::swap(shape[0], shape[1]);
  TensorValue weight =
      function.parameter(spec.name + ".weight", shape, Init::Normal);
  TensorValue y = product(x, weight,
                          {.lhsContracted = {x.rank() - 1},
                           .rhsContracted = {spec.inputsFirst ? 0 : 1}});
  if (!spec.bias)
    return y;
  TensorValue bias =
      function.parameter(spec.name + ".bias", {spec.outputs}, Init::Zeros);
  return y + broadcastInDim(bias, y.shape(), {y.rank() - 1});
}

TensorValue normalize(FunctionBuilder &function, const NormSpec &spec,
                      TensorValue x) {
  int64_t size = x.shape().back();
  auto mean = [&](TensorValue value) {
    return sumOfLast(value) / static_cast<double>(size);
  };
  TensorValue wide = convert(x, function.builder().getF32Type());
  if (spec.kind == NormKind::Layer)
    wide = wide - repeatLast(mean(wide), size);
  TensorValue scale = reciprocalSquareRoot(mean(square(wide)) + spec.epsilon);
  TensorValue y = convert(wide * repeatLast(scale, size), x.elementType());

  TensorValue weight =
      function.parameter(spec.name + ".weight", {size}, Init::Ones);
  y = y * broadcastInDim(weight, y.shape(), {y.rank() - 1});
  if (spec.kind == NormKind::Rms)
    return y;
  TensorValue bias =
      function.parameter(spec.name + ".bias", {size}, Init::Zeros);
  return y + broadcastInDim(bias, y.shape(), {y.rank() - 1});
}

} // namespace shardsmith::huggingface
