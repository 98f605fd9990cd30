// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_ONNX_NODEORDER_H
#define SHARDSMITH_LIB_IMPORT_ONNX_NODEORDER_H

#include "Format.h"

#include <string>
#include <vector>

namespace shardsmith::onnx {

using Nodes = google::protobuf::RepeatedPtrField<format::Node>;

/// "node 'name' (Type)"; without a name, the node's first result names it.
std::string describe(const format::Node &node);

/// The nodes such that each follows those whose results it or a body of it
/// reads; the file's order where that leaves a choice. Throws Failure for nodes
/// that wait for each other.
std::vector<const format::Node *> inOrder(const Nodes &nodes);

} // namespace shardsmith::onnx

#endif // SHARDSMITH_LIB_IMPORT_ONNX_NODEORDER_H
