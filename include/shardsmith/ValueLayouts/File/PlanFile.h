// SPDX-License-Identifier: Apache-2.0
//
// The part of a plan that programs are built from: `program` in a
// plan.json of the format shardsmith-plan/2 (see PlanDocument.h), or a file of
// its own with `format = "shardsmith-plan/1"`. Readers take both.

#ifndef SHARDSMITH_VALUELAYOUTS_FILE_PLANFILE_H
#define SHARDSMITH_VALUELAYOUTS_FILE_PLANFILE_H

#include "shardsmith/ValueLayouts/Plan.h"

#include <string_view>

namespace shardsmith {

std::string planToJson(const Plan &plan);
/// Fails with exit code 3 and a JSON pointer.
llvm::Expected<Plan> planFromJson(std::string_view text);

/// Replaces the file whole or not at all.
llvm::Error writePlan(const std::string &path, const Plan &plan);
llvm::Expected<Plan> readPlan(const std::string &path);

/// Fails with exit code 3 if the plan is for another model or cluster, naming
/// both hashes. An empty hash is not compared.
llvm::Error checkPlanIsFor(const Plan &plan, llvm::StringRef modelHash,
                           llvm::StringRef clusterHash);

/// The JSON schema of the file.
std::string_view planSchema();

} // namespace shardsmith

#endif // SHARDSMITH_VALUELAYOUTS_FILE_PLANFILE_H
