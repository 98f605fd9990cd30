// SPDX-License-Identifier: Apache-2.0

#include "TensorFiles.h"

#include "SingleRank.h"

using namespace shardsmith::runtime;

WholeTensor floatTensor(const Shape &shape) {
  WholeTensor tensor{SMITH_F32, shape, {}};
  tensor.data.resize(static_cast<size_t>(elementCount(shape) * 4));
  for (int64_t i = 0; i < elementCount(shape); ++i)
    storeFromDouble(SMITH_F32, tensor.data.data(), i, static_cast<double>(i));
  return tensor;
}

TensorMap readTensors(const std::string &path) {
  SafeTensorsFile file(path);
  TensorMap tensors;
  for (const auto &[name, entry] : file.all()) {
    int64_t bytes = elementCount(entry.shape) * byteSize(entry.type);
    tensors[name] = {entry.type, entry.shape,
                     std::vector<uint8_t>(entry.data, entry.data + bytes)};
  }
  return tensors;
}

void writeTensors(const std::string &path, const TensorMap &tensors,
                  const Metadata &metadata) {
  SingleRank single;
  std::vector<TensorPart> parts;
  for (const auto &[name, tensor] : tensors)
    parts.push_back(
        {name, tensor.type, wholeTensor(tensor.shape), tensor.data.data()});
  writeSafeTensors(single.context, path, parts, metadata);
}
