// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/Inputs.h"

#include "shardsmith/Dialect/Smith/ParameterRows.h"
#include "shardsmith/Dialect/Smith/ReplacedArgument.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Interpreter/Execution.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/Files/SafeTensors.h"
#include "shardsmith/Runtime/Initialize.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace mlir;

namespace shardsmith::inline interpreter {
namespace {

std::optional<smith_dtype> runtimeType(ElementType type) {
  switch (type) {
  case ElementType::Bool:
    return SMITH_BOOL;
  case ElementType::I8:
    return SMITH_I8;
  case ElementType::I16:
    return SMITH_I16;
  case ElementType::I32:
    return SMITH_I32;
  case ElementType::I64:
    return SMITH_I64;
  case ElementType::U8:
    return SMITH_U8;
  case ElementType::U16:
    return SMITH_U16;
  case ElementType::U32:
    return SMITH_U32;
  case ElementType::U64:
    return SMITH_U64;
  case ElementType::BF16:
    return SMITH_BF16;
  case ElementType::F16:
    return SMITH_F16;
  case ElementType::F32:
    return SMITH_F32;
  case ElementType::F64:
    return SMITH_F64;
  case ElementType::F8E4M3FN:
    return SMITH_F8E4M3FN;
  case ElementType::F8E5M2:
    return SMITH_F8E5M2;
  default:
    return std::nullopt;
  }
}

StringRef textAttribute(func::FuncOp function, unsigned index, StringRef name) {
  auto text = function.getArgAttrOfType<StringAttr>(index, name);
  return text ? text.getValue() : StringRef();
}

runtime::Role roleOf(func::FuncOp function, unsigned index) {
  const StringRef role =
      textAttribute(function, index, smith::kRoleAttributeName);
  if (role == "param")
    return runtime::Role::Param;
  if (role == "state")
    return runtime::Role::State;
  if (role == "constant")
    return runtime::Role::Constant;
  return runtime::Role::Batch;
}

/// Files and initial values know a stacked parameter as a whole, of which the
/// tensor has some rows.
void describeRows(runtime::Tensor &tensor,
                  std::optional<smith::ParameterRows> rows) {
  if (!rows)
    return;
  tensor.rows = {rows->begin, rows->end};
  tensor.globalShape[0] = rows->whole;
  tensor.name = smith::nameOfWhole(tensor.name, *rows).value_or(tensor.name);
}

/// The tensor, on a single rank.
runtime::Shard shardOf(const runtime::Tensor &tensor) {
  runtime::Shard shard = runtime::wholeTensor(tensor.globalShape);
  if (!tensor.rows)
    return shard;
  shard.start[0] = tensor.rows->begin;
  shard.localShape[0] = shard.size[0] = tensor.sizeOf(0);
  return shard;
}

std::optional<smith::ParameterRows> rowsOfResult(func::FuncOp function,
                                                 unsigned index) {
  int64_t replaced = smith::replacedArgument(function, index);
  return replaced < 0 ? std::nullopt
                      : smith::rowsOfArgument(function, unsigned(replaced));
}

/// An argument as the runtime sees it on a single rank.
FailureOr<runtime::Argument> describe(func::FuncOp function, unsigned index,
                                      const StaticType &type) {
  std::optional<smith_dtype> element = runtimeType(type.element);
  if (!element)
    return function.emitOpError()
           << "argument " << index << " has elements of type "
           << elementTypeName(type.element) << ", which files cannot hold";
  runtime::Argument argument;
  argument.name = argumentName(function, index);
  argument.role = roleOf(function, index);
  argument.type = *element;
  argument.globalShape.assign(type.shape.begin(), type.shape.end());
  argument.localShape = argument.globalShape;
  describeRows(argument, smith::rowsOfArgument(function, index));
  argument.init =
      textAttribute(function, index, smith::kInitAttributeName).str();
  if (auto limit = function.getArgAttrOfType<IntegerAttr>(
          index, smith::kLimitAttributeName))
    argument.limit = limit.getInt();
  return argument;
}

Tensor synthesize(const runtime::Argument &argument, const StaticType &type,
                  uint64_t seed, int64_t step) {
  static const runtime::ThreadTeam team(1);
  Tensor tensor = Tensor::uninitialized(type.element, type.shape);
  const runtime::Shard shard = shardOf(argument);
  void *data = tensor.mutableData<std::byte>();
  if (argument.role == runtime::Role::Batch)
    runtime::synthesize(argument, shard, seed, step, data, team);
  else
    runtime::initialize(argument, shard, seed, data, team);
  return tensor;
}

/// Calls `make(argument, type)` for each argument to get its tensor; the
/// runtime's exceptions become diagnostics.
template <typename Make>
FailureOr<Tensors> makeArguments(func::FuncOp function, Make make) {
  FailureOr<SmallVector<StaticType>> types = wholeArgumentTypes(function);
  if (failed(types))
    return failure();
  Tensors tensors;
  for (auto [index, type] : enumerate(*types)) {
    FailureOr<runtime::Argument> argument = describe(function, index, type);
    if (failed(argument))
      return failure();
    try {
      tensors.push_back(make(*argument, type));
    } catch (const runtime::Failure &error) {
      return function.emitOpError() << error.what();
    }
  }
  return tensors;
}

} // namespace

std::string argumentName(func::FuncOp function, unsigned index) {
  const StringRef name =
      textAttribute(function, index, smith::kNameAttributeName);
  return name.empty() ? "argument" + std::to_string(index) : name.str();
}

std::string resultName(func::FuncOp function, unsigned index) {
  auto name = function.getResultAttrOfType<StringAttr>(
      index, smith::kNameAttributeName);
  return name ? name.getValue().str() : "result" + std::to_string(index);
}

FailureOr<Tensors> synthesizeArguments(func::FuncOp function, uint64_t seed,
                                       int64_t step) {
  return makeArguments(
      function, [&](const runtime::Argument &argument, const StaticType &type) {
        return synthesize(argument, type, seed, step);
      });
}

LogicalResult advanceStep(func::FuncOp function, uint64_t seed,
                          int64_t nextStep, ArrayRef<Tensor> results,
                          Tensors &arguments) {
  llvm::StringMap<Tensor> replacements;
  for (auto [index, result] : enumerate(results))
    replacements[resultName(function, index)] = result;
  size_t next = 0;
  FailureOr<Tensors> advanced = makeArguments(
      function, [&](const runtime::Argument &argument, const StaticType &type) {
        const Tensor &current = arguments[next++];
        if (argument.role == runtime::Role::Batch)
          return synthesize(argument, type, seed, nextStep);
        auto found = replacements.find(argumentName(function, next - 1));
        return found == replacements.end() ? current : found->second;
      });
  if (failed(advanced))
    return failure();
  arguments = std::move(*advanced);
  return success();
}

FailureOr<Tensors> readArguments(func::FuncOp function,
                                 const std::string &path) {
  std::optional<runtime::SafeTensorsFile> file;
  try {
    file.emplace(path);
  } catch (const runtime::Failure &error) {
    return function.emitOpError() << error.what();
  }
  return makeArguments(function, [&](const runtime::Argument &argument,
                                     const StaticType &type) {
    Tensor tensor = Tensor::uninitialized(type.element, type.shape);
    file->read(argument, shardOf(argument), tensor.mutableData<std::byte>());
    return tensor;
  });
}

namespace {

/// Writes tensors under the names that `nameOf` gives their positions, and
/// those that `rowsOf` says are rows of a whole as one.
LogicalResult writeTensors(
    func::FuncOp function, ArrayRef<Tensor> tensors,
    std::string (*nameOf)(func::FuncOp, unsigned),
    std::optional<smith::ParameterRows> (*rowsOf)(func::FuncOp, unsigned),
    const std::string &path) {
  std::vector<runtime::TensorPart> parts;
  Tensors dense;
  for (auto [index, tensor] : enumerate(tensors)) {
    std::string name = nameOf(function, index);
    std::optional<smith_dtype> element = runtimeType(tensor.type());
    if (!element)
      return function.emitOpError()
             << name << " has elements of type "
             << elementTypeName(tensor.type()) << ", which files cannot hold";
    dense.push_back(tensor.dense());
    runtime::Tensor stored;
    stored.name = name;
    stored.globalShape = {tensor.shape().begin(), tensor.shape().end()};
    describeRows(stored, rowsOf(function, index));
    parts.push_back(
        {stored.name, *element, shardOf(stored), dense.back().bytes()});
  }
  try {
    runtime::writeSafeTensors(path, parts, {});
  } catch (const runtime::Failure &error) {
    return function.emitOpError() << error.what();
  }
  return success();
}

} // namespace

LogicalResult writeResults(func::FuncOp function, ArrayRef<Tensor> results,
                           const std::string &path) {
  return writeTensors(function, results, resultName, rowsOfResult, path);
}

LogicalResult writeArguments(func::FuncOp function, ArrayRef<Tensor> arguments,
                             const std::string &path) {
  return writeTensors(function, arguments, argumentName, smith::rowsOfArgument,
                      path);
}

FailureOr<Tensors> readResults(func::FuncOp function, const std::string &path) {
  Tensors results;
  try {
    runtime::SafeTensorsFile file(path);
    for (auto [index, type] : enumerate(function.getResultTypes())) {
      std::optional<StaticType> whole = staticTypeOf(type);
      if (!whole)
        return function.emitOpError()
               << "result " << index << ": " << whyUnsupported(type);
      std::optional<smith_dtype> element = runtimeType(whole->element);
      if (!element)
        return function.emitOpError()
               << "result " << index << " has elements of type "
               << elementTypeName(whole->element)
               << ", which files cannot hold";
      runtime::Tensor stored;
      stored.name = resultName(function, index);
      stored.type = *element;
      stored.globalShape.assign(whole->shape.begin(), whole->shape.end());
      describeRows(stored, rowsOfResult(function, index));
      Tensor tensor = Tensor::uninitialized(whole->element, whole->shape);
      file.read(stored, shardOf(stored), tensor.mutableData<std::byte>());
      results.push_back(tensor);
    }
  } catch (const runtime::Failure &error) {
    return function.emitOpError() << error.what();
  }
  return results;
}

} // namespace shardsmith::inline interpreter
