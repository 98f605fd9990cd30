// SPDX-License-Identifier: Apache-2.0
//
// Short ways to write tensors in tests.

#ifndef SHARDSMITH_TEST_UNIT_INTERPRETER_TENSORBUILDERS_H
#define SHARDSMITH_TEST_UNIT_INTERPRETER_TENSORBUILDERS_H

#include "shardsmith/Interpreter/Tensor.h"

#include <gmock/gmock.h>
#include <initializer_list>
#include <vector>

namespace shardsmith {

inline Tensor f32(llvm::ArrayRef<int64_t> shape,
                  std::initializer_list<float> values) {
  return Tensor::of<float>(ElementType::F32, shape, {values});
}
inline Tensor f64(llvm::ArrayRef<int64_t> shape,
                  std::initializer_list<double> values) {
  return Tensor::of<double>(ElementType::F64, shape, {values});
}
inline Tensor i32(llvm::ArrayRef<int64_t> shape,
                  std::initializer_list<int32_t> values) {
  return Tensor::of<int32_t>(ElementType::I32, shape, {values});
}
inline Tensor i8(llvm::ArrayRef<int64_t> shape,
                 std::initializer_list<int8_t> values) {
  return Tensor::of<int8_t>(ElementType::I8, shape, {values});
}
inline Tensor u8(llvm::ArrayRef<int64_t> shape,
                 std::initializer_list<uint8_t> values) {
  return Tensor::of<uint8_t>(ElementType::U8, shape, {values});
}

/// All elements, splats included.
inline std::vector<double> values(const Tensor &tensor) {
  std::vector<double> result;
  for (int64_t i = 0; i < tensor.size(); ++i)
    result.push_back(tensor.asDouble(i));
  return result;
}

inline std::vector<int64_t> shapeOf(const Tensor &tensor) {
  return tensor.shape().vec();
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

} // namespace shardsmith

#endif // SHARDSMITH_TEST_UNIT_INTERPRETER_TENSORBUILDERS_H
