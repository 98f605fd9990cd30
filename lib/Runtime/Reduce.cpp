// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Reduce.h"

#include "shardsmith/Runtime/Failure.h"

#include <algorithm>
#include <type_traits>

namespace shardsmith::runtime {
namespace {

/// The type in which elements of type T are combined.
template <typename T> struct AccumulatorOf {
  // Unsigned arithmetic wraps. Types narrower than int would be promoted to
  // int, whose products could overflow; converting back to T wraps them.
  using type = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;
};
template <> struct AccumulatorOf<BFloat16> {
  using type = float;
};
template <> struct AccumulatorOf<Float16> {
  using type = float;
};

template <typename T> auto load(T value) {
  if constexpr (requires { value.toFloat(); })
    return value.toFloat();
  else
    return value;
}

template <typename T, typename Value> T store(Value value) {
  if constexpr (requires { T::fromFloat(0.0f); })
    return T::fromFloat(value);
  else
    return static_cast<T>(value);
}

struct Sum {
  template <typename T> T operator()(T a, T b) const {
    using Accumulator = AccumulatorOf<T>::type;
    return static_cast<T>(static_cast<Accumulator>(a) +
                          static_cast<Accumulator>(b));
  }
};
struct Product {
  template <typename T> T operator()(T a, T b) const {
    using Accumulator = AccumulatorOf<T>::type;
    return static_cast<T>(static_cast<Accumulator>(a) *
                          static_cast<Accumulator>(b));
  }
};
// A NaN compares unequal to itself and wins.
struct Max {
  template <typename T> T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};
struct Min {
  template <typename T> T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};
struct And {
  template <typename T> T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <typename T> T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};

/// Works through cache-sized blocks: a block of all sources is read before
/// the block of `out` is written, so `out` may be a source.
template <typename T, typename Combine>
void reduceTyped(std::span<const void *const> sources, void *out, int64_t count,
                 Combine combine) {
  using Value = decltype(load(T{}));
  constexpr int64_t blockLength = 1024;
  Value block[blockLength];
  auto *target = static_cast<T *>(out);
  for (int64_t begin = 0; begin < count; begin += blockLength) {
    int64_t length = std::min(blockLength, count - begin);
    auto *first = static_cast<const T *>(sources[0]) + begin;
    for (int64_t i = 0; i < length; ++i)
      block[i] = load(first[i]);
    for (const void *source : sources.subspan(1)) {
      auto *next = static_cast<const T *>(source) + begin;
      for (int64_t i = 0; i < length; ++i)
        block[i] = combine(block[i], load(next[i]));
    }
    for (int64_t i = 0; i < length; ++i)
      target[begin + i] = store<T>(block[i]);
  }
}

template <typename T>
void reduceOf(Reduction reduction, std::span<const void *const> sources,
              void *out, int64_t count) {
  switch (reduction) {
  case SMITH_SUM:
    return reduceTyped<T>(sources, out, count, Sum());
  case SMITH_PRODUCT:
    return reduceTyped<T>(sources, out, count, Product());
  case SMITH_MAX:
    return reduceTyped<T>(sources, out, count, Max());
  case SMITH_MIN:
    return reduceTyped<T>(sources, out, count, Min());
  case SMITH_AND:
    if constexpr (std::is_integral_v<T>)
      return reduceTyped<T>(sources, out, count, And());
    break;
  case SMITH_OR:
    if constexpr (std::is_integral_v<T>)
      return reduceTyped<T>(sources, out, count, Or());
    break;
  }
}

/// Bool is one byte, 0 or 1, for which arithmetic is logic.
Reduction logicalReduction(Reduction reduction) {
  switch (reduction) {
  case SMITH_SUM:
  case SMITH_MAX:
    return SMITH_OR;
  case SMITH_PRODUCT:
  case SMITH_MIN:
    return SMITH_AND;
  case SMITH_AND:
  case SMITH_OR:
    break;
  }
  return reduction;
}

} // namespace

void checkReduction(ElementType type, Reduction reduction) {
  if (isFloat(type) && (reduction == SMITH_AND || reduction == SMITH_OR))
    fail(ExitCode::Unsupported, "a logical reduction of {} has no meaning",
         name(type));
}

void reduceElements(ElementType type, Reduction reduction,
                    std::span<const void *const> sources, void *out,
                    int64_t count) {
  if (type == SMITH_BOOL)
    reduction = logicalReduction(reduction);
  visitElementType(type, [&](auto tag) {
    reduceOf<decltype(tag)>(reduction, sources, out, count);
  });
}

} // namespace shardsmith::runtime
