// SPDX-License-Identifier: Apache-2.0
//
// The part of plan.json that programs are built from.

#include "FuzzInput.h"
#include "shardsmith/ValueLayouts/File/PlanFile.h"

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<Plan> plan = planFromJson(fuzz::asText(data, size));
  if (!plan) {
    llvm::consumeError(plan.takeError());
    return 0;
  }
  llvm::Expected<Plan> again = planFromJson(planToJson(*plan));
  fuzz::require(static_cast<bool>(again), "what is written can be read");
  fuzz::require(planToJson(*again) == planToJson(*plan),
                "reading what was written gives the same plan");
  return 0;
}
