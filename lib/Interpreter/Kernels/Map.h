// SPDX-License-Identifier: Apache-2.0
//
// Loops over elements, shared by the elementwise kernels. A splat stays one:
// what is computed once need not be computed for every position.

#ifndef SHARDSMITH_LIB_INTERPRETER_KERNELS_MAP_H
#define SHARDSMITH_LIB_INTERPRETER_KERNELS_MAP_H

#include "shardsmith/Interpreter/Tensor.h"

namespace shardsmith::inline interpreter {

/// result[i] = function(a[i])
template <typename In, typename Out, typename Function>
Tensor mapElements(ElementType resultType, const Tensor &a, Function function) {
  if (a.isSplat()) {
    Out element = function(*a.data<In>());
    return Tensor::splat(resultType, a.shape(), &element);
  }
  Tensor result = Tensor::uninitialized(resultType, a.shape());
  const In *in = a.data<In>();
  Out *out = result.mutableData<Out>();
  for (int64_t i = 0, size = a.size(); i < size; ++i)
    out[i] = function(in[i]);
  return result;
}

/// result[i] = function(a[i], b[i])
template <typename In, typename Out, typename Function>
Tensor mapElements(ElementType resultType, const Tensor &a, const Tensor &b,
                   Function function) {
  const In *left = a.data<In>();
  const In *right = b.data<In>();
  if (a.isSplat() && b.isSplat()) {
    Out element = function(*left, *right);
    return Tensor::splat(resultType, a.shape(), &element);
  }
  Tensor result = Tensor::uninitialized(resultType, a.shape());
  Out *out = result.mutableData<Out>();
  const int64_t size = a.size();
  if (a.isSplat()) {
    const In fixed = *left;
    for (int64_t i = 0; i < size; ++i)
      out[i] = function(fixed, right[i]);
  } else if (b.isSplat()) {
    const In fixed = *right;
    for (int64_t i = 0; i < size; ++i)
      out[i] = function(left[i], fixed);
  } else {
    for (int64_t i = 0; i < size; ++i)
      out[i] = function(left[i], right[i]);
  }
  return result;
}

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_KERNELS_MAP_H
