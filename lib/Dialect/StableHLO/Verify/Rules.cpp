// SPDX-License-Identifier: Apache-2.0

#include "Rules.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shardsmith::stablehlo {

std::string toText(ArrayRef<int64_t> dims) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(dims, stream, [&](int64_t dim) {
    if (ShapedType::isDynamic(dim))
      stream << '?';
    else
      stream << dim;
  });
  stream << ']';
  return text;
}

bool agree(int64_t left, int64_t right) {
  return left == right || ShapedType::isDynamic(left) ||
         ShapedType::isDynamic(right);
}

bool agree(ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
  return left.size() == right.size() &&
         llvm::all_of(llvm::zip(left, right), [](auto pair) {
           return agree(std::get<0>(pair), std::get<1>(pair));
         });
}

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Type elementType(Value value) { return tensorType(value).getElementType(); }

int64_t rankOf(Value value) { return tensorType(value).getRank(); }

LogicalResult checkCount(const Reporter &report, StringRef name, size_t found,
                         size_t count, StringRef what) {
  if (found == count)
    return success();
  return report("needs one entry of ", name, " per ", what, ": expected ",
                count, ", found ", found);
}

LogicalResult checkKnown(const Reporter &report, StringRef name,
                         ArrayRef<int64_t> sizes) {
  if (llvm::is_contained(sizes, ShapedType::kDynamic))
    return report(name, " has size ", ShapedType::kDynamic,
                  "; expected sizes from 0 on");
  return success();
}

LogicalResult checkInRange(const Reporter &report, StringRef name,
                           ArrayRef<int64_t> dims, int64_t rank) {
  for (int64_t dim : dims)
    if (dim < 0 || dim >= rank)
      return report(name, " has dimension ", dim, ", outside [0, ", rank, ")");
  return success();
}

LogicalResult checkUnique(const Reporter &report, StringRef name,
                          ArrayRef<int64_t> dims, int64_t rank) {
  if (failed(checkInRange(report, name, dims, rank)))
    return failure();
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : dims) {
    if (seen.test(dim))
      return report(name, " has dimension ", dim, " twice: ", toText(dims));
    seen.set(dim);
  }
  return success();
}

LogicalResult checkIncreasing(const Reporter &report, StringRef name,
                              ArrayRef<int64_t> dims, int64_t rank) {
  if (failed(checkUnique(report, name, dims, rank)))
    return failure();
  if (!llvm::is_sorted(dims))
    return report(name, " must increase, found ", toText(dims));
  return success();
}

LogicalResult checkResultShape(const Reporter &report, Type result,
                               ArrayRef<int64_t> expected) {
  ArrayRef<int64_t> found = cast<RankedTensorType>(result).getShape();
  if (agree(expected, found))
    return success();
  return report("must have result shape ", toText(expected), ", found ",
                toText(found));
}

} // namespace shardsmith::stablehlo
