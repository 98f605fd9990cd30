// SPDX-License-Identifier: Apache-2.0
//
// Whole safetensors files in tests.

#ifndef SHARDSMITH_TEST_UNIT_RUNTIME_TENSORFILES_H
#define SHARDSMITH_TEST_UNIT_RUNTIME_TENSORFILES_H

#include "shardsmith/Runtime/Files/SafeTensors.h"

#include <map>
#include <string>
#include <vector>

struct WholeTensor {
  shardsmith::runtime::ElementType type = SMITH_F32;
  shardsmith::runtime::Shape shape;
  std::vector<uint8_t> data;

  double at(int64_t index) const {
    return shardsmith::runtime::loadAsDouble(type, data.data(), index);
  }
};

using TensorMap = std::map<std::string, WholeTensor>;

/// Elements 0, 1, 2, …
WholeTensor floatTensor(const shardsmith::runtime::Shape &shape);

TensorMap readTensors(const std::string &path);

void writeTensors(const std::string &path, const TensorMap &tensors,
                  const shardsmith::runtime::Metadata &metadata = {});

#endif // SHARDSMITH_TEST_UNIT_RUNTIME_TENSORFILES_H
