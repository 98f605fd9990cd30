// SPDX-License-Identifier: Apache-2.0

#include "DeviceRates.h"

#include <algorithm>
#include <initializer_list>

namespace shardsmith::cost {

using workload::ElementType;

double bytesOf(ElementType type) {
  switch (type) {
  case ElementType::F64:
  case ElementType::I64:
    return 8;
  case ElementType::F32:
  case ElementType::TF32:
  case ElementType::I32:
    return 4;
  case ElementType::F16:
  case ElementType::BF16:
    return 2;
  case ElementType::F8:
  case ElementType::I8:
  case ElementType::Bool:
    return 1;
  case ElementType::F4:
    return 0.5;
  }
  return 4;
}

namespace {

/// Names in the device's tables, best first.
std::initializer_list<const char *> namesOf(ElementType type) {
  static const std::initializer_list<const char *>
      f64 = {"f64"},
      f32 = {"f32"}, tf32 = {"tf32", "f32"}, f16 = {"f16", "bf16", "f32"},
      bf16 = {"bf16", "f16", "f32"},
      f8 = {"f8E4M3FN", "f8E5M2", "i8", "bf16", "f16", "f32"},
      f4 = {"f4E2M1FN", "f8E4M3FN", "bf16", "f16", "f32"},
      i8 = {"i8", "f8E4M3FN", "i32", "f32"}, i32 = {"i32", "f32"};
  switch (type) {
  case ElementType::F64:
    return f64;
  case ElementType::TF32:
    return tf32;
  case ElementType::F16:
    return f16;
  case ElementType::BF16:
    return bf16;
  case ElementType::F8:
    return f8;
  case ElementType::F4:
    return f4;
  case ElementType::I8:
  case ElementType::Bool:
    return i8;
  case ElementType::I32:
  case ElementType::I64:
    return i32;
  case ElementType::F32:
    return f32;
  }
  return f32;
}

} // namespace

double peakOf(const DeviceType &device, ElementType type) {
  for (const char *name : namesOf(type)) {
    auto found = device.flopsPerSecond.find(name);
    if (found != device.flopsPerSecond.end() && found->second > 0)
      return found->second;
  }
  double largest = 0;
  for (const auto &[name, peak] : device.flopsPerSecond)
    largest = std::max(largest, peak);
  return largest / 8;
}

MatmulFit matmulFitOf(const DeviceType &device, ElementType type) {
  for (const char *name : namesOf(type)) {
    auto found = device.matmulFits.find(name);
    if (found != device.matmulFits.end())
      return found->second;
  }
  MatmulFit plain;
  plain.peakShare = device.matmulEfficiency;
  plain.memoryShare = device.memoryEfficiency;
  plain.baseSeconds = double(device.launch.count()) * 1e-9;
  return plain;
}

} // namespace shardsmith::cost
