// SPDX-License-Identifier: Apache-2.0

#include "Elementwise.h"
#include "Map.h"

#include <cmath>

namespace shardsmith::inline interpreter {
namespace {

/// Truncated towards zero and saturated to the range of `Out`.
template <typename Out> Out saturate(double value) {
  if (std::isnan(value))
    return 0;
  constexpr unsigned bits = 8 * sizeof(Out);
  constexpr double half = static_cast<double>(uint64_t(1) << (bits - 1));
  constexpr double upper = std::is_signed_v<Out> ? half : 2 * half;
  constexpr double lower = std::is_signed_v<Out> ? -half : 0.0;
  if (value >= upper)
    return std::numeric_limits<Out>::max();
  if (value <= lower)
    return std::numeric_limits<Out>::min();
  return static_cast<Out>(value);
}

template <typename In, typename Out> Out convertElement(In value) {
  if constexpr (std::is_same_v<In, Out>)
    return value;
  else if constexpr (std::is_same_v<Out, bool>)
    return static_cast<Computed<In>>(value) != Computed<In>(0);
  else if constexpr (std::is_integral_v<Out> && isFloatElement<In>)
    return saturate<Out>(static_cast<double>(value));
  else if constexpr (isReducedFloat<Out>)
    return static_cast<Out>(static_cast<double>(value));
  else
    return static_cast<Out>(static_cast<Computed<In>>(value));
}

/// Wraps stored bytes around to the value range of a narrow integer.
Tensor wrapToNarrow(const Tensor &stored, ElementType type) {
  const unsigned unused = 8 - valueBits(type);
  if (isSignedInteger(type))
    return mapElements<int8_t, int8_t>(type, stored, [unused](int8_t value) {
      auto raised = static_cast<int8_t>(static_cast<uint8_t>(value) << unused);
      return static_cast<int8_t>(raised >> unused);
    });
  return mapElements<uint8_t, uint8_t>(type, stored, [unused](uint8_t value) {
    auto raised = static_cast<uint8_t>(value << unused);
    return static_cast<uint8_t>(raised >> unused);
  });
}

/// Floats saturate at the range of a narrow integer, not of its byte.
Tensor saturateToNarrow(const Tensor &a, ElementType type) {
  const unsigned bits = valueBits(type);
  const bool isSigned = isSignedInteger(type);
  const double upper = (1 << (isSigned ? bits - 1 : bits)) - 1;
  const double lower = isSigned ? -upper - 1 : 0;
  return dispatchStored(a.type(), [&]<typename In>(Tag<In>) {
    return mapElements<In, int8_t>(type, a, [=](In value) -> int8_t {
      double wide = static_cast<double>(value);
      if (std::isnan(wide))
        return 0;
      return static_cast<int8_t>(std::clamp(std::trunc(wide), lower, upper));
    });
  });
}

} // namespace

Tensor convert(const Tensor &a, ElementType type) {
  if (a.type() == type)
    return a;
  const bool toNarrowInteger = isNarrow(type) && isInteger(type);
  if (toNarrowInteger && isFloat(a.type()))
    return saturateToNarrow(a, type);
  Tensor stored = dispatchStored(a.type(), [&]<typename In>(Tag<In>) {
    return dispatchStored(type, [&]<typename Out>(Tag<Out>) {
      return mapElements<In, Out>(type, a, convertElement<In, Out>);
    });
  });
  return toNarrowInteger ? wrapToNarrow(stored, type) : stored;
}

} // namespace shardsmith::inline interpreter
