// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Workload/ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace shardsmith::workload {

ElementType elementTypeOf(Type type) {
  if (isa<BFloat16Type>(type))
    return ElementType::BF16;
  if (isa<Float16Type>(type))
    return ElementType::F16;
  if (isa<FloatTF32Type>(type))
    return ElementType::TF32;
  if (isa<Float32Type>(type))
    return ElementType::F32;
  if (isa<FloatType>(type)) {
    unsigned width = type.getIntOrFloatBitWidth();
    return width <= 4   ? ElementType::F4
           : width <= 8 ? ElementType::F8
                        : ElementType::F64;
  }
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    return width == 1    ? ElementType::Bool
           : width <= 8  ? ElementType::I8
           : width <= 32 ? ElementType::I32
                         : ElementType::I64;
  }
  // Two floats of 32 bits, the common complex number.
  return ElementType::F64;
}

} // namespace shardsmith::workload
