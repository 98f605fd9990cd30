// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_HUGGINGFACE_CONFIGOBJECT_H
#define SHARDSMITH_LIB_IMPORT_HUGGINGFACE_CONFIGOBJECT_H

#include "../SizeLimits.h"
#include "shardsmith/Import/BuildModel.h"

#include <nlohmann/json.hpp>

#include <string>

namespace shardsmith::huggingface {

/// Four times as many as any model has had. Each layer's parameters are
/// arguments of a graph, so that many more take minutes and gigabytes.
inline constexpr int64_t mostLayers = 4096;

/// Reads a JSON object key by key. The first problem is kept, with the JSON
/// pointer of the value; reading then goes on with harmless values, so that
/// readers need not test after every key. A `null` counts as missing, as it
/// does in the files that the transformers library writes.
class ConfigObject {
public:
  /// `source` is the file or the built-in name, for messages.
  ConfigObject(const nlohmann::json &value, std::string source,
               std::string pointer = "");

  bool has(const std::string &key) const;

  /// An integer between `low` and `high`; required if there is no fallback.
  int64_t integer(const std::string &key, int64_t low, int64_t high,
                  std::optional<int64_t> fallback = std::nullopt);
  int64_t size(const std::string &key,
               std::optional<int64_t> fallback = std::nullopt) {
    return integer(key, 1, largestSize, fallback);
  }
  /// A finite number greater than `low`.
  double number(const std::string &key, double low,
                std::optional<double> fallback = std::nullopt);
  bool boolean(const std::string &key, bool fallback);
  std::string text(const std::string &key,
                   const std::optional<std::string> &fallback = std::nullopt);

  /// The value of a list or object; null if missing.
  const nlohmann::json *nested(const std::string &key) const;
  std::string pointerTo(const std::string &key) const;

  /// A reader of an object inside this one; see `adopt`.
  ConfigObject inner(const std::string &key,
                     const nlohmann::json &object) const;

  /// Records that the value of `key` is wrong, or right but not built here.
  void refuse(const std::string &key, const std::string &problem,
              ExitCode code = ExitCode::BadInput);
  void refuseUnsupported(const std::string &key, const std::string &problem) {
    refuse(key, problem, ExitCode::Unsupported);
  }

  bool failed() const { return firstProblem.has_value(); }
  llvm::Error takeError();
  /// Takes over the first problem of an object inside this one.
  void adopt(const ConfigObject &inner);

private:
  struct Problem {
    ExitCode code;
    std::string message;
  };

  const nlohmann::json &value;
  std::string source;
  std::string pointer;
  std::optional<Problem> firstProblem;
};

} // namespace shardsmith::huggingface

#endif // SHARDSMITH_LIB_IMPORT_HUGGINGFACE_CONFIGOBJECT_H
