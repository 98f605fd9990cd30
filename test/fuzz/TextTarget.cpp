// SPDX-License-Identifier: Apache-2.0
//
// How libFuzzer changes the input of targets that read text: by tokens, and
// now and then by bytes.

#include "MutateText.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

// libFuzzer has it; the program that replays seeds has not.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data,
                                                         size_t size,
                                                         size_t maxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned int seed) {
  std::minstd_rand random(seed + 1);
  if (LLVMFuzzerMutate && random() % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<const char *>(data), size);
  shardsmith::fuzz::mutateText(text, random);
  size_t newSize = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), newSize);
  return newSize;
}
