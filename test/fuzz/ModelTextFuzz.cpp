// SPDX-License-Identifier: Apache-2.0
//
// Model files: loaded, imported, made a train step, seen as the planner does.

#include "FuzzInput.h"
#include "MlirSession.h"
#include "shardsmith/Import/Pipeline.h"
#include "shardsmith/Train/TrainStep.h"
#include "shardsmith/Workload/ExtractWorkload.h"

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext &context = fuzz::freshContext();
  fuzz::InputFile file(data, size);
  ExitCode code = ExitCode::Success;
  mlir::OwningOpRef<mlir::ModuleOp> model =
      importModel(file.path(), context, {}, code);
  fuzz::require(model || code == ExitCode::BadInput ||
                    code == ExitCode::Unsupported,
                "a refused model is wrong or holds what is unsupported");
  if (!model)
    return 0;
  if (llvm::Expected<workload::Workload> workload = extractWorkload(*model))
    fuzz::require(workload->verify().empty(), "workloads verify");
  else
    llvm::consumeError(workload.takeError());
  code = ExitCode::Success;
  if (failed(buildTrainStep(*model, {}, &code)))
    fuzz::require(code == ExitCode::BadInput || code == ExitCode::Unsupported,
                  "a model without train step is wrong or unsupported");
  return 0;
}
