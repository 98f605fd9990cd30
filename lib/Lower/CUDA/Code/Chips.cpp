// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/CUDA/DeviceFunctions.h"

namespace shardsmith::lower {

llvm::ArrayRef<DeviceChip> deviceChips() {
  constexpr int64_t kibibyte = 1024;
  static const DeviceChip chips[] = {
      {"sm_80", "+ptx70", 64, 32, 65536, Bytes(164 * kibibyte), false},
      {"sm_90a", "+ptx80", 64, 32, 65536, Bytes(228 * kibibyte), true},
      {"sm_100a", "+ptx86", 64, 32, 65536, Bytes(228 * kibibyte), true},
      {"sm_120", "+ptx87", 48, 24, 65536, Bytes(100 * kibibyte), true}};
  return chips;
}

const DeviceChip *findDeviceChip(llvm::StringRef name) {
  for (const DeviceChip &chip : deviceChips())
    if (chip.name == name)
      return &chip;
  return nullptr;
}

} // namespace shardsmith::lower
