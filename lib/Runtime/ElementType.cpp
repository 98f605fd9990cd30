// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/ElementType.h"

#include <algorithm>
#include <array>

namespace shardsmith::runtime {
namespace {

struct Description {
  ElementType type;
  int64_t bytes;
  std::string_view name;
  std::string_view safeTensorsName;
};

constexpr std::array<Description, 15> descriptions{{
    {SMITH_F32, 4, "f32", "F32"},
    {SMITH_BF16, 2, "bf16", "BF16"},
    {SMITH_F16, 2, "f16", "F16"},
    {SMITH_F64, 8, "f64", "F64"},
    {SMITH_I8, 1, "i8", "I8"},
    {SMITH_I16, 2, "i16", "I16"},
    {SMITH_I32, 4, "i32", "I32"},
    {SMITH_I64, 8, "i64", "I64"},
    {SMITH_U8, 1, "u8", "U8"},
    {SMITH_U16, 2, "u16", "U16"},
    {SMITH_U32, 4, "u32", "U32"},
    {SMITH_U64, 8, "u64", "U64"},
    {SMITH_BOOL, 1, "bool", "BOOL"},
    {SMITH_F8E4M3FN, 1, "f8E4M3FN", "F8_E4M3"},
    {SMITH_F8E5M2, 1, "f8E5M2", "F8_E5M2"},
}};

} // namespace

int64_t byteSize(ElementType type) { return descriptions[type].bytes; }

std::string_view name(ElementType type) { return descriptions[type].name; }

std::string_view safeTensorsName(ElementType type) {
  return descriptions[type].safeTensorsName;
}

std::optional<ElementType> elementTypeFromName(std::string_view name) {
  for (const Description &description : descriptions)
    if (description.name == name)
      return description.type;
  return std::nullopt;
}

std::optional<ElementType> elementTypeFromSafeTensors(std::string_view name) {
  for (const Description &description : descriptions)
    if (description.safeTensorsName == name)
      return description.type;
  return std::nullopt;
}

bool isFloat(ElementType type) {
  return type == SMITH_F32 || type == SMITH_BF16 || type == SMITH_F16 ||
         type == SMITH_F64 || type == SMITH_F8E4M3FN || type == SMITH_F8E5M2;
}

bool isInteger(ElementType type) {
  return !isFloat(type) && type != SMITH_BOOL;
}

double loadAsDouble(ElementType type, const void *data, int64_t index) {
  return visitElementType(type, [&](auto tag) -> double {
    using T = decltype(tag);
    T value; // files do not align their data
    const char *at =
        static_cast<const char *>(data) + index * int64_t{sizeof(T)};
    std::memcpy(&value, at, sizeof value);
    if constexpr (requires { value.toFloat(); })
      return value.toFloat();
    else
      return static_cast<double>(value);
  });
}

void storeFromDouble(ElementType type, void *data, int64_t index,
                     double value) {
  storeFromDoubles(type, data, index, &value, 1);
}

void storeFromDoubles(ElementType type, void *data, int64_t index,
                      const double *values, int64_t count) {
  visitElementType(type, [&](auto tag) {
    using T = decltype(tag);
    T *elements = static_cast<T *>(data) + index;
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (requires { tag.toFloat(); })
        elements[i] = T::fromFloat(static_cast<float>(values[i]));
      else if (type == SMITH_BOOL)
        elements[i] = static_cast<T>(values[i] != 0);
      else
        elements[i] = static_cast<T>(values[i]);
    }
  });
}

void convertElements(ElementType from, const void *source, int64_t sourceIndex,
                     ElementType to, void *target, int64_t targetIndex,
                     int64_t count) {
  if (from == to) {
    int64_t size = byteSize(from);
    std::memcpy(static_cast<uint8_t *>(target) + targetIndex * size,
                static_cast<const uint8_t *>(source) + sourceIndex * size,
                static_cast<size_t>(count * size));
    return;
  }
  std::array<double, 1024> values;
  for (int64_t done = 0; done < count;) {
    int64_t piece = std::min<int64_t>(values.size(), count - done);
    for (int64_t i = 0; i < piece; ++i)
      values[i] = loadAsDouble(from, source, sourceIndex + done + i);
    storeFromDoubles(to, target, targetIndex + done, values.data(), piece);
    done += piece;
  }
}

} // namespace shardsmith::runtime
