// SPDX-License-Identifier: Apache-2.0

#include "Elementwise.h"
#include "Map.h"

namespace shardsmith::inline interpreter {

bool isBinaryDefined(BinaryKind kind, ElementType type) {
  const bool isShift = kind == BinaryKind::ShiftLeft ||
                       kind == BinaryKind::ShiftRightLogical ||
                       kind == BinaryKind::ShiftRightArithmetic;
  if (isShift && isNarrow(type))
    return false; // The widened type has another width to shift beyond.
  return dispatchBinary(kind, [&](auto kindTag) {
    return dispatchArithmetic(widened(type), [&]<typename T>(Tag<T>) {
      return isBinaryDefined<decltype(kindTag)::value, T>();
    });
  });
}

Tensor applyBinary(BinaryKind kind, const Tensor &a, const Tensor &b) {
  if (!isBinaryDefined(kind, a.type()))
    return Tensor();
  if (ElementType type = a.type(); isNarrow(type))
    return convert(
        applyBinary(kind, convert(a, widened(type)), convert(b, widened(type))),
        type);
  return dispatchBinary(kind, [&](auto kindTag) {
    using Kind = decltype(kindTag);
    return dispatchArithmetic(a.type(), [&]<typename T>(Tag<T>) -> Tensor {
      if constexpr (isBinaryDefined<Kind::value, T>())
        return mapElements<T, T>(a.type(), a, b, [](T left, T right) {
          return applyBinary<Kind::value, T>(left, right);
        });
      return Tensor();
    });
  });
}

} // namespace shardsmith::inline interpreter
