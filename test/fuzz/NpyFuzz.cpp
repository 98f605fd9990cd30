// SPDX-License-Identifier: Apache-2.0
//
// Arrays in NumPy's format.

#include "../../lib/Runtime/Files/Npy.h"
#include "FuzzInput.h"
#include "shardsmith/Runtime/Failure.h"

#include <numeric>

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) try {
  fuzz::InputFile input(data, size);
  runtime::NpyFile array = runtime::readNpy(input.path());
  int64_t bytes = runtime::elementCount(array.shape) *
                  static_cast<int64_t>(runtime::byteSize(array.type));
  fuzz::require(bytes >= 0 && bytes <= static_cast<int64_t>(size),
                "the array lies in the file");
  volatile uint8_t sum =
      std::accumulate(array.data, array.data + bytes, uint8_t(0));
  (void)sum;
  return 0;
} catch (const runtime::Failure &) {
  return 0;
}
