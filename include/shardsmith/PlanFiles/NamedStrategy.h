// SPDX-License-Identifier: Apache-2.0
//
// A strategy by itself, with the names of the workload it is for: the object
// `strategy` of a plan.json with the blocks of its `layouts` as a member of
// that name, for those who keep plans elsewhere than in files.

#ifndef SHARDSMITH_PLANFILES_NAMEDSTRATEGY_H
#define SHARDSMITH_PLANFILES_NAMEDSTRATEGY_H

#include "shardsmith/Strategy/Strategy.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace shardsmith {

/// The strategy with its layouts by name.
nlohmann::ordered_json strategyToJson(const workload::Workload &workload,
                                      const Strategy &strategy);

/// Reads it back. Fails if the value does not follow the schema of plan.json,
/// or if the strategy is none for this workload; then `error` gets a sentence
/// behind `strategy`, with a JSON pointer into the value where one member is at
/// fault.
std::optional<Strategy> strategyFromJson(const workload::Workload &workload,
                                         const nlohmann::ordered_json &json,
                                         std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_PLANFILES_NAMEDSTRATEGY_H
