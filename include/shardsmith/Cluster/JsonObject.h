// SPDX-License-Identifier: Apache-2.0
//
// Reads one JSON object key by key. Every problem becomes an issue with the
// JSON pointer of the value; reading goes on with the default, so that one
// run shows all problems of a file.

#ifndef SHARDSMITH_CLUSTER_JSONOBJECT_H
#define SHARDSMITH_CLUSTER_JSONOBJECT_H

#include "shardsmith/Cluster/ClusterReader.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <set>

namespace shardsmith::cluster {

struct NumberRule {
  double low;
  double high;
  bool excludesLow = false;
  bool excludesHigh = false;
  /// The rule in words: "greater than 0".
  const char *text;

  bool accepts(double value) const {
    return (excludesLow ? value > low : value >= low) &&
           (excludesHigh ? value < high : value <= high);
  }
};

extern const NumberRule positive, nonNegative, fraction, probability,
    atLeastOne;

class JsonObject {
public:
  JsonObject(const nlohmann::json &value, std::string pointer,
             std::vector<ClusterIssue> &errors);

  bool isObject() const { return valid; }
  bool has(const std::string &key) const;
  const std::string &pointer() const { return path; }
  std::string pointerTo(const std::string &key) const;

  /// Values with defaults; a missing required value is an error.
  double number(const std::string &key, const NumberRule &rule,
                std::optional<double> fallback);
  std::optional<double> optionalNumber(const std::string &key,
                                       const NumberRule &rule);
  int64_t integer(const std::string &key, int64_t least,
                  std::optional<int64_t> fallback);
  bool boolean(const std::string &key, bool fallback);
  std::string string(const std::string &key,
                     const std::optional<std::string> &fallback);
  std::string oneOf(const std::string &key,
                    const std::vector<std::string> &words,
                    const std::optional<std::string> &fallback);

  /// The value for nested readers; null if missing. `kind` names the type
  /// expected ("object" or "array").
  const nlohmann::json *nested(const std::string &key, const char *kind,
                               bool required);

  /// The value whatever its type; null if missing.
  const nlohmann::json *any(const std::string &key) { return find(key); }

  /// Calls `read` with every element of an array and its pointer.
  void forEach(const std::string &key, bool required,
               const std::function<void(const nlohmann::json &,
                                        const std::string &)> &read);

  /// The same for an array of objects, whose unknown keys are reported.
  void forEachObject(const std::string &key, bool required,
                     const std::function<void(JsonObject &)> &read);
  /// A reader of a nested object.
  JsonObject child(const std::string &key, const nlohmann::json &nested);
  /// Of the whole file so far.
  size_t errorCount() const { return errors.size(); }

  /// Reports the keys that nothing has asked for, except `x_…`.
  void finish();

  void error(const std::string &key, const std::string &message);

private:
  const nlohmann::json *find(const std::string &key);

  const nlohmann::json &value;
  std::string path;
  std::vector<ClusterIssue> &errors;
  std::set<std::string> asked;
  bool valid;
};

/// Parses a file's text (Support/Json.h); what is wrong with it is an issue.
std::optional<nlohmann::json> parseJson(std::string_view text,
                                        std::vector<ClusterIssue> &errors);

/// A JSON value as it appears in a message, shortened.
std::string shown(const nlohmann::json &value);

} // namespace shardsmith::cluster

#endif // SHARDSMITH_CLUSTER_JSONOBJECT_H
