// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interfaces/WorkModel.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardsmith {
namespace {

/// Bits of one element in memory: a boolean takes a byte.
int64_t bitsOf(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * bitsOf(complex.getElementType());
  if (type.isInteger(1))
    return 8;
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
}

} // namespace

Flops elementsOf(RankedTensorType type) {
  Flops count(1);
  for (int64_t size : type.getShape())
    count = count * size;
  return count;
}

Bytes bytesOf(RankedTensorType type) {
  Flops elements = elementsOf(type);
  int64_t bits = bitsOf(type.getElementType());
  if (bits < 8)
    return Bytes(ceilDivide(elements.count(), 8 / bits));
  return Bytes(elements.count()) * (bits / 8);
}

Bytes bytesOf(Types types) {
  Bytes total;
  for (RankedTensorType type : types)
    total += bytesOf(type);
  return total;
}

int64_t countAlong(RankedTensorType type, ArrayRef<int64_t> dims) {
  Flops count(1);
  for (int64_t dim : dims)
    count = count * type.getDimSize(dim);
  return count.count();
}

int64_t countBeside(RankedTensorType type, ArrayRef<int64_t> dims) {
  Flops count(1);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!is_contained(dims, dim))
      count = count * type.getDimSize(dim);
  return count.count();
}

OpWork readAndWrite(OpWork::Kind kind, Types operands, Types results) {
  OpWork work;
  work.kind = kind;
  work.read = bytesOf(operands);
  work.written = bytesOf(results);
  return work;
}

} // namespace shardsmith
