// SPDX-License-Identifier: Apache-2.0
//
// Tensors of a model file as tensors of the interpreter.

#ifndef SHARDSMITH_LIB_IMPORT_ONNX_WEIGHTS_H
#define SHARDSMITH_LIB_IMPORT_ONNX_WEIGHTS_H

#include "Format.h"

#include "shardsmith/Interpreter/Tensor.h"

#include <string>

namespace shardsmith::onnx {

/// Type and shape that a tensor states, without its elements.
struct TensorHeader {
  ElementType type;
  Shape shape;
  /// Number of elements and of bytes when dense.
  int64_t elements = 0;
  int64_t bytes = 0;
};

/// The element type with ONNX's number; throws Failure for types the
/// interpreter has not. `what` names the tensor in messages.
ElementType elementTypeOf(int64_t number, const std::string &what);

/// Throws Failure for sizes that are negative or overflow, and where the file
/// itself does not hold as many elements as the shape says. No memory is taken.
TensorHeader headerOf(const format::Tensor &tensor);

/// The elements, from the file itself or from external data, whose files must
/// lie in `folder`. Throws Failure as `headerOf` does, and where another file
/// lacks elements, before any memory is taken for them.
Tensor readTensor(const format::Tensor &tensor, const std::string &folder);

} // namespace shardsmith::onnx

#endif // SHARDSMITH_LIB_IMPORT_ONNX_WEIGHTS_H
