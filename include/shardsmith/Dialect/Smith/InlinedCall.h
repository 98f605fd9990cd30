// SPDX-License-Identifier: Apache-2.0
//
// Which call of `@main` an op comes from, of a module whose calls were inlined:
//
//     %1 = stablehlo.tanh %0 {smith.call = {callee = "layer", number = 3 :
//     i64}}
//
// A dictionary, and no attribute of the dialect's own, because other compilers
// read the forward graph as well.

#ifndef SHARDSMITH_DIALECT_SMITH_INLINEDCALL_H
#define SHARDSMITH_DIALECT_SMITH_INLINEDCALL_H

#include "shardsmith/Dialect/Smith/Smith.h"

namespace shardsmith::smith {

/// Equal if callee and number are.
class InlinedCall {
public:
  InlinedCall() = default;
  /// The call of this number, from 0, in `@main`; of a function of this name.
  InlinedCall(mlir::MLIRContext *context, llvm::StringRef callee,
              int64_t number);

  mlir::StringAttr getCallee() const;
  mlir::DictionaryAttr asAttribute() const { return attribute; }
  explicit operator bool() const { return static_cast<bool>(attribute); }
  bool operator==(const InlinedCall &) const = default;

private:
  friend InlinedCall readInlinedCall(mlir::Attribute value);
  explicit InlinedCall(mlir::DictionaryAttr attribute) : attribute(attribute) {}

  mlir::DictionaryAttr attribute;
};

/// False for attributes of other forms, and null.
InlinedCall readInlinedCall(mlir::Attribute value);

} // namespace shardsmith::smith

#endif // SHARDSMITH_DIALECT_SMITH_INLINEDCALL_H
