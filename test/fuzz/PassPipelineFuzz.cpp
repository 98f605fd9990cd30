// SPDX-License-Identifier: Apache-2.0
//
// Passes and their options on the IR of every stage. The first line of an
// input is a pipeline, the rest a module.

#include "FuzzInput.h"
#include "MlirSession.h"
#include "shardsmith/Import/LoadModel.h"
#include "shardsmith/InitAll.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace shardsmith;

namespace {

/// What passes print to standard output goes nowhere.
llvm::raw_ostream &nowhere() { return llvm::nulls(); }

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // MLIR's own passes are not under test.
  static bool once = (registerProjectPasses(), true);
  (void)once;
  std::string_view rest = fuzz::asText(data, size);
  std::string pipeline(fuzz::takeLine(rest));
  mlir::MLIRContext &context = fuzz::freshContext();
  // Passes may name and write files; those of whoever runs this are no input.
  if (pipeline.find("file") != std::string::npos ||
      pipeline.find("emit") != std::string::npos ||
      pipeline.find('/') != std::string::npos)
    return 0;
  mlir::PassManager passes(&context);
  mlir::PassManager ofFunctions(&context);
  bool isOfModules =
      succeeded(mlir::parsePassPipeline(pipeline, passes, nowhere()));
  if (!isOfModules &&
      failed(mlir::parsePassPipeline("func.func(" + pipeline + ")", ofFunctions,
                                     nowhere())))
    return 0;
  fuzz::InputFile file(reinterpret_cast<const uint8_t *>(rest.data()),
                       rest.size());
  ExitCode code = ExitCode::Success;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      loadModel(file.path(), context, code);
  if (!module || failed((isOfModules ? passes : ofFunctions).run(*module)))
    return 0;
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  fuzz::require(static_cast<bool>(
                    mlir::parseSourceString<mlir::ModuleOp>(text, &context)),
                "what is printed can be parsed");
  return 0;
}
