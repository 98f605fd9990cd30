// SPDX-License-Identifier: Apache-2.0
//
// The messages of Onnx.proto and what a model file must be before anything in
// it is translated.

#ifndef SHARDSMITH_LIB_IMPORT_ONNX_FORMAT_H
#define SHARDSMITH_LIB_IMPORT_ONNX_FORMAT_H

#include <Onnx.pb.h>

#include <cstdint>
#include <string>

namespace shardsmith::onnx {

/// Versions of the operator set whose definitions the translations follow.
inline constexpr int64_t oldestOpset = 11;
inline constexpr int64_t newestOpset = 28;

/// Parses the file at `path`; throws Failure for what is no ONNX model.
format::Model readModelFile(const std::string &path);

/// The version of the standard operator set; throws Failure if there is none
/// or it is outside the range above.
int64_t
opsetOf(const google::protobuf::RepeatedPtrField<format::OperatorSet> &sets);

/// Names of the standard domain: both spellings are in use.
inline bool isStandardDomain(const std::string &domain) {
  return domain.empty() || domain == "ai.onnx";
}

} // namespace shardsmith::onnx

#endif // SHARDSMITH_LIB_IMPORT_ONNX_FORMAT_H
