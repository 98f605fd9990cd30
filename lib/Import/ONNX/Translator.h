// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_ONNX_TRANSLATOR_H
#define SHARDSMITH_LIB_IMPORT_ONNX_TRANSLATOR_H

#include "Builder.h"
#include "Format.h"
#include "Functions.h"
#include "NodeOrder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <set>
#include <string>

namespace shardsmith::onnx {

/// Translates nodes, graphs and functions of a file into ops of one block.
///
/// Names are looked up in the innermost scope first. Constants of the file
/// become `stablehlo.constant` and are computed with like all else; where an
/// operator must know an operand, such as a shape, `valueOf` evaluates the ops
/// that it was made of. Those ops have no other use then and are erased.
class Translator {
public:
  /// `folder` holds external data. Ops are appended to `main`.
  Translator(const format::Model &model, std::string folder,
             mlir::func::FuncOp main);

  Builder &builder() { return ops; }

  //===--- Values ---------------------------------------------------------===
  /// Gives a value a name in the outermost scope.
  void define(const std::string &name, Value value);
  /// The value of that name in any open scope; null if there is none.
  Value lookUp(const std::string &name) const;
  /// States that an argument of @main is a tensor of the file.
  void defineArgument(Value argument, const format::Tensor &tensor);
  /// Emits a tensor of the file as a constant.
  Value constantOf(const format::Tensor &tensor);

  //===--- Nodes ----------------------------------------------------------===
  /// Throws one Failure that names every node that cannot be translated.
  void requireSupported(const format::Graph &graph) const;
  void translate(const Nodes &nodes, int64_t opset);
  /// The outputs of a body whose inputs are given.
  llvm::SmallVector<Value> callBody(const format::Graph &body,
                                    llvm::ArrayRef<Value> inputs,
                                    int64_t opset);

  //===--- For translations -----------------------------------------------===
  Tensor read(const format::Tensor &tensor) const;
  /// Elements of a value that depends on no batch; throws Failure otherwise.
  /// `what` names it in the message.
  Tensor valueOf(Value value, const std::string &what);
  Value frozen(Value value);
  void limitIntegers(Value value, int64_t limit);
  /// Exclusive bounds of the integers of arguments.
  const llvm::DenseMap<Value, int64_t> &limits() const { return integerLimits; }

private:
  using Scope = llvm::StringMap<Value>;

  void translate(const format::Node &node, int64_t opset);
  llvm::SmallVector<Value> callFunction(const format::Node &node,
                                        llvm::ArrayRef<Value> inputs);
  /// What of a file cannot be translated, and which functions were looked at.
  struct Findings {
    std::vector<std::string> nodes;
    std::set<const format::Function *> seen;
  };
  void findUnsupported(const Nodes &nodes, Findings &found) const;
  void evaluate(mlir::Operation *op);

  const format::Model &model;
  std::string folder;
  mlir::func::FuncOp main;
  Builder ops;
  Functions functions;
  std::vector<Scope> scopes;
  llvm::DenseMap<Value, const format::Tensor *> initializers;
  llvm::DenseMap<Value, Tensor> evaluated;
  llvm::DenseMap<Value, int64_t> integerLimits;
  int64_t translatedNodes = 0;
  int callDepth = 0;
};

} // namespace shardsmith::onnx

#endif // SHARDSMITH_LIB_IMPORT_ONNX_TRANSLATOR_H
