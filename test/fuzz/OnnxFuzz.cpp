// SPDX-License-Identifier: Apache-2.0
//
// ONNX models.

#include "FuzzInput.h"
#include "MlirSession.h"
#include "MutateText.h"

#include "mlir/IR/Verifier.h"
#include "shardsmith/Import/ONNX/ReadOnnx.h"

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::InputFile input(data, size);
  auto model =
      readOnnx(fuzz::freshContext(),
               {.path = input.path(), .globalBatch = 2, .loss = "none"});
  if (model)
    fuzz::require(mlir::succeeded(mlir::verify(**model)),
                  "the graph of a model that is taken verifies");
  else
    llvm::consumeError(model.takeError());
  return 0;
}

/// Changes bytes: lengths and names of the format lie among them.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned int seed) {
  std::minstd_rand random(seed + 1);
  return fuzz::mutateBytes(data, size, maxSize, random);
}
