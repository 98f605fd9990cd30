// SPDX-License-Identifier: Apache-2.0
//
// config.json of Hugging Face models.

#include "FuzzInput.h"
#include "MlirSession.h"
#include "shardsmith/Import/BuildModel.h"
#include "shardsmith/Workload/ExtractWorkload.h"

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(fuzz::asText(data, size));
  // Anything else is the name of a model or a file.
  if (text.find_first_not_of(" \t\r\n") == std::string::npos ||
      text[text.find_first_not_of(" \t\r\n")] != '{')
    return 0;
  smith::RepeatedCalls repeated;
  auto model = buildModel(
      fuzz::freshContext(),
      {.model = text, .sequenceLength = 16, .globalBatch = 4}, &repeated);
  if (model)
    fuzz::require(static_cast<bool>(*model), "a model is built");
  else
    llvm::consumeError(model.takeError());
  return 0;
}
