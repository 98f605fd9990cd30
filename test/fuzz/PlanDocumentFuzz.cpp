// SPDX-License-Identifier: Apache-2.0
//
// plan.json as the planner's commands read and write it.

#include "FuzzInput.h"
#include "shardsmith/PlanFiles/PlanDocument.h"

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string error;
  std::optional<PlanDocument> plan =
      planDocumentFromJson(fuzz::asText(data, size), error);
  fuzz::require(plan.has_value() || !error.empty(), "a refusal says why");
  if (!plan)
    return 0;
  std::optional<PlanDocument> again =
      planDocumentFromJson(toJson(*plan), error);
  fuzz::require(again.has_value(), "what is written can be read");
  fuzz::require(toJson(*again) == toJson(*plan),
                "reading what was written gives the same plan");
  return 0;
}
