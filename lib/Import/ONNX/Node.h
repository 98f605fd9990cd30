// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_ONNX_NODE_H
#define SHARDSMITH_LIB_IMPORT_ONNX_NODE_H

#include "Builder.h"
#include "Format.h"

#include <optional>

namespace shardsmith::onnx {

class Translator;

/// A node of the file while its translation runs: operands as values of the
/// graph that is built, attributes with defaults, and results to fill in.
///
/// Every reader throws Failure for what the operator's definition does not
/// allow; the message gets the node's name from the caller of the translation.
class Node {
public:
  Node(Translator &translator, const format::Node &node, int64_t opset,
       llvm::ArrayRef<Value> inputs);

  Builder &build;

  const std::string &type() const { return node.op_type(); }
  /// Version of the operator set that gives the node its meaning.
  int64_t opset() const { return version; }

  //===--- Operands ---------------------------------------------------------===
  int64_t inputCount() const { return inputs.size(); }
  bool hasInput(size_t index) const {
    return index < inputs.size() && inputs[index];
  }
  Value input(size_t index) const;
  llvm::ArrayRef<Value> allInputs() const { return inputs; }
  /// The elements of an operand that must be known when the model is read.
  Tensor known(size_t index) const;
  Sizes knownIntegers(size_t index) const;
  double knownNumber(size_t index) const;
  /// The operand as a constant, if it is a tensor of the file: statistics that
  /// no optimizer may change.
  Value frozen(size_t index) const;
  /// States that the integers of an operand are below `limit`, for synthetic
  /// batches.
  void limitIntegers(size_t index, int64_t limit) const;

  //===--- Attributes -------------------------------------------------------===
  const format::Attribute *find(llvm::StringRef name) const;
  bool hasAttribute(llvm::StringRef name) const { return find(name); }
  int64_t integer(llvm::StringRef name) const;
  int64_t integer(llvm::StringRef name, int64_t fallback) const;
  bool flag(llvm::StringRef name, bool fallback) const {
    return integer(name, fallback) != 0;
  }
  double number(llvm::StringRef name, double fallback) const;
  std::string text(llvm::StringRef name, llvm::StringRef fallback) const;
  std::optional<Sizes> integers(llvm::StringRef name) const;
  std::optional<llvm::SmallVector<float>> numbers(llvm::StringRef name) const;
  std::optional<Tensor> tensor(llvm::StringRef name) const;
  const format::Graph &graph(llvm::StringRef name) const;
  Type elementType(llvm::StringRef name, int64_t fallback) const;

  //===--- Dimensions -------------------------------------------------------===
  /// `axis` counted from 0; negative ones count from the end of `rank`.
  int64_t axis(int64_t axis, int64_t rank) const;
  Sizes axes(SizesRef axes, int64_t rank) const;
  /// The axes of operators that take them as attribute first and as operand
  /// since `operandSince`; nothing if they are not given.
  std::optional<Sizes> givenAxes(size_t operand, int64_t operandSince,
                                 int64_t rank) const;

  //===--- Results ----------------------------------------------------------===
  int64_t outputCount() const { return node.output_size(); }
  bool wantsOutput(int index) const {
    return index < node.output_size() && !node.output(index).empty();
  }
  void result(Value value) { result(0, value); }
  void result(size_t index, Value value);
  llvm::ArrayRef<Value> results() const { return outputs; }

  const format::Node &message() const { return node; }
  Translator &translator;

private:
  const format::Node &node;
  int64_t version;
  llvm::SmallVector<Value> inputs, outputs;
};

} // namespace shardsmith::onnx

#endif // SHARDSMITH_LIB_IMPORT_ONNX_NODE_H
