// SPDX-License-Identifier: Apache-2.0
//
// Arrays in NumPy's .npy format, versions 1 to 3, mapped for reading.

#ifndef SHARDSMITH_LIB_RUNTIME_FILES_NPY_H
#define SHARDSMITH_LIB_RUNTIME_FILES_NPY_H

#include "shardsmith/Runtime/Arena.h"
#include "shardsmith/Runtime/ElementType.h"
#include "shardsmith/Runtime/Shard.h"

#include <string>

namespace shardsmith::runtime {

struct NpyFile {
  ElementType type = SMITH_F32;
  Shape shape; // row-major
  const uint8_t *data = nullptr;
  Mapping file;
};

/// Throws a Failure that names the file if it is not a little-endian,
/// row-major array of numbers or bools.
NpyFile readNpy(const std::string &path);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_FILES_NPY_H
