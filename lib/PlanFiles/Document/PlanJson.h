// SPDX-License-Identifier: Apache-2.0
//
// JSON of the parts of a plan file. Keys stay in the order they are written:
// the file is read by people, too.

#ifndef SHARDSMITH_LIB_PLANFILES_DOCUMENT_PLANJSON_H
#define SHARDSMITH_LIB_PLANFILES_DOCUMENT_PLANJSON_H

#include "shardsmith/PlanFiles/PlanDocument.h"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace shardsmith::planjson {

using Json = nlohmann::ordered_json;

Json write(const Strategy &strategy);
Json write(const NamedLayout &layout);
Json write(const StepEstimate &estimate);
/// What a plan says of its train step is in three of its parts: layouts,
/// prediction and record of the search.
Json layoutsOf(const StepPlan &plan);
Json write(const StepPrediction &prediction);
Json write(const LayoutSearchRecord &search);

/// A value that the schema allows and a plan cannot have; `where` is a JSON
/// pointer to it.
struct Malformed : std::runtime_error {
  Malformed(std::string where, const std::string &message)
      : std::runtime_error(message), where(std::move(where)) {}
  std::string where;
};

// Readers of JSON that has passed the schema; `where` points at it. They throw
// Malformed.
Strategy readStrategy(const Json &json, const std::string &where);
NamedLayout readLayout(const Json &json, const std::string &where);
StepEstimate readEstimate(const Json &json, const std::string &where);
/// Fills in what `layouts/train_step` says.
void readLayouts(const Json &json, const std::string &where, StepPlan &plan);
StepPrediction readStepPrediction(const Json &json);
LayoutSearchRecord readLayoutSearch(const Json &json);

/// Reads a count. Numbers beyond 64 bits become the largest there is, which is
/// too much everywhere.
int64_t readCount(const Json &json);

} // namespace shardsmith::planjson

#endif // SHARDSMITH_LIB_PLANFILES_DOCUMENT_PLANJSON_H
