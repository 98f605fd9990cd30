// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/CUDA/DeviceFunctions.h"

namespace shardsmith::lower {

llvm::ArrayRef<DeviceChip> deviceChips() {
  static const DeviceChip chips[] = {{"sm_80", "+ptx70"},
                                     {"sm_90a", "+ptx80"},
                                     {"sm_100a", "+ptx86"},
                                     {"sm_120", "+ptx87"}};
  return chips;
}

const DeviceChip *findDeviceChip(llvm::StringRef name) {
  for (const DeviceChip &chip : deviceChips())
    if (chip.name == name)
      return &chip;
  return nullptr;
}

} // namespace shardsmith::lower
