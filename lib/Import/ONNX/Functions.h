// SPDX-License-Identifier: Apache-2.0
//
// Functions that a model file brings for operators of its own.

#ifndef SHARDSMITH_LIB_IMPORT_ONNX_FUNCTIONS_H
#define SHARDSMITH_LIB_IMPORT_ONNX_FUNCTIONS_H

#include "Format.h"

#include <map>
#include <string>

namespace shardsmith::onnx {

class Functions {
public:
  explicit Functions(const format::Model &model);

  /// The function that a node calls; null if it calls none.
  const format::Function *find(const format::Node &node) const;

private:
  std::map<std::string, const format::Function *> byName;
};

/// The function's body with the attributes of the call, or their defaults, in
/// place of the references to them.
format::Function instantiate(const format::Function &function,
                             const format::Node &call);

} // namespace shardsmith::onnx

#endif // SHARDSMITH_LIB_IMPORT_ONNX_FUNCTIONS_H
