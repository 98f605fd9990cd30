// SPDX-License-Identifier: Apache-2.0
//
// Interprets ONNX models as they are read: for every folder named on the
// command line, `model.onnx` with the inputs of `inputs.safetensors`; results
// go to `outputs.safetensors`. A line per folder says "computed" or with which
// exit code and message it was refused, as JSON.

#include "shardsmith/Import/ONNX/ReadOnnx.h"
#include "shardsmith/InitAll.h"
#include "shardsmith/Interpreter/Execution.h"
#include "shardsmith/Interpreter/Inputs.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

using namespace shardsmith;

namespace {

/// Making a context takes longer than a model does.
mlir::MLIRContext &sharedContext() {
  static mlir::MLIRContext context(
      [] {
        mlir::DialectRegistry registry;
        registerAllDialects(registry);
        return registry;
      }(),
      mlir::MLIRContext::Threading::DISABLED);
  return context;
}

std::string compute(const std::string &folder, ExitCode &code) {
  mlir::MLIRContext &context = sharedContext();
  std::string diagnostics, message;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        diagnostics += diagnostic.str() + "\n";
        return mlir::success();
      });
  auto module =
      readOnnx(context, {.path = folder + "/model.onnx", .loss = "none"});
  if (!module) {
    code = takeError(module.takeError(), message);
    return message;
  }
  code = ExitCode::BadInput;
  if (mlir::failed(mlir::verify(**module)))
    return "verifier: " + diagnostics;
  auto function = findFunction(**module, "main");
  auto arguments = readArguments(*function, folder + "/inputs.safetensors");
  if (mlir::failed(arguments))
    return "inputs: " + diagnostics;
  Execution execution = runWhole(*function, *arguments);
  if (execution.outcome != Outcome::Completed)
    return "interpreter: " + diagnostics;
  if (mlir::failed(writeResults(*function, execution.results,
                                folder + "/outputs.safetensors")))
    return "outputs: " + diagnostics;
  code = ExitCode::Success;
  return "computed";
}

} // namespace

int main(int count, char **arguments) {
  for (int i = 1; i < count; ++i) {
    ExitCode code = ExitCode::Success;
    std::string message = compute(arguments[i], code);
    nlohmann::json line = {{"folder", arguments[i]},
                           {"code", static_cast<int>(code)},
                           {"message", message}};
    llvm::outs() << line.dump() << "\n";
    llvm::outs().flush();
  }
  return 0;
}
