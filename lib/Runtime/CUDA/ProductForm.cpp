// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/CUDA/ProductForm.h"

#include "shardsmith/Runtime/ElementType.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::runtime::cuda {
namespace {

/// One dimension of a matrix, in elements.
struct Dimension {
  int64_t size = 1, stride = 1;
};

/// Whether memory is a column-major matrix of `first` × `second`.
bool isColumnMajor(const Dimension &first, const Dimension &second) {
  return (first.size == 1 || first.stride == 1) &&
         (second.size == 1 || second.stride >= first.size);
}

int64_t leadingDimension(const Dimension &first, const Dimension &second) {
  return second.size == 1 ? first.size : second.stride;
}

/// Sets how a matrix of `first` × `second` is stored; false: in no way that
/// the library knows.
bool store(const Dimension &first, const Dimension &second,
           ProductForm::Matrix &matrix) {
  matrix.isTransposed = !isColumnMajor(first, second);
  if (matrix.isTransposed && !isColumnMajor(second, first))
    return false;
  matrix.leadingDimension = matrix.isTransposed
                                ? leadingDimension(second, first)
                                : leadingDimension(first, second);
  return true;
}

struct BatchDimension {
  int64_t size = 1;
  int64_t left = 0, right = 0, result = 0; ///< strides
};

/// Batch dimensions with as many neighbours as possible made one.
std::vector<BatchDimension> mergedBatch(const smith_gemm &gemm) {
  std::vector<BatchDimension> merged;
  for (int32_t i = 0; i < gemm.batch_count; ++i) {
    BatchDimension inner{gemm.batch[i], gemm.a_batch_stride[i],
                         gemm.b_batch_stride[i], gemm.c_batch_stride[i]};
    if (inner.size == 1)
      continue;
    if (!merged.empty()) {
      const BatchDimension &outer = merged.back();
      if (outer.left == inner.left * inner.size &&
          outer.right == inner.right * inner.size &&
          outer.result == inner.result * inner.size) {
        inner.size *= outer.size;
        merged.back() = inner;
        continue;
      }
    }
    merged.push_back(inner);
  }
  return merged;
}

bool isFloat8(smith_dtype type) {
  return type == SMITH_F8E4M3FN || type == SMITH_F8E5M2;
}

std::string whyNoTypes(const smith_gemm &gemm) {
  smith_dtype type = gemm.a_dtype, result = gemm.c_dtype;
  bool isHalf = type == SMITH_BF16 || type == SMITH_F16;
  if (isFloat8(type) && isFloat8(gemm.b_dtype) &&
      (type == SMITH_F8E4M3FN || gemm.b_dtype == SMITH_F8E4M3FN) &&
      (result == SMITH_F32 || result == SMITH_BF16 || result == SMITH_F16))
    return "";
  if (gemm.b_dtype == type &&
      (type == SMITH_F32 || type == SMITH_F64
           ? result == type
           : isHalf && (result == type || result == SMITH_F32)))
    return "";
  return fmt::format("its types are {} x {} to {}; GPUs multiply two of f32, "
                     "f64, bf16 or f16, the latter also to f32, and two of "
                     "eight bits, but f8E5M2 x f8E5M2, to f32, bf16 or f16",
                     name(type), name(gemm.b_dtype), name(result));
}

} // namespace

std::string findProductForm(const smith_gemm &gemm, bool hasBias,
                            ProductForm &form) {
  if (std::string problem = whyNoTypes(gemm); !problem.empty())
    return problem;
  if (gemm.k == 0)
    return "it adds up no terms";
  form = ProductForm();
  Dimension m{gemm.m, gemm.c_m_stride}, n{gemm.n, gemm.c_n_stride};
  form.isSwapped = hasBias || !isColumnMajor(m, n);
  if (form.isSwapped && !isColumnMajor(n, m))
    return "its result has no dimension of stride 1";
  form.rows = form.isSwapped ? gemm.n : gemm.m;
  form.columns = form.isSwapped ? gemm.m : gemm.n;
  form.depth = gemm.k;
  ProductForm::Matrix left, right;
  left.type = gemm.a_dtype;
  right.type = gemm.b_dtype;
  Dimension leftM{gemm.m, gemm.a_m_stride}, leftK{gemm.k, gemm.a_k_stride};
  Dimension rightK{gemm.k, gemm.b_k_stride}, rightN{gemm.n, gemm.b_n_stride};
  // Swapped, op(a) is n × k and op(b) is k × m.
  if (!(form.isSwapped ? store(leftK, leftM, left) : store(leftM, leftK, left)))
    return "its left operand has no dimension of stride 1";
  if (!(form.isSwapped ? store(rightN, rightK, right)
                       : store(rightK, rightN, right)))
    return "its right operand has no dimension of stride 1";
  form.d.type = gemm.c_dtype;
  form.d.leadingDimension =
      form.isSwapped ? leadingDimension(n, m) : leadingDimension(m, n);

  std::vector<BatchDimension> batch = mergedBatch(gemm);
  form.calls.emplace_back();
  if (!batch.empty()) {
    auto largest = std::ranges::max_element(batch, {}, &BatchDimension::size);
    form.batch = largest->size;
    left.batchStride = largest->left;
    right.batchStride = largest->right;
    form.d.batchStride = largest->result;
    batch.erase(largest);
  }
  for (const BatchDimension &each : batch) {
    std::vector<ProductForm::Call> calls;
    for (const ProductForm::Call &call : form.calls)
      for (int64_t i = 0; i < each.size; ++i)
        calls.push_back({call.a + i * (form.isSwapped ? each.right : each.left),
                         call.b + i * (form.isSwapped ? each.left : each.right),
                         call.d + i * each.result});
    form.calls = std::move(calls);
  }
  form.a = form.isSwapped ? right : left;
  form.b = form.isSwapped ? left : right;
  if (isFloat8(form.a.type) && (!form.a.isTransposed || form.b.isTransposed))
    return "operands of eight bits are multiplied along dimensions of stride 1";
  return "";
}

} // namespace shardsmith::runtime::cuda
