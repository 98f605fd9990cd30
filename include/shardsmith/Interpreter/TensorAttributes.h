// SPDX-License-Identifier: Apache-2.0
//
// Between tensors and the types and attributes of IR.

#ifndef SHARDSMITH_INTERPRETER_TENSORATTRIBUTES_H
#define SHARDSMITH_INTERPRETER_TENSORATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "shardsmith/Interpreter/Tensor.h"

namespace shardsmith::inline interpreter {

/// The element type, or nothing where the interpreter has none (complex,
/// quantized, index).
std::optional<ElementType> elementTypeOf(mlir::Type type);
mlir::Type toMLIR(ElementType type, mlir::MLIRContext *context);

/// Element type and shape of a static tensor that fits memory; or nothing.
struct StaticType {
  ElementType element;
  Shape shape;
};
std::optional<StaticType> staticTypeOf(mlir::Type type);

/// One sentence on why `staticTypeOf` has nothing for a type.
std::string whyUnsupported(mlir::Type type);

/// The value of a constant. Splats stay splats. Null if the attribute holds no
/// elements in a form known here.
Tensor tensorFrom(mlir::ElementsAttr attribute);

/// The other way round; a splat becomes a splat attribute.
mlir::DenseElementsAttr toAttribute(const Tensor &tensor,
                                    mlir::MLIRContext *context);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_INTERPRETER_TENSORATTRIBUTES_H
