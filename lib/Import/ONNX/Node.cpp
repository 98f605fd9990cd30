// SPDX-License-Identifier: Apache-2.0

#include "Node.h"

#include "Translator.h"
#include "Weights.h"

#include "shardsmith/Interpreter/TensorAttributes.h"

namespace shardsmith::onnx {
namespace {

/// ONNX's numbers of attribute types.
enum AttributeType : int32_t {
  Float = 1,
  Int = 2,
  String = 3,
  TensorType = 4,
  GraphType = 5,
  Floats = 6,
  Ints = 7
};

/// Old files may lack the type.
const format::Attribute *withType(const format::Attribute *attribute,
                                  AttributeType type) {
  if (attribute && attribute->has_type() && attribute->type() != type)
    badInput("its attribute '{}' has another type than its definition says",
             attribute->name());
  return attribute;
}

} // namespace

Node::Node(Translator &translator, const format::Node &node, int64_t opset,
           llvm::ArrayRef<Value> inputs)
    : build(translator.builder()), translator(translator), node(node),
      version(opset), inputs(inputs) {}

Value Node::input(size_t index) const {
  if (!hasInput(index))
    badInput("its operand {} is missing", index);
  return inputs[index];
}

Tensor Node::known(size_t index) const {
  return translator.valueOf(input(index), fmt::format("operand {}", index));
}

Sizes Node::knownIntegers(size_t index) const {
  Tensor tensor = known(index);
  if (!isInteger(tensor.type()) || tensor.rank() > 1)
    badInput("its operand {} must be a list of integers", index);
  Sizes numbers;
  for (int64_t i = 0; i < tensor.size(); ++i)
    numbers.push_back(tensor.dense().asInteger(i));
  return numbers;
}

double Node::knownNumber(size_t index) const {
  Tensor tensor = known(index);
  if (tensor.size() != 1)
    badInput("its operand {} must be one number, it has {}", index,
             tensor.size());
  return isFloat(tensor.type()) ? tensor.asDouble(0)
                                : static_cast<double>(tensor.asInteger(0));
}

Value Node::frozen(size_t index) const {
  return translator.frozen(input(index));
}

void Node::limitIntegers(size_t index, int64_t limit) const {
  translator.limitIntegers(input(index), limit);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const format::Attribute *Node::find(llvm::StringRef name) const {
  for (const format::Attribute &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

int64_t Node::integer(llvm::StringRef name) const {
  const format::Attribute *attribute = withType(find(name), Int);
  if (!attribute)
    badInput("its attribute '{}' is missing", name.str());
  return attribute->i();
}

int64_t Node::integer(llvm::StringRef name, int64_t fallback) const {
  const format::Attribute *attribute = withType(find(name), Int);
  return attribute ? attribute->i() : fallback;
}

double Node::number(llvm::StringRef name, double fallback) const {
  const format::Attribute *attribute = withType(find(name), Float);
  return attribute ? static_cast<double>(attribute->f()) : fallback;
}

std::string Node::text(llvm::StringRef name, llvm::StringRef fallback) const {
  const format::Attribute *attribute = withType(find(name), String);
  return attribute ? attribute->s() : fallback.str();
}

std::optional<Sizes> Node::integers(llvm::StringRef name) const {
  const format::Attribute *attribute = withType(find(name), Ints);
  if (!attribute)
    return std::nullopt;
  return Sizes(attribute->ints().begin(), attribute->ints().end());
}

std::optional<llvm::SmallVector<float>>
Node::numbers(llvm::StringRef name) const {
  const format::Attribute *attribute = withType(find(name), Floats);
  if (!attribute)
    return std::nullopt;
  return llvm::SmallVector<float>(attribute->floats().begin(),
                                  attribute->floats().end());
}

std::optional<Tensor> Node::tensor(llvm::StringRef name) const {
  const format::Attribute *attribute = withType(find(name), TensorType);
  if (!attribute)
    return std::nullopt;
  return translator.read(attribute->t());
}

const format::Graph &Node::graph(llvm::StringRef name) const {
  const format::Attribute *attribute = withType(find(name), GraphType);
  if (!attribute)
    badInput("its attribute '{}' is missing", name.str());
  return attribute->g();
}

Type Node::elementType(llvm::StringRef name, int64_t fallback) const {
  return toMLIR(elementTypeOf(integer(name, fallback),
                              "its attribute '" + name.str() + "'"),
                build.ops().getContext());
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

int64_t Node::axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank)
    badInput("its axis {} is not a dimension of a tensor of rank {}", axis,
             rank);
  return axis < 0 ? axis + rank : axis;
}

Sizes Node::axes(SizesRef given, int64_t rank) const {
  Sizes result;
  for (int64_t one : given) {
    int64_t found = axis(one, rank);
    if (llvm::is_contained(result, found))
      badInput("its axes {} name one dimension twice", onnx::text(given));
    result.push_back(found);
  }
  return result;
}

std::optional<Sizes> Node::givenAxes(size_t operand, int64_t operandSince,
                                     int64_t rank) const {
  if (opset() < operandSince) {
    std::optional<Sizes> given = integers("axes");
    return given ? std::optional(axes(*given, rank)) : std::nullopt;
  }
  if (!hasInput(operand))
    return std::nullopt;
  return axes(knownIntegers(operand), rank);
}

void Node::result(size_t index, Value value) {
  if (outputs.size() <= index)
    outputs.resize(index + 1);
  outputs[index] = value;
}

} // namespace shardsmith::onnx
