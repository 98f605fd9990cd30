// SPDX-License-Identifier: Apache-2.0
//
// A plan file as the checker reads it: the decisions, and every figure the plan
// states, by its place in the file.

#ifndef SHARDSMITH_LIB_CHECK_CLAIMS_H
#define SHARDSMITH_LIB_CHECK_CLAIMS_H

#include "shardsmith/Strategy/Strategy.h"

#include <map>

namespace shardsmith::check {

/// By JSON pointer.
using Figures = std::map<std::string, int64_t>;

/// The file is not a plan; `what` names place and reason.
struct Malformed {
  std::string what;
};

/// The tensor axis in one block, by names.
struct NamedBlockLayout {
  std::string block;
  /// Op and the factor it splits; empty: none.
  std::vector<std::pair<std::string, std::string>> ops;
  std::vector<std::pair<std::string, TensorLayout>> tensors;
  struct Parameter {
    std::vector<std::string> names;
    std::vector<int64_t> shape;
    std::vector<std::vector<std::string>> axes;
  };
  std::vector<Parameter> parameters;
};

/// Another plan, as the file states it: without the layouts of its blocks.
struct ClaimedAlternative {
  /// `/alternatives/2`
  std::string pointer;
  Strategy strategy;
  /// Of its prediction.
  Figures figures;
  int64_t rankCount = 0;
  double uncertainty = 0;
  std::string provenance;
  std::optional<double> dollars;

  int64_t figure(const std::string &name) const {
    auto found = figures.find(pointer + "/prediction/" + name);
    return found == figures.end() ? 0 : found->second;
  }
};

struct Claims {
  std::string modelHash, clusterHash, profileHash;
  std::string modelName, clusterName, profileName;
  /// In the order of the file: name and value.
  std::vector<std::pair<std::string, std::string>> options;
  /// Of the cluster's pools.
  std::vector<std::string> deviceTypes;
  std::string computeType;
  /// The option in force.
  double memoryMargin = 0.10;
  /// `layouts` are empty until they are bound to the model's blocks.
  Strategy strategy;
  std::vector<NamedBlockLayout> layouts;
  /// Of model, cluster and prediction; `rankCount` ranks have some.
  Figures figures;
  int64_t rankCount = 0;
  double uncertainty = 0;
  std::string provenance;
  std::optional<double> dollars;
  /// Numbers of `/checkpoints` by pointer; empty without it.
  std::map<std::string, double> checkpoints;

  /// `time`, `dollars` or `front`.
  std::string objective;
  int64_t cost = 0, bound = 0;
  double gap = 0;
  /// `exact`, `bounded` or `none`.
  std::string proof;
  bool stopped = false;
  std::vector<ClaimedAlternative> alternatives;
  /// The file says what a program is built from.
  bool hasProgram = false;
};

class JsonView;
/// Throws Malformed if the plan is of another version.
void requireFormat(const JsonView &plan);

/// Throws Malformed.
Claims readClaims(std::string_view planJson);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_CLAIMS_H
