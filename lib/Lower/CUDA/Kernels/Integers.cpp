// SPDX-License-Identifier: Apache-2.0

#include "Integers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cuda {

Value Integers::plus(Value a, Value b) {
  return device.builder.createOrFold<arith::AddIOp>(a, b);
}

Value Integers::minus(Value a, Value b) {
  return device.builder.createOrFold<arith::SubIOp>(a, b);
}

Value Integers::times(Value a, int64_t b) {
  return device.builder.createOrFold<arith::MulIOp>(a, constant(b));
}

Value Integers::quotient(Value a, int64_t b) {
  return device.builder.createOrFold<arith::DivUIOp>(a, constant(b));
}

Value Integers::remainder(Value a, int64_t b) {
  return device.builder.createOrFold<arith::RemUIOp>(a, constant(b));
}

SmallVector<Value> Integers::digits(Value number, ArrayRef<int64_t> radices) {
  SmallVector<Value> all;
  for (int64_t radix : llvm::reverse(radices)) {
    all.push_back(remainder(number, radix));
    number = quotient(number, radix);
  }
  std::reverse(all.begin(), all.end());
  return all;
}

Value Integers::smaller(Value a, Value b) {
  return device.builder.createOrFold<arith::MinSIOp>(a, b);
}

Value Integers::clamp(Value a, int64_t most) {
  Value atMost = smaller(a, constant(most));
  return device.builder.createOrFold<arith::MaxSIOp>(atMost, constant(0));
}

Value Integers::isBelow(Value a, Value b) {
  return device.builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                    a, b);
}

Value Integers::isEqual(Value a, Value b) {
  return device.builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, a,
                                                    b);
}

Value Integers::widened(Value a) {
  return arith::ExtUIOp::create(device.builder, device.builder.getI64Type(), a);
}

} // namespace shardsmith::cuda
