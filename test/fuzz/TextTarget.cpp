// SPDX-License-Identifier: Apache-2.0
//
// How libFuzzer changes the input of targets that read text: by tokens, and
// now and then by bytes.

#include "FuzzInput.h"
#include "MutateText.h"

using namespace shardsmith;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned int seed) {
  std::minstd_rand random(seed + 1);
  if (random() % 8 == 0)
    return fuzz::mutateBytes(data, size, maxSize, random);
  std::string text(fuzz::asText(data, size));
  fuzz::mutateText(text, random);
  return fuzz::putText(text, data, maxSize);
}
