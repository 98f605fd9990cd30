// SPDX-License-Identifier: Apache-2.0
//
// Workload files: reader, totals, writer.

#include "FuzzInput.h"
#include "shardsmith/Workload/Workload.h"

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string error;
  std::optional<workload::Workload> read =
      workload::workloadFromJson(fuzz::asText(data, size), error);
  fuzz::require(read.has_value() || !error.empty(), "a refusal says why");
  if (!read)
    return 0;
  (void)read->parameterCount();
  (void)read->forwardFlops();
  (void)read->fewestExperts();
  std::optional<workload::Workload> again =
      workload::workloadFromJson(workload::toJson(*read), error);
  fuzz::require(again.has_value(), "what is written can be read");
  fuzz::require(*again == *read, "reading what was written gives the same");
  return 0;
}
