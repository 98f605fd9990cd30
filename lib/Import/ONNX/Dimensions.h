// SPDX-License-Identifier: Apache-2.0
//
// Sizes of the dimensions that a file leaves open.

#ifndef SHARDSMITH_LIB_IMPORT_ONNX_DIMENSIONS_H
#define SHARDSMITH_LIB_IMPORT_ONNX_DIMENSIONS_H

#include "Builder.h"
#include "Format.h"

#include "shardsmith/Import/ONNX/ReadOnnx.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardsmith::onnx {

/// A graph input with all sizes known.
struct BatchInput {
  std::string name;
  int64_t elementType = 0;
  Sizes shape;
  /// The dimension that counts samples; -1 if there is none.
  int64_t batchDimension = -1;
};

/// The inputs of the graph that are no initializers. The first dimension of
/// the first of them counts samples; throws one Failure that names every other
/// dimension whose size neither the file nor the request gives.
std::vector<BatchInput> batchInputs(const format::Graph &graph,
                                    const OnnxRequest &request);

} // namespace shardsmith::onnx

#endif // SHARDSMITH_LIB_IMPORT_ONNX_DIMENSIONS_H
