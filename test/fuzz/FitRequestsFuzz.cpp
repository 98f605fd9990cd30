// SPDX-License-Identifier: Apache-2.0
//
// Requests of `calibrate`.

#include "FuzzInput.h"
#include "shardsmith/Calibrate/RowBatch.h"

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string error;
  auto requests = profileRequestsFromJson(fuzz::asText(data, size), error);
  fuzz::require(requests.has_value() || !error.empty(), "a refusal says why");
  return 0;
}
