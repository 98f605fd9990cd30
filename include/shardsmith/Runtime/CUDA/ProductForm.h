// SPDX-License-Identifier: Apache-2.0
//
// A product of ABI.h as cuBLASLt takes it: matrices in column-major order,
// either operand transposed, one batch dimension. Calls no library.

#ifndef SHARDSMITH_RUNTIME_CUDA_PRODUCTFORM_H
#define SHARDSMITH_RUNTIME_CUDA_PRODUCTFORM_H

#include "shardsmith/Runtime/ABI.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardsmith::runtime::cuda {

/// Per batch, d = op(a) · op(b), d of rows × columns, op(a) of rows × depth.
/// The transpose of a row-major result is a column-major one: where c is
/// row-major, a is the product's right operand and b its left one.
struct ProductForm {
  struct Matrix {
    smith_dtype type = SMITH_F32;
    bool isTransposed = false;
    int64_t leadingDimension = 0; ///< elements between stored columns
    int64_t batchStride = 0;      ///< elements
  };
  bool isSwapped = false; ///< a is the product's right operand
  int64_t rows = 0, columns = 0, depth = 0;
  Matrix a, b, d;
  int64_t batch = 1;

  /// Where the operands of a call begin, in elements.
  struct Call {
    int64_t a = 0, b = 0, d = 0;
  };
  /// Batch dimensions whose strides are not those of one dimension take a call
  /// for each of their elements, except the largest one.
  std::vector<Call> calls;
};

/// A bias, an element for each column of the product, is one for each row of d.
///
/// Fills in the form and returns an empty string, or why there is none: "its
/// left operand has no dimension of stride 1".
std::string findProductForm(const smith_gemm &gemm, bool hasBias,
                            ProductForm &form);

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_RUNTIME_CUDA_PRODUCTFORM_H
