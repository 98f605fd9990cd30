// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a module image: which there are is read from its PTX, what
// they do from the IR that the PTX was made of.

#ifndef SHARDSMITH_TEST_EMULATOR_CUDA_FAKEKERNELS_H
#define SHARDSMITH_TEST_EMULATOR_CUDA_FAKEKERNELS_H

#include "../DeviceModule.h"
#include "../Machine.h"

#include <map>
#include <set>
#include <string>

namespace shardsmith::emulator {

class FakeKernels {
public:
  FakeKernels(const char *image, int major, int minor);

  std::string problem; ///< why the image cannot be loaded
  bool isOfOtherChip = false;

  /// Null if the image has no such kernel.
  const MachineFunction *find(const std::string &name);

private:
  std::map<std::string, size_t> entries; ///< arguments by kernel
  std::unique_ptr<DeviceModule> functions;
  std::map<std::string, MachineFunction> translated;
};

} // namespace shardsmith::emulator

#endif // SHARDSMITH_TEST_EMULATOR_CUDA_FAKEKERNELS_H
