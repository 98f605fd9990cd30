// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints and weights in the safetensors format.

#include "FuzzInput.h"
#include "MutateText.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/Files/SafeTensors.h"

#include <cstring>

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) try {
  fuzz::InputFile input(data, size);
  runtime::SafeTensorsFile file(input.path());
  for (const auto &[name, entry] : file.all()) {
    runtime::Tensor tensor;
    tensor.name = name;
    tensor.type = entry.type;
    tensor.globalShape = tensor.localShape = entry.shape;
    fuzz::require(tensor.globalBytes() <= static_cast<int64_t>(size),
                  "tensors lie in the file");
    std::vector<uint8_t> local(static_cast<size_t>(tensor.globalBytes()));
    file.read(tensor, runtime::wholeTensor(entry.shape), local.data());
  }
  return 0;
} catch (const runtime::Failure &) {
  return 0;
}

/// Changes the header by its tokens, with the length that fits it, or bytes.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned int seed) {
  std::minstd_rand random(seed + 1);
  uint64_t length = 0;
  constexpr size_t prefix = sizeof length;
  if (size >= prefix)
    std::memcpy(&length, data, prefix);
  bool hasHeader = size >= prefix && length <= size - prefix;
  if (!hasHeader || random() % 8 == 0)
    return fuzz::mutateBytes(data, size, maxSize, random);
  auto *text = reinterpret_cast<const char *>(data);
  std::string header(text + prefix, length);
  std::string tail(text + prefix + length, size - prefix - length);
  fuzz::mutateText(header, random);
  length = header.size();
  std::string whole(reinterpret_cast<const char *>(&length), prefix);
  whole += header + tail;
  return fuzz::putText(whole, data, maxSize);
}
